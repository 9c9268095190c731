"""Sums of checked claims in the journal: kept when a run ends, so that shares over all runs take no look at single claims. Blocking.
Raises StoreError."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, date, datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, func, select
from sqlalchemy.dialects import postgresql, sqlite

from engine.domain.ended import Ended
from engine.domain.honesty import ClaimCounts, HonestyGroup
from engine.domain.market.instrument import FeedName
from engine.domain.run import RunRecord, RunRequest
from engine.journal.tables import CLAIM_SUMS, RUNS

Counts = Mapping[HonestyGroup, Mapping[str, ClaimCounts]]
_KEYS: Final = tuple(column.name for column in CLAIM_SUMS.primary_key.columns)
_GROUPS: Final[Mapping[HonestyGroup, ColumnElement[Any]]] = {
    "role": CLAIM_SUMS.c.role,
    "model": CLAIM_SUMS.c.model,
    "indicator": CLAIM_SUMS.c.indicator,
    "language": CLAIM_SUMS.c.language,
    "week": CLAIM_SUMS.c.week,
}


def add_claims(connection: Connection, record: RunRecord, end: Ended) -> None:
    """Add what a run that has just ended stated, in the transaction of its end, where it counts (`counted_feed`)."""
    feed = counted_feed(record.request)
    if feed is None:
        return
    about = {"language": record.request.language, "week": week_of(record.created_at), "feed": feed}
    day = (end.at or record.created_at).astimezone(UTC).date().isoformat()
    add_rows(
        connection,
        [
            {**about, "day": day, "role": each.role[:48], "model": each.model[:80], "indicator": each.indicator[:64]}
            | {"claims": each.claims, "false_claims": each.false}
            for each in end.tallies
            if each.claims
        ],
    )


def counted_feed(request: RunRequest) -> str | None:
    """Return the kind of prices of a run whose claims are counted, "" for one about no market. None for a run that repeats the answers of
    another, one in which lies are planted (others repeat them), and a demo."""
    origin, account = request.origin, request.account_ref
    if (origin is not None and not origin.fresh) or request.plants_lies or (account is not None and account.starts_over):
        return None
    return account.feed if account is not None else ""


def add_rows(connection: Connection, rows: Iterable[Mapping[str, Any]]) -> None:
    """Add counts to the sums that are there. In one order: two processes that do so at once never wait for each other in a circle."""
    wanted = sorted(rows, key=lambda row: [row[key] for key in _KEYS])
    if not wanted:
        return
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    query = insert(CLAIM_SUMS)
    added = {name: CLAIM_SUMS.c[name] + query.excluded[name] for name in ("claims", "false_claims")}
    connection.execute(query.on_conflict_do_update(index_elements=_KEYS, set_=added), wanted)


def week_of(at: datetime) -> str:
    """Return the ISO week of an instant: `2026-W48`."""
    year, week, _ = at.astimezone(UTC).isocalendar()
    return f"{year}-W{week:02d}"


class ClaimSums:
    """Over the journal's database. talking: opens a transaction (`Journal`)."""

    def __init__(self, talking: Callable[[str], AbstractContextManager[Connection]]) -> None:
        self._talking = talking
        self._counted: dict[FeedName | None, tuple[tuple[int, ...], Counts]] = {}

    def counts(self, feed: FeedName | None = None) -> Counts:
        """Return group -> name -> its counts, over all runs. They are added up again only when there are more of them. feed: over runs on
        such prices, and those about no market."""
        wanted = (CLAIM_SUMS.c.feed.in_((feed, "")),) if feed is not None else ()
        totals = (func.count(), func.sum(CLAIM_SUMS.c.claims), func.sum(CLAIM_SUMS.c.false_claims))
        with self._talking("read claims from") as connection:
            now = tuple(int(each or 0) for each in connection.execute(select(*totals).select_from(CLAIM_SUMS)).one())
            known = self._counted.get(feed)
            if known is None or known[0] != now:
                found = {group: _counts(connection, column, wanted) for group, column in _GROUPS.items()}
                known = self._counted[feed] = now, found
        return known[1]

    def of_roles(self, models: Mapping[str, str], feed: FeedName, before: date) -> dict[str, ClaimCounts]:
        """Return role -> its counts with the model it speaks by, of runs on such prices about days before one. models: role -> model."""
        found = {}
        with self._talking("read claims from") as connection:
            for role, model in models.items():
                about = (CLAIM_SUMS.c.role == role, CLAIM_SUMS.c.model == model, CLAIM_SUMS.c.feed == feed)
                wanted = (*about, CLAIM_SUMS.c.day < before.isoformat())
                if counted := _counts(connection, CLAIM_SUMS.c.role, wanted).get(role):
                    found[role] = counted
        return found

    def said_by(self, run_ids: Sequence[str], feed: FeedName | None = None) -> dict[str, dict[HonestyGroup, str] | None]:
        """Return run -> the model it was asked of, its language and its week; None for a run that `counts(feed)` leaves out. Runs that are
        forgotten are not in it."""
        columns = (RUNS.c.run_id, RUNS.c.model, RUNS.c.created_at, RUNS.c.request)
        with self._talking("read runs from") as connection:
            rows = connection.execute(select(*columns).where(RUNS.c.run_id.in_(run_ids))).all()
        return {row.run_id: _about(row.model, row.created_at, row.request, feed) for row in rows}


def _about(model: str | None, created_at: str, asked: str, feed: FeedName | None) -> dict[HonestyGroup, str] | None:
    try:
        request = RunRequest.read(asked)
    except ValueError:  # of another version of the program
        return None
    counted = counted_feed(request)
    if counted is None or (feed is not None and counted not in {feed, ""}):
        return None
    return {"model": str(model), "week": week_of(datetime.fromisoformat(created_at)), "language": request.language}


def _counts(connection: Connection, column: ColumnElement[Any], wanted: Sequence[ColumnElement[bool]]) -> dict[str, ClaimCounts]:
    sums = (func.sum(CLAIM_SUMS.c.claims).label("claims"), func.sum(CLAIM_SUMS.c.false_claims).label("false"))
    rows = connection.execute(select(column.label("name"), *sums).where(*wanted).group_by(column)).all()
    return {str(row.name): ClaimCounts(int(row.claims), int(row.false)) for row in rows}
