"""Numbers that measure something else than the name beside them: distances between prices, shares of a history, averages, derived figures.

`Resistance is 2.3 ATR above the close`, `the 50-SMA is ~$7 above the 200-SMA`, `均线价差达到0.31元`, `funding annualises to 13.7 %`: given
the composed items and the price that the sheet knows, marks such numbers, so that they are nobody's value.
"""

from typing import Final

from engine.grounding.grammar.marking import SKIPPED, MarkedText
from engine.grounding.tables.indicator import NamedIndicator
from engine.grounding.words import categories as c

_PRICED: Final = frozenset({"line", "level", "price", "signal"})
_GAPS: Final = frozenset(
    {"gap", "gaps", "spread", "distance", "difference", "差", "差距", "价差", "距离", "乖离", "乖离率", "偏离", "偏离度"}
)
_UNITS: Final = frozenset({"points", "pts", "pt", "point", "dollars", "dollar", "ticks", "tick", "bucks", "pips", "点", "元", "美元"})
_AWAY: Final = frozenset({"away", "from", "off", "off the", "shy", "beyond", "short"})
_TO_LEVEL: Final = frozenset({"距", "离", "距离", "相距"})
_QUIET: Final = frozenset({c.FILL, c.HEDGE, c.LINK, c.NEG, c.UNKNOWN, c.HEDGE_POST})
_VERBS: Final = frozenset({"is", "are", "sits", "stands", "trades", "closed", "lies", "hovers", "为", "在"})
_SMALL: Final = 0.3
_NEAR: Final = 4
_CLAUSE: Final = 12
_BORDERS: Final = frozenset({c.STRONG, c.WEAK, c.CONJ})


def mark_distances(text: MarkedText, price: float | None) -> None:
    """Mark every number that is a distance. price: of the sheet's asset, None where it is not known."""
    for index, item in enumerate(text.items):
        if item.cat in {c.NUM, c.RANGE} and not item.mode and _is_distance(text, index, price):
            text.mark(index, index + 1, SKIPPED)
        elif item.cat in {c.UNKNOWN, c.FILL, c.LINK} and text.word(index) in _GAPS:
            _mark_gap(text, index)


def _is_distance(text: MarkedText, index: int, price: float | None) -> bool:
    unit = _unit_behind(text, index)
    if _in_atr(text, index) or _is_followed_by_its_percent(text, index):
        return True
    number = text.items[index].number
    assert number is not None
    small = price is not None and abs(number.value) < _SMALL * abs(price)
    measured = unit > index or number.unit == "%" or (small and number.unit in {"", "$"})
    return measured and (
        _stands_before_line(text, index, unit)
        or _follows_line(text, index, number.unit == "%" or unit > index or small)
        or _leads_to(text, index)
    )


def _unit_behind(text: MarkedText, index: int) -> int:
    """Return the item of the unit of length behind a number; the number itself where none is written."""
    following = text.items[index + 1] if index + 1 < len(text.items) else None
    return index + 1 if following is not None and following.cat in {c.FILL, c.UNKNOWN} and text.word(index + 1) in _UNITS else index


def _in_atr(text: MarkedText, index: int) -> bool:
    """Recognise `2.3 ATR above`, `1.5 ATR (~12) below`, `2.1个ATR`: a multiple of the range, and what it comes to."""
    at = index + 1
    while at < len(text.items) and text.items[at].cat == c.FILL and at - index <= 2:
        at += 1
    if at < len(text.items) and _kind(text, at) == "atr":
        behind = text.items[at + 1] if at + 1 < len(text.items) else None
        named = behind is not None and (behind.cat in {c.NUM, c.LINK} or behind.val == "colon")
        if not named:
            text.items[at].cat, text.items[at].val = c.FILL, None
            return True
        return False
    if text.items[index - 1 : index] and text.items[index - 1].cat == c.HEDGE:
        index -= 1
    opened = index - 1
    return (
        opened >= 1
        and text.items[opened].cat in {c.OPEN, c.LINK}
        and text.items[opened - 1].cat == c.FILL
        and text.word(opened - 1) == "atr"
    )


def _is_followed_by_its_percent(text: MarkedText, index: int) -> bool:
    """Recognise the amount in `涨跌幅:+0.84 (+8.86%)`, where a change in percent is named."""
    behind = text.items[index + 1 : index + 3]
    number = behind[1].number if len(behind) > 1 and behind[0].cat == c.OPEN and behind[1].cat == c.NUM else None
    own = text.items[index].number
    if number is None or own is None or number.unit != "%" or own.unit == "%" or not own.signed:
        return False
    named = next((text.items[at].val for at in range(index - 1, max(-1, index - _NEAR), -1) if text.items[at].cat == c.IND), None)
    return isinstance(named, NamedIndicator) and named.indicator.unit == "percent"


def _stands_before_line(text: MarkedText, index: int, unit: int) -> bool:
    """Recognise `is 370 above EMA20`, `~$7 above the 200-SMA`, `780 points below price`, `2 % away`."""
    at = unit + 1
    away = at < len(text.items) and text.word(at) in _AWAY
    if at >= len(text.items) or not (away or text.items[at].cat in {c.CMP, c.POST}) or not (unit > index or _is_said_so(text, index)):
        return False
    if text.word(at) in {"away", "shy"}:
        return True
    behind = next((text.items[later] for later in range(at + 1, min(at + _NEAR, len(text.items))) if text.items[later].cat != c.FILL), None)
    named = behind.val if behind is not None else None
    if behind is None or behind.cat in _BORDERS:
        return text.items[index].number is not None and text.items[index].number.unit == "%"  # `Support 107,650 is 0.71% below.`
    if (away and (behind.cat == c.IT or (isinstance(named, NamedIndicator) and named.indicator.position))):
        return False  # `up 1.6% from our entry`
    return _is_priced(named) or behind.cat in {c.IT, c.STOP, c.ASSET, c.PLAN}


def _is_said_so(text: MarkedText, index: int) -> bool:
    """Return whether a bare number is joined as a distance is (`is 370 above`), not as a value (`at 97,380 above`)."""
    number = text.items[index].number
    joint = index - 1
    while joint > 0 and text.items[joint].cat in {c.HEDGE, c.FILL}:
        joint -= 1
    verb = joint >= 0 and text.items[joint].cat == c.LINK and text.word(joint) in _VERBS
    return verb or (number is not None and number.unit == "%") or index == 0


def _follows_line(text: MarkedText, index: int, measured: bool) -> bool:
    """Recognise `above EMA20 by 370`, `高于EMA20达370美元`, `较MA20高0.4元`."""
    if not measured:
        return False
    at = index - 1
    joined = False
    while at >= 0 and text.items[at].cat in _QUIET and index - at <= _NEAR:
        joined = joined or text.word(at) in {"by", "达", "约", "近", "逾", "超", "了", "达到", "超过"} or text.items[at].cat == c.HEDGE
        at -= 1
    if at < 1 or not _is_priced(text.items[at].val) or text.items[at].cat != c.IND:
        return False
    before = at - 1
    while before >= 0 and text.items[before].cat in {c.FILL, c.FRAME}:
        before -= 1
    return joined and before >= 0 and text.items[before].cat == c.CMP


def _leads_to(text: MarkedText, index: int) -> bool:
    """Recognise `距上方阻力约2.1%`, `离EMA50还有320点`."""
    for at in range(index - 1, max(-1, index - _CLAUSE), -1):
        if text.items[at].cat in _BORDERS:
            return False
        if text.word(at) in _TO_LEVEL and text.word(at - 1) != "差":
            return any(_is_priced(text.items[later].val) for later in range(at + 1, index))
    return False


def _mark_gap(text: MarkedText, index: int) -> None:
    """Mark the numbers of a clause that speaks of a gap: `MA5与MA20的价差达到0.31元`."""
    for at in range(index + 1, min(index + _CLAUSE, len(text.items))):
        if text.items[at].cat in _BORDERS:
            return
        if text.items[at].cat in {c.NUM, c.RANGE}:
            text.mark(at, at + 1, SKIPPED)


def _kind(text: MarkedText, index: int) -> str:
    val = text.items[index].val
    return val.indicator.kind if isinstance(val, NamedIndicator) else ""


def _is_priced(val: object) -> bool:
    return isinstance(val, NamedIndicator) and (val.indicator.kind in _PRICED or val.indicator.base in {"entry_price", "average_price"})
