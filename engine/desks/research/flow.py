"""Research as a flow: what runs, bundles and pages need to know of it (`engine/flows/protocol.py`)."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.desks.research.request import ResearchInputs, ResearchRequest
from engine.desks.research.seats import NODES, ROLE, SEATS
from engine.domain.chaos import ChaosKind
from engine.domain.research import events as _events  # noqa: F401 - makes the kinds of its events known
from engine.domain.roles import Role
from engine.flows.forking import Forking
from engine.flows.protocol import Flow, Seat, Work
from engine.llm.protocol import ModelCall, PlantedSentence, Voice

_FORKING: Final = Forking(
    stages=tuple((node,) for node in NODES),
    speakers=tuple(seat.node for seat in SEATS),
    belongs={"llm_decision": ("optional_tool",)},
    aliases={"optional_tool": "llm_decision"},
)
"""The optional tool is asked for by the thought before it, which is asked again with it."""


class ResearchFlow(Flow):
    """One question in, documents and an answer that cites them out."""

    name = "research"
    inputs = ResearchInputs
    recursion_limit = 60

    def work(self) -> Work:
        """Import the graph, the facts (TA-Lib, which brings pandas), the ending."""
        from engine.desks.research import graph, outcome, prepare  # noqa: PLC0415 - pages ask for seats and forks only

        return Work(
            build=lambda request, saver: graph.build_graph(saver),
            prepare=prepare.prepare,
            context=prepare.context_of,
            opening=prepare.opening,
            first_state=prepare.first_state,
            conclude=outcome.ended,
        )

    def seats(self) -> Sequence[Seat]:
        """Return the agent, in its loop and in its answer."""
        return SEATS

    def voices(self, request: ResearchRequest) -> Mapping[Role, Voice]:
        """Return the script of the agent."""
        from engine.desks.research.script import research_voice  # noqa: PLC0415 - words that no page needs

        return {ROLE: research_voice(lies=request.lies, seed=request.seed)}

    def forking(self) -> Forking:
        """Return the nodes of the graph, one after another."""
        return _FORKING

    def lie(self, call: ModelCall, kind: ChaosKind) -> PlantedSentence | None:
        """Return a false number in a sentence of a document; None for a call without documents."""
        from engine.desks.research.script import false_statement  # noqa: PLC0415 - the lexer, which no page needs

        return false_statement(call, kind)
