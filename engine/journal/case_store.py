"""The cases of a journal: runs whose decisions are made again. Blocking. Raises StoreError."""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select

from engine.journal.tables import CASES, INPUTS, RUNS


class CaseStore:
    """Over the journal's database. talking: opens a transaction (`Journal`)."""

    def __init__(self, talking: Callable[[str], AbstractContextManager[Connection]]) -> None:
        self._talking = talking

    def add(self, run_ids: Collection[str], at: datetime) -> None:
        """Make runs cases, in this order; those that are cases already stay as they are."""
        with self._talking("write cases to") as connection:
            known = set(connection.execute(select(CASES.c.run_id).where(CASES.c.run_id.in_(run_ids))).scalars())
            new = [run_id for run_id in dict.fromkeys(run_ids) if run_id not in known]
            rows = [{"run_id": run_id, "added_at": (at + timedelta(microseconds=n)).isoformat()} for n, run_id in enumerate(new)]
            if rows:
                connection.execute(insert(CASES), rows)

    def remove(self, run_ids: Collection[str]) -> int:
        """Make runs no cases any more; gives how many were."""
        with self._talking("write cases to") as connection:
            return connection.execute(delete(CASES).where(CASES.c.run_id.in_(run_ids))).rowcount

    def all(self) -> list[tuple[str, datetime]]:
        """Return every case with when it was added, in that order."""
        with self._talking("read cases from") as connection:
            rows = connection.execute(select(CASES).order_by(CASES.c.added_at, CASES.c.run_id)).all()
        return [(row.run_id, datetime.fromisoformat(row.added_at)) for row in rows]

    def has_inputs(self, run_id: str) -> bool:
        """Return whether the inputs of a run are kept."""
        query = select(INPUTS.c.hash).join(RUNS, RUNS.c.inputs_hash == INPUTS.c.hash).where(RUNS.c.run_id == run_id)
        with self._talking("read inputs from") as connection:
            return connection.execute(query).first() is not None

    def decided_again(self, run_id: str) -> list[str]:
        """Return the finished runs that were made from one, the newest first."""
        query = select(RUNS.c.run_id).where(RUNS.c.parent == run_id, RUNS.c.status == "finished").order_by(RUNS.c.created_at.desc())
        with self._talking("read runs from") as connection:
            return list(connection.execute(query).scalars())
