"""Plans as a flow: what runs, bundles and pages need to know of it (`engine/flows/protocol.py`).

What it takes long to import (the graph, tools with their indicators) comes in when a run needs it: pages ask for seats and forks only.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.desks.plan.request import PlanRequest
from engine.desks.plan.stages import seats
from engine.domain.ended import Ended
from engine.domain.events import Event, RunStarted
from engine.domain.plan import events as _events  # noqa: F401 - makes the kinds known to anyone who reads a log
from engine.domain.risk import RiskConfig
from engine.domain.roles import Role
from engine.domain.run import Origin
from engine.domain.text.reason import Reason
from engine.flows.protocol import Failure, Flow, Fork, Json, RunDeps, RunParts, Seat
from engine.llm.protocol import Voice

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from engine.desks.plan.context import PlanContext
    from engine.desks.plan.inputs import PlanInputs


from engine.desks.plan.stages import FACTOR_NODES, PLANNER, REASONER, SYNTHESISER, family
from engine.domain.errors import BadInput

_OF_FACTORS = tuple(node for factor in FACTOR_NODES for node in family(factor))
_SPEAKERS = (PLANNER, *(node for node in _OF_FACTORS if node not in FACTOR_NODES), SYNTHESISER)


def fork_of(origin: Origin) -> Fork:
    """Return the nodes that speak and read anew, and what is said in others. Raises BadInput naming the nodes there are."""
    again: set[str] = set()
    for name, text in origin.texts.items():
        if name not in _SPEAKERS:
            raise BadInput(
                Reason(
                    "role_is_not_known_roles_are_factor_n",
                    name=f"{name[:40]!r}",
                    planner=PLANNER,
                    reasoner=REASONER,
                    synthesiser=SYNTHESISER,
                )
            )
        if not text.strip():
            raise BadInput(Reason("text_of_is_empty", side=name))
        again |= _behind(name) - {name}  # what was read for another plan is not what this one asks for
    if origin.from_node is not None:
        again |= _behind(origin.from_node.strip())
    return Fork(frozenset(again), dict(origin.texts))


def _behind(node: str) -> set[str]:
    """Return a node and every node behind it."""
    if node == PLANNER:
        return {PLANNER, *_OF_FACTORS, SYNTHESISER}
    if node == SYNTHESISER:
        return {SYNTHESISER}
    for factor in FACTOR_NODES:
        if node in family(factor):
            return {*family(factor), SYNTHESISER}
    raise BadInput(
        Reason(
            "node_is_not_known_plan_can",
            node=f"{node[:40]!r}",
            planner=PLANNER,
            factor_nodes=", ".join(FACTOR_NODES),
            synthesiser=SYNTHESISER,
        )
    )


class PlanFlow(Flow):
    """A question or a plan in; its answer, and statements with their confidence, out."""

    name = "plan"
    recursion_limit = 20

    def admit(self, request: PlanRequest, ceiling: RiskConfig) -> None:
        """Refuse a plan that cannot be worked through. There are no limits of risk: nothing is ordered."""
        if request.plan is None:
            return
        from engine.desks.plan.executing.executor import chosen_places  # noqa: PLC0415 - tools take long to import
        from engine.desks.plan.registry import ToolRegistry  # noqa: PLC0415 - see above
        from engine.desks.plan.validation import PlanFault, faults_of  # noqa: PLC0415 - see above

        if faults := list(faults_of(request.plan, ToolRegistry())):
            raise PlanFault(Reason.listed(faults[:5]))
        chosen_places(request.plan, request.factor)

    def seats(self) -> Sequence[Seat]:
        """Planner, a reasoner and planner for each factor, and the synthesiser."""
        return seats()

    def voices(self, request: PlanRequest) -> Mapping[Role, Voice]:
        """Return a script for every role."""
        from engine.desks.plan.script import plan_voices  # noqa: PLC0415 - words that no page needs

        return plan_voices(lies=request.lies, seed=request.seed)

    def load(self) -> None:
        """Import the graph, the tools (TA-Lib, which brings pandas), the ending."""
        from engine.desks.plan import graph, outcome  # noqa: F401, PLC0415 - see above

    async def prepare(self, request: PlanRequest, deps: RunDeps) -> "PlanInputs":
        """Return the question and its instant."""
        from engine.desks.plan.context import prepare  # noqa: PLC0415 - see above

        return await prepare(request, deps)

    def read_inputs(self, data: Mapping[str, Any]) -> "PlanInputs":
        """Return inputs out of the journal."""
        from engine.desks.plan.inputs import PlanInputs  # noqa: PLC0415 - see above

        return PlanInputs.from_json(data)

    def context(self, parts: RunParts) -> "PlanContext":
        """Return what nodes work in."""
        from engine.desks.plan.context import context_of  # noqa: PLC0415 - see above

        return context_of(parts)

    def opening(self, context: "PlanContext", request: PlanRequest) -> RunStarted:
        """Return the request and its instant."""
        inputs = context.inputs
        about: Json = {"question": inputs.question, "symbol": inputs.symbol, "at": inputs.at.isoformat(), "feed": inputs.feed}
        asked = {"model": request.model, "language": request.language, "threshold": inputs.threshold, "max_retries": inputs.max_retries}
        return RunStarted(request=request.model_dump(mode="json"), inputs_hash=inputs.hash, **about, **asked)

    def first_state(self, context: "PlanContext", request: PlanRequest) -> Json:
        """Return what is asked, and when."""
        return {"question": context.inputs.question, "created_at": context.now(), "results": []}

    def build(self, request: PlanRequest, saver: "BaseCheckpointSaver[str]") -> Any:
        """Return the graph."""
        from engine.desks.plan.graph import build_graph  # noqa: PLC0415 - see above

        return build_graph(saver)

    def conclude(self, state: Mapping[str, Any], context: "PlanContext", events: Sequence[Event], failure: Failure | None) -> Ended:
        """Return the answer, or why it is missing."""
        from engine.desks.plan.outcome import ended  # noqa: PLC0415 - see above

        return ended(state, context, events, failure)

    def fork(self, origin: Origin) -> Fork:
        """Return the node and everybody behind it."""
        return fork_of(origin)
