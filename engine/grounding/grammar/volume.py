"""Volume against its average, one clause at a time: `1.6x the 20-bar mean`, `35% above average`, `均量的1.6倍`, `比均量高35%`.

Volume has its own small grammar because number, direction and average come in any order and a percentage means something else than for
every other indicator: 35 % above average is a ratio of 1.35.
"""

from engine.domain.claims import Relation
from engine.grounding.grammar.scopes import WEAK_DEFINITION
from engine.grounding.grammar.state import RawClaim, Subject
from engine.grounding.lexer.item import Item
from engine.grounding.tables.table import NamedIndicator
from engine.grounding.words import categories as c

VOLUME = "volume"
"""How sentences treat it: `IndicatorSpec.kind`."""
_REACH = 6
_SIGNS = {"above_avg": 1, "below_avg": -1}


def read_volume(items: list[Item], start: int, end: int, subject: Subject, carried: bool) -> list[RawClaim]:
    """Return the volume ratios stated in items[start:end], a clause. carried: the clause before it was about volume."""
    clause = [index for index in range(start, end) if items[index].mode in {"", WEAK_DEFINITION}]
    named = [index for index in clause if _kind(items[index]) == "volume"]
    mean = [index for index in clause if items[index].cat == c.MEAN or (items[index].cat == c.STATE and items[index].val in _SIGNS)]
    brief = carried and any(item.number is not None and item.number.unit == "x" for item in items[start : min(end, start + _REACH)])
    if not named and not brief and not any(items[index].val == "volume" for index in mean):
        return []
    found = []
    first = named[0] if named else start
    multiples = [index for index in clause if (number := items[index].number) is not None and number.unit == "x"]
    for index in sorted(
        multiples or clause, key=lambda other: (other < first, other)
    ):  # a number behind the name rather than one before it
        value = _ratio(items, clause, index, bool(named), bool(mean))
        if value is not None:
            found.append(_statement(items, clause, index, value, named, mean, subject))
            break
    return found or _compared_with_mean(items, clause, named, subject)


def _compared_with_mean(items: list[Item], clause: list[int], named: list[int], subject: Subject) -> list[RawClaim]:
    """Read `volume exceeds its average`."""
    for index in clause if named else []:
        if items[index].cat != c.MEAN or not 0 < index - named[0] <= _REACH:
            continue
        before = [other for other in range(named[0] + 1, index) if not items[other].mode]
        compared = [other for other in before if items[other].cat == c.CMP]
        if compared and all(items[other].cat in {c.CMP, c.FILL, c.LINK, c.COUNT} for other in before):
            at = compared[-1]
            state = "above_avg" if items[at].val == ">" else "below_avg"
            return [RawClaim(subject, at, items[named[0]].start, items[index].end, items[at].start, items[at].end, state=state)]
    return []


def _ratio(items: list[Item], clause: list[int], index: int, named: bool, mean: bool) -> float | None:
    number = items[index].number
    if items[index].cat not in {c.NUM, c.RANGE} or number is None or items[index - 1].cat in {c.FROM, c.NEG}:
        return None  # `not 2.6x normal`
    if number.unit == "x":
        neighbours = items[max(0, index - 1) : index + 2]
        grown = items[index - 1].cat == c.DIR and items[index - 1].val == 1  # `放大一倍` is twice as much
        return None if any(_kind(item) == "position" for item in neighbours) else number.value + grown
    if number.unit in {"%", "tenth"} and mean:
        part = number.value / (100 if number.unit == "%" else 10)
        # `under 80% of its mean`, `不到均量的八成`
        share = (index + 1 < len(items) and items[index + 1].val == "of") or items[index - 1].val == "share"
        sign = 0 if share else _sign(items, clause, index)
        return part if sign == 0 else 1 + sign * abs(part)
    of_mean = mean and index + 1 < len(items) and items[index + 1].val == "of"
    if number.unit == "" and named and (of_mean or _is_ratio(items, index)):
        return number.value
    return None


def _bound(item: Item) -> str:
    """Read `>` of `more than`, and of `超过均量` before `的2倍`."""
    if item.cat == c.CMP:
        return str(item.val)
    return {"above_avg": ">", "below_avg": "<"}.get(str(item.val), "") if item.cat == c.STATE else ""


def _kind(item: Item) -> str:
    return item.val.indicator.kind if isinstance(item.val, NamedIndicator) else ""


def _is_ratio(items: list[Item], index: int) -> bool:
    """Return whether the name right before the number says that it is a ratio, so that a bare number is one."""
    before = [item.val for item in items[max(0, index - _REACH) : index] if isinstance(item.val, NamedIndicator)]
    return bool(before) and before[-1].indicator.bare


def _sign(items: list[Item], clause: list[int], index: int) -> int:
    for other in sorted(clause, key=lambda at: abs(at - index)):
        item = items[other]
        if item.cat == c.STATE and item.val in _SIGNS:
            return _SIGNS[str(item.val)]
        if item.cat == c.CMP:
            return _compared(items, clause, other, str(item.val))
        if item.cat == c.DIR:
            assert isinstance(item.val, int)
            return item.val
    return 0


def _compared(items: list[Item], clause: list[int], at: int, op: str) -> int:
    """Read `比` alone does not say which way: the direction after it does (`比均量低20%`)."""
    later = [items[other] for other in clause if other > at and items[other].cat == c.DIR]
    if later and isinstance(later[0].val, int):
        return later[0].val
    return 1 if op == ">" else -1


def _statement(
    items: list[Item], clause: list[int], index: int, value: float, named: list[int], mean: list[int], subject: Subject
) -> RawClaim:
    number, high = items[index].number, items[index].high
    assert number is not None
    places = [index, *named[:1], *mean[-1:]]
    step = number.step / 100 if number.unit == "%" else 0.1 if number.unit == "tenth" else number.step
    share = number.unit == "%" and not (index + 1 < len(items) and items[index + 1].val == "of")
    first = named[0] if named and named[0] < index else clause[0]  # `through resistance on volume of 1.6x` bounds nothing
    compared = [_bound(items[other]) for other in clause if first <= other < index and _bound(items[other])] if not share else []
    hedged = any(items[other].cat in {c.HEDGE, c.HEDGE_POST} for other in clause)
    bound = str(compared[-1]) if compared else number.bound
    relation: Relation = "between" if high is not None else ">" if bound == ">" else "<" if bound == "<" else "="
    return RawClaim(
        subject=subject, at=index, start=items[min(places)].start, end=items[max(places)].end, value_start=items[index].start,
        value_end=items[index].end, relation=relation, number=value, step=step, hedged=hedged,
        high=None if high is None else high.value * (0.01 if high.unit == "%" else 1),
    )  # fmt: skip
