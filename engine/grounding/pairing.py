"""Lists of names and numbers, taken apart: `RSI and ADX are 48.6 and 31.5 respectively`, `RSI/ADX: 48/31`, `EMA20 and EMA50 at 97 and 96`.

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


def _slashed(items: list[Item], at: int) -> bool:
    """`RSI/ADX: 48.6/31.5`: indicators and numbers, both joined by strokes."""
    if at + 2 >= len(items) or items[at + 1].cat != c.FILL or items[at + 1].val != "/" or items[at + 2].cat != c.IND:
        return False
    rest = items[at + 3 : at + 3 + _LONGEST_LIST]
    number = next((index for index, item in enumerate(rest) if item.cat in {c.NUM, c.STRONG}), None)
    return (
        number is not None and number + 2 < len(rest) and rest[number].cat == rest[number + 2].cat == c.NUM and rest[number + 1].val == "/"
    )


def _twins(items: list[Item], at: int) -> bool:
    """`EMA20 and EMA50 sit at 97,744 and 96,519`: two names and two numbers, each pair joined by `and`."""
    if at + 2 >= len(items) or not _is_and(items[at + 1]) or items[at + 2].cat != c.IND:
        return False
    rest = [item for item in items[at + 3 : at + 9] if item.cat not in {c.LINK, c.FILL, c.HEDGE}]
    return len(rest) > 2 and rest[0].cat == rest[2].cat == c.NUM and _is_and(rest[1])


def _is_and(item: Item) -> bool:
    return item.cat == c.AND or item.val == "and"


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
