"""Reorders items that come in another order than usual, so that the grammar meets them where it expects them.

An adverb between commas parts nothing; the number of a level before its name goes behind it; a comparison in two halves is made one, and
so are two numbers with the words that make them a range: `between 40 and 45`, `in the high 50s`.
"""

from dataclasses import replace

from engine.grounding.lexer.item import Item, make_range
from engine.grounding.lexer.numbers import Number
from engine.grounding.tables.table import IndicatorSpec, IndicatorTable, NamedIndicator
from engine.grounding.words import categories as c

_REACH = 5
_REACH_OF_THAN = 9  # `比日线EMA50（165.8）低`
_NO_PERIOD = 1000
_CLAUSE = 3
_LONGEST_ASIDE = 7
_ASIDE = frozenset({c.UNKNOWN, c.FILL, c.NEG, c.LINK})
_AFTER_ASIDE = frozenset({c.NUM, c.DIR, c.STATE, c.FILL, c.CMP, c.LINK, c.HEDGE})
_RANGE_WORDS = frozenset({c.AND, c.CONJ, c.TO, c.FILL})
_LONG_PERIOD = 100
_BACK = 12
_BEGIN_RANGES = frozenset({c.FUZZY, c.NUM, c.BETWEEN})


def join_asides(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Rewrite `Volume, however, is at 2.4x`, `OBV, far from confirming it, is falling`: what is between commas parts nothing."""
    out: list[Item] = []
    quiet = -1
    for index, item in enumerate(items):
        before, after = items[index - 1] if index else None, items[index + 1] if index + 1 < len(items) else None
        inner = item.cat in {c.FILL, c.CONJ}
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
        elif (end := _aside(items, index)) is not None or index <= quiet:
            out.append(replace(item, cat=c.FILL, val=None))
            quiet = end or quiet
        elif item.cat == c.WEAK and len(out) > 1 and out[-1].cat == c.FILL and out[-2].cat == c.FILL and items[index - 2].cat == c.WEAK:
            out.append(replace(item, cat=c.FILL, val=None))
        else:
            out.append(item)
    return out


def _aside(items: list[Item], at: int) -> int | None:
    """Return the closing comma of an aside that opens here behind a name, states nothing, and is followed by a verb."""
    named = at > 0 and items[at - 1].cat in {c.IND, c.NUM} and any(item.cat == c.IND for item in items[max(0, at - 2) : at])
    if not named or items[at].cat != c.WEAK or items[at].end - items[at].start != 1 or at + 1 >= len(items):
        return None
    inside = items[at + 1 : at + 1 + _LONGEST_ASIDE]
    end = next((position for position, item in enumerate(inside, at + 1) if item.cat == c.WEAK), None)
    plain = end is not None and end > at + 2 and all(item.cat in _ASIDE for item in items[at + 1 : end])
    opens = items[at + 1].cat in {c.NEG, c.UNKNOWN}
    verb = end is not None and end + 2 < len(items) and items[end + 1].cat == c.LINK and items[end + 2].cat in _AFTER_ASIDE
    return end if plain and opens and verb else None


def name_first(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Rewrite `At 31.9, ADX is alive`, `at -0.00026 it confirms`: the name is put where the sentence has none yet, with no width."""
    out: list[Item] = []
    for index, item in enumerate(items):
        if item.cat == c.NUM and (name := _behind(items, index)) is not None:
            out.append(replace(name, start=item.start, end=item.start))
        out.append(item)
    return out


def _behind(items: list[Item], at: int) -> Item | None:
    """Return what a number that opens a sentence is of, when only a comma is between them."""
    opens = at > 0 and items[at - 1].cat == c.LINK and (at == 1 or items[at - 2].cat == c.STRONG)
    after = [item for item in items[at + 1 : at + 6] if item.cat != c.FILL][:3]
    if not opens or len(after) < _CLAUSE or after[0].cat != c.WEAK or after[0].end - after[0].start != 1:
        return None
    return after[1] if after[1].cat == c.IND and after[2].cat not in {c.NUM, c.CMP, c.WEAK} else None


def name_levels_first(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Rewrite `below the 189.09 resistance`: the number of a level before its name; put behind it."""
    out = list(items)
    for index in range(1, len(items) - 1):
        number, level, before = items[index], items[index + 1], items[index - 1]
        if number.cat != c.NUM:
            continue
        if _before_its_level(items, index):
            at = next(position for position in range(index + 1, index + 5) if items[position].cat == c.IND)
            out[index : at + 1] = [replace(items[at], start=number.start), number, *items[index + 1 : at]]
            continue
        plain = number.cat == c.NUM and isinstance(number.val, Number) and number.val.unit in {"", "$"}
        named = level.cat == c.IND and isinstance(level.val, NamedIndicator) and level.val.indicator.kind == "level"
        owned = index > 1 and items[index - 2].cat in {c.IND, c.LINK} and before.cat != c.CMP
        named = named or _is_line_with_price(level, number)
        if plain and named and before.cat in {c.FILL, c.CMP, c.FROM} and not owned:
            out[index], out[index + 1] = replace(level, start=number.start), number
    return out


def _is_line_with_price(item: Item, price: Item) -> bool:
    """Recognise `beneath the 2.4265 VWAP`: a line, and a number that can be no period."""
    number = price.number if price.cat == c.NUM else None
    line = (
        item.cat == c.IND
        and isinstance(item.val, NamedIndicator)
        and (item.val.indicator.kind in {"line", "signal"} or item.val.indicator.base == "entry_price")
    )
    return line and number is not None and (number.decimals > 0 or number.value >= _NO_PERIOD)


def _before_its_level(items: list[Item], index: int) -> bool:
    """Recognise `324一线的阻力`."""
    number, at = items[index], index + 1
    while at < len(items) and at < index + 3 and items[at].cat in {c.FILL, c.HEDGE_POST}:
        at += 1
    if number.cat != c.NUM or at + 1 >= len(items) or items[at].val != "share" or items[index - 1].cat in {c.IND, c.LINK}:
        return False
    level = items[at + 1]
    return level.cat == c.IND and isinstance(level.val, NamedIndicator) and level.val.indicator.kind == "level"


def split_bounds(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Rewrite `70 and above` is a bound after its number; `below EMA20 and above EMA200` is a second comparison."""
    out: list[Item] = []
    for index, item in enumerate(items):
        out += [item] if item.cat != c.POST else _split(item, items[index + 1 : index + 4])
    return out


def _split(item: Item, ahead: list[Item]) -> list[Item]:
    if str(item.val).startswith("it"):  # `价格运行于其上`
        middle = item.start + len("其")
        return [replace(item, cat=c.IT, val=None, end=middle), replace(item, val=str(item.val)[-1], start=middle)]
    first = next((later.cat for later in ahead if later.cat not in {c.FILL, c.COUNT, c.FRAME}), c.STRONG)
    second = first == c.IND or (bool(ahead) and ahead[0].cat == c.NUM)
    if not second or item.end - item.start < len("and above"):
        return [item]
    middle = item.start + len("and")
    return [replace(item, cat=c.CONJ, val="and", end=middle), replace(item, cat=c.CMP, start=middle + 1)]


def _lost(items: list[Item], at: int) -> Item:
    """Read `it has lost support` compares with the price; `open interest lost 3%` moves."""
    ahead = next((item for item in items[at + 1 : at + _REACH] if item.cat not in {c.FILL, c.NUM, c.COUNT, c.FRAME}), None)
    line = ahead is not None and isinstance(ahead.val, IndicatorSpec) and ahead.val.kind in {"line", "level"}
    return replace(items[at], val="<") if line else replace(items[at], cat=c.DIR, val=-1)


def _presses(items: list[Item], at: int) -> int | None:
    """Read `被15分钟EMA200压着`: the verb at the end says what the line does to the price."""
    names = [index for index in range(at + 1, min(at + _REACH, len(items))) if items[index].cat == c.IND]
    after = names[0] + 1 if names else len(items)
    while after < len(items) and items[after].cat in {c.NUM, c.COUNT}:
        after += 1
    presses = after < len(items) and items[after].cat in {c.CMP, c.POST} and items[after].val == (">" if items[after].cat == c.CMP else "<")
    return after if presses else None


def join_comparisons(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Rewrite `站在它们下面`, `比SMA200还低`: the half behind the object says which way the comparison goes."""
    out = list(items)
    for index, item in enumerate(items):
        if item.cat != c.CMP:
            continue
        if item.val == "lost":
            out[index] = _lost(items, index)
            continue
        ahead = items[index + 1 : index + 1 + (_REACH if item.val != "than" else _REACH_OF_THAN)]
        ends = next((at for at, later in enumerate(ahead) if later.cat in {c.WEAK, c.STRONG, c.CONJ, c.CMP}), len(ahead))
        behind = next((later for later in ahead[:ends] if later.cat in {c.POST, c.DIR}), None)
        if item.val == "by":
            out[index], presses = replace(item, cat=c.UNKNOWN), _presses(items, index)
            if presses is not None:
                out[index], out[presses] = replace(item, val="<"), replace(items[presses], cat=c.FILL, val=None)
        elif item.val == "than":
            lower = behind is not None and behind.val in {"<", -1}
            out[index] = replace(item, val="<" if lower else ">")
        elif behind is not None and behind.cat == c.POST and behind.val != item.val and ahead[0].cat in {c.IT, c.IND}:
            out[index] = replace(item, cat=c.FILL, val=None)
    return out


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
    if base.value >= _LONG_PERIOD and any(item.cat == c.IND for item in out[-_BACK:]):
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
