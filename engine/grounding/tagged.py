"""Claims about figures whose writer named the fact behind them: `43.9{rsi_14}` needs no grammar.

Given what the grammar read and the tags of the text, gives the claims with the tagged figures read as their tags say. A figure that states
nothing about now (a condition, a target, a quotation) stays unread whatever its tag says; so does one whose tag names no fact of the table.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from engine.domain.claims import FigureTag, Relation
from engine.grounding.grammar.measures import measure
from engine.grounding.grammar.raw_claim import RawClaim, Subject
from engine.grounding.lexer.item import Item
from engine.grounding.tables.indicator import NamedIndicator
from engine.grounding.tables.table import IndicatorTable
from engine.grounding.words import categories as c

_NEAR = 3
"""Items before a figure that may say how it is meant (`down about 3.2`); characters between a figure and its tag (` %`)."""


def read_tags(
    claims: Sequence[RawClaim],
    items: Sequence[Item],
    tags: Iterable[FigureTag],
    original_end: Callable[[Item], int],
    table: IndicatorTable,
    main_frame: str,
) -> list[RawClaim]:
    """Return the claims with every tagged figure read as its tag says.

    claims: as the grammar read them. original_end: where an item ends in the text of the tags. main_frame: the sheet's timeframe,
    whose keys have no prefix.
    """
    numbers = [at for at, item in enumerate(items) if item.cat == c.NUM]
    ends = [original_end(items[at]) for at in numbers]
    out = list(claims)
    for tag in tags:
        place = bisect_right(ends, tag.at) - 1
        if place < 0 or tag.at - ends[place] > _NEAR or items[numbers[place]].mode:
            continue
        named = _named(tag.key, table, main_frame)
        at = numbers[place]
        read = [one for one in out if one.number is not None and one.value_start <= items[at].start < one.value_end]
        if named is None:
            continue
        indicator, frame = named
        same = [one for one in read if (one.subject.frame, one.base or one.subject.named.key) == (frame, indicator.key)]
        found = [replace(one, tagged=True) for one in same[:1]] or _figure(items, at, indicator, frame)
        if found:
            out = [one for one in out if one not in read] + found
    return sorted(out, key=lambda one: (one.value_start, one.start))


def _named(key: str, table: IndicatorTable, main_frame: str) -> tuple[NamedIndicator, str | None] | None:
    """Return the indicator that a key names and its timeframe, None for the main one; None where the table does not know it."""
    indicator, frame, period = table.find(key)
    if indicator is None:
        return None
    return NamedIndicator(indicator, period or indicator.period), None if frame in {"", main_frame} else frame


def _figure(items: Sequence[Item], at: int, named: NamedIndicator, frame: str | None) -> list[RawClaim]:
    """Return the claim of a figure that the grammar did not read, or read for another fact."""
    item, before = items[at], items[max(0, at - _NEAR) : at]
    number = item.number
    direction = next((each.val for each in reversed(before) if each.cat == c.DIR and isinstance(each.val, int)), 0)
    if number is None or (named.indicator.signed and named.indicator.unit == "percent" and not (number.signed or direction)):
        return []  # `the day has cost 3.2%`: which way the words do not say
    found = measure(named, number, direction, True)
    if found is None:
        return []
    bound = str(before[-1].val) if before and before[-1].cat == c.CMP else number.bound
    relation: Relation = ">" if bound == ">" else "<" if bound == "<" else "="
    hedged = any(each.cat in {c.HEDGE, c.APPROACH} for each in before)
    return [
        RawClaim(
            Subject(named, at, frame), at, item.start, item.end, item.start, item.end, relation, found.value,
            step=found.step, hedged=hedged, base=found.base, tagged=True,
        )
    ]  # fmt: skip
