"""Lists of names and numbers that a word puts together, taken apart: `RSI and ADX are 48.6 and 31.5 respectively`.

Given items with indicators named, gives items in which every number of such a list stands behind its own indicator.
"""

from engine.grounding import categories as c
from engine.grounding.item import Item

_LONGEST_LIST = 30


def take_apart(items: list[Item]) -> list[Item]:
    """`RSI and ADX are 48.6 and 31.5 respectively`, `RSI、ADX分别为48.6和31.5`: each indicator with its own number after it."""
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
    """As many numbers as indicators, the numbers after the indicators: (first item, item after the last, the pairs in order)."""
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
