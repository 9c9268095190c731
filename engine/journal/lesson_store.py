"""Lessons in the journal, one a decision, and the earlier decisions that a later one can be told of. Blocking. Raises StoreError."""

import json
from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, case, func, insert, select, update

from engine.domain.errors import AlreadyKept
from engine.domain.lesson import Lesson
from engine.domain.market.instrument import FeedName
from engine.domain.outcome import DecisionOutcome
from engine.domain.similar import PastCase
from engine.journal.outcome_store import utc_text
from engine.journal.tables import LESSONS, OUTCOMES, RUNS

_OVER: Final = (OUTCOMES.c.is_entry == 1, OUTCOMES.c.is_final == 1, OUTCOMES.c.is_original == 1)
_KNOWN_AT: Final = func.coalesce(OUTCOMES.c.known_at, OUTCOMES.c.ended_at)
_OF_CASE: Final = (
    "run_id", "subject", "timeframe", "decided_at", "action", "confidence", "exit_reason", "pnl_pct", "r", "machine_pnl_pct", "machine_r",
    "features",
)  # fmt: skip
_MACHINE_R: Final = func.coalesce(OUTCOMES.c.machine_r, OUTCOMES.c.r)


class LessonStore:
    """Over the journal's database. talking: opens a transaction (`Journal`)."""

    def __init__(self, talking: Callable[[str], AbstractContextManager[Connection]]) -> None:
        self._talking = talking
        self._read: dict[Hashable, tuple[int, list[Lesson]]] = {}

    def keep(self, lesson: Lesson) -> None:
        """Write a lesson; the first one of a decision stays."""
        row = {
            "run_id": lesson.run_id,
            "flow": lesson.flow,
            "subject": lesson.subject[:200],
            "known_at": utc_text(lesson.known_at),
            "kind": lesson.kind,
            "about": lesson.about[:80],
            "body": lesson.model_dump_json(),
        }
        with suppress(AlreadyKept), self._talking("write a lesson to") as connection:
            connection.execute(insert(LESSONS).values(row))

    def lessons(self, limit: int, feed: FeedName | None = None) -> list[Lesson]:
        """Return the newest lessons, the newest first. They are read again only when there are more of them. feed: of decisions on such
        prices."""
        query = select(LESSONS.c.body).order_by(LESSONS.c.known_at.desc(), LESSONS.c.run_id.desc()).limit(limit)
        if feed is not None:
            query = query.join(OUTCOMES, OUTCOMES.c.run_id == LESSONS.c.run_id).where(OUTCOMES.c.feed == feed)
        with self._talking("read lessons from") as connection:
            n = int(connection.execute(select(func.count()).select_from(LESSONS)).scalar_one())
            known = self._read.get((limit, feed))
            if known is None or known[0] != n:
                found = [Lesson.model_validate_json(body) for body in connection.execute(query).scalars()]
                known = self._read[limit, feed] = (n, found)
        return known[1]

    def past_cases(self, desk: str, feed: FeedName, timeframe: str, before: datetime, limit: int) -> list[PastCase]:
        """Return the newest entries of a desk on such prices and a timeframe that were decided before an instant and whose outcome was
        known by then, as the machine decided them, with their lessons; runs that were made from another on the same inputs are left out."""
        wanted = [*_OVER, OUTCOMES.c.flow == desk, OUTCOMES.c.feed == feed, OUTCOMES.c.timeframe == timeframe]
        at = utc_text(before)
        wanted += [OUTCOMES.c.features.is_not(None), OUTCOMES.c.decided_at < at, at >= _KNOWN_AT]
        lesson = case((LESSONS.c.known_at <= at, LESSONS.c.body)).label("lesson")
        machine = case((OUTCOMES.c.machine_pnl_pct.is_not(None), OUTCOMES.c.body)).label("machine")
        columns = [*(OUTCOMES.c[name] for name in _OF_CASE), _KNOWN_AT.label("known"), lesson, machine]
        query = select(*columns).select_from(OUTCOMES.outerjoin(LESSONS, LESSONS.c.run_id == OUTCOMES.c.run_id)).where(*wanted)
        with self._talking("read outcomes from") as connection:
            rows = connection.execute(query.order_by(OUTCOMES.c.decided_at.desc()).limit(limit)).all()
        return [_case(row) for row in rows]

    def without_lesson(self, limit: int, after: str = "") -> list[str]:
        """Return sound entries whose outcome is final and that have no lesson yet, in the order of their ids. after: the last that was
        seen."""
        joined = OUTCOMES.join(RUNS, RUNS.c.run_id == OUTCOMES.c.run_id).outerjoin(LESSONS, LESSONS.c.run_id == OUTCOMES.c.run_id)
        wanted = (*_OVER, _MACHINE_R.is_not(None), LESSONS.c.run_id.is_(None), RUNS.c.is_valid == 1, OUTCOMES.c.run_id > after)
        with self._talking("read outcomes from") as connection:
            query = select(OUTCOMES.c.run_id).select_from(joined).where(*wanted).order_by(OUTCOMES.c.run_id).limit(limit)
            return list(connection.execute(query).scalars())

    def keep_features(self, run_id: str, features: Mapping[str, float]) -> None:
        """Write down what a decision of an earlier version is found by."""
        written = json.dumps(features, separators=(",", ":"))
        with self._talking("write an outcome to") as connection:
            mine = (OUTCOMES.c.run_id == run_id, OUTCOMES.c.features.is_(None))
            connection.execute(update(OUTCOMES).where(*mine).values(features=written))


def _case(row: Row[Any]) -> PastCase:
    machine = DecisionOutcome.model_validate_json(row.machine).machine if row.machine is not None else None
    return PastCase(
        run_id=row.run_id,
        symbol=row.subject,
        timeframe=str(row.timeframe),
        decided_at=datetime.fromisoformat(row.decided_at),
        known_at=datetime.fromisoformat(row.known),
        action=str(row.action),
        confidence=row.confidence,
        exit_reason=machine.exit_reason if machine is not None else row.exit_reason,
        pnl_pct=row.machine_pnl_pct if machine is not None else row.pnl_pct,
        r=row.machine_r if machine is not None else row.r,
        features=json.loads(row.features),
        written_lesson=row.lesson,
    )
