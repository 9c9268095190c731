"""Who runs a run: its owner, until when the owner keeps it without a word, and whether someone asked it to stop.

Blocking. Every change is one conditional statement, so that of two processes that want a run only one gets it. Raises StoreError.
"""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from engine.journal.tables import RUNS

ACTIVE = ("starting", "running")


@dataclass(frozen=True)
class Lease:
    """How a run is held. until: aware UTC, None where none is noted."""

    run_id: str
    status: str
    owner: str
    until: datetime | None


class Leases:
    """Over the journal's runs. talking: opens a transaction (`Journal`)."""

    def __init__(self, talking: Callable[[str], AbstractContextManager[Connection]]) -> None:
        self._talking = talking

    def of(self, run_id: str) -> Lease | None:
        """Return how one run is held, None if the id is unknown."""
        with self._talking("read a run from") as connection:
            row = connection.execute(_HELD.where(RUNS.c.run_id == run_id)).first()
        return _lease(row) if row is not None else None

    def unfinished(self) -> list[Lease]:
        """Return the runs that have neither ended nor been stopped, oldest first."""
        with self._talking("read runs from") as connection:
            return [_lease(row) for row in connection.execute(_HELD.where(RUNS.c.status.in_(ACTIVE)).order_by(RUNS.c.created_at))]

    def claim(self, seen: Lease, owner: str, until: datetime) -> bool:
        """Take a run over, if it is still held as it was seen. What it ended with before, when it was stopped, is forgotten."""
        before = seen.until.isoformat() if seen.until is not None else ""
        values = {
            "owner": owner,
            "lease_until": until.isoformat(),
            "status": "running",
            "stop_asked": 0,
            "finished_at": None,
            "error": None,
        }
        held = (func.coalesce(RUNS.c.owner, "") == seen.owner, func.coalesce(RUNS.c.lease_until, "") == before)
        same = (RUNS.c.run_id == seen.run_id, RUNS.c.status == seen.status, *held)
        with self._talking("write a run to") as connection:
            return connection.execute(update(RUNS).where(*same).values(values)).rowcount == 1

    def renew(self, owner: str, until: datetime, run_ids: Collection[str]) -> set[str]:
        """Keep every active run of an owner; gives those of `run_ids` that are another's by now."""
        mine = (RUNS.c.owner == owner, RUNS.c.status.in_(ACTIVE))
        with self._talking("write a run to") as connection:
            connection.execute(update(RUNS).where(*mine).values(lease_until=until.isoformat()))
            others = (RUNS.c.run_id.in_(run_ids), func.coalesce(RUNS.c.owner, "") != owner)
            return set(connection.execute(select(RUNS.c.run_id).where(*others)).scalars())

    def release(self, run_id: str, owner: str, now: datetime) -> None:
        """Let a run go, so that the next process may take it at once."""
        with self._talking("write a run to") as connection:
            connection.execute(
                update(RUNS).where(RUNS.c.run_id == run_id, RUNS.c.owner == owner).values(owner="", lease_until=now.isoformat())
            )

    def ask_stop(self, run_id: str) -> None:
        """Tell the owner of a run to stop it."""
        with self._talking("write a run to") as connection:
            connection.execute(update(RUNS).where(RUNS.c.run_id == run_id, RUNS.c.status.in_(ACTIVE)).values(stop_asked=1))

    def asked_to_stop(self, run_ids: Collection[str]) -> set[str]:
        """Return those of these runs that someone wants stopped."""
        with self._talking("read runs from") as connection:
            query = select(RUNS.c.run_id).where(RUNS.c.run_id.in_(run_ids), RUNS.c.stop_asked == 1)
            return set(connection.execute(query).scalars())


_HELD = select(RUNS.c.run_id, RUNS.c.status, RUNS.c.owner, RUNS.c.lease_until)


def _lease(row: Row[Any, Any, Any, Any]) -> Lease:
    until = datetime.fromisoformat(row.lease_until) if row.lease_until else None
    return Lease(row.run_id, row.status, row.owner or "", until)
