"""Whose words they are: what somebody else is said to state and is rejected, and what a speaker takes back himself."""

from bisect import bisect_left

from engine.grounding.grammar.marking import MarkedText
from engine.grounding.words import categories as c
from engine.grounding.words.lists import cue_words

SLIP = "slip"
"""A number its speaker takes back in the same breath."""
_QUOTE_REACH = 5
_APPOSED = 2
_SAYING = cue_words("saying")
_QUOTES = frozenset({"“", "「", "『", '"'})


def mark_quotes(text: MarkedText, first: int, last: int, following: tuple[int, int]) -> None:
    """Mark what somebody else is said to state, when it is rejected in the same breath."""
    rejects = [index for index in range(first, last) if is_rejection(text, index)]
    speakers = [index for index in range(first, last) if text.items[index].cat == c.SPEAKER and is_speaking(text, index, last)]
    say_items = [index for index in range(first, last) if text.items[index].cat == c.SAY or text.word(index) in _QUOTES]
    for number, speaker in enumerate(speakers):
        end = speakers[number + 1] if number + 1 < len(speakers) else last
        before = rejects[bisect_left(rejects, speaker - _QUOTE_REACH) : bisect_left(rejects, speaker)]
        inside = rejects[bisect_left(rejects, speaker) : bisect_left(rejects, end)]
        later = any(is_rejection(text, index) for index in range(following[0], min(following[0] + _QUOTE_REACH, following[1])))
        later = later or is_answered(text, speaker, end, following)
        if inside and text.word(speaker - 1) in {"as", "正如", "如"} and speaker > first:
            text.mark(speakers[number - 1] if number else first, speaker, "quote")  # `an MFE of 6%, as the bear alleges, is false`
        if before or (inside and not text.has(speaker, inside[0], c.NUM, c.STATE, c.RANGE)):
            colon = next(
                (index for index in range(speaker, end) if text.items[index].val == "colon" and text.has(speaker, index, c.NUM)), end
            )
            text.mark(speaker, min(colon, text.find(speaker, end, c.WEAK)), "quote")
            text.mark(*quoted_before(text, first, speaker if number == 0 else first), "quote")
        elif inside:
            granted = [index for index in range(speaker, inside[0]) if text.items[index].cat == c.ENDORSE]
            turn = (
                next((index for index in range(granted[0], inside[0]) if text.items[index].val == "but"), speaker) if granted else speaker
            )
            text.mark(turn, inside[0], "quote")
        elif later and number + 1 == len(speakers):
            opened = next((index for index in range(first, speaker) if text.word(index) in _QUOTES), speaker)
            text.mark(opened, end, "quote")  # `"ADX is only 22", writes the bear. Wrong.`
    if not speakers and say_items and rejects:
        start = max((index for index in range(first, say_items[0]) if text.items[index].cat == c.WEAK), default=first)
        stop = next((index for index in rejects if index > say_items[0]), None)
        if stop is not None:
            text.mark(start, stop, "quote")
        elif rejects[0] <= say_items[0] <= rejects[0] + _APPOSED:  # `wrong to quote ADX at 22: it is 47`
            colon = next((index for index in range(say_items[0], last) if text.items[index].val == "colon"), last)
            text.mark(say_items[0], min(colon, text.find(say_items[0], last, c.WEAK)), "quote")
    elif not speakers and say_items and following[0] < following[1] and is_denial(text, following[0]):
        text.mark(say_items[0], last, "quote")


def mark_slips(text: MarkedText, first: int, last: int) -> None:
    """Read `RSI is 70, no, 57`, `ADX为35，不对，是55.5`: the first number is taken back."""
    for index in range(first + 1, last - 1):
        item = text.items[index]
        alone = text.items[index - 1].cat == c.WEAK and text.items[index + 1].cat == c.WEAK
        if item.cat in {c.REJECT, c.NEG} and alone and text.items[index - 2].cat in {c.NUM, c.RANGE}:
            text.mark(index - 2, index - 1, SLIP)


def quoted_before(text: MarkedText, first: int, speaker: int) -> tuple[int, int]:
    """Read `the "RSI of 55" my opponent cites is invented`: the quotation that comes before its speaker."""
    return next((index for index in range(first, speaker) if text.word(index) in _QUOTES), speaker), speaker


def is_answered(text: MarkedText, speaker: int, end: int, following: tuple[int, int]) -> bool:
    """Recognise `Bear insists that %K is overbought; %K is 23.`: right behind it the writer says of the same what is so."""
    named = [text.items[index].val for index in range(speaker, end) if text.items[index].cat == c.IND]
    own = not text.has(*following, c.SPEAKER, c.SAY, c.ENDORSE)
    opening = range(following[0], min(following[0] + _APPOSED, following[1]))
    stated = own and text.has(*following, c.NUM)
    return stated and bool(named) and any(text.items[index].cat == c.IND and text.items[index].val == named[-1] for index in opening)


def is_speaking(text: MarkedText, speaker: int, last: int) -> bool:
    """Return whether somebody named at `speaker` is said to state something."""
    return any(
        text.items[speaker].val == "whose"
        or text.word(index) in _QUOTES
        or text.items[index].cat in {c.SAY, c.REJECT, c.ENDORSE}
        or text.items[index].val == "="
        or text.word(index) in _SAYING
        for index in range(speaker + 1, min(speaker + _QUOTE_REACH, last))
    ) or any(item.cat == c.SAY for item in text.items[max(0, speaker - 2) : speaker])


def is_denial(text: MarkedText, index: int) -> bool:
    """Recognise `It is not.`, `it isn't;`: with nothing behind it that would be denied instead."""
    if text.items[index].cat != c.IT:
        return False
    after = text.items[index + 1 : index + 4]
    denial = next((at for at, item in enumerate(after) if item.cat != c.LINK), len(after))
    return denial + 1 < len(after) and after[denial].cat == c.NEG and after[denial + 1].cat in {c.WEAK, c.STRONG}


def is_rejection(text: MarkedText, index: int) -> bool:
    """Return whether the item rejects what was said before it."""
    item = text.items[index]
    if item.cat == c.REJECT or (item.cat == c.IT and item.val == "truth") or is_denial(text, index):
        return True
    if (
        item.cat == c.CONJ
        and text.word(index) in {"but", "yet", "however", "但", "但是", "而", "然而", "不过"}
        and index + 2 < len(text.items)
    ):
        return text.items[index + 1].cat == c.IT and text.items[index + 2].cat in {c.LINK, c.NEG, c.NUM}
    return False
