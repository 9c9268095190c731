"""The only way in for pages and shell: runs of any flow, their events and their ends.

Every method may be called from any thread but the engine's own, blocks no longer than a read from the journal (but for `wait`),
and raises a TribunalError with one clear line when it cannot do what it says.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from engine.api.cases import FrozenCases
from engine.api.changes import Changes
from engine.api.connections import Connections
from engine.api.costs import Costs
from engine.api.disputes import Disputes
from engine.api.outcomes import Outcomes
from engine.api.prompts import PromptVersions
from engine.api.repetitions import Repetitions
from engine.api.trading import Trading
from engine.approvals.execution import read_execution
from engine.benchmark.benchmarks import Benchmarks
from engine.bootstrap.container import Container, make_container
from engine.desks import DeskApis, flows
from engine.domain.calls.counted_reading import ReadingProgress
from engine.domain.checked_text import CheckedText
from engine.domain.clock import utc_now
from engine.domain.diagnostics.result import DiagnosticResult
from engine.domain.errors import BadInput
from engine.domain.events import Event
from engine.domain.market.snapshot import Snapshot
from engine.domain.run import RunRecord, RunRequest, RunSummary
from engine.domain.run_filter import FoundRuns, RunFilter
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.journal.leases import ACTIVE
from engine.journal.store import copy_journal as copied
from engine.runs.deps import flow_of
from engine.runs.leasing import is_free
from engine.runs.origins import forked, replayed
from engine.settings import Settings, load_settings

if TYPE_CHECKING:
    from engine.grounding.explain import Step
    from engine.grounding.one_text import GroundedText
    from engine.replay.lens import Lens

CHECK_S = 20.0
"""Seconds that each part of a check may take."""
MOST_CHECKED: Final = 600
"""Code points of a text to be checked, at most."""


class Engine(DeskApis):
    """One per process."""

    def __init__(
        self, settings: Settings | None = None, *, asks_live: bool = False, degraded: bool = False, lens: "Lens | None" = None
    ) -> None:
        """asks_live: real orders need a typed confirmation in this process beside the setting. degraded: a journal that cannot be opened is
        no reason not to be there; what takes risk away works without it. lens: through which sources of prices are seen, for replays.

        Raises BadInput for bad settings and StoreError for a journal that cannot be opened.
        """
        own = settings or load_settings()
        self._container: Container = make_container(own, flows(), asks_live=asks_live, degraded=degraded, lens=lens)
        self.trading = Trading(self._container)
        self.disputes = Disputes(self._container, self)
        self.outcomes = Outcomes(self._container, self.disputes)
        self.prompts = PromptVersions(self._container)
        self.changes = Changes(self._container, self, self.prompts.versions)
        self.cases = FrozenCases(self._container)
        self.benchmarks = Benchmarks(self._container)
        self.repetitions = Repetitions(self._container)
        super().__init__(self._container)
        self.costs = Costs(self._container, self.usual_requests)
        self.connections = Connections(self._container, self.costs)

    @property
    def settings(self) -> Settings:
        """The settings of this process."""
        return self._container.settings

    @property
    def container(self) -> Container:
        """The running parts, for the other modules of this room."""
        return self._container

    def watch_over(self) -> None:
        """Be ready for the first run, and from now on continue runs whose process has ended; in the background. Once is enough."""
        self._container.watch_over()

    def watch_accounts(self) -> None:
        """Begin to find the outcome of orders and to keep positions at their stops, where an exchange's account is in use; in the
        background, until this engine ends. Once is enough."""
        if self.trading.uses_exchange:
            self._container.watch_accounts()

    def start(self, request: RunRequest, run_id: str | None = None) -> str:
        """Begin a run of any flow; gives its id at once. run_id: its name, None = a new one. Raises BadInput for limits that TRIBUNAL_RISK
        does not allow."""
        flow_of(flows(), request).admit(request, self.settings.risk)
        runner = self._container.runner
        named = run_id or runner.new_id()
        runner.begin(named, self.outcomes.calibrate(request))
        return named

    def replay(self, run_id: str) -> str:
        """Play a run again, every answer from its log, without a model; gives the new run's id. Raises BadInput."""
        record = self.record(run_id)
        flow = flow_of(flows(), record.request)
        return self.start(flow.tighten(replayed(record, flow), self.settings.risk))

    def wait(self, run_id: str, timeout: float | None = None) -> RunRecord:
        """Return the record of a run once it has ended. Raises the error it failed with, TimeoutError when it still goes on."""
        return self._with_execution(self._container.runner.wait(run_id, timeout))

    def events(self, run_id: str, after: int = 0) -> list[Event]:
        """Return events of a run with `seq` > after; empty for an unknown run."""
        return self._container.runner.events(run_id, after)

    def wait_events(self, run_id: str, after: int, timeout: float) -> list[Event]:
        """Return the events of a run with `seq` > after, as soon as there is one; empty when none came within `timeout` seconds."""
        return self._container.runner.wait_events(run_id, after, timeout)

    def reading(self, run_id: str) -> ReadingProgress | None:
        """Return how far the inputs of a run are read, before it says its first word; None where this process does not know."""
        return self._container.runner.reading(run_id)

    def resume(self, run_id: str) -> None:
        """Continue a run that was stopped or whose process ended, from its last finished node; a finished one stays as it is.

        Raises BadInput for one that is not known, TribunalError for one that failed or is being run by another process.
        """
        self._container.runner.resume(run_id)

    def stop(self, run_id: str) -> None:
        """Stop a run, whichever process runs it; it can be continued. Raises a TribunalError for one that is not running."""
        self._container.runner.stop(run_id)

    def fork(self, run_id: str, node: str, **changes: object) -> str:
        """Run again from a node, as a new run that names its parent: the same inputs, and the answers from before that node.

        changes: `model`, `language`, and `texts` (role -> what it says instead). Gives the new run's id. Raises BadInput.
        """
        parent = self.record(run_id)
        if parent.request.origin is not None and parent.result is None:
            raise BadInput(Reason("run_has_not_finished", run_id=run_id))
        flow = flow_of(flows(), parent.request)
        return self.start(flow.tighten(forked(parent, node, flow, changes), self.settings.risk))

    def take_over(self) -> list[str]:
        """Continue the runs whose process has ended; gives their ids."""
        return self._container.runner.take_over()

    def run(self, run_id: str) -> RunRecord | None:
        """Return a run with its result, None if the id is unknown."""
        record = self._container.journal.run(run_id)
        if record is None or record.status not in ACTIVE or run_id not in self._interrupted():
            return self._with_execution(record) if record is not None else None
        return record.model_copy(update={"status": "interrupted"})

    def _with_execution(self, record: RunRecord) -> RunRecord:
        """Return a run with how its signed order was carried out and what the decision has come to, where its desk can order: the stored
        state is the one that was signed."""
        if record.result is None or record.request.account_ref is None:
            return record
        store = self._container.journal.proposal_store
        executed = read_execution(store, store.of_run(record.run_id))
        known = self._container.journal.outcomes.outcome(record.run_id)
        actual = known.state_field() if known is not None and known.came.exit_reason is not None else None
        return record.model_copy(update={"result": {**record.result, "execution_record": executed, "actual_outcome": actual}})

    def record(self, run_id: str) -> RunRecord:
        """Return a run with its result. Raises BadInput if the id is unknown."""
        record = self.run(run_id)
        if record is None:
            raise BadInput(Reason("run_is_not_known", run_id=run_id))
        return record

    def runs(self, limit: int = 50) -> list[RunSummary]:
        """Return the newest runs, newest first."""
        return self._as_they_stand(self._container.journal.runs(limit))

    def find_runs(self, wanted: RunFilter, limit: int = 50, offset: int = 0) -> FoundRuns:
        """Return `limit` of the runs that are wanted, from `offset` on, newest first, and how many there are."""
        found = self._container.journal.run_search.find(wanted, limit, offset)
        return found.model_copy(update={"runs": tuple(self._as_they_stand(found.runs))})

    def seeds_of(self, run_ids: Sequence[str]) -> dict[str, int]:
        """Return run -> its seed, of those of a scripted model or a simulated market."""
        return self._container.journal.run_search.seeds(run_ids)

    def runs_at_hand(self, limit: int = 6) -> list[RunSummary]:
        """Return those that people asked for: first what is still open, then the newest."""
        return self._as_they_stand(self._container.journal.run_search.open_and_newest(limit))

    def last_run(self, flows: Sequence[str]) -> str | None:
        """Return the newest run of one of these flows that a person asked for, or None."""
        found = self._container.journal.run_search.find(RunFilter(flows=tuple(flows), asked_by_people=True), 1)
        return found.runs[0].run_id if found.runs else None

    def run_subjects(self, limit: int = 200) -> tuple[list[str], list[str]]:
        """Return what runs are about, newest first, and the flows of which there are runs."""
        search = self._container.journal.run_search
        return search.markets(limit), search.flows()

    def _as_they_stand(self, found: Sequence[RunSummary]) -> list[RunSummary]:
        """Return runs with `interrupted` for those whose process has ended; the leases are read only where something is open."""
        interrupted = self._interrupted() if any(run.status in ACTIVE for run in found) else frozenset()
        return [run.model_copy(update={"status": "interrupted"}) if run.run_id in interrupted else run for run in found]

    def _interrupted(self) -> frozenset[str]:
        """Return the ids of the runs that no living process holds."""
        now = utc_now()
        return frozenset(lease.run_id for lease in self._container.journal.leases.unfinished() if is_free(lease, now))

    def snapshot(self, run_id: str) -> Snapshot | None:
        """Return the market that a run is about, None before it is known and for a run about something else."""
        return self._container.journal.snapshot(run_id)

    def check_text(self, run_id: str, text: str, source: str = "you") -> CheckedText:
        """Check any text against the facts that a finished run was decided on, by the rules of its desk. Nothing is kept of the text, no
        model is asked and no market is read. source: who says it. Raises BadInput for a run that is not known, has no decision or was not
        about a market or a company, and for a text longer than `MOST_CHECKED`."""
        if len(text) > MOST_CHECKED:
            raise BadInput(Reason("text_is_too_long", most=MOST_CHECKED))
        record = self._container.journal.run(run_id)
        if record is None:
            raise BadInput(Reason("run_is_not_known", run_id=run_id))
        if record.result is None:
            raise BadInput(Reason("run_has_no_decision_yet", run_id=run_id))
        checked = self.checked_text(run_id, record.result, text, source)
        if checked is None:
            raise BadInput(Reason("run_has_no_facts", run_id=run_id))
        return checked

    def bundle(self, run_id: str) -> dict[str, Any]:
        """Return a finished run as one JSON document; `verify_bundle` checks it. Raises BadInput for one that is not known or has no
        decision."""
        from engine.runs.bundle import make_bundle  # noqa: PLC0415 - it brings the flow, which no page need wait for
        from engine.runs.earlier_inputs import earlier_inputs  # noqa: PLC0415 - late, as above

        record, kept = self.record(run_id), self._container.journal.inputs(run_id)
        if record.result is None or kept is None:
            raise BadInput(Reason("run_has_no_decision_to_export", run_id=run_id, status=record.status))
        flow = flow_of(flows(), record.request)
        earlier = earlier_inputs(self._container.journal, flow, record)
        disputes, repetitions = self.disputes.of(run_id), self.repetitions.of_stamp(record)
        return make_bundle(flow, record, flow.read_inputs(kept), self.events(run_id), earlier, disputes, repetitions)

    def check(self, within_s: float = CHECK_S, language: Language = "en") -> list[DiagnosticResult]:
        """Look at this installation (model, feed, exchange, keys, home, login, versions); gives a line each. Nothing is ordered, nothing
        is changed; a model is asked two short questions. within_s: seconds that each part may take, all at once. language: of the lines.
        """
        from engine.bootstrap.diagnostics import Diagnostics  # noqa: PLC0415 - no page waits for it

        container = self._container
        diagnostics = Diagnostics(container.settings, container.journal, container.providers, container.approvals.brokers.own)
        return container.loop.submit(diagnostics.run(within_s, language)).result()

    def prune(self, days: float) -> int:
        """Forget the runs that ended more than `days` ago; gives how many. Unfinished and stopped runs stay."""
        return self._container.journal.prune(utc_now() - timedelta(days=days))

    def close(self) -> None:
        """End runs in flight, release connections. May be called more than once."""
        self.costs.close()  # a rehearsal uses what is released next
        self._container.close()


def ground_text(text: str, facts: Mapping[str, object], source: str, path: str | None = None) -> "GroundedText":
    """Check any text against any facts (`plain_sheet` says which). source: who wrote it. path: `equity` for texts about a company, its
    shares and the account; `entry`, `position` or None for a market. Raises BadInput for facts of no known kind and an unknown path."""
    from engine.grounding.one_text import ground_text as grounded  # noqa: PLC0415 - all its words, and no page need wait for them
    from engine.grounding.plain_sheet import plain_sheet  # noqa: PLC0415 - late, as above
    from engine.grounding.tables.markets import table_of  # noqa: PLC0415 - late, as above

    table = table_of(path)
    return grounded(text, plain_sheet(facts, table), source, table=table)


def explain_text(text: str, facts: Mapping[str, object], source: str, path: str | None = None) -> "tuple[Step, ...]":
    """Return how a text is understood, step by step from words to verdicts. Arguments and errors as of `ground_text`."""
    from engine.grounding.explain import explain_text as explained  # noqa: PLC0415 - see ground_text
    from engine.grounding.plain_sheet import plain_sheet  # noqa: PLC0415 - late, as above
    from engine.grounding.tables.markets import table_of  # noqa: PLC0415 - late, as above

    table = table_of(path)
    return explained(text, plain_sheet(facts, table), source, table)


def verify_bundle(bundle: Mapping[str, Any]) -> list[str]:
    """Return what does not agree in a bundle, a line each; empty when everything follows from its snapshot and its answers. Raises
    BadInput."""
    from engine.runs.bundle import disagreements  # noqa: PLC0415 - see Engine.bundle

    return asyncio.run(disagreements(bundle, flows()))


def copy_journal(source: str, target: str) -> Mapping[str, int]:
    """Copy one journal of this installation into another, empty one; return how many rows of each table. Nothing else may be running.

    Args:
        source: The address of its database, or a file of SQLite's.
        target: As above.

    Raises:
        StoreError: one of them cannot be used, or the copy did not come back equal; nothing was copied.
    """
    return copied(load_settings().home, source, target)


def public_origin() -> str | None:
    """Return the origin that browsers know the pages by behind a proxy (TRIBUNAL_PUBLIC_URL), None without one. Raises BadInput."""
    return load_settings().public_url
