"""The decision as a flow: what runs, bundles and pages need to know of it (`engine/flows/protocol.py`).

What it takes long to import (the graph, the indicators) comes in when a run needs it: pages ask for seats and forks only.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from engine.agents import reader_nodes
from engine.desks.decision.analysts import ANALYSTS
from engine.desks.decision.forking import fork_of
from engine.desks.decision.paths import PATHS, Path
from engine.domain.chaos import ChaosKind
from engine.domain.decision import DEBATE_SIDES, Signal
from engine.domain.ended import Ended
from engine.domain.errors import TribunalError
from engine.domain.events import Event, RunStarted
from engine.domain.inputs import Inputs
from engine.domain.market.snapshot import Snapshot
from engine.domain.proposal import Planned
from engine.domain.roles import Role
from engine.domain.run import DecideRequest, Origin, RunRecord, RunRequest
from engine.domain.stability import LoneAnswer, RepeatedAnswer, RepeatFrom
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.flows.protocol import Approvals, Failure, Flow, Fork, Json, Review, RunDeps, RunParts, Seat
from engine.llm.protocol import ModelCall, PlantedSentence, Voice
from engine.prompts.versions import Templates

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from engine.desks.decision.context import DecisionContext

_TITLES: Mapping[str, Mapping[Language, str]] = {
    "bull": {"en": "Bull", "zh": "多头"},
    "bear": {"en": "Bear", "zh": "空头"},
    "judge": {"en": "Judge", "zh": "裁判"},
    "executor": {"en": "Executor", "zh": "交易执行"},
}


_REPEATED_FROM: Final[Mapping[RepeatFrom, str]] = {"judge": "judge", "executor": "executor", "analysts": "analysis"}
_NO_ORDER: Final = (None, Signal.WAIT.value, Signal.HOLD.value)


class DecisionFlow(Flow):
    """One market in, one decision out."""

    name = "decision"
    recursion_limit = 20

    def seats(self) -> Sequence[Seat]:
        """Return analysts, debaters of either path with the reader of their claims, executor."""
        analysts = [Seat(analyst.key, analyst.key, "analysis", analyst.title) for analyst in ANALYSTS]
        debaters = [seat for path in PATHS for seat in _debaters(path)]
        return (*analysts, *debaters, Seat("executor", "executor", "executor", _TITLES["executor"]))

    def voices(self, request: DecideRequest) -> Mapping[Role, Voice]:
        """Return the scripts of every analyst, the debaters and the executor."""
        from engine.desks.decision.script.voices import decision_voices  # noqa: PLC0415 - see above

        return decision_voices([analyst.key for analyst in ANALYSTS], lies=request.lies, seed=request.seed)

    def lie(self, call: ModelCall, kind: ChaosKind) -> PlantedSentence | None:
        """Return a lie about the measured facts of a prompt."""
        from engine.script.lies import lie_about_facts  # noqa: PLC0415 - see above

        return lie_about_facts(call, kind)

    def load(self) -> None:
        """Import the graph, the sheet of facts (TA-Lib, which brings pandas) and the ending."""
        from engine.desks.decision import graph, outcome, prepare, start  # noqa: F401, PLC0415 - see above

    def templates(self, language: Language) -> Templates:
        """Return the templates of every role, and the table of claims."""
        from engine.desks.decision.templates import templates  # noqa: PLC0415 - see above

        return templates(language)

    async def clock(self, request: DecideRequest, deps: RunDeps) -> datetime | None:
        """Return what `at` says, or the end of a recorded market."""
        return await deps.approvals.instant(request)

    async def prepare(self, request: DecideRequest, deps: RunDeps) -> Snapshot:
        """Return the market as it is, and the account the decision is made for."""
        from engine.desks.decision.prepare import prepare  # noqa: PLC0415 - see above

        return await prepare(request, deps)

    def read_inputs(self, data: Mapping[str, Any]) -> Snapshot:
        """Return a snapshot."""
        return Snapshot.from_json(dict(data))

    def context(self, parts: RunParts) -> "DecisionContext":
        """Measure the snapshot, and draw the chart where the models can see."""
        from engine.desks.decision.prepare import context_of  # noqa: PLC0415 - see above

        return context_of(parts)

    def opening(self, context: "DecisionContext", request: DecideRequest) -> RunStarted:
        """Return the request, the market in figures, who takes part."""
        from engine.desks.decision.start import opening  # noqa: PLC0415 - see above

        return opening(context, request)

    def first_state(self, context: "DecisionContext", request: DecideRequest) -> Json:
        """Return the specification's input fields."""
        from engine.desks.decision.start import first_state  # noqa: PLC0415 - see above

        return first_state(context, request)

    def shape(self, request: DecideRequest) -> Hashable:
        """Return the rounds of the debate and how it opens."""
        return request.depth, request.openings

    def build(self, request: DecideRequest, saver: "BaseCheckpointSaver[str]") -> Any:
        """Return the graph of both paths."""
        from engine.desks.decision.graph import build_graph  # noqa: PLC0415 - see above

        return build_graph(ANALYSTS, request.depth, saver, together=request.openings == "together")

    def conclude(self, state: Mapping[str, Any], context: "DecisionContext", events: Sequence[Event], failure: Failure | None) -> Ended:
        """Return a decision, or the path's safe action."""
        from engine.desks.decision.outcome import ended  # noqa: PLC0415 - see above

        return ended(state, context, events, failure)

    async def file(self, ended: Ended, context: "DecisionContext", request: DecideRequest, deps: RunDeps) -> Ended:
        """Return the end with the decision's proposal when that was asked for. What cannot be filed is said; the decision stays what it
        is."""
        if not request.propose:
            return ended
        from engine.desks.decision.briefing import entry_thesis  # noqa: PLC0415 - see above

        final = dict(ended.state)
        try:
            thesis = entry_thesis(str(final.get("executor_reasoning") or ""), context.sheet, request.language)
            filing = await deps.approvals.prepare(final, request, context.snapshot, context.sheet, thesis)
        except (TribunalError, ArithmeticError) as problem:
            warnings = [*final["warnings"], Reason("no_proposal_could_be_filed", problem=problem).said_in(request.language)]
            return replace(ended, state=final | {"warnings": warnings}, shown={**ended.shown, "warnings": warnings})
        if filing is None:
            return ended
        final["proposal_id"] = filing.proposal.id if final["is_valid"] else None  # of what the limits refused there is nothing to answer
        return replace(ended, state=final, filing=filing)

    async def planned(self, record: RunRecord, inputs: Snapshot, approvals: Approvals) -> Planned:
        """Return the entry as it would be ordered, out of the snapshot."""
        from engine.desks.decision.prepare import measured  # noqa: PLC0415 - see above

        assert isinstance(record.request, DecideRequest)
        final = record.result or {}
        if final.get("final_action") in _NO_ORDER:  # what is not ordered needs no facts
            return Planned(decided_at=inputs.at)
        return await approvals.plan(final, record.request, inputs, measured(inputs))

    async def review(self, record: RunRecord, inputs: Snapshot, events: Sequence[Event], ended_at: datetime, deps: RunDeps) -> Review:
        """Return the executor's claims, and the conditions of the entry at its end."""
        from engine.desks.decision.review import review  # noqa: PLC0415 - see above

        return await review(record, inputs, ended_at, deps)

    def fork(self, origin: Origin) -> Fork:
        """Return the node's role and every role behind it, on either path."""
        return fork_of(origin, [analyst.key for analyst in ANALYSTS])

    def forked(self, parent: RunRequest, origin: Origin) -> Mapping[str, object]:
        """Return that only what is decided on a fresh market is proposed again."""
        return {**super().forked(parent, origin), "propose": origin.fresh}

    def repeat_node(self, request: DecideRequest, start: RepeatFrom) -> str:
        """Return the node of the role."""
        return _REPEATED_FROM[start]

    def repeated(self, state: Mapping[str, Any], context: "DecisionContext") -> RepeatedAnswer:
        """Return the action, and the plan of an entry."""
        from engine.desks.decision.outcome import repeated  # noqa: PLC0415 - see above

        return repeated(state, context)

    async def alone(self, final: Mapping[str, Any], context: "DecisionContext") -> LoneAnswer:
        """Ask the executor with the facts alone."""
        from engine.desks.decision.ablation import alone  # noqa: PLC0415 - see above

        return await alone(final, context)

    def pack(self, inputs: Inputs, earlier: Mapping[str, Inputs]) -> Json:
        """Return `snapshot`, and `said_on` where there is anything in it."""
        said_on = {name: each.to_json() for name, each in earlier.items()}
        return {"snapshot": inputs.to_json(), **({"said_on": said_on} if said_on else {})}

    def unpack(self, bundle: Mapping[str, Any]) -> tuple[Snapshot, Mapping[str, Snapshot]]:
        """Return the inverse of `pack`."""
        earlier = {str(name): Snapshot.from_json(each) for name, each in (bundle.get("said_on") or {}).items()}
        return Snapshot.from_json(bundle["snapshot"]), earlier

    def inputs_hash(self, written: Mapping[str, Any]) -> str:
        """Return what the specification calls the snapshot's."""
        return str(written.get("snapshot_hash", ""))


def _debaters(path: Path) -> Iterator[Seat]:
    for side in DEBATE_SIDES:
        node = path.node(side)
        if side == "judge":
            yield Seat(reader_nodes.ROLE, reader_nodes.reader_before(node), reader_nodes.STAGE, reader_nodes.TITLE)
        yield Seat(side, node, "debate", _TITLES[side])
        if side == "judge":
            yield Seat(reader_nodes.ROLE, reader_nodes.reader_of(node), reader_nodes.STAGE, reader_nodes.TITLE)
