"""The checkpoints of runs in flight, as rows; `runs/checkpoints.py` makes them. Blocking. Raises StoreError."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select

from engine.journal.tables import CHECKPOINTS, WRITES


class CheckpointStore:
    """Over the journal's database. talking: opens a transaction (`Journal`)."""

    def __init__(self, talking: Callable[[str], AbstractContextManager[Connection]]) -> None:
        self._talking = talking

    def put(self, row: Mapping[str, Any]) -> None:
        """Keep the state after a step, in place of an earlier one of the same id."""
        with self._talking("write a checkpoint to") as connection:
            connection.execute(delete(CHECKPOINTS).where(*(CHECKPOINTS.c[key.name] == row[key.name] for key in CHECKPOINTS.primary_key)))
            connection.execute(insert(CHECKPOINTS).values(row))

    def put_writes(self, rows: Sequence[Mapping[str, Any]], *, replace: bool) -> None:
        """Keep what one task of a step gave. rows: of one task. replace: whether they take the place of rows with the same index; else
        those stay."""
        if not rows:
            return
        task = [WRITES.c[name] == rows[0][name] for name in ("thread_id", "checkpoint_ns", "checkpoint_id", "task_id")]
        with self._talking("write a checkpoint to") as connection:
            if replace:
                connection.execute(delete(WRITES).where(*task, WRITES.c.idx.in_([row["idx"] for row in rows])))
            known = set(connection.execute(select(WRITES.c.idx).where(*task)).scalars())
            if new := [row for row in rows if row["idx"] not in known]:
                connection.execute(insert(WRITES), new)

    def read(self, thread_id: str, namespace: str, checkpoint_id: str | None) -> tuple[Row[Any], Sequence[Row[Any]]] | None:
        """Return a state with what the tasks behind it gave. checkpoint_id: None = the newest."""
        query = select(CHECKPOINTS).where(CHECKPOINTS.c.thread_id == thread_id, CHECKPOINTS.c.checkpoint_ns == namespace)
        if checkpoint_id is not None:
            query = query.where(CHECKPOINTS.c.checkpoint_id == checkpoint_id)
        with self._talking("read a checkpoint from") as connection:
            found = connection.execute(query.order_by(CHECKPOINTS.c.checkpoint_id.desc()).limit(1)).one_or_none()
            if found is None:
                return None
            at = (WRITES.c.thread_id == thread_id, WRITES.c.checkpoint_ns == namespace, WRITES.c.checkpoint_id == found.checkpoint_id)
            return found, connection.execute(select(WRITES).where(*at)).all()

    def forget(self, thread_id: str) -> None:
        """Remove the checkpoints of a run."""
        with self._talking("write a checkpoint to") as connection:
            for table in (CHECKPOINTS, WRITES):
                connection.execute(delete(table).where(table.c.thread_id == thread_id))
