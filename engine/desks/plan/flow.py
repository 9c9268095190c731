"""Plans as a flow: what runs, bundles and pages need to know of it (`engine/flows/protocol.py`)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from engine.desks.plan.request import PlanInputs, PlanRequest
from engine.desks.plan.stages import FACTOR_NODES, PLANNER, SYNTHESISER, family, seats
from engine.domain.plan import events as _events  # noqa: F401 - makes the kinds known to anyone who reads a log
from engine.domain.risk import RiskConfig
from engine.domain.roles import Role
from engine.domain.run import Origin
from engine.flows.forking import Fork, Forking
from engine.flows.protocol import Flow, Seat, Work
from engine.llm.protocol import Voice

_FORKING: Final = Forking(
    stages=((PLANNER,), FACTOR_NODES, (SYNTHESISER,)),
    speakers=tuple(seat.node for seat in seats()),
    belongs={factor: family(factor) for factor in FACTOR_NODES},
)


class PlanFlow(Flow):
    """A question or a plan in; its answer, and statements with their confidence, out."""

    name = "plan"
    inputs = PlanInputs
    recursion_limit = 20

    def work(self) -> Work:
        """Import the graph, the tools (TA-Lib, which brings pandas), the ending."""
        from engine.desks.plan import context, graph, outcome  # noqa: PLC0415 - pages ask for seats and forks only

        return Work(
            build=lambda request, saver: graph.build_graph(saver),
            prepare=context.prepare,
            context=context.context_of,
            opening=context.opening,
            first_state=context.first_state,
            conclude=outcome.ended,
        )

    def admit(self, request: PlanRequest, ceiling: RiskConfig) -> None:
        """Refuse a plan that cannot be worked through. There are no limits of risk: nothing is ordered."""
        if request.plan is None:
            return
        from engine.desks.plan.executor import chosen_places  # noqa: PLC0415 - tools take long to import
        from engine.desks.plan.registry import ToolRegistry  # noqa: PLC0415 - see above
        from engine.desks.plan.validation import require_sound  # noqa: PLC0415 - see above

        require_sound(request.plan, ToolRegistry())
        chosen_places(request.plan, request.factor)

    def seats(self) -> Sequence[Seat]:
        """Planner, a reasoner and planner for each factor, and the synthesiser."""
        return seats()

    def voices(self, request: PlanRequest) -> Mapping[Role, Voice]:
        """Return a script for every role."""
        from engine.desks.plan.script import plan_voices  # noqa: PLC0415 - words that no page needs

        return plan_voices(lies=request.lies, seed=request.seed)

    def forking(self) -> Forking:
        """Return the planner, all factors at once, the synthesiser."""
        return _FORKING

    def fork(self, origin: Origin) -> Fork:
        """Return the node and all behind it, and all behind a replaced text: what was read for another plan is not what it asks for."""
        fork = super().fork(origin)
        behind = (_FORKING.fork(Origin(run_id=origin.run_id, from_node=name)).again - {name} for name in origin.texts)
        return replace(fork, again=fork.again.union(*behind))
