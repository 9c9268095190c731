"""Research as a flow: what runs, bundles and pages need to know of it (`engine/flows/protocol.py`).

What it takes long to import (the graph, the facts, the lexer) comes in when a run needs it: pages ask for seats and forks only.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.domain.chaos import ChaosKind
from engine.domain.ended import Ended
from engine.domain.errors import BadInput
from engine.domain.events import Event, RunStarted
from engine.domain.inputs import Inputs
from engine.domain.research import events as _events  # noqa: F401 - makes the kinds of its events known
from engine.domain.risk import RiskConfig
from engine.domain.roles import Role
from engine.domain.run import Origin, RunRequest
from engine.flows.protocol import Failure, Fork, Json, RunDeps, RunParts, Seat
from engine.flows.research.request import ResearchRequest
from engine.flows.research.seats import ROLE, SEATS, fork_of
from engine.llm.lie import PlantedSentence
from engine.llm.protocol import ModelCall, Voice

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from engine.flows.research.context import ResearchContext
    from engine.flows.research.inputs import ResearchInputs


class ResearchFlow:
    """Implements `Flow`: one question in, documents and an answer that cites them out."""

    name = "research"
    recursion_limit = 60

    def admit(self, request: ResearchRequest, ceiling: RiskConfig) -> None:
        """Admit every request: nothing is ordered."""

    def tighten(self, request: RunRequest, ceiling: RiskConfig) -> RunRequest:
        """Return the request as it is."""
        return request

    def seats(self) -> Sequence[Seat]:
        """Return the agent, in its loop and in its answer."""
        return SEATS

    def voices(self, request: ResearchRequest) -> Mapping[Role, Voice]:
        """Return the script of the agent."""
        from engine.flows.research.script import research_voice  # noqa: PLC0415 - words that no page needs

        return {ROLE: research_voice(lies=request.lies, seed=request.seed)}

    def lie(self, call: ModelCall, kind: ChaosKind) -> PlantedSentence | None:
        """Return a false number in a sentence of a document; None for a call without documents."""
        from engine.flows.research.lie import false_statement  # noqa: PLC0415 - see above

        return false_statement(call, kind)

    def load(self) -> None:
        """Import the graph, the facts (TA-Lib, which brings pandas), the ending."""
        from engine.flows.research import graph, outcome, prepare  # noqa: F401, PLC0415 - see above

    async def prepare(self, request: ResearchRequest, deps: RunDeps) -> "ResearchInputs":
        """Return the clock and what was measured of the market."""
        from engine.flows.research.prepare import prepare  # noqa: PLC0415 - see above

        return await prepare(request, deps)

    def read_inputs(self, data: Mapping[str, Any]) -> "ResearchInputs":
        """Return inputs out of the journal."""
        from engine.flows.research.inputs import ResearchInputs  # noqa: PLC0415 - see above

        return ResearchInputs.from_json(data)

    def context(self, parts: RunParts) -> "ResearchContext":
        """Return the request, its inputs and the way to the room of search."""
        from engine.flows.research.prepare import context_of  # noqa: PLC0415 - see above

        return context_of(parts)

    def opening(self, context: "ResearchContext", request: ResearchRequest) -> RunStarted:
        """Return the request, its clock and what was measured of the market."""
        facts = context.inputs.facts
        opening_data: Json = {
            "request": request.model_dump(mode="json"),
            "inputs_hash": context.inputs.hash,
            "question": request.question,
            "at": context.inputs.at.isoformat(),
            "symbol": request.symbol or "",
            "model": request.model,
            "language": request.language,
            "facts_of": facts.title if facts is not None else None,
            "missing": dict(context.inputs.missing or {}),
        }
        return RunStarted(**opening_data)

    def first_state(self, context: "ResearchContext", request: ResearchRequest) -> Json:
        """Return the question."""
        from engine.flows.research.outcome import first_state  # noqa: PLC0415 - see above

        return first_state(context)

    def shape(self, request: ResearchRequest) -> Hashable:
        """Return nothing: every question has the same graph."""
        return None

    def build(self, request: ResearchRequest, saver: "BaseCheckpointSaver[str]") -> Any:
        """Return the graph."""
        from engine.flows.research.graph import build_graph  # noqa: PLC0415 - see above

        return build_graph(saver)

    def conclude(self, state: Mapping[str, Any], context: "ResearchContext", events: Sequence[Event], failure: Failure | None) -> Ended:
        """Return the result, with an answer or with why there is none."""
        from engine.flows.research.outcome import ended  # noqa: PLC0415 - see above

        return ended(state, context, events, failure)

    async def file(self, ended: Ended, context: "ResearchContext", request: ResearchRequest, deps: RunDeps) -> Ended:
        """Return the end as it is: nothing follows from it."""
        return ended

    def fork(self, origin: Origin) -> Fork:
        """Return the node and everything behind it."""
        return fork_of(origin)

    def forked(self, parent: RunRequest, origin: Origin) -> Mapping[str, object]:
        """Return nothing: a fork asks what its parent asked."""
        return {}

    def pack(self, inputs: Inputs, earlier: Mapping[str, Inputs]) -> Json:
        """Return `inputs`."""
        return {"inputs": dict(inputs.to_json())}

    def unpack(self, bundle: Mapping[str, Any]) -> tuple[Inputs, Mapping[str, Inputs]]:
        """Return the inverse of `pack`."""
        return self.read_inputs(bundle["inputs"]), {}

    def inputs_hash(self, written: Mapping[str, Any]) -> str:
        """Return the hash of the inputs that a final state names."""
        return str(written.get("inputs_hash", ""))

    def as_written(self, played: Json, written: Json) -> Json:
        """Return it as it is: no version wrote another state yet."""
        return played


def research_request(request: RunRequest) -> ResearchRequest:
    """Return the request of a question. Raises BadInput for one of another flow."""
    if not isinstance(request, ResearchRequest):
        raise BadInput(f"this run is no research: its flow is {request.flow}")
    return request
