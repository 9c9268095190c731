"""Research as a flow: what runs, bundles and pages need to know of it (`engine/flows/protocol.py`).

What it takes long to import (the graph, the facts, the lexer) comes in when a run needs it: pages ask for seats and forks only.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.desks.research.request import ResearchRequest
from engine.desks.research.seats import NODES, ROLE, SEATS
from engine.domain.chaos import ChaosKind
from engine.domain.ended import Ended
from engine.domain.events import Event, RunStarted
from engine.domain.research import events as _events  # noqa: F401 - makes the kinds of its events known
from engine.domain.roles import Role
from engine.domain.run import Origin
from engine.flows.protocol import Failure, Flow, Fork, Json, RunDeps, RunParts, Seat
from engine.llm.protocol import ModelCall, PlantedSentence, Voice

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from engine.desks.research.context import ResearchContext
    from engine.desks.research.inputs import ResearchInputs


class ResearchFlow(Flow):
    """One question in, documents and an answer that cites them out."""

    name = "research"
    recursion_limit = 60

    def seats(self) -> Sequence[Seat]:
        """Return the agent, in its loop and in its answer."""
        return SEATS

    def voices(self, request: ResearchRequest) -> Mapping[Role, Voice]:
        """Return the script of the agent."""
        from engine.desks.research.script import research_voice  # noqa: PLC0415 - words that no page needs

        return {ROLE: research_voice(lies=request.lies, seed=request.seed)}

    def lie(self, call: ModelCall, kind: ChaosKind) -> PlantedSentence | None:
        """Return a false number in a sentence of a document; None for a call without documents."""
        from engine.desks.research.script import false_statement  # noqa: PLC0415 - see above

        return false_statement(call, kind)

    def load(self) -> None:
        """Import the graph, the facts (TA-Lib, which brings pandas), the ending."""
        from engine.desks.research import graph, outcome, prepare  # noqa: F401, PLC0415 - see above

    async def prepare(self, request: ResearchRequest, deps: RunDeps) -> "ResearchInputs":
        """Return the clock and what was measured of the market."""
        from engine.desks.research.prepare import prepare  # noqa: PLC0415 - see above

        return await prepare(request, deps)

    def read_inputs(self, data: Mapping[str, Any]) -> "ResearchInputs":
        """Return inputs out of the journal."""
        from engine.desks.research.inputs import ResearchInputs  # noqa: PLC0415 - see above

        return ResearchInputs.from_json(data)

    def context(self, parts: RunParts) -> "ResearchContext":
        """Return the request, its inputs and the way to the room of search."""
        from engine.desks.research.prepare import context_of  # noqa: PLC0415 - see above

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
        from engine.desks.research.outcome import first_state  # noqa: PLC0415 - see above

        return first_state(context)

    def build(self, request: ResearchRequest, saver: "BaseCheckpointSaver[str]") -> Any:
        """Return the graph."""
        from engine.desks.research.graph import build_graph  # noqa: PLC0415 - see above

        return build_graph(saver)

    def conclude(self, state: Mapping[str, Any], context: "ResearchContext", events: Sequence[Event], failure: Failure | None) -> Ended:
        """Return the result, with an answer or with why it is missing."""
        from engine.desks.research.outcome import ended  # noqa: PLC0415 - see above

        return ended(state, context, events, failure)

    def nodes(self) -> Sequence[str]:
        """Return the nodes of its graph."""
        return NODES

    def fork(self, origin: Origin) -> Fork:
        """Return the node and all behind it. The optional tool is asked for by the thought before it, which is asked again with it."""
        asked_by = {"optional_tool": "llm_decision"}
        node = (origin.from_node or "").strip()
        return super().fork(origin.model_copy(update={"from_node": asked_by.get(node, origin.from_node)}))
