"""Gives every indicator its name: with its parameters, and where a text leaves the name out because the reader knows it.

Given the lexer's items, gives items in which every indicator is a `NamedIndicator` (period and timeframe known) and no parameter is left
over that could be taken for a value: `RSI(14)`, `14-period RSI`, `EMA 20`, `EMA20/50/200`, `200日均线`, `MACD(12,26,9)`, `rsi_14`; later
passes name `the 50` beside an average, `the line` of the MACD, `last 318.2`.
"""

from dataclasses import replace

from engine.grounding.lexer.item import Item
from engine.grounding.lexer.numbers import Number
from engine.grounding.tables.table import IndicatorSpec, IndicatorTable, NamedIndicator
from engine.grounding.words import categories as c

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
_LONGEST_BRACKET = 9
_SMALLEST_READING = 10
_DAYS = "1d"
_HOURS = "1h"
_SHORTEST_IN_HOURS = 20  # `50-hour SMA`, but `4-hour SMA` is an average on the 4h chart
_LONG_AVERAGES = frozenset({50, 100, 200})
_COMMON_AVERAGES = frozenset({10, 20, 50, 100, 200})
_AFTER_AVERAGE = frozenset({c.LINK, c.FILL, c.CMP, c.STRONG, c.WEAK, c.CONJ, c.CLOSE})
_AFTER_LINE = frozenset({c.LINK, c.CMP, c.NUM, c.OPEN, c.STATE, c.HEDGE, c.PAST})
_ENDS = frozenset({c.WEAK, c.STRONG, c.CONJ, c.CLOSE, c.AND})
_OSCILLATION = frozenset({"macd", "macd_signal", "macd_hist"})
_THE = len("the")
_STOCHASTIC = {"k": "stoch_k", "d": "stoch_d"}
_FAR_LETTER = 8
_HISTOGRAM = "macd_hist"


def name_indicators(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Rewrite `RSI(14)`, `14-period RSI`, `EMA20/50/200`, `MACD(12,26,9)`: each indicator with its period, parameters and timeframe."""
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
    assert isinstance(indicator, IndicatorSpec)
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
    named.val = NamedIndicator(indicator, period or indicator.period, params, frame)
    out.append(named)
    return _more_periods(indicator, items, at, out) if period is not None and indicator.kind == "line" else at


def _period_before(indicator: IndicatorSpec, out: list[Item]) -> tuple[int | None, str | None, int | None]:
    """Read `14-period RSI`, `20 EMA`, `200日均线`: takes the number off `out`."""
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
        frame = _DAYS if noun == "day" else _HOURS if noun == "hour" else None
    elif candidate.cat == c.FRAME and indicator.period is None and str(candidate.val).endswith("h"):
        value, frame = int(str(candidate.val)[:-1]), _HOURS
        value = value if value >= _SHORTEST_IN_HOURS else None
    elif candidate.cat == c.NUM and isinstance(candidate.val, Number) and indicator.period is None:
        value = candidate.val.integer
    if value is None or value not in indicator.periods:
        return None, None, None
    del out[-1 - back :]
    return value, frame, candidate.start


def _period_after(indicator: IndicatorSpec, items: list[Item], at: int) -> tuple[int | None, int]:
    """Read `EMA20`, `EMA 20`, `EMA-20`, `rsi_14`, `RSI 14 is`; gives the period and how many items it took."""
    joint = 1 if at < len(items) and items[at].cat == c.FILL and items[at].end - items[at].start == 1 and not items[at].gap else 0
    if not indicator.family or at + joint >= len(items):
        return None, 0
    item = items[at + joint]
    value = _written_period(item, indicator, bool(joint))
    if value not in indicator.periods or (joint and item.gap):
        return None, 0
    glued = not item.gap and (joint or not items[at].gap)
    if indicator.period is not None and item.cat == c.NUM and not glued:
        behind = [item.cat for item in items[at + joint + 1 : at + joint + 3] if item.cat != c.FILL] or [c.STRONG]
        following = behind[-1] if behind[0] == c.PIPE else behind[0]
        if value != indicator.period or following not in {c.LINK, c.NUM, c.CMP, c.HEDGE, c.PAST, c.RANGE}:
            return None, 0
    return value, joint + 1


def _written_period(item: Item, indicator: IndicatorSpec, joint: bool) -> int | None:
    if item.cat == c.COUNT and not joint and item.count[1] in {"period", "day"}:
        return item.count[0]
    number = item.number if item.cat == c.NUM else None
    if number is not None and number.integer is None and number.signed and indicator.period is None and number.unit == "":
        return int(-number.value) if number.value < 0 and number.value == int(number.value) else None
    return number.integer if number is not None else None


def _bracket(indicator: IndicatorSpec, items: list[Item], at: int) -> tuple[tuple[int, ...], str | None, int]:
    """Read `(14)`, `(12,26,9)`, `(14, 1h)`: the integers, the timeframe, and how many items it took; 0 when it is no parameter list."""
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


def _is_parameter(indicator: IndicatorSpec, found: list[int], items: list[Item], after: int) -> bool:
    """Return whether bracketed integers are parameters and not the value itself (`RSI (72)`)."""
    if len(found) != 1:
        prices = indicator.kind == "line" and indicator.family and not set(found) <= indicator.periods
        return not prices  # `the 20 and 50 EMA (97,810 and 98,120)`
    if not indicator.family:
        return indicator.kind not in {"price", "level", "position", "mood"} and tuple(found) in indicator.defaults
    if found[0] == indicator.period:
        return True
    if found[0] in indicator.periods and found[0] < _SMALLEST_READING:
        return True  # `RSI(7) soars`: no reading is that low
    return found[0] in indicator.periods and after < len(items) and items[after].cat in _AFTER_PARAMETER


def _more_periods(indicator: IndicatorSpec, items: list[Item], at: int, out: list[Item]) -> int:
    """Read `EMA20/50/200`: one indicator each, joined by `and`."""
    while at + 1 < len(items) and items[at].cat in {c.FILL, c.AND} and not items[at].gap and items[at].end - items[at].start == 1:
        number = items[at + 1]
        if number.cat != c.NUM or not isinstance(number.val, Number) or number.gap or number.val.integer not in indicator.periods:
            break
        out.append(Item(c.AND, None, items[at].start, items[at].end, False))
        out.append(Item(c.IND, NamedIndicator(indicator, number.val.integer), number.start, number.end, False))
        at += 2
    return at


def name_what_is_meant(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Put a name where `the 50`, `the line`, `last` or a letter means one. What a paragraph has named holds to its end."""
    average: NamedIndicator | None = None
    oscillation: NamedIndicator | None = None
    out = list(items)
    for index, item in enumerate(items):
        if item.cat == c.IND and isinstance(item.val, NamedIndicator):
            average = _average_in(item.val, table) or average
            oscillation = item.val if item.val.indicator.base in _OSCILLATION else oscillation
        elif item.cat == c.STRONG and item.val == "\n":
            average = oscillation = None
        if average is not None and item.cat == c.NUM and _is_average(items, index):
            assert item.number is not None
            out[index] = replace(item, cat=c.IND, val=NamedIndicator(average.indicator, item.number.integer, (), average.frame))
        if oscillation is not None and item.val == "line" and _is_macd_line(items, index):
            out[index] = replace(item, cat=c.IND, val=replace(table.named("macd"), frame=oscillation.frame))
        if item.cat == c.UNKNOWN and _STOCHASTIC.get(str(item.val)) in table and _is_stochastic(items, index):
            out[index] = replace(item, cat=c.IND, val=table.named(_STOCHASTIC[str(item.val)]))
        if item.val == "last" and _is_last_price(items, index):
            out[index] = replace(item, cat=c.IND, val=table.named("close"))
        if item.val == "positive_bars" and _HISTOGRAM in table and index + 1 < len(items) and items[index + 1].cat == c.NUM:
            out[index] = replace(item, cat=c.IND, val=table.named(_HISTOGRAM))  # `红柱0.35`
    return out


def _average_in(named: NamedIndicator, table: IndicatorTable) -> NamedIndicator | None:
    """Return what kind of average `the 50` is once this was named; None where it is none."""
    if named.indicator.base == "ema_alignment":
        return NamedIndicator(table["ema"], None)  # `the EMAs haven't crossed: the 50 is at 122.56`
    return named if named.indicator.kind == "line" and named.indicator.family else None


def name_averages_of_days(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Put a name where `the 50-day average` is one of the price."""
    out = list(items)
    for index, item in enumerate(items):
        if item.cat == c.MEAN and "sma" in table and (days := _days_of_average(items, index)):
            out[index] = replace(item, cat=c.IND, val=NamedIndicator(replace(table["sma"], either="ema"), days))
    return out


def _days_of_average(items: list[Item], index: int) -> int:
    """Read `the 50-day average`: of how many days it is one of the price; 0 where it is none, or volume is spoken of."""
    counted = next((item for item in items[max(0, index - 2) : index] if item.cat == c.COUNT), None)
    if counted is None or counted.count[1] not in {"day", "period", "bar"} or counted.count[0] not in _LONG_AVERAGES:
        return 0
    near = (other.val for other in items[max(0, index - _FAR_LETTER) : index + _FAR_LETTER])
    of_volume = any(isinstance(val, NamedIndicator) and val.indicator.kind == "volume" for val in near)
    return 0 if of_volume else counted.count[0]


def _is_average(items: list[Item], index: int) -> bool:
    """Recognise `The 20 EMA is under the 50`: once averages were named, `the 50` next to a comparison is one of them."""
    number = items[index].number
    if number is None or number.integer not in _COMMON_AVERAGES or not index:
        return False
    before, after = items[index - 1], items[index + 1].cat if index + 1 < len(items) else c.STRONG
    compared = any(other.cat == c.CMP for other in items[max(0, index - 3) : index] + items[index + 1 : index + 4])
    behind = [other.cat for other in items[index + 1 : index + 4]]
    compared = compared or (behind[:1] == [c.LINK] and behind[-1:] == [c.NUM])  # `the 50 is at 122.56`
    return before.cat == c.FILL and before.end - before.start == _THE and compared and after in _AFTER_AVERAGE


def _is_macd_line(items: list[Item], index: int) -> bool:
    """Recognise `MACD has turned, the line at 0.13 versus a signal of 0.31`."""
    before, after = items[index - 1] if index else None, items[index + 1].cat if index + 1 < len(items) else c.STRONG
    return before is not None and before.cat == c.FILL and before.end - before.start == _THE and after in _AFTER_LINE


def _is_stochastic(items: list[Item], index: int) -> bool:
    """Recognise `K 87.8, D 75.0`: both letters close by, and a number behind this one."""
    near = items[max(0, index - _FAR_LETTER) : index + _FAR_LETTER]
    letters = {item.val for item in near if item.cat == c.UNKNOWN and item.val in _STOCHASTIC}
    after = items[index + 1].cat if index + 1 < len(items) else c.STRONG
    return letters == set(_STOCHASTIC) and after == c.NUM


def _is_last_price(items: list[Item], index: int) -> bool:
    """Recognise `limit sell near the offer, last 318.2, stop 324.60`: a price and nothing behind it."""
    if index + 1 >= len(items):
        return False
    number, after = items[index + 1].number, items[index + 2].cat if index + 2 < len(items) else c.STRONG
    return items[index + 1].cat == c.NUM and number is not None and number.unit in {"", "$"} and after in _ENDS
