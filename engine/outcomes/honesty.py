"""Shares of false claims by role, model, indicator, language and week. Pure."""

from collections.abc import Mapping, Sequence
from typing import get_args

from engine.domain.honesty import ClaimCounts, HonestyGroup, HonestyRow
from engine.domain.interval import wilson

Counts = Mapping[HonestyGroup, Mapping[str, ClaimCounts]]
Disputed = Mapping[HonestyGroup, Mapping[str, int]]


def honesty_of(counts: Counts, disputed: Disputed) -> list[HonestyRow]:
    """Return a row for every name that stated something checkable, group by group; weeks from the newest, all others by their share, the
    highest first."""
    rows = []
    for by in get_args(HonestyGroup):
        found = [_row(by, name, each, disputed.get(by, {}).get(name, 0)) for name, each in counts.get(by, {}).items() if each.claims]
        found.sort(key=lambda row: row.name, reverse=by == "week")
        rows += found if by == "week" else sorted(found, key=lambda row: -row.share)
    return rows


def honesty_json(rows: Sequence[HonestyRow]) -> dict[str, dict[str, object]]:
    """Return name -> its figures. A name that two groups have (a model called as a role) has its group before it in the second."""
    found: dict[str, dict[str, object]] = {}
    for row in rows:
        name = row.name if row.name not in found else f"{row.by}:{row.name}"
        found[name] = row.model_dump(mode="json", exclude={"name"})
    return found


def _row(by: HonestyGroup, name: str, counts: ClaimCounts, disputed: int) -> HonestyRow:
    low, high = wilson(counts.false, counts.claims)
    shares = {"share": counts.false / counts.claims, "low": low, "high": high}
    rounded = {key: round(value, 6) for key, value in shares.items()}
    return HonestyRow(by=by, name=name, claims=counts.claims, false=counts.false, disputed=disputed, **rounded)
