"""The runs of a journal as lists: the newest of them, and those that someone looks for, a page at a time.

Blocking. Raises StoreError. No result, request or proposal is read for a line of a list: it is in the columns beside them. Seeds alone are
in the requests, and are read for the few lines that are shown.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, case, func, or_, select

from engine.domain.clock import utc_now
from engine.domain.prompt_shares import INVALID, PromptedRun
from engine.domain.proposal import WAITING
from engine.domain.run import RunRequest, RunSummary
from engine.domain.run_filter import FoundRuns, RunFilter
from engine.domain.text.reason import from_column
from engine.journal.leases import ACTIVE
from engine.journal.tables import OUTCOMES, PROPOSALS, RUNS

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
_MOST_PROMPTED = 5_000
_MOST_BEFORE = 200  # decisions about a market that are looked at for one of the same account
_SEEDED = {"simulated", "scripted"}


class RunSearch:
    """Over the journal's runs. talking: opens a transaction (`Journal`)."""

    def __init__(self, talking: Callable[[str], AbstractContextManager[Connection]]) -> None:
        self._talking = talking
        self._prompted: tuple[Row[Any], list[PromptedRun]] | None = None

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

    def seeds(self, run_ids: Sequence[str]) -> dict[str, int]:
        """Return run -> its seed, of those for which one means something: their model is scripted, or their market simulated."""
        query = select(RUNS.c.run_id, RUNS.c.request).where(RUNS.c.run_id.in_(run_ids))
        with self._talking("read runs from") as connection:
            asked = {row.run_id: json.loads(row.request) for row in connection.execute(query).all()}
        return {
            run_id: each["seed"] for run_id, each in asked.items() if "seed" in each and _SEEDED & {each.get("feed"), each.get("model")}
        }

    def open_and_newest(self, limit: int) -> list[RunSummary]:
        """Return at most `limit` runs that people asked for: those of which more is to come, then those that wait for an answer, then the
        others, each newest first."""
        rank = case((RUNS.c.status.in_(ACTIVE), 0), (_still_waits(utc_now()), 1), else_=2)
        query = _lines(RunFilter(asked_by_people=True), limit).order_by(None).order_by(rank, RUNS.c.created_at.desc())
        with self._talking("read runs from") as connection:
            return _summaries(connection, query)

    def costs(self, flow: str, model: str, limit: int) -> list[RunSummary]:
        """Return the newest finished runs of a flow whose words are all of one model, newest first: neither forks nor replays."""
        counts = (RUNS.c.flow == flow, RUNS.c.model == model, RUNS.c.status == "finished", RUNS.c.parent.is_(None), RUNS.c.tokens > 0)
        query = _lines(RunFilter(), limit).where(*counts)
        with self._talking("read runs from") as connection:
            return _summaries(connection, query)

    def decided_before(self, flow: str, subject: str, timeframe: str | None, clock: datetime) -> list[tuple[str, RunRequest]]:
        """Return the newest sound decisions of a flow about a subject on such candles whose clock is before an instant, the last clock
        first: runs with what they were asked. Runs of another version of the program are left out."""
        about = (RUNS.c.flow == flow, RUNS.c.subject == subject, RUNS.c.timeframe == timeframe)
        sound = (RUNS.c.status == "finished", RUNS.c.is_valid == 1, RUNS.c.clock < _text(clock))
        query = select(RUNS.c.run_id, RUNS.c.request).where(*about, *sound).order_by(RUNS.c.clock.desc(), RUNS.c.created_at.desc())
        with self._talking("read runs from") as connection:
            rows = connection.execute(query.limit(_MOST_BEFORE)).all()
        found = []
        for row in rows:
            with suppress(ValueError):
                found.append((str(row.run_id), RunRequest.read(str(row.request))))
        return found

    def is_first(self, run_id: str) -> bool:
        """Return whether no sound decision of the same flow about the same subject comes before a run, by its clock and, of equal clocks,
        by when it was begun."""
        own, other = RUNS.alias("own"), RUNS.alias("other")
        earlier = or_(other.c.clock < own.c.clock, and_(other.c.clock == own.c.clock, other.c.created_at < own.c.created_at))
        same = (other.c.flow == own.c.flow, other.c.subject == own.c.subject, other.c.status == "finished", other.c.is_valid == 1)
        query = select(other.c.run_id).select_from(own.join(other, and_(*same, earlier))).where(own.c.run_id == run_id).limit(1)
        with self._talking("read runs from") as connection:
            return connection.execute(query).first() is None

    def prompted(self) -> list[PromptedRun]:
        """Return the newest 5,000 finished decisions whose prompts have versions, without those that were made from another run, and those
        in which lies were planted: the very same list until there are more runs, or fewer."""
        counts = (OUTCOMES.c.is_original == 1, OUTCOMES.c.plants_lies == 0, RUNS.c.parent.is_(None), RUNS.c.prompts_hash.is_not(None))
        columns = [RUNS.c[name] for name in ("run_id", "flow", "model", "prompts_hash", "created_at", "is_valid", "confidence", "claims")]
        columns += [RUNS.c.false_claims, OUTCOMES.c.action, OUTCOMES.c.language]
        query = select(*columns).join(OUTCOMES, OUTCOMES.c.run_id == RUNS.c.run_id).where(*counts)
        query = query.order_by(RUNS.c.created_at.desc()).limit(_MOST_PROMPTED)
        state = select(*(select(func.count()).select_from(table).scalar_subquery() for table in (RUNS, OUTCOMES)))
        with self._talking("read runs from") as connection:
            there = connection.execute(state).one()
            if self._prompted is not None and self._prompted[0] == there:
                return self._prompted[1]
            rows = connection.execute(query).all()
        found = [
            PromptedRun(
                run_id=row.run_id,
                desk=row.flow,
                model=str(row.model),
                language=row.language,
                prompts_hash=row.prompts_hash,
                created_at=datetime.fromisoformat(row.created_at),
                action=str(row.action) if row.is_valid else INVALID,
                confidence=row.confidence if row.is_valid else None,
                claims=row.claims or 0,
                false_claims=row.false_claims or 0,
            )
            for row in rows
        ]
        self._prompted = (there, found)
        return found

    def clock(self, run_id: str) -> datetime | None:
        """Return the instant of its market that a finished run decided on; None where that is not known."""
        with self._talking("read a run from") as connection:
            found = connection.execute(select(RUNS.c.clock).where(RUNS.c.run_id == run_id)).scalar_one_or_none()
        return datetime.fromisoformat(found) if found is not None else None

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
    day = func.substr(RUNS.c.created_at, 1, 10)
    looked_in = (RUNS.c.subject, RUNS.c.headline, RUNS.c.model, day, RUNS.c.run_id)
    return or_(*(column.icontains(word, autoescape=True) for column in looked_in))


def _text(instant: datetime) -> str:
    """Return an instant as the journal writes it, so that texts are in the order of time."""
    return instant.astimezone(UTC).isoformat()


def _summaries(connection: Connection, query: Select[Any]) -> list[RunSummary]:
    rows: list[Row[Any]] = list(connection.execute(query).all())
    return [RunSummary.model_validate({**row._mapping, "error": from_column(row.error)}) for row in rows]
