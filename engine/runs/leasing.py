"""The leases of runs: whether a run may be taken over, and the heartbeat that renews the leases of this process's runs.

The heartbeat also reads which of these runs another process has asked to stop, and which another process has taken over.
"""

import asyncio
import logging
from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from engine.domain.errors import StoreError
from engine.journal.leases import Lease, Leases
from engine.journal.process import is_dead

POLL_S = 0.5
_RENEWALS = 3  # a lease: one may be missed
_log = logging.getLogger(__name__)


def is_free(lease: Lease, now: datetime) -> bool:
    """Return whether another process may take the run: its owner is dead, or has been silent for longer than its lease."""
    return is_dead(lease.owner) or lease.until is None or lease.until <= now or not lease.owner


class LeaseHeartbeat:
    """Runs as a task while this process has live runs. live: their ids. lease_s: seconds a lease holds. stop, lost: called with the id
    of a run that is to be stopped, or that another process has taken over."""

    def __init__(
        self,
        leases: Leases,
        owner: str,
        lease_s: float,
        clock: Callable[[], datetime],
        live: Callable[[], Collection[str]],
        *,
        stop: Callable[[str], None],
        lost: Callable[[str], None],
    ) -> None:
        self._leases, self._owner, self._lease_s, self._clock = leases, owner, lease_s, clock
        self._live, self._stop, self._lost = live, stop, lost
        self._task: asyncio.Task[None] | None = None

    def until(self) -> datetime:
        """Return when a lease taken now runs out."""
        return self._clock() + timedelta(seconds=self._lease_s)

    def wake(self) -> None:
        """Begin to renew, unless that goes on already; called when a run starts. On the engine's loop."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._keep())

    async def _keep(self) -> None:
        renewed = asyncio.get_running_loop().time()
        while self._live():
            await asyncio.sleep(min(POLL_S, self._lease_s / _RENEWALS))
            try:
                for run_id in await asyncio.to_thread(self._leases.asked_to_stop, list(self._live())):
                    self._stop(run_id)
                if asyncio.get_running_loop().time() - renewed >= self._lease_s / _RENEWALS:
                    renewed = asyncio.get_running_loop().time()
                    await self._renew()
            except StoreError as problem:  # a busy journal: the lease holds for a while, and the next attempt may succeed
                _log.warning("the leases could not be renewed: %s", problem)

    async def _renew(self) -> None:
        for run_id in await asyncio.to_thread(self._leases.renew, self._owner, self.until(), list(self._live())):
            self._lost(run_id)
