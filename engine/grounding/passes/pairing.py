"""Two names that are compared, with their two numbers behind them.

Given items with indicators named, gives items in which each number comes after its own name.
"""

from engine.grounding.lexer.item import Item
from engine.grounding.tables.table import IndicatorTable, NamedIndicator
from engine.grounding.words import categories as c

_BETWEEN_NAMES = frozenset({c.CMP, c.FILL, c.LINK, c.DIR, c.NOW, c.HEDGE, c.PAST})
_BEFORE_NUMBERS = frozenset({c.WEAK, c.OPEN, c.FILL, c.HEDGE})
_BETWEEN_NUMBERS = frozenset({c.TO, c.VERSUS, c.AND})
_KINDS = frozenset({"di", "oscillator", "macd", "signal", "line"})
_REACH = 6


def split_contrasts(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Rewrite `MACD is above its signal (-6.78 vs -10.29)`: each of the two numbers behind a name of its own."""
    out: list[Item] = []
    at = 0
    while at < len(items):
        found = _contrast(items, at)
        if found is None:
            out.append(items[at])
            at += 1
            continue
        second, first_number, second_number = found
        out += items[at : second + 1]
        for name, number in ((items[at], first_number), (items[second], second_number)):
            start = items[number].start
            out += [Item(c.WEAK, None, start, start, False), Item(c.IND, name.val, start, start, False), items[number]]
        at = second_number + 1
    return out


def _contrast(items: list[Item], at: int) -> tuple[int, int, int] | None:
    """Return where the second name and the two numbers stand, when a comparison begins at `at`."""
    second = _second(items, at)
    if second is None:
        return None
    number = second + 1
    while number < len(items) and number <= second + 2 and items[number].cat in _BEFORE_NUMBERS:
        number += 1
    if number == second + 1 or number + 2 >= len(items) or items[number].cat != c.NUM or items[number + 2].cat != c.NUM:
        return None
    joint = items[number + 1]
    return (second, number, number + 2) if joint.cat in _BETWEEN_NUMBERS or joint.val == "/" else None


def _second(items: list[Item], at: int) -> int | None:
    first = items[at].val if items[at].cat == c.IND else None
    if not isinstance(first, NamedIndicator) or first.indicator.kind not in _KINDS:
        return None
    compared = False
    for index in range(at + 1, min(at + _REACH, len(items))):
        item = items[index]
        if item.cat == c.IND:
            alike = isinstance(item.val, NamedIndicator) and item.val.indicator.kind in _KINDS and item.val != first
            return index if compared and alike else None
        if item.cat not in _BETWEEN_NAMES:
            return None
        compared = compared or item.cat == c.CMP
    return None
