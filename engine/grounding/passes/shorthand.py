"""A trader's shorthand: `K at 29 is under D at 31.8`, `mark 141.07`, `open interest, off 3.9%`, `入场2345.48，强平2849`.

Given items, gives items in which such a word is what it stands for.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile

from engine.grounding.lexer.item import Item
from engine.grounding.tables.table import IndicatorSpec, IndicatorTable
from engine.grounding.words import categories as c

_LETTERS: Mapping[object, str] = {"k": "stoch_k", "d": "stoch_d"}
_PRICES = frozenset({"last", "mark"})
_BEFORE_ENTRY = frozenset({c.WEAK, c.STRONG, c.OPEN, c.SIDE, c.LINK})
_BEFORE_LETTER = frozenset({c.STRONG, c.WEAK, c.AND, c.CONJ, c.OPEN, c.PIPE, c.LINK, c.CMP})
_OF_A_MOVE = frozenset({c.LINK, c.NUM, c.FILL, c.CMP})
_NEAR = 6
_FAR = 9


def write_out(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Put in place of a shorthand what it stands for: `K at 29`, `mark 141.07`, `off 3.9%`."""
    items = _with_signs(_without_column_names(items, table))
    out = list(items)
    stochastic: bool | None = None
    for index, item in enumerate(items[:-1]):
        if item.cat == c.UNKNOWN and _LETTERS.get(item.val) in table:
            stochastic = _is_spoken_of(items) if stochastic is None else stochastic
            named = _is_letter(items, index) and (stochastic or _meets(items, index))
            out[index] = replace(item, cat=c.IND, val=table[_LETTERS[item.val]]) if named else item
        elif item.cat == c.UNKNOWN and item.val == "off" and items[index + 1].cat == c.NUM:
            out[index] = replace(item, cat=c.DIR, val=-1)
        elif item.cat == c.FILL and item.val in _PRICES and _is_price(items, index):
            out[index] = replace(item, cat=c.IND, val=table["close"])
        elif item.cat == c.IND and (direction := _moves(items, index)):
            out[index] = replace(item, cat=c.DIR, val=direction)
        elif item.cat == c.UNKNOWN and item.val == "受" and _is_pressed(items, index):
            out[index], out[index + 2] = replace(item, cat=c.CMP, val="<"), replace(items[index + 2], cat=c.FILL, val=None)
        elif item.cat == c.IND and item.val is table["hold_count"] and _counts_coins(items, index):
            out[index] = replace(item, val=table["size"])
        elif item.cat == c.PLAN and _names_entry(items, index):
            out[index] = replace(item, cat=c.IND, val=table["entry_price"])
    return out


def _with_signs(items: list[Item]) -> list[Item]:
    """Read `free cash flow is negative $120 million`, `the histogram is 0.72 below zero`: the words are the number's sign."""
    out = list(items)
    for index, item in enumerate(items):
        number = item.number if item.cat == c.NUM else None
        before, after = items[index - 1] if index else None, items[index + 1] if index + 1 < len(items) else None
        if number is None or number.signed or number.value <= 0:
            continue
        minus = _is_negative(before) and not _is_below_zero(before)
        if minus or (not number.unit and (_is_below_zero(before) or _is_below_zero(after))):
            start = before.start if minus and before is not None else item.start
            out[index] = replace(item, val=replace(number, value=-number.value, signed=True, integer=None), start=start)
        elif number.unit == "%" and _is_a_fall(items[index + 1 : index + 3]):
            out[index] = replace(item, val=replace(number, value=-number.value, signed=True))
        if minus and before is not None:
            out[index - 1] = replace(before, cat=c.FILL, val=None)
    return out


def _is_a_fall(after: list[Item]) -> bool:
    """Recognise `24小时3.06%的跌幅`."""
    if len(after) < len("的跌") or after[0].val != "share":
        return False
    named = after[1].val
    return (after[1].cat == c.DIR and named == -1) or (isinstance(named, IndicatorSpec) and named.base == "drop_24h_pct")


def _is_negative(item: Item | None) -> bool:
    return item is not None and item.cat == c.STATE and item.val == "negative"


def _is_below_zero(item: Item | None) -> bool:
    """Return whether it is longer than the word itself: `below zero`, `零轴下方`; `RSI 41.7, negative divergence` is no sign."""
    return item is not None and _is_negative(item) and item.end - item.start != len("negative")


def _without_column_names(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Read `close_50_sma`, as tables of indicators name their columns: the average of 50."""
    out: list[Item] = []
    for index, item in enumerate(items):
        behind = items[index + 1 : index + 5]
        column = len(behind) == 4 and [each.cat for each in behind] == [c.FILL, c.NUM, c.FILL, c.IND] and not any(e.gap for e in behind)
        if item.cat == c.IND and item.val is table["close"] and column:
            continue
        before = out[-1] if out else None
        joint = item.cat == c.FILL and before is not None and not item.gap and item.end - item.start == 1
        inside = (
            joint
            and index >= 1
            and items[index - 1].cat == c.IND
            and items[index - 1].val is table["close"]
            and items[index - 1] is not before
        )
        if not inside:
            out.append(item)
    return out


def _is_spoken_of(items: list[Item]) -> bool:
    """Return whether the text names the stochastic anywhere."""
    return any(isinstance(item.val, IndicatorSpec) and item.val.base in _LETTERS.values() for item in items)


def _is_letter(items: list[Item], index: int) -> bool:
    """Recognise a letter by itself, before a value or a comparison, or behind one."""
    before, after = items[index - 1] if index else None, items[index + 1]
    if before is not None and before.cat not in _BEFORE_LETTER and not items[index].gap:
        return False
    behind = before is not None and before.cat == c.CMP and after.cat in {c.WEAK, c.STRONG}
    second = items[index + 2] if after.cat == c.LINK and index + 2 < len(items) else None
    linked = second is not None and (second.cat in {c.NUM, c.CMP} or second.val in _LETTERS)
    linked = linked or (before is not None and before.cat == c.LINK and after.cat == c.POST)  # `K在D上方`
    bracketed = after.cat == c.OPEN and index + 2 < len(items) and items[index + 2].cat == c.NUM
    return after.cat in {c.NUM, c.CMP, c.POST} or linked or behind or bracketed


def _meets(items: list[Item], index: int) -> bool:
    """Return whether it is compared with the other letter; alone a letter may be anything."""
    for step in (1, -1):
        other = compared = False
        for at in range(index + step, index + step * _FAR, step):
            if not 0 <= at < len(items) or items[at].cat == c.STRONG:
                break
            other = other or (items[at].cat == c.UNKNOWN and items[at].val in _LETTERS and items[at].val != items[index].val)
            compared = compared or items[at].cat in {c.CMP, c.POST}
        if other and compared:
            return True
    return False


def _is_price(items: list[Item], index: int) -> bool:
    """Return whether it opens a clause that a price fills: `last at 2.418.`"""
    before = items[index - 1].cat if index else c.STRONG
    opens = before == c.STRONG or (before == c.WEAK and items[index].val == "mark")
    at = index + 2 if items[index + 1].cat == c.LINK else index + 1
    number = items[at].number if opens and at < len(items) and items[at].cat == c.NUM else None
    ends = at + 1 >= len(items) or items[at + 1].cat in {c.WEAK, c.STRONG, c.CLOSE}
    return number is not None and number.unit in {"", "$"} and ends


def _is_pressed(items: list[Item], index: int) -> bool:
    """Recognise `受EMA200压制`: the price is below the line."""
    after = items[index + 1 : index + 3]
    return [item.cat for item in after] == [c.IND, c.CMP] and after[1].val == ">" and after[1].end - after[1].start == len("压制")


def _counts_coins(items: list[Item], index: int) -> bool:
    """Recognise `持仓1.2个BTC`: how much is held, not how long."""
    after = [item for item in items[index + 1 : index + 4] if item.cat != c.FILL]
    return [item.cat for item in after[:2]] == [c.NUM, c.ASSET]


def _names_entry(items: list[Item], index: int) -> bool:
    if items[index].val == "entered":
        return _follows_price(items, index)
    return items[index].val == "entry" and _is_entry(items, index)


def _follows_price(items: list[Item], index: int) -> bool:
    """Recognise `我们以93000开的多单`: what was done, at the price right before it."""
    number = items[index - 1].number if index and items[index - 1].cat == c.NUM else None
    return number is not None and number.unit in {"", "$"}


def _is_entry(items: list[Item], index: int) -> bool:
    """Return whether nothing comes before the word for entering and a price behind it, or a price and nothing else before it."""
    number = items[index + 1].number if items[index + 1].cat == c.NUM else None
    before = items[index - 1].number if index and items[index - 1].cat == c.NUM else None
    ends = items[index + 1].cat in {c.WEAK, c.STRONG}
    if before is not None and before.unit in {"", "$"} and ends and (index == 1 or items[index - 2].cat in {c.WEAK, c.STRONG}):
        return True
    return (index == 0 or items[index - 1].cat in _BEFORE_ENTRY) and number is not None and number.unit in {"", "$"}


def _moves(items: list[Item], index: int) -> int:
    """Read `a gain of 6.4% over the last 24 hours`: which way the market, not the position, has gone; 0 when it is not that."""
    named = items[index].val
    direction = {"profit_pct": 1, "loss_pct": -1}.get(named.base, 0) if isinstance(named, IndicatorSpec) else 0
    if not direction:
        return 0
    near = list(takewhile(lambda item: item.cat in _OF_A_MOVE, items[index + 1 : index + _NEAR]))
    after = items[index + 1 + len(near)].val if index + 1 + len(near) < len(items) else None
    day = isinstance(after, IndicatorSpec) and after.base == "change_24h_pct"
    return direction if day and any(item.cat == c.NUM for item in near) else 0
