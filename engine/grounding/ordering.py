"""What stands in another place than usual, put where the grammar looks for it.

An adverb between commas parts nothing; the number of a level before its name goes behind it; a comparison in two halves is made one.
"""

from dataclasses import replace

from engine.grounding import categories as c
from engine.grounding.indicators import BY_BASE
from engine.grounding.item import Item
from engine.grounding.named import Named
from engine.grounding.numbers import Number

_REACH = 5
_OPENING = frozenset({c.WEAK, c.STRONG, c.OPEN, c.SIDE, c.LINK})
_NO_PERIOD = 1000


def join_asides(items: list[Item]) -> list[Item]:
    """`Volume, however, is running at 2.4x`: the commas around an adverb part nothing."""
    out: list[Item] = []
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
        elif item.cat == c.WEAK and len(out) > 1 and out[-1].cat == c.FILL and out[-2].cat == c.FILL and items[index - 2].cat == c.WEAK:
            out.append(replace(item, cat=c.FILL, val=None))
        else:
            out.append(item)
    return out


def name_levels_first(items: list[Item]) -> list[Item]:
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
        named = named or _is_line_with_price(level, number)
        if plain and named and before.cat in {c.FILL, c.CMP, c.FROM} and not owned:
            out[index], out[index + 1] = replace(level, start=number.start), number
    return out


def _is_line_with_price(item: Item, price: Item) -> bool:
    """`beneath the 2.4265 VWAP`: a line, and a number that can be no period."""
    number = price.number if price.cat == c.NUM else None
    line = item.cat == c.IND and isinstance(item.val, Named) and item.val.indicator.kind == "line"
    return line and number is not None and (number.decimals > 0 or number.value >= _NO_PERIOD)


def _before_its_level(items: list[Item], index: int) -> bool:
    """`324一线的阻力`."""
    number, at = items[index], index + 1
    while at < len(items) and at < index + 3 and items[at].cat in {c.FILL, c.HEDGE_POST}:
        at += 1
    if number.cat != c.NUM or at + 1 >= len(items) or items[at].val != "share" or items[index - 1].cat in {c.IND, c.LINK}:
        return False
    level = items[at + 1]
    return level.cat == c.IND and isinstance(level.val, Named) and level.val.indicator.kind == "level"


def name_entries(items: list[Item]) -> list[Item]:
    """`入场2345.48，强平2849`: with nothing before it and a price behind it the word for entering is the entry price."""
    out = list(items)
    for index in range(len(items) - 1):
        item, number = items[index], items[index + 1].number if items[index + 1].cat == c.NUM else None
        opens = index == 0 or items[index - 1].cat in _OPENING
        if item.cat == c.PLAN and item.val == "entry" and opens and number is not None and number.unit in {"", "$"}:
            out[index] = replace(item, cat=c.IND, val=BY_BASE["entry_price"])
    return out


def split_bounds(items: list[Item]) -> list[Item]:
    """`70 and above` is a bound after its number; `below EMA20 and above EMA200` is a second comparison."""
    out: list[Item] = []
    for index, item in enumerate(items):
        ahead = next((later.cat for later in items[index + 1 : index + 4] if later.cat != c.FILL), c.STRONG)
        second = ahead == c.IND or (index + 1 < len(items) and items[index + 1].cat == c.NUM)
        if item.cat == c.POST and str(item.val).startswith("it"):  # `价格运行于其上`
            middle = item.start + len("其")
            out += [replace(item, cat=c.IT, val=None, end=middle), replace(item, val=str(item.val)[-1], start=middle)]
        elif item.cat == c.POST and second and item.end - item.start >= len("and above"):
            middle = item.start + len("and")
            out += [replace(item, cat=c.CONJ, val="and", end=middle), replace(item, cat=c.CMP, start=middle + 1)]
        else:
            out.append(item)
    return out


def _presses(items: list[Item], at: int) -> int | None:
    """`被15分钟EMA200压着`: where the verb stands that says what the line does to the price."""
    names = [index for index in range(at + 1, min(at + _REACH, len(items))) if items[index].cat == c.IND]
    after = names[0] + 1 if names else len(items)
    presses = after < len(items) and items[after].cat in {c.CMP, c.POST} and items[after].val == (">" if items[after].cat == c.CMP else "<")
    return after if presses else None


def join_comparisons(items: list[Item]) -> list[Item]:
    """`站在它们下面`, `比SMA200还低`: the half behind the object says which way the comparison goes."""
    out = list(items)
    for index, item in enumerate(items):
        if item.cat != c.CMP:
            continue
        ahead = items[index + 1 : index + 1 + _REACH]
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
