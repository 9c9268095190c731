"""Repetitions of decisions, and decisions that were asked for in another way. Blocking. Raises StoreError.

What a repetition says is written as it is said, so that one that was broken off goes on from there.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, delete, func, insert, select, update

from engine.domain.events import Event
from engine.domain.stability import RepeatedAnswer, RepeatFrom, Repetition
from engine.journal.tables import COMPARISONS, REPEATED_EVENTS, REPETITIONS

Comparison = Literal["matter", "value"]
"""What a decision was compared with: itself without its corrections, or one voice alone."""


class RepetitionStore:
    """Over the journal's database. talking: opens a transaction (`Journal`)."""

    def __init__(self, talking: Callable[[str], AbstractContextManager[Connection]]) -> None:
        self._talking = talking

    def newest(self, run_id: str, start: RepeatFrom | None = None, *, complete: bool = False) -> list[Repetition]:
        """Return the repetitions of the newest series of a run with their events, in order; empty without a series. start: of one that
        began there. complete: of one that is over."""
        about = [REPETITIONS.c.run_id == run_id, *([REPETITIONS.c.start == start] if start is not None else [])]
        ended = func.count(REPETITIONS.c.answer) == func.max(REPETITIONS.c.k)
        number = select(REPETITIONS.c.series).where(*about).group_by(REPETITIONS.c.series).order_by(REPETITIONS.c.series.desc()).limit(1)
        with self._talking("read repetitions from") as connection:
            series = connection.execute(number.having(ended) if complete else number).scalar_one_or_none()
            if series is None:
                return []
            mine = (REPETITIONS.c.run_id == run_id, REPETITIONS.c.series == series)
            rows = connection.execute(select(REPETITIONS).where(*mine).order_by(REPETITIONS.c.n)).all()
            said = (REPEATED_EVENTS.c.run_id == run_id, REPEATED_EVENTS.c.series == series)
            lines = connection.execute(select(REPEATED_EVENTS).where(*said).order_by(REPEATED_EVENTS.c.n, REPEATED_EVENTS.c.seq)).mappings()
            events: dict[int, list[Event]] = {}
            for line in lines:
                fields = {name: line[name] for name in ("run_id", "seq", "at", "kind", "node")}
                events.setdefault(line["n"], []).append(Event.model_validate({**fields, "data": json.loads(line["data"])}))
        return [
            Repetition(
                series=row.series,
                n=row.n,
                k=row.k,
                start=row.start,
                begun_at=datetime.fromisoformat(row.begun_at),
                ended_at=datetime.fromisoformat(row.ended_at) if row.ended_at else None,
                answer=RepeatedAnswer.model_validate_json(row.answer) if row.answer else None,
                events=tuple(events.get(row.n, ())),
            )
            for row in rows
        ]

    def last_series(self, run_id: str) -> int:
        """Return the number of the newest series of a run, or 0."""
        with self._talking("read repetitions from") as connection:
            found = connection.execute(select(func.max(REPETITIONS.c.series)).where(REPETITIONS.c.run_id == run_id)).scalar_one()
        return int(found or 0)

    def add(self, run_id: str, repetitions: Sequence[Repetition]) -> None:
        """Write repetitions that begin. Raises AlreadyKept where another process asks for them."""
        rows = [
            {"run_id": run_id, **each.model_dump(include={"series", "n", "k", "start"}), "begun_at": each.begun_at.isoformat()}
            for each in repetitions
        ]
        with self._talking("write repetitions to") as connection:
            connection.execute(insert(REPETITIONS), rows)

    def append(self, series: int, n: int, events: Sequence[Event]) -> None:
        """Add what was said in a repetition, all of it or nothing."""
        rows = [
            {
                "run_id": each.run_id,
                "series": series,
                "n": n,
                "seq": each.seq,
                "at": each.at.isoformat(),
                "kind": each.kind,
                "node": each.node,
                "data": _text(each.data.to_json()),
            }
            for each in events
        ]
        if rows:
            with self._talking("write repetitions to") as connection:
                connection.execute(insert(REPEATED_EVENTS), rows)

    def end(self, run_id: str, series: int, n: int, answer: RepeatedAnswer, at: datetime) -> None:
        """Write what a repetition came to."""
        mine = (REPETITIONS.c.run_id == run_id, REPETITIONS.c.series == series, REPETITIONS.c.n == n)
        values = {"answer": answer.model_dump_json(), "ended_at": at.isoformat(), "tokens": answer.tokens, "cost": answer.cost}
        with self._talking("write repetitions to") as connection:
            connection.execute(update(REPETITIONS).where(*mine).values(values))

    def compare(self, run_id: str, kind: Comparison, body: Mapping[str, Any], at: datetime) -> None:
        """Keep a comparison in place of an earlier one of its kind."""
        row = {"run_id": run_id, "kind": kind, "at": at.isoformat(), "body": _text(body)}
        with self._talking("write a comparison to") as connection:
            connection.execute(delete(COMPARISONS).where(COMPARISONS.c.run_id == run_id, COMPARISONS.c.kind == kind))
            connection.execute(insert(COMPARISONS), [row])

    def comparison(self, run_id: str, kind: Comparison) -> dict[str, Any] | None:
        """Return the comparison of one run, or None."""
        query = select(COMPARISONS.c.body).where(COMPARISONS.c.run_id == run_id, COMPARISONS.c.kind == kind)
        with self._talking("read a comparison from") as connection:
            body = connection.execute(query).scalar_one_or_none()
        return json.loads(body) if body is not None else None

    def comparisons(self, kind: Comparison) -> list[dict[str, Any]]:
        """Return every comparison of a kind, the oldest first."""
        query = select(COMPARISONS.c.body).where(COMPARISONS.c.kind == kind).order_by(COMPARISONS.c.at, COMPARISONS.c.run_id)
        with self._talking("read comparisons from") as connection:
            return [json.loads(body) for body in connection.execute(query).scalars()]


def forget_repetitions(connection: Connection, run_id: str) -> None:
    """Forget the repetitions of a run, in the transaction that forgets the run. What it was compared with stays: it is counted."""
    for table in (REPETITIONS, REPEATED_EVENTS):
        connection.execute(delete(table).where(table.c.run_id == run_id))


def _text(data: object) -> str:
    return json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
