"""Doubts about the time of a statement, and whether it is one: the past, another timeframe, a date, a condition, a plan."""

from typing import Final

from engine.grounding.checks.surroundings import COUNTED, FEW, HIGHER, JOINTS, NEARBY, PROFITS, ROUNDED, VALUES, ReadClaim, is_plain
from engine.grounding.words import categories as c
from engine.grounding.words.lists import cue_pattern, cue_words

_SUPPOSED: Final = frozenset({"hyp", "plan", "stop", "modal", "then", "question", "quote"})
_OF_ACCOUNT: Final = frozenset({"account_cash", "position_value"})
_BEFORE: Final = 160  # characters
_OF_THE_PAST: Final = frozenset({"entry_price", "mfe_pct", "mae_pct", "drawdown_from_peak_pct", "leverage", "size", "hold_count"})
_TO_FRAME: Final = frozenset({c.LINK, c.FILL})
_THROUGH: Final = frozenset({"past", "through", "beyond"})
_LINES: Final = frozenset({"line", "level"})
_BESIDE: Final = frozenset({c.OPEN, c.LINK, c.FILL})
_RESUMES: Final = frozenset({c.PIPE, c.NOW, c.CLOSE, c.TO, c.THEN})
_MIDDLE: Final = 50
_BOUND_JOINTS: Final = JOINTS | {c.CMP, c.POST}
_ASKED: Final = cue_pattern("asked")
_CLOSING: Final = cue_pattern("closing")
_MONTHS: Final = cue_words("months")
_ORDERED: Final = cue_pattern("ordered")
_REACHING: Final = cue_pattern("reaching")
_RECKONED: Final = cue_pattern("reckoned")
_REMAINING: Final = cue_pattern("remaining")
_SUPPOSING: Final = cue_pattern("supposing")
_THAT: Final = cue_words("that")


def is_of_another_time(reading: ReadClaim) -> str | None:
    """Doubt what is said of a past time."""
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
    since = reading.sentence[0] if carried else first if reading.indicator.base in PROFITS else reading.at
    once = reading.first(range(since, reading.at), c.PAST, *((c.HISTORY,) if carried else ()))
    if once is None or (carried and reading.first(range(once, reading.at), c.NOW) is not None):
        return None
    return reading.word(once)


def is_of_another_frame(reading: ReadClaim) -> str | None:
    """Doubt what is true of another timeframe that is named near by, and a reading in words beside another timeframe, unless the own one
    is named nearer."""
    own = reading.raw.subject.frame or reading.text.sheet.timeframe
    behind = next(
        (at for at in range(reading.at + 1, min(reading.at + FEW, reading.clause[1])) if reading.item(at).cat not in _TO_FRAME), 0
    )
    if not reading.is_number and reading.item(behind).cat == c.FRAME and reading.item(behind).val not in {own, HIGHER}:
        return reading.words(reading.at, behind + 1)  # `OBV falling on 5m and flat on 1h`
    frames = {str(reading.item(at).val) for at in range(*reading.clause) if reading.item(at).cat == c.FRAME}
    nearest = next((at for at in range(reading.at - 1, reading.sentence[0] - 1, -1) if reading.item(at).cat == c.FRAME), None)
    if own in frames or reading.raw.subject.named.frame is not None or (nearest is not None and reading.item(nearest).val == own):
        return None
    quoted = reading.first(range(reading.clause[0], reading.at), c.SPEAKER) is not None
    if frames and (not reading.is_number or quoted):
        return next(iter(frames)) if HIGHER not in frames else None
    before, after = (NEARBY * 2, FEW * 2) if reading.is_number else (NEARBY, 0)
    for at, other in reading.text.frames_in(reading.sentence[0] - before, reading.at + after):
        if not reading.is_number and at < reading.sentence[0] and reading.item(at + 1).cat == c.IND:
            continue  # `The 1h RSI reads 48. OBV is falling`
        if other != own and reading.text.holds_in(other, reading.raw):
            return reading.word(at)
    return None


def is_dated(reading: ReadClaim) -> str | None:
    """Return the date of the clause, or the one that its sentence begins with."""
    first, at = reading.sentence[0], reading.at
    places = (index for index in range(first, at) if index >= reading.clause[0] or index < first + FEW)
    dated = next((index for index in places if reading.item(index).val == "date" or reading.word(index) in _MONTHS), None)
    if dated is None or reading.is_confirmed_since(dated):
        return None
    over = any(str(reading.item(index).val) in {"colon", "list"} or reading.item(index).cat in _RESUMES for index in range(dated, at))
    return reading.word(dated) if not over else None


def is_bound_of_price(reading: ReadClaim) -> str | None:
    """Doubt bounds of prices, which are conditions as a rule, and bounds that something follows from: `K值失守50则转为观望`."""
    if not reading.is_number or reading.raw.relation not in {">", "<"}:
        return None
    priced = reading.indicator.kind in {"price", *_LINES}
    listed = any(reading.item(at).cat == c.CMP and reading.word(at).isascii() and reading.word(at)[0].isalpha() for at in reading.between)
    verbless = listed and reading.first(reading.between, c.LINK, c.TRADE) is None  # `needs price under 96,500`
    condition = priced and (_CLOSING.search(reading.word(reading.name)) or verbless or not is_plain(reading, _BOUND_JOINTS))
    follows = reading.first(range(reading.at + 1, min(reading.at + 3, reading.clause[1])), c.THEN) is not None
    return reading.words(*reading.clause) if condition or follows else None


def is_asked_for(reading: ReadClaim) -> str | None:
    """Doubt what is asked for or reckoned with, and what a supposed event would bring: `wrong on a close over 85.30, total loss 3.1%`."""
    normal, sentence, clause = reading.text.normal, reading.sentence, reading.clause
    asked = _SUPPOSING.search(normal, reading.item(sentence[0]).start, reading.item(reading.at).start)
    begins = reading.item(sentence[0]).start
    if asked is None and reading.raw.relation != "=":
        asked = _ASKED.search(normal, max(0, begins - _BEFORE), begins)
    asked = asked or _RECKONED.search(normal, reading.item(clause[0]).start, reading.item(clause[1] - 1).end)
    if asked is not None:
        return asked[0]
    modes = {reading.item(at).mode for at in range(sentence[0], clause[0])}
    led = modes & _SUPPOSED and any(reading.word(at) in _THAT for at in range(clause[0], min(clause[0] + 2, reading.at)))
    owned = reading.indicator.base in PROFITS | COUNTED | _OF_ACCOUNT
    return reading.words(*clause) if led or (owned and _is_to_come(reading, modes)) else None


def _is_to_come(reading: ReadClaim, modes: set[str]) -> bool:
    """Return whether a figure of the position or the account is what an order or an event would make of it. modes: of the sentence before
    the clause."""
    base, (first, last), begins = reading.indicator.base, reading.clause, reading.item(reading.sentence[0]).start
    if "hyp" in modes or (base in PROFITS | COUNTED and not modes.isdisjoint({"stop", "plan"}) and _is_unconfirmed(reading)):
        return True
    if base in PROFITS:
        return False
    joined = max(reading.sentence[0], first - NEARBY) if reading.item(max(first - 1, 0)).cat == c.CONJ else first
    would = reading.first(range(joined, last if base in COUNTED else reading.at), c.MODAL)
    if would is not None or _is_changed(reading):  # `taking it up to a 10% weight would need 36 more`
        return True
    moved = base in COUNTED or reading.first(range(first, reading.at), c.DIR, c.TO) is not None
    ordered = _ORDERED.search(reading.text.normal, begins, reading.item(first).start) if moved else None
    left = _REMAINING.search(reading.text.normal, begins, reading.item(reading.at).start) if ordered is None else None
    return left is not None or (ordered is not None and _is_unconfirmed(reading))


def is_supposed(reading: ReadClaim) -> str | None:
    """Doubt what comes after a condition, a plan or a quotation in its clause; but where a line lies is so, whatever may happen there."""
    if reading.is_number and reading.indicator.kind in _LINES and all(reading.item(at).cat in _BESIDE for at in reading.between):
        return None
    for at in range(reading.at - 1, reading.clause[0] - 1, -1):
        if reading.item(at).val == "colon":
            return None
        if reading.item(at).mode in _SUPPOSED:
            return reading.word(at)
    return None


def _is_changed(reading: ReadClaim) -> bool:
    """Recognise `现金从10000降到8082`: it begins with what there is, so it ends with what there will be."""
    numbers = [reading.item(at) for at in reading.between if reading.item(at).cat == c.NUM]
    began = numbers[0].number if numbers and reading.first(reading.between, c.FROM) is not None else None
    actual = reading.result.actual
    return began is not None and isinstance(actual, float) and abs(began.value - actual) <= began.step / 2 * ROUNDED


def _is_unconfirmed(reading: ReadClaim) -> bool:
    """Return whether nothing true is stated in the sentence before."""
    return not reading.is_confirmed_since(reading.sentence[0]) and reading.first(range(*reading.clause), c.NOW) is None


def is_needed(reading: ReadClaim) -> str | None:
    """Doubt `缩量才值得抄底`, and what follows from a condition before it: `则EMA20、VWAP统统失守`."""
    behind = min(reading.at + 1, len(reading.text.items) - 1)
    only = reading.item(behind).cat == c.THEN or (reading.item(behind).cat == c.LINK and not reading.is_number)
    if only and reading.word(behind)[:1] == "才":
        return reading.words(reading.at, behind + 1)
    first = reading.clause[0]
    follows = not reading.is_number and reading.item(first).cat == c.THEN and reading.word(first)[:1] in {"则", "那"}
    return reading.words(first, reading.at + 1) if follows else None


def is_unreached(reading: ReadClaim) -> str | None:
    """Doubt `RSI未到30`, `%K has not even reached 20`: a low threshold that is not reached, perhaps from above; and `nor a P/E below 2`."""
    raw, indicator = reading.raw, reading.indicator
    if raw.relation not in {">", "<"}:
        return None
    none = next((at for at in range(reading.clause[0], reading.name) if reading.item(at).val == "none"), None)
    if none is not None:
        return reading.words(none, reading.at + 1)
    low = (
        raw.relation == "<" and raw.number is not None and raw.number < _MIDDLE and indicator.unit == "index" and indicator.kind != "trend"
    )
    start, end = reading.item(reading.clause[0]).start, reading.item(reading.at).end
    beyond = raw.relation == ">" and raw.number is not None and raw.number < 0
    if beyond and any(reading.word(at) in _THROUGH for at in reading.between):
        return reading.words(*reading.clause)  # `CCI has pushed past -100`
    return reading.words(*reading.clause) if low and _REACHING.search(reading.text.normal, start, end) else None


def is_definition(reading: ReadClaim) -> str | None:
    """Doubt `CCI大于100为超买`: a bound that is what a word means."""
    behind = reading.behind()
    if not reading.is_number or reading.raw.relation not in {">", "<"} or behind is None or behind + 1 >= reading.clause[1]:
        return None
    equals = reading.word(behind) == "="
    defines = reading.item(behind).cat in {c.LINK, c.DEFINITION} and (equals or reading.item(behind + 1).cat == c.STATE)
    return reading.words(reading.at, behind + 2) if defines else None
