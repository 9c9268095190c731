"""What may not have been understood of a claim that came out false: whose figure it is, of what time, said or supposed, in which unit, and
whether another statement of the text or fact of the sheet explains the number better.

Every doubt is a function of the claim in its surroundings and gives the words that were not understood, None where there is no doubt.
"""

from collections.abc import Callable
from math import inf
from typing import Final

from engine.grounding.checks.surroundings import FEW, JOINTS, ROUNDED, VALUES, ReadClaim, is_plain
from engine.grounding.grammar.marking import SKIPPED
from engine.grounding.grammar.volume import VOLUME
from engine.grounding.tables.indicator import IndicatorSpec, NamedIndicator
from engine.grounding.words import categories as c
from engine.grounding.words.doubts import (
    CLOSING,
    DENIED,
    GAPS,
    HOURS,
    MANY,
    MONTHS,
    NOT_OURS,
    ORDERED,
    OURS,
    PER_TIME,
    QUALIFIED,
    REACHING,
    RECKONED,
    SUPPOSING,
    THAT,
)

OWNER: Final = "whose figure this is was not understood: {}"
TIME: Final = "of what time this is was not understood: {}"
CONDITION: Final = "it may be a condition or a plan: {}"
UNIT: Final = "what this is measured in was not understood: {}"
SUBJECT: Final = "what this is said of was not understood: {}"
ANSWERED: Final = "somebody is quoted, and the right value follows: {}"
WORDS: Final = "these words were not understood: {}"
TWICE: Final = "the text gives the right value elsewhere; this may be another one"
TOO_FAR: Final = "too far from the fact to be a statement about it"

_OTHERS: Final = frozenset({c.UNKNOWN, c.IND, c.ASSET, c.SINK})
_SUPPOSED: Final = frozenset({"hyp", "plan", "stop", "modal", "then", "question", "quote"})
_OWNED: Final = frozenset({c.POSITION, c.SIDE, c.TRADE, c.ASSET, c.IT})
_PROFITS: Final = frozenset({"profit_pct", "loss_pct"})
_LEVELS: Final = frozenset({"price", "line", "level", "signal"})
_COUNTED: Final = frozenset({"shares_held", "position_weight_pct", "average_price", "account_total_value"})
_OF_TRADES: Final = frozenset({"hold_count", "leverage"})
_OF_THE_PAST: Final = frozenset({"entry_price", "mfe_pct", "mae_pct", "drawdown_from_peak_pct", "leverage", "size", "hold_count"})
_PRICE_RELATIONS: Final = frozenset({"price_above", "price_below", "price_near"})
_LINES: Final = frozenset({"line", "level"})
_BESIDE: Final = frozenset({c.OPEN, c.LINK, c.FILL})
_FAR_PRICE: Final = 2.0
_FAR_PER_SHARE: Final = 3.0
_FAR_TRADE: Final = 10.0
_FAR: Final = 30.0
_FAR_PLAIN: Final = 50.0
_FAR_AS_DIFFERENCES: Final = {"percent": inf, "macd": 150.0}
_RESUMES: Final = frozenset({c.PIPE, c.NOW, c.CLOSE, c.TO, c.THEN})
_BETWEEN_VALUES: Final = frozenset({c.AND, c.CONJ, c.FILL, c.HEDGE})
_DEBATERS: Final = frozenset({"bull", "bear", "judge"})
_MIDDLE: Final = 50
_ANSWER: Final = 30
_SHORTEST_NAME: Final = 3
_HIGHER: Final = "htf"
_BOUND_JOINTS: Final = JOINTS | {c.CMP, c.POST}

Doubt = Callable[[ReadClaim], str | None]


# What explains the number better.


def _is_too_far(reading: ReadClaim) -> str | None:
    """Doubt a value that is so far from the fact that nobody would have said it of it: a distance, an amount, a multiple."""
    actual, said, indicator = reading.result.actual, reading.raw.number, reading.indicator
    if not reading.is_number or not isinstance(actual, float) or not actual or not said or reading.raw.base is not None:
        return None
    far = _reach(indicator, plain=is_plain(reading))
    least = 1 / far if indicator.kind != "funding" and indicator.unit != "index" else 0.0  # these may be close to nothing
    return None if least < abs(said / actual) < far else ""


def _reach(indicator: IndicatorSpec, *, plain: bool) -> float:
    """Return how many times the fact a stated value may be. plain: `The price is 250.` leaves nothing to doubt but its size."""
    priced = indicator.unit == "price" and indicator.kind != "atr"
    if not plain:
        near = _FAR_TRADE if indicator.position else _FAR_PRICE if indicator.kind in _LEVELS else _FAR_PER_SHARE
        return near if priced else _FAR
    if indicator.unit in _FAR_AS_DIFFERENCES:  # as near to nothing as it likes
        return _FAR_AS_DIFFERENCES[indicator.unit]
    return _FAR_TRADE if priced and indicator.kind != "price" else _FAR_PLAIN


def _is_said_rightly(reading: ReadClaim) -> str | None:
    """Doubt a second value of what the same speaker states rightly elsewhere, unless it is stated as plainly as can be."""
    confirmed = reading.text.confirmed.get((reading.result.key, reading.raw.speaker), 0)
    if not reading.is_number or not confirmed or is_plain(reading):
        return None
    bound = reading.raw.relation in {">", "<"}
    start = reading.item(reading.clause[0]).start
    return None if bound and not REACHING.search(reading.text.normal, start, reading.item(reading.at).end) else ""


def _is_only_its_size(reading: ReadClaim) -> str | None:
    """Doubt `It pays 0.0086%` of a rate that is negative: the verb says which way, and it was not understood."""
    actual, said = reading.result.actual, reading.raw.number
    if reading.item(reading.name).cat != c.IT or not reading.is_number or not isinstance(actual, float) or not said or actual * said >= 0:
        return None
    written = reading.item(reading.at).number
    signed = written is not None and (written.signed or reading.first(range(*reading.clause), c.DIR) is not None)
    return None if signed or abs(abs(said) - abs(actual)) > reading.raw.step else reading.words(*reading.clause)


def _is_answered(reading: ReadClaim) -> str | None:
    """Doubt `Bull says MFI is 18. It is 28.0.`: somebody is quoted, and the fact itself is written close by."""
    actual = reading.result.actual
    if not reading.is_number or not isinstance(actual, float):
        return None
    quoted = reading.raw.speaker is not None or reading.first(range(reading.sentence[0], reading.at), c.SPEAKER, c.SAY) is not None
    opened = reading.text.normal.count('"', reading.item(reading.sentence[0]).start, reading.item(reading.at).start) % 2 == 1
    if not (quoted or opened):
        return None
    for at in range(reading.at + 1, min(reading.at + _ANSWER, len(reading.text.items))):
        if reading.item(at).cat == c.SPEAKER and reading.item(at).val in _DEBATERS:
            return None
        number = reading.item(at).number if reading.item(at).cat == c.NUM else None
        if number is not None and number.value and abs(abs(number.value) - abs(actual)) <= number.step / 2 * ROUNDED:
            return reading.words(at, at + 1)
    return None


# What the number is measured in.


def _is_of_another_unit(reading: ReadClaim) -> str | None:
    """Doubt `1.6 ATR`, `2.5 ETH`, `+0.84 (+8.86%)`, `1.6个ATR（2.9%）`: a unit that the subject is not measured in."""
    written, behind = reading.item(reading.at).number, reading.behind()
    if not reading.is_number or written is None:
        return None
    before = _before(reading, reading.name)
    if reading.indicator.kind == "atr" and reading.name > 0 and reading.item(before).cat in VALUES:
        return reading.words(before, reading.at + 1)
    if behind is None:
        return None
    item, after = reading.item(behind), reading.item(min(behind + 1, len(reading.text.items) - 1))
    percent = after.number is not None and after.number.unit == "%" and item.cat == c.OPEN
    if percent and reading.indicator.unit == "percent" and written.unit != "%":
        return reading.words(reading.at, behind + 2)
    coins = item.cat == c.ASSET and behind == reading.at + 1 and reading.indicator.base != "size"
    named = isinstance(item.val, NamedIndicator) and item.val.indicator.kind == "atr" and reading.indicator.kind != "atr"
    ranges = named and (after is item or after.cat not in {c.NUM, c.LINK, c.OPEN})
    return reading.words(reading.at, behind + 1) if coins or ranges else None


def _is_share_or_rate(reading: ReadClaim) -> str | None:
    """Doubt `24% a year`, `138% of equity`, `占峰值34%`, `the spread is 31`: a rate, a share or a gap."""
    written, shared, behind = reading.item(reading.at).number, reading.name - 1, reading.behind()
    if not reading.is_number or written is None:
        return None
    if written.unit == "%" and shared >= reading.clause[0] and reading.word(shared) == "占":
        return reading.words(shared, reading.at + 1)
    gap = GAPS.search(reading.text.normal, reading.item(reading.clause[0]).start, reading.item(reading.at).end)
    if gap is not None:
        return gap[0]
    if behind is not None and written.unit == "%" and reading.item(behind).val == "of" and reading.indicator.kind != VOLUME:
        of = next((at for at in range(behind + 1, min(behind + FEW, reading.clause[1])) if reading.item(at).cat != c.FILL), None)
        if of is not None and reading.item(of).cat in {c.UNKNOWN, c.SINK}:
            return reading.words(reading.at, of + 1)
    timed = next((at for at in range(reading.at + 1, min(reading.at + FEW, reading.clause[1])) if reading.word(at) in PER_TIME), None)
    return reading.words(reading.at, timed + 1) if timed is not None else None


def _is_of_a_distance(reading: ReadClaim) -> str | None:
    """Doubt `15.4 dollars or 1.7 ATR above the EMA20`, `相距现价1.4和2.2个ATR`: what it is joined with is a distance."""
    items, joint = reading.text.items, reading.behind()
    joint = reading.clause[1] if joint is None else joint
    second = next((at for at in range(joint, min(joint + FEW, len(items))) if items[at].cat in VALUES), None)
    if not reading.is_number or second is None or items[second].mode != SKIPPED:
        return None
    joined = all(item.cat in _BETWEEN_VALUES for item in items[joint:second])
    return reading.words(reading.at, second + 1) if joined else None


def _before(reading: ReadClaim, place: int) -> int:
    """Return the item before a place that says something."""
    at = place - 1
    while at > 0 and reading.item(at).cat == c.FILL:
        at -= 1
    return max(at, 0)


# Whose figure it is.


def _is_of_others(reading: ReadClaim) -> str | None:
    """Doubt what stands behind `peers`, `for comparison`, `同行`, or behind another asset and not behind the own one."""
    first, at = reading.sentence[0], reading.at
    found = NOT_OURS.search(reading.text.normal, reading.item(first).start, reading.item(at).end)
    if found is not None:
        return found[0]
    other = next(
        (index for index in range(at - 1, first - 1, -1) if reading.item(index).mode == "other" and reading.item(index).cat in _OTHERS),
        None,
    )
    segment = reading.text.items[first:at] if other is not None and reading.clause[0] > other else []
    if any(item.val == "segment" for item in segment):
        return None  # `while costs grew 4%, revenue grew 9%`
    if other is None or reading.is_confirmed_since(other):
        return None
    own = any(
        (reading.item(index).cat == c.ASSET and not reading.item(index).mode) or reading.word(index) in OURS for index in range(first, at)
    )
    return reading.words(other, min(other + FEW, at)) if not own else None


def _is_of_somebody(reading: ReadClaim) -> str | None:
    """Doubt `Merrow at 12.3 times EBITDA`, `the margin that Danton earns`: a name nobody knows before the value."""
    for index in range(reading.clause[0], reading.at):
        written = reading.text.original(reading.item(index)) if reading.item(index).cat == c.UNKNOWN else ""
        if not (
            len(written) >= _SHORTEST_NAME and written[0].isupper() and not written.isupper() and written.isascii() and written.isalpha()
        ):
            continue
        if any(reading.item(later).val == "colon" for later in range(index, min(index + FEW, reading.clause[1]))):
            continue  # a label
        before = index - 1
        while before >= 0 and reading.item(before).cat in {c.FILL, c.OPEN, c.PIPE}:
            before -= 1
        begins = before < 0 or reading.item(before).cat in {c.WEAK, c.STRONG} or reading.item(before).val == "colon"
        after = reading.item(index + 1).cat
        if not begins or after == c.TRADE or (after == c.LINK and reading.word(index + 1) in {"at", "'s"}):
            return written
    return None


def _is_of_a_stranger(reading: ReadClaim) -> str | None:
    """Doubt `格力虽然只有8倍市盈率`: a clause that begins with words nobody knows, and the name behind its number."""
    at = reading.clause[0]
    while at - 2 >= reading.sentence[0] and reading.item(at - 1).cat == c.CONJ and reading.item(at - 2).cat == c.UNKNOWN:
        at -= 2
    while at < reading.at and reading.item(at).cat in {c.FILL, c.CONJ}:
        at += 1
    strange = at < reading.at and reading.item(at).cat == c.UNKNOWN and len(reading.word(at)) > 1 and not reading.word(at).isascii()
    return reading.word(at) if reading.is_number and strange and reading.name > reading.at else None


def _is_of_nobody(reading: ReadClaim) -> str | None:
    """Doubt shares and shares of the account of which the clause does not say that they are held."""
    if not reading.is_implied or reading.indicator.base not in _COUNTED:
        return None
    held = any(
        reading.item(at).cat in _OWNED or reading.item(at).val == "net_long"
        for at in range(reading.clause[0], reading.at)
        if at != reading.name
    )
    return None if held else reading.words(reading.at, min(reading.at + FEW, reading.clause[1]))


# What it is said of.


def _is_of_another_fact(reading: ReadClaim) -> str | None:
    """Doubt `Bear will point to OI, down 1.8% on the day`: it is the value of something else that the sentence names before it."""
    said, step = reading.raw.number, reading.raw.step
    if not reading.is_number or said is None or (reading.is_named and reading.name < reading.at):
        return None
    for at in range(reading.sentence[0], reading.at):
        named = reading.item(at).val
        if not isinstance(named, NamedIndicator) or named.key == reading.raw.subject.named.key:
            continue
        fact = reading.text.sheet.number(named.key)
        if (
            fact is not None
            and fact
            and named.indicator.unit == reading.indicator.unit
            and abs(abs(fact) - abs(said)) <= step / 2 * ROUNDED
        ):
            return reading.word(at)
    return None


def _is_carried(reading: ReadClaim) -> str | None:
    """Doubt a number whose subject is not named in its clause, where that holds more than links and the number."""
    if reading.is_named or reading.is_implied or not reading.is_number or reading.indicator.kind == VOLUME:
        return None
    if reading.indicator.base in _OF_TRADES or reading.text.read[reading.at] > 1:  # `RSI and %K are both above 60`
        return None
    strange = any(reading.item(at).cat in _OTHERS and reading.item(at).val != "date" for at in range(*reading.clause) if at != reading.name)
    return reading.words(*reading.clause) if strange else None


def _is_qualified(reading: ReadClaim) -> str | None:
    """Doubt `扣非净利润`, `大周期RSI`, `哪有什么RSI 78`: a word in the clause that makes another figure of the name, or none."""
    start, end = reading.item(reading.clause[0]).start, reading.item(reading.at).end
    found = QUALIFIED.search(reading.text.normal, start, end) or DENIED.search(reading.text.normal, start, end)
    return found[0] if found is not None else None


def _is_parted(reading: ReadClaim) -> str | None:
    """Doubt a number that other numbers or unknown words part from its subject."""
    if not reading.is_number or reading.indicator.kind == VOLUME:
        return None
    numbers = [at for at in reading.between if reading.item(at).cat in VALUES and at not in reading.text.read and not reading.item(at).mode]
    unknown = [
        at for at in reading.between if reading.item(at).cat == c.UNKNOWN and (reading.item(at).gap or not reading.word(at).isascii())
    ]
    begun = any(reading.item(at).cat == c.FROM for at in reading.between)
    second = reading.at + 2
    stroked = second < reading.clause[1] and reading.item(reading.at + 1).val == "/" and reading.item(second).cat == c.NUM
    if stroked and second not in reading.text.read:
        return reading.words(reading.at, second + 1)  # `K、D值74/68.5`
    places = numbers if numbers and not begun else unknown if len(unknown) > 1 else []
    return reading.words(places[0], places[-1] + 1) if places else None


def _is_of_the_next(reading: ReadClaim) -> str | None:
    """Doubt `19.4%的ROE` where it was taken for the growth before it."""
    behind = reading.at + 1
    if not reading.is_number or behind + 1 >= reading.clause[1] or reading.item(behind).val != "share":
        return None
    named = reading.item(behind + 1).val
    other = isinstance(named, NamedIndicator) and named.key != reading.raw.subject.named.key
    return reading.words(reading.at, behind + 2) if other else None


def _is_state_of_another(reading: ReadClaim) -> str | None:
    """Doubt `short of the 70 overbought line`, `略低于中性`: what stands between name and reading turns it."""
    if reading.is_number or reading.raw.other is not None:
        return None
    before = reading.at - 1
    while before > reading.clause[0] and (reading.item(before).cat == c.FILL or reading.item(before).val == "share"):
        before -= 1
    owned = reading.item(reading.at - 1).val == "share"  # `未到70的超买`
    numbered = before >= reading.clause[0] and reading.item(before).cat in VALUES and (owned or before not in reading.text.read)
    if not reading.is_named and not reading.raw.negated:
        denied = next(
            (at for at in range(max(reading.sentence[0], reading.name), reading.at) if reading.item(at).cat in {c.NEG, c.APPROACH}), None
        )
        if denied is not None:
            return reading.words(denied, reading.at + 1)  # `approaching, but has not reached, oversold`
    turned = [at for at in reading.between if at >= reading.clause[0] and reading.item(at).cat in {c.CMP, c.POST}]
    bounds = any(at + 1 in reading.text.read for at in turned)  # `ADX>50 (极强趋势)`
    beside = turned == [reading.at - 1] and reading.raw.state != "neutral"  # `未到超买` is read
    return reading.words(before, reading.at + 1) if numbered or (turned and not beside and not bounds) else None


def _is_relation_of_lines(reading: ReadClaim) -> str | None:
    """Doubt a comparison of two lines of which the clause names one, or that it only lists: `价格在EMA200与VWAP之上`."""
    other = reading.raw.other
    if reading.is_number or other is None or reading.raw.state in _PRICE_RELATIONS:
        return None
    first, last = sorted((reading.name, other.at))
    joined = [at for at in range(first + 1, min(last, first + FEW)) if reading.item(at).cat != c.FILL]
    listed = last - first <= FEW and len(joined) == 1 and reading.item(joined[0]).cat == c.AND
    named = [at for at in (first, last) if reading.clause[0] <= at < reading.clause[1] and reading.item(at).cat == c.IND]
    return reading.words(*reading.clause) if listed or (reading.indicator.kind == "line" and len(named) < 2) else None


def _is_relation_of_another(reading: ReadClaim) -> str | None:
    """Doubt a comparison with the price that is parted from its line, said of others, or has a number before it that was not read."""
    other = reading.raw.other
    if reading.is_number or other is None or reading.raw.state not in _PRICE_RELATIONS:
        return None
    places = [place for place in (reading.name, other.at) if reading.item(place).cat == c.IND]
    here = any(reading.clause[0] <= place < reading.clause[1] for place in places)
    parted = any(reading.item(at).val == "colon" for at in reading.between)
    if parted or (not here and reading.first(reading.between, c.UNKNOWN) is not None):
        return reading.words(*reading.clause)  # `布林上轨挤在一起，往上`
    if reading.at > reading.clause[0] and reading.name > reading.at and reading.word(reading.at - 1) in MANY:
        return reading.words(reading.at - 1, reading.name + 1)  # `46% of members above their 200-day average`
    before = next((at for at in range(reading.at - 1, reading.clause[0], -1) if reading.item(at).cat != c.FILL), reading.at)
    unread = reading.item(before).cat in VALUES and before not in reading.text.read and reading.item(before).mode != SKIPPED
    number = reading.item(before).number if unread else None
    apart = number is not None and (number.unit == "%" or before < reading.at - 1)
    return reading.words(before, reading.at + 1) if apart else None


# When, and whether at all.


def _is_of_another_time(reading: ReadClaim) -> str | None:
    """Doubt what a past time stands with."""
    first, last = reading.clause
    past = reading.first(range(first, reading.at), c.HISTORY)
    if past is not None and reading.first(range(first, reading.at), c.FROM, c.TO, c.NOW) is None:
        return reading.word(past)
    for at in range(reading.at + 1, last):
        if reading.item(at).cat in {*VALUES, c.OPEN, c.CLOSE, c.PIPE} or reading.item(at).val == "colon":
            break
        if reading.item(at).cat == c.HISTORY:
            return reading.word(at)
    begun = reading.first(range(reading.sentence[0], min(reading.sentence[0] + 2, reading.at)), c.HISTORY)
    if begun is not None and not reading.is_confirmed_since(begun) and reading.first(range(begun, reading.at), c.NOW, c.TO) is None:
        return reading.word(begun)
    carried = not reading.is_named and reading.is_number and reading.indicator.base not in _OF_THE_PAST
    since = reading.sentence[0] if carried else first if reading.indicator.base in _PROFITS else reading.at
    once = reading.first(range(since, reading.at), c.PAST)
    if once is None or (carried and reading.first(range(once, reading.at), c.NOW) is not None):
        return None
    return reading.word(once)


def _is_of_another_frame(reading: ReadClaim) -> str | None:
    """Doubt a value that is right for another timeframe that is named near by, and a reading in words beside another timeframe, unless the
    own one is named nearer."""
    own = reading.raw.subject.frame or reading.text.sheet.timeframe
    frames = {str(reading.item(at).val) for at in range(*reading.clause) if reading.item(at).cat == c.FRAME}
    nearest = next((at for at in range(reading.at - 1, reading.sentence[0] - 1, -1) if reading.item(at).cat == c.FRAME), None)
    if own in frames or reading.raw.subject.named.frame is not None or (nearest is not None and reading.item(nearest).val == own):
        return None
    quoted = reading.first(range(reading.clause[0], reading.at), c.SPEAKER) is not None
    if not reading.is_number or (quoted and frames):
        return next(iter(frames)) if frames and _HIGHER not in frames else None
    key = reading.result.key.rpartition(".")[2]
    for at in range(max(0, reading.sentence[0] - _ANSWER), min(reading.at + FEW * 2, len(reading.text.items))):
        other = str(reading.item(at).val) if reading.item(at).cat == c.FRAME else HOURS.get(reading.word(at), "")
        if other and other != own and reading.text.fits(key, other, reading.raw):
            return reading.word(at)
    return None


def _is_dated(reading: ReadClaim) -> str | None:
    """Return the date of the clause, or the one that its sentence begins with."""
    first, at = reading.sentence[0], reading.at
    places = (index for index in range(first, at) if index >= reading.clause[0] or index < first + FEW)
    dated = next((index for index in places if reading.item(index).val == "date" or reading.word(index) in MONTHS), None)
    if dated is None or reading.is_confirmed_since(dated):
        return None
    over = any(str(reading.item(index).val) in {"colon", "list"} or reading.item(index).cat in _RESUMES for index in range(dated, at))
    return reading.word(dated) if not over else None


def _is_bound_of_price(reading: ReadClaim) -> str | None:
    """Doubt bounds of prices, which are conditions as a rule, and bounds that something follows from: `K值失守50则转为观望`."""
    if not reading.is_number or reading.raw.relation not in {">", "<"}:
        return None
    priced = reading.indicator.kind in {"price", *_LINES}
    listed = any(reading.item(at).cat == c.CMP and reading.word(at).isascii() and reading.word(at)[0].isalpha() for at in reading.between)
    verbless = listed and reading.first(reading.between, c.LINK, c.TRADE) is None  # `needs price under 96,500`
    condition = priced and (CLOSING.search(reading.word(reading.name)) or verbless or not is_plain(reading, _BOUND_JOINTS))
    follows = reading.first(range(reading.at + 1, min(reading.at + 3, reading.clause[1])), c.THEN) is not None
    return reading.words(*reading.clause) if condition or follows else None


def _is_asked_for(reading: ReadClaim) -> str | None:
    """Doubt what is asked for or reckoned with, and what a supposed event would bring: `wrong on a close over 85.30, total loss 3.1%`."""
    normal, sentence, clause = reading.text.normal, reading.sentence, reading.clause
    asked = SUPPOSING.search(normal, reading.item(sentence[0]).start, reading.item(reading.at).start)
    asked = asked or RECKONED.search(normal, reading.item(clause[0]).start, reading.item(clause[1] - 1).end)
    if asked is not None:
        return asked[0]
    modes = {reading.item(at).mode for at in range(sentence[0], clause[0])}
    mine = reading.indicator.base in _PROFITS | _COUNTED
    lost = mine and ("hyp" in modes or (modes & {"stop", "plan"} and is_unconfirmed(reading)))
    if not lost and reading.indicator.base in _COUNTED and is_unconfirmed(reading):
        lost = ORDERED.search(normal, reading.item(sentence[0]).start, reading.item(clause[0]).start) is not None
    led = modes & _SUPPOSED and any(reading.word(at) in THAT for at in range(clause[0], min(clause[0] + 2, reading.at)))
    return reading.words(*clause) if lost or led else None


def _is_supposed(reading: ReadClaim) -> str | None:
    """Doubt what stands behind a condition, a plan or a quotation in its clause; but where a line lies is so, whatever may happen there."""
    if reading.is_number and reading.indicator.kind in _LINES and all(reading.item(at).cat in _BESIDE for at in reading.between):
        return None
    for at in range(reading.at - 1, reading.clause[0] - 1, -1):
        if reading.item(at).val == "colon":
            return None
        if reading.item(at).mode in _SUPPOSED:
            return reading.word(at)
    return None


def is_unconfirmed(reading: ReadClaim) -> bool:
    """Return whether nothing true is stated in the sentence before."""
    return not reading.is_confirmed_since(reading.sentence[0]) and reading.first(range(*reading.clause), c.NOW) is None


def _is_unreached(reading: ReadClaim) -> str | None:
    """Doubt `RSI未到30`, `%K has not even reached 20`: a low threshold that is not reached, perhaps from above."""
    raw, indicator = reading.raw, reading.indicator
    low = (
        raw.relation == "<" and raw.number is not None and raw.number < _MIDDLE and indicator.unit == "index" and indicator.kind != "trend"
    )
    start, end = reading.item(reading.clause[0]).start, reading.item(reading.at).end
    return reading.words(*reading.clause) if low and REACHING.search(reading.text.normal, start, end) else None


def _is_definition(reading: ReadClaim) -> str | None:
    """Doubt `CCI大于100为超买`: a bound that is what a word means."""
    behind = reading.behind()
    if not reading.is_number or reading.raw.relation not in {">", "<"} or behind is None or behind + 1 >= reading.clause[1]:
        return None
    equals = reading.word(behind) == "="
    defines = reading.item(behind).cat in {c.LINK, c.DEFINITION} and (equals or reading.item(behind + 1).cat == c.STATE)
    return reading.words(reading.at, behind + 2) if defines else None


DOUBTS: Final[tuple[tuple[str, Doubt], ...]] = (
    (OWNER, _is_of_others),
    (OWNER, _is_of_somebody),
    (OWNER, _is_of_a_stranger),
    (OWNER, _is_of_nobody),
    (UNIT, _is_of_another_unit),
    (UNIT, _is_share_or_rate),
    (UNIT, _is_of_a_distance),
    (TOO_FAR, _is_too_far),
    (TWICE, _is_said_rightly),
    (ANSWERED, _is_answered),
    (TIME, _is_of_another_time),
    (TIME, _is_dated),
    (TIME, _is_of_another_frame),
    (CONDITION, _is_bound_of_price),
    (CONDITION, _is_asked_for),
    (CONDITION, _is_supposed),
    (CONDITION, _is_definition),
    (CONDITION, _is_unreached),
    (SUBJECT, _is_of_another_fact),
    (SUBJECT, _is_qualified),
    (SUBJECT, _is_carried),
    (SUBJECT, _is_only_its_size),
    (SUBJECT, _is_of_the_next),
    (SUBJECT, _is_state_of_another),
    (SUBJECT, _is_relation_of_lines),
    (SUBJECT, _is_relation_of_another),
    (WORDS, _is_parted),
)
