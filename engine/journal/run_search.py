"""The runs of a journal as lists: the newest of them, and those that somebody looks for, a page at a time.

Blocking. Raises StoreError. No result, request or proposal is read: a line of a list is in the columns beside them.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, case, func, or_, select

from engine.domain.clock import utc_now
from engine.domain.proposal import WAITING
from engine.domain.run import RunSummary
from engine.domain.run_filter import FoundRuns, RunFilter
from engine.journal.leases import ACTIVE
from engine.journal.tables import PROPOSALS, RUNS

_PARENTS = RUNS.alias("parents")
_JOINED = {"proposal": PROPOSALS.c.state, "expires_at": PROPOSALS.c.expires_at}
_COLUMNS = [RUNS.c[name] for name in RunSummary.model_fields if name not in _JOINED]
_LISTED = RUNS.outerjoin(PROPOSALS, PROPOSALS.c.run_id == RUNS.c.run_id)
_STATES = {
    "open": ACTIVE,
    "done": ("finished",),
    "stopped": ("stopped",),
    "failed": ("failed",),
    "ended": ("finished", "stopped", "failed"),
}
_MOST_WORDS = 8


class RunSearch:
    """Over the journal's runs. talking: opens a transaction (`Journal`)."""

    def __init__(self, talking: Callable[[str], AbstractContextManager[Connection]]) -> None:
        self._talking = talking

    def newest(self, limit: int) -> list[RunSummary]:
        """Return the newest runs, newest first."""
        with self._talking("read runs from") as connection:
            return _summaries(connection, _lines(RunFilter(), limit))

    def find(self, wanted: RunFilter, limit: int, offset: int = 0, now: datetime | None = None) -> FoundRuns:
        """Return `limit` of the runs that are wanted, from `offset` on, newest first. now: for what still waits; aware."""
        conditions = _conditions(wanted, now or utc_now())
        count = select(func.count()).select_from(_tables(wanted)).where(*conditions)
        with self._talking("read runs from") as connection:
            total = connection.execute(count).scalar_one()
            return FoundRuns(runs=tuple(_summaries(connection, _lines(wanted, limit, offset, now))), total=total)

    def open_and_newest(self, limit: int) -> list[RunSummary]:
        """Return at most `limit` runs that people asked for: those of which more is to come, then those that wait for an answer, then the
        others, each newest first."""
        rank = case((RUNS.c.status.in_(ACTIVE), 0), (_still_waits(utc_now()), 1), else_=2)
        query = _lines(RunFilter(asked_by_people=True), limit).order_by(None).order_by(rank, RUNS.c.created_at.desc())
        with self._talking("read runs from") as connection:
            return _summaries(connection, query)

    def markets(self, limit: int) -> list[str]:
        """Return what runs are about, each once, the one that was asked about last first."""
        query = select(RUNS.c.subject).group_by(RUNS.c.subject).order_by(func.max(RUNS.c.created_at).desc()).limit(limit)
        with self._talking("read runs from") as connection:
            return list(connection.execute(query).scalars())

    def flows(self) -> list[str]:
        """Return the flows of which there are runs, in the order of their names."""
        with self._talking("read runs from") as connection:
            return list(connection.execute(select(RUNS.c.flow).distinct().order_by(RUNS.c.flow)).scalars())


def _lines(wanted: RunFilter, limit: int, offset: int = 0, now: datetime | None = None) -> Select[Any]:
    columns = [*_COLUMNS, *(column.label(name) for name, column in _JOINED.items())]
    found = select(*columns).select_from(_tables(wanted)).where(*_conditions(wanted, now or utc_now()))
    return found.order_by(RUNS.c.created_at.desc(), RUNS.c.run_id.desc()).limit(limit).offset(offset)


def _tables(wanted: RunFilter) -> Any:
    return _LISTED.outerjoin(_PARENTS, _PARENTS.c.run_id == RUNS.c.parent) if wanted.asked_by_people else _LISTED


def _conditions(wanted: RunFilter, now: datetime) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [_has_word(word) for word in wanted.text.split()[:_MOST_WORDS]]
    if wanted.market is not None:
        found.append(RUNS.c.subject == wanted.market)
    if wanted.flows:
        found.append(RUNS.c.flow.in_(wanted.flows))
    if wanted.decision is not None:
        found.append(RUNS.c.headline == wanted.decision)
    if wanted.state == "waits":
        found.append(_still_waits(now))
    elif wanted.state is not None:
        found.append(RUNS.c.status.in_(_STATES[wanted.state]))
    if wanted.since is not None:
        found.append(RUNS.c.created_at >= _text(wanted.since))
    if wanted.until is not None:
        found.append(RUNS.c.created_at < _text(wanted.until))
    if wanted.asked_by_people:  # a fork has a parent of its own flow
        found.append(or_(_PARENTS.c.flow.is_(None), _PARENTS.c.flow == RUNS.c.flow))
    return found


def _still_waits(now: datetime) -> ColumnElement[bool]:
    return and_(PROPOSALS.c.state.in_(WAITING), PROPOSALS.c.expires_at > _text(now))


def _has_word(word: str) -> ColumnElement[bool]:
    looked_in = (RUNS.c.subject, RUNS.c.headline, RUNS.c.model, RUNS.c.run_id)
    return or_(*(column.icontains(word, autoescape=True) for column in looked_in))


def _text(instant: datetime) -> str:
    """Return an instant as the journal writes it, so that texts are in the order of time."""
    return instant.astimezone(UTC).isoformat()


def _summaries(connection: Connection, query: Select[Any]) -> list[RunSummary]:
    rows: list[Row[Any]] = list(connection.execute(query).all())
    return [RunSummary.model_validate(dict(row._mapping)) for row in rows]
