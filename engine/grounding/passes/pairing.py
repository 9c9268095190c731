"""Names and numbers that stand apart and belong together one by one: two that are compared with their two numbers behind them, and lists
that a word such as `respectively` pairs. Given items with indicators named, gives items in which each number comes after its own name."""

from engine.grounding.lexer.item import Item
from engine.grounding.tables.indicator import NamedIndicator
from engine.grounding.tables.table import IndicatorTable
from engine.grounding.words import categories as c

_LONGEST_LIST = 30
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


def pair_respectively(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Rewrite `RSI and ADX are 48.6 and 31.5 respectively`, `RSI、ADX分别为48.6和31.5`: each indicator with its own number after it."""
    out = list(items)
    first, done = 0, 0
    for index, item in enumerate(items):
        if item.cat == c.STRONG:
            first = index + 1
        if item.cat != c.BOTH or index < done:
            continue
        first = max(first, index - _LONGEST_LIST)
        last = next((later for later in range(index, min(index + _LONGEST_LIST, len(items))) if items[later].cat == c.STRONG), index + 1)
        last = max(last, min(index + _LONGEST_LIST, len(items))) if last == index + 1 else last
        if any(items[before].cat in {c.NUM, c.RANGE} for before in range(first, index)):
            last = index
        done = last
        paired = _pairs(items, first, last)
        if paired is not None:
            start, end, pairs = paired
            out[start:end] = [*pairs, *[Item(c.FILL, None, items[end - 1].start, items[end - 1].end, True)] * (end - start - len(pairs))]
    return out


def _pairs(items: list[Item], first: int, last: int) -> tuple[int, int, list[Item]] | None:
    """Return (first item, item after the last, the pairs in order) where as many numbers follow as indicators were named; else None."""
    numbers = [index for index in range(first, last) if items[index].cat in {c.NUM, c.RANGE}]
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
