"""Which parts of a text speak of the market now, and which do not.

Given the composed items, writes into `Item.mode` why an item states nothing about now: a hypothesis, a target or stop, a plan, the past,
a definition, a question, another asset, a rejected quotation, a smuggled instruction. An empty mode means it counts. A scope begins at its
marker and ends at a clause or sentence border; the rules below are one function each.
"""

from itertools import pairwise

from engine.grounding.grammar.marking import MarkedText
from engine.grounding.grammar.quotations import mark_quotes, mark_slips
from engine.grounding.tables.table import NamedIndicator
from engine.grounding.words import categories as c
from engine.grounding.words.lists import cue_words

WEAK_DEFINITION = "def?"
"""A clause of the form `X above 70 means ...`: an equation in it is a claim, a bound is a definition."""
PAST_MODE = "hist"

_STARTS = frozenset({c.IND, c.FRAME, c.NOW, c.IT, c.POSITION})
_OPENERS = cue_words("openers")
_ASKING = cue_words("asking")
_BUT = cue_words("contrast")
_BESIDES = cue_words("besides")
_DENIED_BOUND = 3
_EXTREMES = frozenset({"overbought", "oversold"})
_ZONES = cue_words("zones")
_LABEL = 2
_BRIEF = 3
_NEAR = 6
_UNCERTAIN = frozenset({"modal", "plan", "hyp"})
_MAY_OPEN = frozenset({c.IF, c.PAST, c.LINK, c.ASSET, c.IT, c.UNKNOWN, c.PLAN, c.STOP, c.MODAL, c.THEN})
_OPENING = {c.MODAL: "modal", c.STOP: "stop", c.PLAN: "plan", c.THEN: "then"}


def mark_scopes(text: MarkedText) -> None:
    """Mark every item."""
    start = 0
    sentences: list[tuple[int, int]] = []
    for index, item in enumerate(text.items):
        if item.cat == c.STRONG:
            sentences.append((start, index + 1))
            start = index + 1
    sentences.append((start, len(text.items)))
    for number, (first, last) in enumerate(sentences):
        following = sentences[number + 1] if number + 1 < len(sentences) else (last, last)
        _mark_sentence(text, first, last, following)
    _unmark_prices(text)


def _unmark_prices(text: MarkedText) -> None:
    """Read `a return to the lower band (308.96) is likely`: where a line lies is so, whatever may happen there."""
    for index in range(len(text.items) - 2):
        item, named = text.items[index], text.items[index].val
        line = isinstance(named, NamedIndicator) and named.indicator.kind in {"line", "level"}
        if not line or item.mode not in _UNCERTAIN:
            continue
        joint, number = text.items[index + 1], text.items[index + 2]
        if joint.cat in {c.OPEN, c.LINK} and number.cat == c.NUM:
            for position in range(index, index + 3):
                text.items[position].mode = ""


def _mark_sentence(text: MarkedText, first: int, last: int, following: tuple[int, int]) -> None:
    cats = {item.cat for item in text.items[first:last]}
    if c.INJECT in cats:
        start = text.find(first, last, c.INJECT)
        bracketed = any(item.cat == c.OPEN for item in text.items[first:start])
        text.mark(start, text.find(start, last, c.CLOSE) if bracketed else last, "inject")
    if c.IND not in cats and not cats & {c.TRADE, c.IT, c.SIDE, c.POSITION, c.NUM, c.RANGE, c.STATE, c.ASSET}:
        return
    _mark_question(text, first, last)
    mark_slips(text, first, last)
    if c.SAY in cats or c.SPEAKER in cats or c.REJECT in cats:
        mark_quotes(text, first, last, following)
    if c.DEFINITION in cats:
        _mark_definitions(text, first, last)
    if c.STATE in cats:
        _mark_zones(text, first, last)
    if c.HISTORY in cats:
        _mark_history(text, first, last)
    _mark_forward(text, first, last)
    if cats & {c.TO, c.THEN, c.PLAN} and cats & {c.PLAN, c.STOP}:
        _mark_arrows(text, first, last)
        _mark_only_then(text, first, last)
    if c.THEN in cats:
        _mark_needed(text, first, last)
    if cats & {c.MODAL, c.PLAN}:
        _mark_conditional_subjects(text, first, last)


def _mark_question(text: MarkedText, first: int, last: int) -> None:
    """Mark a question; what comes before its last clause is still stated."""
    end = last - 1
    asked = end >= first and text.items[end].val == "?"
    body_end = end if asked else last
    tail = text.normal[text.items[first].start : text.items[body_end - 1].end][-3:] if body_end > first else ""
    if not asked and "吗" not in tail:
        return
    start = first
    clauses = text.clauses(first, last, frozenset({c.WEAK, c.CONJ}))
    for clause_start, clause_end in reversed(clauses[1:]):
        words = text.normal[text.items[clause_start].start : text.items[clause_end - 1].end]
        if words.split(" ")[0].split("'")[0] in _OPENERS or any(word in words for word in _ASKING) or "吗" in words:
            start = clause_start
            break
    else:
        start = clauses[-1][0] if asked and clauses else first
    head = text.normal[text.items[first].start : text.items[body_end - 1].end].split(" ")[0].split("'")[0] if body_end > first else ""
    text.mark(first if head in _OPENERS else start, last, "question")


def _mark_definitions(text: MarkedText, first: int, last: int) -> None:
    clauses = text.clauses(first, last, frozenset({c.WEAK, c.CONJ}))
    for number, (start, end) in enumerate(clauses):
        found = [text.items[index].val for index in range(start, end) if _is_definition(text, index)]
        if not found:
            continue
        text.mark(start, end, "def" if any(val is None for val in found) else WEAK_DEFINITION)
        brief = end - start <= _BRIEF
        if None in found and brief and number + 1 < len(clauses) and not text.has(start, end, c.NUM, c.STATE, c.RANGE):
            text.mark(*clauses[number + 1], "def")
    for before, (start, end) in pairwise(clauses):
        if text.items[before[1]].val == "and" and text.items[before[0]].mode == "def" and _is_a_bound(text, start, end):
            text.mark(start, end, "def")  # `ADX above 25 marks a trend and below 20 a range`


def _mark_zones(text: MarkedText, first: int, last: int) -> None:
    """Mark where an extreme begins that is not reached: `isn't oversold (<20)`, `close to the oversold zone below 20`, `未低于20超卖`."""
    for index in range(first, last):
        if text.items[index].cat != c.STATE or str(text.items[index].val) not in _EXTREMES:
            continue
        if index - first >= _DENIED_BOUND and [item.cat for item in text.items[index - _DENIED_BOUND : index]] == [c.NEG, c.CMP, c.NUM]:
            text.mark(index, index + 1, "def")
        begins = max((at for at in range(first, index) if text.items[at].cat in {c.WEAK, c.CONJ}), default=first)
        at, named = index + 1, False
        while at + 1 < last and text.items[at].cat in {c.FILL, c.OPEN}:
            named = named or text.items[at].cat == c.OPEN or text.word(at) in _ZONES
            at += 1
        bounded = named and [item.cat for item in text.items[at : at + 2]] == [c.CMP, c.NUM]
        if bounded and text.has(begins, index, c.NEG, c.HEDGE, c.APPROACH):
            text.mark(at, at + 2, "def")


def _is_a_bound(text: MarkedText, start: int, end: int) -> bool:
    if start >= end or text.has(start, end, c.LINK, c.NOW):
        return False
    compared = next((index for index in range(start, end) if text.items[index].cat == c.CMP), end)
    return text.items[start].cat == c.CMP or all(text.items[index].cat in {c.IND, c.FILL} for index in range(start, compared))


def _is_definition(text: MarkedText, index: int) -> bool:
    """Recognise a textbook word, but not the noun after a number: `below the 30 threshold`."""
    if text.items[index].cat != c.DEFINITION:
        return False
    before, after = (text.items[at].cat if 0 <= at < len(text.items) else c.STRONG for at in (index - 1, index + 1))
    return not (before == c.NUM and "threshold" in text.word(index)) and not before == after == c.PIPE  # `| 41.3 | 一般 |`


def _mark_history(text: MarkedText, first: int, last: int) -> None:
    """Mark the clause with a past time in it; after `vs`, `from` or `than` only what follows. A past time by itself reaches on."""
    clauses = text.clauses(first, last)
    for number, (start, end) in enumerate(clauses):
        marks = [index for index in range(start, end) if text.items[index].cat == c.HISTORY]
        if not marks:
            continue
        if text.items[marks[0]].val == "whole":
            text.mark(marks[0], last, PAST_MODE)
            return
        since = max((index for index in range(start, marks[-1]) if text.items[index].cat in {c.VERSUS, c.FROM}), default=start)
        now = max((index for index in range(start, end) if text.items[index].cat == c.NOW and index > marks[-1]), default=end)
        text.mark(since, now, PAST_MODE)
        joined = end < last and text.items[end].val == "and" and number + 1 < len(clauses) and marks[0] - first <= _LABEL
        if joined and not text.has(*clauses[number + 1], c.NOW, c.HISTORY, c.LINK):
            text.mark(*clauses[number + 1], PAST_MODE)
        if number + 1 < len(clauses) and not text.has(start, end, c.NUM, c.STATE, c.RANGE, c.IND):
            next_start, next_end = clauses[number + 1]
            if not text.has(next_start, next_end, c.NOW):
                text.mark(next_start, next_end, PAST_MODE)


def _mark_arrows(text: MarkedText, first: int, last: int) -> None:
    """Read `RSI hits 30 → buy`: what comes before an arrow to an action is its condition."""
    for clause_start, end in text.clauses(first, last, frozenset({c.WEAK})):
        start = clause_start
        for index in range(clause_start, end):
            consequence = text.items[index].cat == c.TO or (text.items[index].cat == c.THEN and index > start)
            at_once = text.items[index].cat == c.PLAN and text.word(index)[0] in "就则即再"
            if at_once or (consequence and index + 1 < end and text.items[index + 1].cat in {c.PLAN, c.STOP}):
                text.mark(start, index, "hyp")
                start = index  # marked once is marked


def _mark_only_then(text: MarkedText, first: int, last: int) -> None:
    """Read `只有收在324以上、并且放量时才入场`: all before it is its condition."""
    begin = first
    for index in range(first + 1, last):
        if text.items[index].val == "colon":
            begin = index + 1
        elif text.items[index].cat == c.PLAN and text.word(index - 1) == "才":
            text.mark(begin, index, "hyp")
            begin = index


def _mark_needed(text: MarkedText, first: int, last: int) -> None:
    """Read `只有+DI上穿-DI，空头才会失去主导`: what is between the two words is needed, not so."""
    opened = next((index for index in range(first, last) if text.word(index) in {"只有", "唯有", "除非"}), last)
    then = next((index for index in range(opened, last) if text.items[index].cat == c.THEN and text.word(index)[0] == "才"), last)
    if then < last:
        text.mark(opened, then, WEAK_DEFINITION)


def _mark_conditional_subjects(text: MarkedText, first: int, last: int) -> None:
    """Read `RSI above 75 would be ...`, `above 171.9 (EMA50) I'd buy`: a bound before the modal is no statement."""
    for start, end in text.clauses(first, last, frozenset({c.WEAK, c.CONJ})):
        plan = text.find(start, end, c.PLAN)
        if plan < end and text.items[start].cat == c.CMP and not text.has(start, plan, c.LINK):
            text.mark(start, plan, WEAK_DEFINITION)
        modal = text.find(start, end, c.MODAL)
        first = max((index + 1 for index in range(start, modal) if text.items[index].val == "colon"), default=start)
        if modal < end and text.has(first, modal, c.CMP) and not text.has(first, modal, c.LINK):
            text.mark(first, modal, WEAK_DEFINITION)


def _mark_forward(text: MarkedText, first: int, last: int) -> None:
    mode, sticky, decided, opened = "", False, False, first
    for index in range(first, last):
        item = text.items[index]
        if mode and item.val == "colon" and mode != "hyp" and not _is_label(text, index, opened, first):
            mode = ""
        if item.cat in {c.WEAK, c.CONJ}:
            mode, sticky, decided = _scope_behind_border(text, index, last, mode, sticky, decided)
        new = _opened_scope(text, index, first, last) if item.cat in _MAY_OPEN else ""
        if new == "hyp":
            decided = decided or mode in {"plan", "stop", "modal"}
            mode, sticky = new, True
        elif new == "own":
            mode = "" if mode == "other" else mode
        elif new and mode != "hyp":
            mode, sticky = new, new == "modal" and item.val == "sticky"
        elif new in {"plan", "stop", "modal", "then"}:
            decided = True
        if new:
            opened = index
        if mode and item.mode in {"", WEAK_DEFINITION} and mode != "then":
            item.mode = mode


def _is_label(text: MarkedText, colon: int, opened: int, first: int) -> bool:
    """Recognise `stop: 97,000` goes on after its colon; `nobody is buying this bounce: turnover is ...` does not."""
    back = opened - 1
    while back >= first and text.items[back].cat in {c.FILL, c.FRAME}:
        back -= 1
    leads = back < first or text.items[back].cat in {c.WEAK, c.CONJ, c.STRONG, c.OPEN}
    if text.items[opened].cat == c.PLAN and text.has(opened, colon, c.SIDE, c.POSITION):
        return False  # `Reducing the short: entered at ...` goes on with its reasons
    return colon - opened <= _LABEL and leads


def _scope_behind_border(text: MarkedText, index: int, last: int, mode: str, sticky: bool, decided: bool) -> tuple[str, bool, bool]:
    """Return what remains of a scope after a comma or conjunction."""
    word, conjunction = text.word(index), text.items[index].cat == c.CONJ
    near = range(index + 1, min(index + 4, last))
    fresh = any(text.items[later].cat in _STARTS for later in near)
    kept = bool(mode) and not any(text.items[later].cat == c.NOW for later in near)
    if kept and mode == "hyp":
        end = next((later for later in range(index + 1, last) if text.items[later].cat in {c.WEAK, c.CONJ, c.STRONG}), last)
        still_open = text.has(index + 1, end, c.THEN, c.MODAL, c.PLAN, c.STOP)
        kept = still_open or not fresh or word in _BESIDES or not (decided or (conjunction and word in _BUT))
    elif kept and not sticky:
        goes_on = not fresh and word in {"and", "or"}
        kept = conjunction and (goes_on or (mode == "other" and text.items[index].val == "and"))
    return (mode, sticky, decided) if kept else ("", False, False)


def _opened_scope(text: MarkedText, index: int, first: int, last: int) -> str:
    """Return the scope this item opens; empty when it opens none."""
    item = text.items[index]
    if item.cat == c.IF or (item.cat == c.PAST and index == first and text.word(index) == "were"):
        return _opened_condition(text, index, first, last)
    if item.cat == c.LINK:
        return "stop" if _is_target(text, index, last) else ""
    if item.cat == c.ASSET or (item.cat == c.IT and text.word(index) in {"ours", "mine"}):  # `gold's RSI is 74 when ours is 24`
        return "own" if item.cat == c.IT or str(item.val) in text.own else "other"
    if item.cat == c.UNKNOWN:
        return "other" if _is_ticker(text, index, last) else ""
    following = text.items[index + 1].cat if index + 1 < last else c.STRONG
    if item.cat == c.PLAN and text.word(index) == "add" and following not in {c.NUM, c.RANGE, c.SIDE, c.ASSET, c.TO}:
        return ""  # `add a golden cross to that`
    return _OPENING.get(item.cat, "")


def _opened_condition(text: MarkedText, index: int, first: int, last: int) -> str:
    """Recognise a condition, unless `once` means a past time, or `should` comes later: `Should RSI drop`, but `nobody should fear it`."""
    item, inside = text.items[index], index > first and text.items[index - 1].cat not in {c.WEAK, c.CONJ, c.OPEN}
    if item.val == "should":
        return "modal" if inside else "hyp"
    near = text.items[index + 1 : min(index + _NEAR, last)]
    ahead = next((later.cat for later in near if later.cat not in {c.FILL, c.FRAME}), c.STRONG)
    adverb = item.val == "once" and inside and ahead not in {c.IND, c.TRADE, c.ASSET}
    return "hyp" if not adverb and (item.val != "short" or _is_short_if(text, index, first, last)) else ""


def _is_target(text: MarkedText, index: int, last: int) -> bool:
    """Recognise `买盘占优，看98,700`: a target."""
    opens = index > 0 and text.items[index - 1].cat in {c.WEAK, c.STRONG} and text.word(index) == "看"
    return opens and index + 1 < last and text.items[index + 1].cat in {c.NUM, c.RANGE}


def _is_short_if(text: MarkedText, index: int, first: int, last: int) -> bool:
    """Recognise `等`, `如`, `当`: only where a statement follows and none is listed before."""
    before = text.items[index - 1].cat if index > first else c.STRONG
    after = text.items[index + 1].cat if index + 1 < last else c.STRONG
    return before not in {c.IND, c.AND, c.NUM, c.STATE} and after in {c.IND, c.FRAME, c.CMP, c.FILL, c.ASSET, c.NUM, c.DIR}


def _is_ticker(text: MarkedText, index: int, last: int) -> bool:
    """Recognise an unknown word in capitals right before an indicator names another asset."""
    word = text.original(text.items[index])
    if not (3 <= len(word) <= 6 and word.isascii() and word.isupper() and word.isalpha()) or word.lower() in text.own:
        return False
    after = index + 1
    while (
        after < last
        and after < index + 4
        and ((text.items[after].cat in {c.FILL, c.LINK} and text.word(after) in {"'", "'s", "/", "usdt", "usd"}) or text.word(after) == "s")
    ):
        after += 1
    return after < last and text.items[after].cat == c.IND
