"""Two numbers with the words that make them a range: `between 40 and 45`, `in the high 50s`, `40 to 45`."""

from engine.grounding.lexer.item import Item, make_range
from engine.grounding.lexer.numbers import Number
from engine.grounding.tables.table import IndicatorTable
from engine.grounding.words import categories as c

_RANGE_WORDS = frozenset({c.AND, c.CONJ, c.TO, c.FILL})
_LONG_PERIOD = 100
_CLAUSE = 12
_BEGIN_RANGES = frozenset({c.FUZZY, c.NUM, c.BETWEEN})


def join_ranges(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Rewrite `between 40 and 45`, `in the high 50s`, `40 to 45`: two numbers become one range."""
    out: list[Item] = []
    at = 0
    while at < len(items):
        after = (_fuzzy(items, at, out) or _between(items, at, out)) if items[at].cat in _BEGIN_RANGES else 0
        if not after:
            out.append(items[at])
        at = after or at + 1
    return out


def _fuzzy(items: list[Item], at: int, out: list[Item]) -> int:
    """Read `high 50s`, `mid-40s`, `the 50s`."""
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
    if base.value >= _LONG_PERIOD and any(item.cat == c.IND for item in out[-_CLAUSE:]):
        out.append(Item(c.FILL, None, items[at].start, mark.end, items[at].gap))
        return number_at + 2  # `above its EMA20 but under the 200s`: averages
    ends = (Number(base.value + low, base.unit), Number(base.value + high, base.unit))
    out.append(Item(c.RANGE, ends, items[at].start, mark.end, items[at].gap))
    return number_at + 2


def _between(items: list[Item], at: int, out: list[Item]) -> int:
    """Read `between 40 and 45`, `40 to 45`, `40 和 45 之间`."""
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
