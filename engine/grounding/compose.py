"""Puts together what belongs together: an indicator with its parameters, two numbers with the words that make them a range.

Given the lexer's items, gives items in which every indicator is a `Named` (period and timeframe known) and no parameter is left over that
could be taken for a value: `RSI(14)`, `14-period RSI`, `EMA 20`, `EMA20/50/200`, `200日均线`, `MACD(12,26,9)`, `rsi_14`; in which two
numbers may be one range: `between 40 and 45`, `in the high 50s`, `40 to 45`; and in which lists are taken apart: `RSI/ADX: 48/31`.
"""

from dataclasses import dataclass, replace

from engine.grounding import categories as c
from engine.grounding.indicator import Indicator
from engine.grounding.item import Item, make_range
from engine.grounding.numbers import Number

_AFTER_PARAMETER = frozenset(
    {
        c.LINK,
        c.CMP,
        c.HEDGE,
        c.NUM,
        c.RANGE,
        c.DIR,
        c.STATE,
        c.NEG,
        c.NOW,
        c.PAST,
        c.TO,
        c.BETWEEN,
        c.FILL,
        c.MODAL,
        c.PIPE,
        c.TRADE,
        c.FROM,
    }
)
_RANGE_WORDS = frozenset({c.AND, c.CONJ, c.TO, c.FILL})
_LONGEST_BRACKET = 9
_LONGEST_LIST = 30
_COMMON_AVERAGES = frozenset({10, 20, 50, 100, 200})
_AFTER_AVERAGE = frozenset({c.LINK, c.FILL, c.CMP, c.STRONG, c.WEAK, c.CONJ, c.CLOSE})
_THE = len("the")
DAYS = "1d"
HOURS = "1h"
_SHORTEST_IN_HOURS = 20  # `50-hour SMA`, but `4-hour SMA` is an average on the 4h chart


@dataclass(frozen=True, slots=True)
class Named:
    """An indicator as it was named. period: written or default; None where one is needed and missing. params: other than the usual ones,
    empty when they are the usual. frame: timeframe written inside the name."""

    indicator: Indicator
    period: int | None = None
    params: tuple[int, ...] = ()
    frame: str | None = None

    @property
    def key(self) -> str:
        """The canonical key without timeframe."""
        if self.params:
            return f"{self.indicator.base}_{'_'.join(map(str, self.params))}"
        return self.indicator.key(self.period)


def compose(items: list[Item]) -> list[Item]:
    """The items with indicators named and ranges made."""
    return _ranges(_respectively(_priced_levels(_bare_averages(_names(_asides(items))))))


def _before_its_level(items: list[Item], index: int) -> bool:
    """`324一线的阻力`."""
    number, at = items[index], index + 1
    while at < len(items) and at < index + 3 and items[at].cat in {c.FILL, c.HEDGE_POST}:
        at += 1
    if number.cat != c.NUM or at + 1 >= len(items) or items[at].val != "share" or items[index - 1].cat in {c.IND, c.LINK}:
        return False
    level = items[at + 1]
    return level.cat == c.IND and isinstance(level.val, Named) and level.val.indicator.kind == "level"


def _bare_averages(items: list[Item]) -> list[Item]:
    """`The 20 EMA is under the 50`: once averages were named, `the 50` next to a comparison is one of them."""
    family: Named | None = None
    out = list(items)
    for index, item in enumerate(items):
        if item.cat == c.IND and isinstance(item.val, Named) and item.val.indicator.kind == "line" and item.val.indicator.family:
            family = item.val
        elif item.cat == c.STRONG and item.val == "\n":
            family = None
        number = item.number if item.cat == c.NUM else None
        if family is None or number is None or number.integer not in _COMMON_AVERAGES or not index:
            continue
        before, after = items[index - 1], items[index + 1].cat if index + 1 < len(items) else c.STRONG
        compared = any(other.cat == c.CMP for other in items[max(0, index - 3) : index] + items[index + 1 : index + 4])
        if before.cat == c.FILL and before.end - before.start == _THE and compared and after in _AFTER_AVERAGE:
            out[index] = replace(item, cat=c.IND, val=Named(family.indicator, number.integer, (), family.frame))
    return out


def _priced_levels(items: list[Item]) -> list[Item]:
    """`below the 189.09 resistance`: the number of a level before its name; put behind it."""
    out = list(items)
    for index in range(1, len(items) - 1):
        number, level, before = items[index], items[index + 1], items[index - 1]
        if _before_its_level(items, index):
            at = next(place for place in range(index + 1, index + 5) if items[place].cat == c.IND)
            out[index : at + 1] = [replace(items[at], start=number.start), number, *items[index + 1 : at]]
            continue
        plain = number.cat == c.NUM and isinstance(number.val, Number) and number.val.unit in {"", "$"}
        named = level.cat == c.IND and isinstance(level.val, Named) and level.val.indicator.kind == "level"
        owned = index > 1 and items[index - 2].cat in {c.IND, c.LINK}
        if plain and named and before.cat in {c.FILL, c.CMP} and not owned:
            out[index], out[index + 1] = replace(level, start=number.start), number
    return out


def _asides(items: list[Item]) -> list[Item]:
    """`Volume, however, is running at 2.4x`: the commas around an adverb part nothing."""
    out: list[Item] = []
    for index, item in enumerate(items):
        before, after = items[index - 1] if index else None, items[index + 1] if index + 1 < len(items) else None
        inner = item.cat == c.FILL or item.val == "but"
        if (
            out
            and inner
            and before is not None
            and after is not None
            and before.cat == after.cat == c.WEAK
            and before.end - before.start == 1
        ):
            out[-1] = replace(out[-1], cat=c.FILL, val=None)
            out.append(replace(item, cat=c.FILL, val=None))
        elif item.cat == c.WEAK and len(out) > 1 and out[-1].cat == c.FILL and out[-2].cat == c.FILL and items[index - 2].cat == c.WEAK:
            out.append(replace(item, cat=c.FILL, val=None))
        else:
            out.append(item)
    return out


def _respectively(items: list[Item]) -> list[Item]:
    """`RSI and ADX are 48.6 and 31.5 respectively`, `RSI、ADX分别为48.6和31.5`: each indicator with its own number after it."""
    out = list(items)
    first, done = 0, 0
    for index, item in enumerate(items):
        if item.cat == c.STRONG:
            first = index + 1
        slashed = item.cat == c.IND and (_slashed(items, index) or _twins(items, index))
        if not (item.cat == c.BOTH or slashed) or index < done:
            continue
        first = index if slashed else first
        first = max(first, index - _LONGEST_LIST)
        last = next((later for later in range(index, min(index + _LONGEST_LIST, len(items))) if items[later].cat == c.STRONG), index + 1)
        last = max(last, min(index + _LONGEST_LIST, len(items))) if last == index + 1 else last
        if item.cat == c.BOTH and any(items[before].cat in {c.NUM, c.RANGE} for before in range(first, index)):
            last = index
        done = last
        paired = _pairs(items, first, last)
        if paired is not None:
            start, end, pairs = paired
            out[start:end] = [*pairs, *[Item(c.FILL, None, items[end - 1].start, items[end - 1].end, True)] * (end - start - len(pairs))]
    return out


def _twins(items: list[Item], at: int) -> bool:
    """`EMA20 and EMA50 sit at 97,744 and 96,519`: two names and two numbers, each pair joined by `and`."""
    if at + 2 >= len(items) or not _is_and(items[at + 1]) or items[at + 2].cat != c.IND:
        return False
    rest = [item for item in items[at + 3 : at + 9] if item.cat not in {c.LINK, c.FILL, c.HEDGE}]
    return len(rest) > 2 and rest[0].cat == rest[2].cat == c.NUM and _is_and(rest[1])


def _is_and(item: Item) -> bool:
    return item.cat == c.AND or item.val == "and"


def _slashed(items: list[Item], at: int) -> bool:
    """`RSI/ADX: 48.6/31.5`: indicators and numbers, both joined by strokes."""
    if at + 2 >= len(items) or items[at + 1].cat != c.FILL or items[at + 1].val != "/" or items[at + 2].cat != c.IND:
        return False
    rest = items[at + 3 : at + 3 + _LONGEST_LIST]
    number = next((index for index, item in enumerate(rest) if item.cat in {c.NUM, c.STRONG}), None)
    return (
        number is not None and number + 2 < len(rest) and rest[number].cat == rest[number + 2].cat == c.NUM and rest[number + 1].val == "/"
    )


def _pairs(items: list[Item], first: int, last: int) -> tuple[int, int, list[Item]] | None:
    """As many numbers as indicators, the numbers after the indicators: (first item, item after the last, the pairs in order)."""
    numbers = [index for index in range(first, last) if items[index].cat in {c.NUM, c.RANGE}]
    if items[first].cat == c.IND and first + 1 < last and items[first + 1].val == "/":
        numbers = [index for place, index in enumerate(numbers) if index == numbers[0] + 2 * place]
    if len(numbers) < 2:
        return None
    names = [index for index in range(first, numbers[0]) if items[index].cat == c.IND][-len(numbers) :]
    after = [index for index in range(numbers[0], numbers[-1]) if items[index].cat == c.IND]
    if len(names) != len(numbers) or after:
        return None
    pairs: list[Item] = []
    for name, number in zip(names, numbers, strict=True):
        pairs += [items[name], items[number], Item(c.WEAK, None, items[number].end - 1, items[number].end, False)]
    return (names[0], numbers[-1] + 1, pairs[:-1]) if len(pairs) - 1 <= numbers[-1] + 1 - names[0] else None


def _names(items: list[Item]) -> list[Item]:
    out: list[Item] = []
    at = 0
    while at < len(items):
        item = items[at]
        if item.cat != c.IND:
            out.append(item)
            at += 1
            continue
        at = _name(items, at, out)
    return out


def _name(items: list[Item], at: int, out: list[Item]) -> int:
    """Append the indicator at `at` with its parameters; gives the index after them."""
    item = items[at]
    indicator = item.val
    assert isinstance(indicator, Indicator)
    period, frame, start = _period_before(indicator, out)
    named = Item(c.IND, None, item.start if start is None else start, item.end, item.gap)
    params: tuple[int, ...] = ()
    at += 1
    if period is None:
        period, used = _period_after(indicator, items, at)
        at += used
    bracket, inner_frame, used = _bracket(indicator, items, at)
    if used:
        frame = inner_frame or frame
        at += used
        if len(bracket) == 1 and indicator.family:
            period = bracket[0]
        elif bracket and bracket not in indicator.defaults and not (indicator.family and bracket[0] == indicator.period):
            params = bracket
    named.end = items[at - 1].end
    named.val = Named(indicator, period or indicator.period, params, frame)
    out.append(named)
    return _more_periods(indicator, items, at, out) if period is not None and indicator.kind == "line" else at


def _period_before(indicator: Indicator, out: list[Item]) -> tuple[int | None, str | None, int | None]:
    """`14-period RSI`, `20 EMA`, `200日均线`: takes the number off `out`."""
    if not indicator.family:
        return None, None, None
    back = 1 if out and out[-1].cat == c.FILL and out[-1].end - out[-1].start == 1 and len(out) > 1 else 0
    candidate = out[-1 - back] if len(out) > back else None
    if candidate is None:
        return None, None, None
    value = None
    frame = None
    if candidate.cat == c.COUNT:
        value, noun = candidate.count
        frame = DAYS if noun == "day" else HOURS if noun == "hour" else None
    elif candidate.cat == c.FRAME and indicator.period is None and str(candidate.val).endswith("h"):
        value, frame = int(str(candidate.val)[:-1]), HOURS
        value = value if value >= _SHORTEST_IN_HOURS else None
    elif candidate.cat == c.NUM and isinstance(candidate.val, Number) and indicator.period is None:
        value = candidate.val.integer
    if value is None or value not in indicator.periods:
        return None, None, None
    del out[-1 - back :]
    return value, frame, candidate.start


def _period_after(indicator: Indicator, items: list[Item], at: int) -> tuple[int | None, int]:
    """`EMA20`, `EMA 20`, `EMA-20`, `rsi_14`, `RSI 14 is`; gives the period and how many items it took."""
    joint = 1 if at < len(items) and items[at].cat == c.FILL and items[at].end - items[at].start == 1 and not items[at].gap else 0
    if not indicator.family or at + joint >= len(items):
        return None, 0
    item = items[at + joint]
    value = _written_period(item, indicator, bool(joint))
    if value not in indicator.periods or (joint and item.gap):
        return None, 0
    glued = not item.gap and (joint or not items[at].gap)
    if indicator.period is not None and item.cat == c.NUM and not glued:
        following = items[at + joint + 1].cat if at + joint + 1 < len(items) else c.STRONG
        if value != indicator.period or following not in {c.LINK, c.NUM, c.CMP, c.HEDGE, c.PAST, c.RANGE}:
            return None, 0
    return value, joint + 1


def _written_period(item: Item, indicator: Indicator, joint: bool) -> int | None:
    if item.cat == c.COUNT and not joint and item.count[1] in {"period", "day"}:
        return item.count[0]
    number = item.number if item.cat == c.NUM else None
    if number is not None and number.integer is None and number.signed and indicator.period is None and number.unit == "":
        return int(-number.value) if number.value < 0 and number.value == int(number.value) else None
    return number.integer if number is not None else None


def _bracket(indicator: Indicator, items: list[Item], at: int) -> tuple[tuple[int, ...], str | None, int]:
    """`(14)`, `(12,26,9)`, `(14, 1h)`: the integers, the timeframe, and how many items it took; 0 when it is no parameter list."""
    if at >= len(items) or items[at].cat != c.OPEN:
        return (), None, 0
    found: list[int] = []
    frame: str | None = None
    for index in range(at + 1, min(at + _LONGEST_BRACKET, len(items))):
        item = items[index]
        if item.cat == c.CLOSE:
            if not found and frame is None:
                return (), None, 0
            return (tuple(found), frame, index - at + 1) if _is_parameter(indicator, found, items, index + 1) else ((), None, 0)
        if item.cat == c.NUM and isinstance(item.val, Number) and item.val.integer is not None:
            found.append(item.val.integer)
        elif item.cat == c.COUNT and item.count[1] in {"period", "bar", "day"}:
            found.append(item.count[0])
        elif item.cat == c.FRAME:
            frame = str(item.val)
        elif item.cat not in {c.WEAK, c.FILL, c.AND, c.SINK, c.LINK}:
            return (), None, 0
    return (), None, 0


def _is_parameter(indicator: Indicator, found: list[int], items: list[Item], after: int) -> bool:
    """Whether bracketed integers are parameters and not the value itself (`RSI (72)`)."""
    if len(found) != 1:
        return True
    if not indicator.family:
        return indicator.kind not in {"price", "level", "position", "mood"} and tuple(found) in indicator.defaults
    if found[0] == indicator.period:
        return True
    return found[0] in indicator.periods and after < len(items) and items[after].cat in _AFTER_PARAMETER


def _more_periods(indicator: Indicator, items: list[Item], at: int, out: list[Item]) -> int:
    """`EMA20/50/200`: one indicator each, joined by `and`."""
    while at + 1 < len(items) and items[at].cat in {c.FILL, c.AND} and not items[at].gap and items[at].end - items[at].start == 1:
        number = items[at + 1]
        if number.cat != c.NUM or not isinstance(number.val, Number) or number.gap or number.val.integer not in indicator.periods:
            break
        out.append(Item(c.AND, None, items[at].start, items[at].end, False))
        out.append(Item(c.IND, Named(indicator, number.val.integer), number.start, number.end, False))
        at += 2
    return at


def _ranges(items: list[Item]) -> list[Item]:
    out: list[Item] = []
    at = 0
    while at < len(items):
        at = _fuzzy(items, at, out) or _between(items, at, out) or _append(items, at, out)
    return out


def _append(items: list[Item], at: int, out: list[Item]) -> int:
    out.append(items[at])
    return at + 1


def _fuzzy(items: list[Item], at: int, out: list[Item]) -> int:
    """`high 50s`, `mid-40s`, `the 50s`."""
    low, high = 0, 10
    number_at = at
    if items[at].cat == c.FUZZY:
        low, high = items[at].tens
        number_at = at + 1
        if number_at < len(items) and items[number_at].cat == c.FILL:
            number_at += 1
    if number_at + 1 >= len(items):
        return 0
    if items[at].cat == c.FUZZY and items[number_at].val == "teens":
        out.append(Item(c.RANGE, (Number(10.0 + low), Number(10.0 + high)), items[at].start, items[number_at].end, items[at].gap))
        return number_at + 1
    number, mark = items[number_at], items[number_at + 1]
    plural = mark.cat == c.UNKNOWN and mark.val == "s" and not mark.gap
    if number.cat != c.NUM or not plural or not isinstance(number.val, Number) or number.val.value % 10:
        return 0
    base = number.val
    ends = (Number(base.value + low, base.unit), Number(base.value + high, base.unit))
    out.append(Item(c.RANGE, ends, items[at].start, mark.end, items[at].gap))
    return number_at + 2


def _between(items: list[Item], at: int, out: list[Item]) -> int:
    """`between 40 and 45`, `40 to 45`, `40 和 45 之间`."""
    opened = items[at].cat == c.BETWEEN
    first_at = at + 1 if opened else at
    if first_at + 2 >= len(items):
        return 0
    first, word, second = items[first_at : first_at + 3]
    if first.cat != c.NUM or second.cat != c.NUM or word.cat not in _RANGE_WORDS:
        return 0
    if not opened and (word.cat != c.TO or _moves(out)) and not _closed_by_between(items, first_at + 3):
        return 0
    assert isinstance(first.val, Number)
    assert isinstance(second.val, Number)
    pair = make_range(first.val, second.val)
    if pair is None:
        return 0
    out.append(Item(c.RANGE, pair, items[at].start, second.end, items[at].gap))
    return first_at + 3


def _moves(out: list[Item]) -> bool:
    return any(item.cat in {c.DIR, c.FROM, c.PAST} for item in out[-4:])


def _closed_by_between(items: list[Item], at: int) -> bool:
    return at < len(items) and items[at].cat == c.FILL and items[at].val == "between"
