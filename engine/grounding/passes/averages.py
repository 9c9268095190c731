"""Averages of the price that are named by their days: `the 50-day average`."""

from dataclasses import replace

from engine.grounding.lexer.item import Item
from engine.grounding.tables.indicator import NamedIndicator
from engine.grounding.tables.table import IndicatorTable
from engine.grounding.words import categories as c

_LONG_AVERAGES = frozenset({50, 100, 200})
_NEAR = 8


def name_averages_of_days(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Put a name where `the 50-day average` is one of the price."""
    out = list(items)
    for index, item in enumerate(items):
        if item.cat == c.MEAN and "sma" in table and (days := _days_of_average(items, index)):
            out[index] = replace(item, cat=c.IND, val=NamedIndicator(replace(table["sma"], either="ema"), days))
    return out


def _days_of_average(items: list[Item], index: int) -> int:
    """Return of how many days an average of the price is; 0 where it is none, or volume is spoken of."""
    counted = next((item for item in items[max(0, index - 2) : index] if item.cat == c.COUNT), None)
    if counted is None or counted.count[1] not in {"day", "period", "bar"} or counted.count[0] not in _LONG_AVERAGES:
        return 0
    near = (other.val for other in items[max(0, index - _NEAR) : index + _NEAR])
    of_volume = any(isinstance(val, NamedIndicator) and val.indicator.kind == "volume" for val in near)
    return 0 if of_volume else counted.count[0]
