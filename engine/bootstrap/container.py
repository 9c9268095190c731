"""The running parts of one process, and how they are made and ended."""

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from engine.bootstrap.logs import log_to_stderr
from engine.bootstrap.providers import ProviderFactory
from engine.bootstrap.search import SearchRooms
from engine.bootstrap.trading import ApprovalServices, make_approval_services
from engine.brokers import own_settings
from engine.domain.broker_capabilities import capabilities_of
from engine.domain.errors import BadInput
from engine.domain.research.dossier import Dossier
from engine.domain.run import RunRecord, RunRequest
from engine.domain.text.reason import Reason
from engine.flows.protocol import Flow, RunDeps
from engine.journal.store import Journal, open_journal
from engine.outcomes.lesson_service import LessonService, unheard
from engine.outcomes.outcome_service import OutcomeService
from engine.replay.lens import Lens
from engine.runs.engine_loop import EngineLoop
from engine.runs.previous import previous_decision
from engine.runs.run_budget import Spent
from engine.settings import EnvironmentSettings, Settings

if TYPE_CHECKING:
    from engine.runs.runner import Runner

_NEWEST = 200
"""Finished runs among which past ones are looked for."""
PAINT_S = 1.0
"""The page that asks for the runner is painted in peace first; a run that is started meanwhile makes the runner itself."""


@dataclass(eq=False)
class Container:
    """The running parts of one process. settings: as they are now; other ones may take their place (`adopt`)."""

    settings: Settings
    flows: Mapping[str, Flow]
    journal: Journal
    loop: EngineLoop
    providers: ProviderFactory
    approvals: ApprovalServices
    search: SearchRooms
    making: threading.Lock = field(default_factory=threading.Lock)
    watching: threading.Event = field(default_factory=threading.Event)
    guarding: threading.Event = field(default_factory=threading.Event)

    @cached_property
    def outcome_service(self) -> OutcomeService:
        """What finds out what decisions have come to."""
        return OutcomeService(self.approvals.deps, self.approvals.proposal_service, lambda: self.flows)

    @cached_property
    def lesson_service(self) -> LessonService:
        """What has the lessons of decisions written."""
        return LessonService(
            self.journal,
            self.flows,
            lambda: self.flow_deps,
            lambda record: self.providers.access(record.request, f"lesson {record.run_id}", unheard, is_watched=False),
        )

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
        deps = RunnerDeps(
            flows=self.flows,
            flow_deps=self.flow_deps,
            access=providers.access,
            ready=providers.ready,
            clock=providers.clock,
            deadline_s=lambda: self.settings.run_deadline_s,
            failed=self.approvals.tell_failed,
        )
        return Runner(self.loop, self.journal, deps, self.settings.lease_s)

    @cached_property
    def flow_deps(self) -> RunDeps:
        """What flows get from this process."""
        return RunDeps(
            feed=self.providers.feed,
            equities=self.providers.equities,
            approvals=self.approvals.proposal_service,
            newest_memory=self.journal.newest_memory,
            memories=self.journal.memories,
            dossier=self._dossier,
            search=self.search.room,
            clock=self.providers.clock,
            past_runs=self._past_runs,
            previous=self._previous,
            past_cases=self.journal.lessons.past_cases,
            charts=self.settings.home / "charts",
        )

    async def adopt(self, settings: Settings, of_brokers: Mapping[str, EnvironmentSettings]) -> None:
        """Use other settings from now on, for runs and orders that begin later. of_brokers: the settings of every broker."""
        log_to_stderr(settings, of_brokers.values())
        self.settings = settings
        self.providers.adopt(settings)
        self.approvals.adopt(settings, of_brokers)

    def _past_runs(self, flow: str, subject: str, feed: str, until: datetime, limit: int) -> list[RunRecord]:
        """Return finished runs as `RunDeps.past_runs` says: a simulated market is no word on a real one."""
        found = (each for each in self.journal.newest_of(subject, _NEWEST, flow=flow) if _ordered_on(each.request) == feed)
        known = islice((each for each in found if each.known_at <= until), limit)
        return [record for each in known if (record := self.journal.run(each.run_id)) is not None and record.result is not None]

    def _previous(self, request: RunRequest, clock: datetime) -> tuple[RunRecord, Mapping[str, Any]] | None:
        """Return the decision before one that is being made, with its inputs; None where there is none, or they are not kept any more."""
        record = previous_decision(self.journal, request, clock)
        inputs = self.journal.inputs(record.run_id) if record is not None else None
        return (record, inputs) if record is not None and inputs is not None else None

    def _dossier(self, run_id: str) -> Dossier:
        """Return the statements of a finished run. Raises BadInput for one that there is not, or that has none."""
        record = self.journal.run(run_id)
        if record is None or record.result is None:
            why = Reason("there_is_no_such_run") if record is None else Reason("it_has_not_finished")
            raise BadInput(Reason("run_cannot_be_attached_as_evidence", run_id=run_id[:60], why=why))
        return Dossier.of(record.result)

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
        """Begin to find the outcome of orders and to keep positions at their stops; in the background. Once is enough."""
        with self.making:
            begins = not self.guarding.is_set()
            self.guarding.set()
        if begins:
            self.loop.submit(self.approvals.maintenance.run_forever())
            self.loop.submit(self.outcome_service.run_forever())
            self.loop.submit(self.lesson_service.run_forever())

    async def _watch_over_runs(self) -> None:
        await asyncio.sleep(PAINT_S)
        runner = await asyncio.to_thread(self._warmed_up)
        await runner.watch_over()

    def _warmed_up(self) -> "Runner":
        """Import what first runs need (LangGraph; flow by flow, the decision's first: TA-Lib with pandas; the model's client) and return
        the runner. A run that is started meanwhile waits for its own flow only."""
        runner = self.runner
        for flow in self.flows.values():
            flow.work()
        self.providers.warm_up()
        return runner


def make_container(
    settings: Settings, flows: Mapping[str, Flow], *, asks_live: bool = False, degraded: bool = False, lens: Lens | None = None
) -> Container:
    """Open the journal, start the loop. Raises StoreError when the journal cannot be opened, BadInput for
    settings of a broker that cannot be read.

    asks_live: whether real orders need a typed confirmation in this process beside the setting. degraded: see `Journal`. lens: through
    which sources of prices are seen.
    """
    try:
        capabilities_of(settings.broker)
    except BadInput as problem:
        raise BadInput(f"setting {Settings.model_fields['broker'].alias}: {problem}") from None
    of_brokers = own_settings()
    log_to_stderr(settings, of_brokers.values())
    journal = open_journal(settings.home, settings.database_url, degraded=degraded)
    providers = ProviderFactory(settings, flows, lambda day: Spent(*journal.spent_on(day)), lens=lens)
    loop = EngineLoop()
    approvals = make_approval_services(settings, of_brokers, journal, providers, asks_live=asks_live, is_alone=lens is not None)
    return Container(settings, flows, journal, loop, providers, approvals, SearchRooms(settings))


def _ordered_on(request: RunRequest) -> str | None:
    """Return the kind of prices that a decision was made on, None for a run that orders nothing."""
    return request.account_ref.feed if request.account_ref is not None else None
