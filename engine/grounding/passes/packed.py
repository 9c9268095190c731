"""Names and numbers packed together, unpacked: `EMA 20/50/200: 97,744 / 96,520 / 95,403`, `Stoch 68.7/46.3`, `Bollinger Bands: upper
98,500, lower 95,500`, `MACD is above its signal (-6.78 vs -10.29)`.

Given items with indicators named, gives items in which every number of such a list comes after a name of its own. What a list leaves out
is put in with no width, where its number begins.
"""

from collections.abc import Sequence
from dataclasses import replace

from engine.grounding.lexer.item import Item
from engine.grounding.tables.table import IndicatorTable, NamedIndicator
from engine.grounding.words import categories as c

_JOINTS = frozenset({c.AND, c.WEAK})
_BEFORE_NUMBERS = frozenset({c.LINK, c.FILL, c.HEDGE, c.SAY, c.OPEN, c.BOTH, c.THEN, c.PIPE})
_BEFORE_VALUES = frozenset({c.LINK, c.IND, c.HEDGE, c.NUM, c.TO, c.PAST, c.OPEN})
_MOST = 5
_BANDS = ("bb_upper", "bb_middle", "bb_lower")
_PACKED = {"stoch_k": ("stoch_k", "stoch_d"), "macd": ("macd", "macd_signal", "macd_hist")}
_LOWER = len("lower")
_BETWEEN_NAMES = frozenset({c.CMP, c.FILL, c.LINK, c.DIR, c.NOW, c.HEDGE, c.PAST})
_BEFORE_PAIR = frozenset({c.WEAK, c.OPEN, c.FILL, c.HEDGE})
_BETWEEN_NUMBERS = frozenset({c.TO, c.VERSUS, c.AND})
_KINDS = frozenset({"di", "oscillator", "macd", "signal", "line"})
_REACH = 6


def split_periods(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Rewrite `EMAs (20/50/200)`, `the 20/50/200 EMAs`: one name for each period."""
    out: list[Item] = []
    for item in items:
        named = item.val if item.cat == c.IND else None
        if not isinstance(named, NamedIndicator) or not named.indicator.family or named.indicator.kind != "line":
            out.append(item)
            continue
        periods = named.params if len(named.params) > 1 and set(named.params) <= set(named.indicator.periods) else ()
        if periods:
            out += _joined([replace(item, val=NamedIndicator(named.indicator, period, (), named.frame)) for period in periods])
            continue
        before: list[Item] = []
        while named.period and (left := _one_before(out, named)):
            at, period = left
            before.insert(0, replace(out[at], cat=c.IND, val=NamedIndicator(named.indicator, period, (), named.frame)))
            del out[at:]
        out += _joined([*before, item])
    return out


def _one_before(items: list[Item], named: NamedIndicator) -> tuple[int, int] | None:
    """Return where another period stands that shares the name behind the last item, and which: `20/`, `20- and`, `20, `."""
    at = len(items) - 1
    stroke = at > 0 and _is_stroke(items[at])
    while at >= 0 and (items[at].cat in _JOINTS or items[at].val == "and" or (stroke and at == len(items) - 1)):
        at -= 1
    if at in {-1, len(items) - 1}:
        return None
    hyphen = items[at].cat == c.FILL and items[at].end - items[at].start == 1 and not items[at].gap
    item, before = items[at - hyphen], items[at - hyphen - 1] if at > hyphen else None
    period = item.count[0] if item.cat == c.COUNT else item.number.integer if item.number is not None else None
    if period not in named.indicator.periods or (hyphen and item.cat != c.NUM):
        return None
    is_value = before is not None and before.cat in _BEFORE_VALUES  # `RSI is 50 and 20 EMA is 167`
    return (at - hyphen, period) if stroke or hyphen or item.cat == c.COUNT or not is_value else None


def _joined(names: Sequence[Item]) -> list[Item]:
    found: list[Item] = []
    for name in names:
        found += [Item(c.AND, None, name.start, name.start, False), name] if found else [name]
    return found


def _is_stroke(item: Item) -> bool:
    return item.val == "/" or (item.cat == c.AND and item.end - item.start <= 1)


def split_lists(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Rewrite `RSI/ADX: 48/31`, `EMA20 and EMA50 sit at 97,744 and 96,519`: names, and as many numbers behind them."""
    out: list[Item] = []
    at = 0
    while at < len(items):
        names = _names(items, at)
        numbers = _numbers(items, names[-1] + 1, len(names)) if len(names) > 1 else []
        if not numbers:
            out.append(items[at])
            at += 1
            continue
        for name, number in zip(names, numbers, strict=True):
            out += [items[name], items[number], Item(c.WEAK, None, items[number].end, items[number].end, False)]
        del out[-1]
        at = numbers[-1] + 1
    return out


def _names(items: list[Item], at: int) -> list[int]:
    """Return where the names of a list stand that begins here."""
    found = [at] if items[at].cat == c.IND else []
    while found and len(found) < _MOST and found[-1] + 2 < len(items):
        joint, at = items[found[-1] + 1], found[-1] + 2
        while items[at].cat == c.FILL and at + 1 < len(items):  # `the EMA20 and the EMA50`
            at += 1
        if not (joint.cat in _JOINTS or joint.val == "and" or _is_stroke(joint)) or items[at].cat != c.IND:
            break
        found.append(at)
    return found


def _numbers(items: list[Item], at: int, count: int) -> list[int]:
    """Return where exactly so many numbers stand, in a list that begins here; empty when they do not."""
    strange = 0
    while at < len(items) and (items[at].cat in _BEFORE_NUMBERS or (items[at].cat == c.UNKNOWN and strange == 0)):
        strange += items[at].cat == c.UNKNOWN
        at += 1
    found: list[int] = []
    while at < len(items) and items[at].cat == c.NUM:
        found.append(at)
        joint = at + 1
        while joint < len(items) and (items[joint].cat in _JOINTS or items[joint].val == "and" or _is_stroke(items[joint])):
            joint += 1
        if joint == at + 1 or joint > at + 3:
            break
        at = joint
    followed = items[found[-1] + 1 : found[-1] + 3] if found else []
    goes_on = len(followed) == 2 and followed[1].cat == c.NUM and (followed[0].cat in _JOINTS or _is_stroke(followed[0]))
    return found if len(found) == count and not goes_on else []


def split_packed_values(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Rewrite `Stoch 68.7/46.3`, `MACD 12.3/10.1/2.2`, `Bollinger bands 320.88 / 316.42 / 308.50`: one name for what has several values."""
    out: list[Item] = []
    at = 0
    while at < len(items):
        named = items[at].val if items[at].cat == c.IND else None
        numbers = _stroked(items, at + 1) if isinstance(named, NamedIndicator) else []
        if len(numbers) < len(_BANDS) and isinstance(named, NamedIndicator) and named.indicator.kind == "channel":
            numbers = _numbers(items, at + 1, len(_BANDS)) or numbers
        bases = _bases(named, items, numbers) if isinstance(named, NamedIndicator) and len(numbers) > 1 else ()
        if not bases or not isinstance(named, NamedIndicator) or any(base not in table for base in bases):
            out.append(items[at])
            at += 1
            continue
        for position, (base, number) in enumerate(zip(bases, numbers, strict=True)):
            start = items[number].start
            name = items[at] if position == 0 else Item(c.IND, None, start, start, False)
            out += [
                replace(name, val=replace(table.named(base), frame=named.frame)),
                items[number],
                Item(c.WEAK, None, start, start, False),
            ]
        del out[-1]
        at = numbers[-1] + 1
    return out


def _stroked(items: list[Item], at: int) -> list[int]:
    """Return where the numbers stand that follow, joined by strokes."""
    while at < len(items) and items[at].cat in {c.LINK, c.FILL, c.OPEN, c.PIPE} and not _is_stroke(items[at]):
        at += 1
    found: list[int] = []
    while at < len(items) and items[at].cat == c.NUM:
        found.append(at)
        if at + 1 >= len(items) or not _is_stroke(items[at + 1]):
            break
        at += 2
    return found


def _bases(named: NamedIndicator, items: list[Item], numbers: list[int]) -> tuple[str, ...]:
    """Return what each of the numbers is of; empty where that cannot be known."""
    if named.indicator.kind == "channel":
        first, last = (items[at].number for at in (numbers[0], numbers[-1]))
        falls = first is not None and last is not None and first.value > last.value
        wanted = _BANDS if falls else tuple(reversed(_BANDS))
        return wanted if len(numbers) == len(wanted) else (wanted[0], wanted[-1]) if len(numbers) == 2 else ()
    packed = _PACKED.get(named.indicator.base, ())
    return packed[: len(numbers)] if 1 < len(numbers) <= len(packed) else ()


def name_parts_of_bands(items: list[Item], table: IndicatorTable) -> list[Item]:
    """Rewrite `Bollinger Bands: upper 98,500, middle 97,000, lower 95,500`: behind the bands' name the words for their parts are names."""
    out, bands = list(items), False
    for index, item in enumerate(items):
        if item.cat == c.IND and isinstance(item.val, NamedIndicator):
            bands = item.val.indicator.kind == "channel" or item.val.indicator.base in _BANDS
        elif item.cat == c.STRONG:
            bands = False
        elif bands and (base := _part(item)) in table and base is not None and (_is_priced(items, index) or _is_listed(items, index)):
            out[index] = replace(item, cat=c.IND, val=table.named(base))
    return out


def _part(item: Item) -> str | None:
    if item.cat == c.FUZZY:
        low, _ = item.tens
        return {6: "bb_upper", 3: "bb_middle"}.get(low)
    return "bb_lower" if item.cat == c.DIR and item.val == -1 and item.end - item.start == _LOWER else None


def _is_listed(items: list[Item], index: int) -> bool:
    """Return whether a stroke joins it to another part: `lower/mid/upper: 95,500 / 97,000 / 98,500`."""
    return any(0 <= at < len(items) and _is_stroke(items[at]) for at in (index - 1, index + 1))


def _is_priced(items: list[Item], index: int) -> bool:
    """Return whether a price follows, perhaps behind a colon or `at`."""
    after = [item for item in items[index + 1 : index + 4] if item.cat not in {c.LINK, c.FILL}]
    number = after[0].number if after and after[0].cat == c.NUM else None
    return number is not None and number.unit in {"", "$"}


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
    while number < len(items) and number <= second + 2 and items[number].cat in _BEFORE_PAIR:
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
