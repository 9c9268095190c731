"""The running parts of one process, and how they are made and ended."""

import asyncio
import gc
import threading
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from engine.bootstrap.flows import FLOWS
from engine.bootstrap.logs import log_to_stderr
from engine.bootstrap.providers import ProviderFactory
from engine.bootstrap.search import SearchRooms
from engine.bootstrap.trading import ApprovalServices, make_approval_services
from engine.domain.errors import BadInput
from engine.domain.research.dossier import Dossier
from engine.domain.run import RunRecord, RunRequest
from engine.flows.protocol import RunDeps
from engine.journal.store import Journal, open_journal
from engine.runs.engine_loop import EngineLoop
from engine.runs.run_budget import Spent
from engine.settings import Settings

if TYPE_CHECKING:
    from engine.runs.runner import Runner

PAINT_S = 1.0
"""The page that asks for the runner is painted in peace first; a run that is started meanwhile makes the runner itself."""


@dataclass(frozen=True)
class Container:
    """The running parts of one process."""

    settings: Settings
    journal: Journal
    loop: EngineLoop
    providers: ProviderFactory
    approvals: ApprovalServices
    search: SearchRooms
    making: threading.Lock = field(default_factory=threading.Lock)
    watching: threading.Event = field(default_factory=threading.Event)
    guarding: threading.Event = field(default_factory=threading.Event)
    frozen: threading.Event = field(default_factory=threading.Event)

    @property
    def runner(self) -> "Runner":
        """The one runner, made at its first use: what it imports takes most of a second, which no page has to wait for."""
        with self.making:
            return self._runner

    @cached_property
    def _runner(self) -> "Runner":
        from engine.runs.deps import RunnerDeps  # noqa: PLC0415 - late, as above
        from engine.runs.runner import Runner  # noqa: PLC0415 - see above

        providers = self.providers
        flow_deps = RunDeps(
            feed=providers.feed,
            equities=providers.equities,
            approvals=self.approvals.proposal_service,
            newest_memory=self.journal.newest_memory,
            memories=self.journal.memories,
            dossier=self._dossier,
            search=self.search.room,
            clock=providers.clock,
            past_runs=self._past_runs,
        )
        deps = RunnerDeps(FLOWS, flow_deps, providers.access, self._ready, providers.clock, self.settings.run_deadline_s)
        return Runner(self.loop, self.journal, deps, self.settings.home, self.settings.lease_s)

    def _past_runs(self, flow: str, subject: str, limit: int) -> list[RunRecord]:
        """Return finished runs of a flow about a subject with their results, newest first."""
        found = self.journal.newest_of(subject, limit, flow=flow)
        return [record for each in found if (record := self.journal.run(each.run_id)) is not None]

    def _dossier(self, run_id: str) -> Dossier:
        """Return the statements of a finished run. Raises BadInput for one that there is not, or that has none."""
        record = self.journal.run(run_id)
        if record is None or record.result is None:
            why = "there is no such run" if record is None else "it has not finished"
            raise BadInput(f"run {run_id[:60]} cannot be attached as evidence: {why}")
        return Dossier.of(record.result)

    async def _ready(self, request: RunRequest) -> None:
        """Check the models as `ProviderFactory.ready` does. Before the first run, when everything has been imported, tell the garbage
        collector to leave what is there alone: to walk it every few decisions made all streams stand still for 0.15 s."""
        await self.providers.ready(request)
        if not self.frozen.is_set():
            self.frozen.set()
            gc.freeze()

    def close(self) -> None:
        """End what runs and release everything. May be called more than once."""
        if self.loop.closed:
            return
        if "_runner" in self.__dict__:
            self.loop.submit(self._runner.close()).result()
        self.loop.submit(self.approvals.close()).result()
        self.loop.submit(self.providers.close()).result()
        self.loop.submit(self.search.close()).result()
        self.loop.close()
        self.journal.close()

    def watch_over(self) -> None:
        """Make the runner in the background, so that the first run need not wait for it either, and let it watch over all runs; watch over
        accounts. Once is enough."""
        self.watch_accounts()
        with self.making:
            begins = not self.watching.is_set()
            self.watching.set()
        if begins:
            self.loop.submit(self._watch_over_runs())

    def watch_accounts(self) -> None:
        """Begin to find out what became of orders and to keep positions at their stops; in the background. Once is enough."""
        with self.making:
            begins = not self.guarding.is_set()
            self.guarding.set()
        if begins:
            self.loop.submit(self.approvals.maintenance.run_forever())

    async def _watch_over_runs(self) -> None:
        await asyncio.sleep(PAINT_S)
        runner = await asyncio.to_thread(self._warmed_up)
        await runner.watch_over()

    def _warmed_up(self) -> "Runner":
        """Import what first runs need (LangGraph; flow by flow, the decision's first: TA-Lib with pandas; the model's client) and return
        the runner. A run that is started meanwhile waits for its own flow only."""
        runner = self.runner
        for flow in FLOWS.values():
            flow.load()
        self.providers.warm_up()
        return runner


def make_container(settings: Settings, *, asks_live: bool = False, degraded: bool = False) -> Container:
    """Open the journal, start the loop. Raises StoreError when the journal cannot be opened.

    asks_live: whether real orders need a typed confirmation in this process beside the setting. degraded: see `Journal`.
    """
    log_to_stderr(settings)
    journal = open_journal(settings.home, settings.database_url, degraded=degraded)
    providers = ProviderFactory(settings, lambda day: Spent(*journal.spent_on(day)))
    loop = EngineLoop()
    approvals = make_approval_services(settings, journal, providers, asks_live=asks_live)
    return Container(settings, journal, loop, providers, approvals, SearchRooms(settings))
