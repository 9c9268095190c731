"""Names that a text leaves out because the reader knows them: `the 50` beside an average, `the line` of the MACD, `last 318.2`.

Given items with indicators named, gives items in which what is meant is shown as a name.
"""

from dataclasses import replace

from engine.grounding.lexer.item import Item
from engine.grounding.tables.table import IndicatorTable, NamedIndicator
from engine.grounding.words import categories as c

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
