"""Plans as a flow: what runs, bundles and pages need to know of it (`engine/flows/protocol.py`).

What it takes long to import (the graph, tools with their indicators) comes in when a run needs it: pages ask for seats and forks only.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.domain.chaos import ChaosKind
from engine.domain.ended import Ended
from engine.domain.errors import BadInput
from engine.domain.events import Event, RunStarted
from engine.domain.inputs import Inputs
from engine.domain.plan import events as _events  # noqa: F401 - makes the kinds known to whoever reads a log
from engine.domain.risk import RiskConfig
from engine.domain.roles import Role
from engine.domain.run import Origin, RunRequest
from engine.flows.plan.forking import fork_of
from engine.flows.plan.request import PlanRequest
from engine.flows.plan.stages import seats
from engine.flows.protocol import Failure, Fork, Json, RunDeps, RunParts, Seat
from engine.llm.protocol import ModelCall, Voice

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from engine.flows.plan.context import PlanContext
    from engine.flows.plan.inputs import PlanInputs


class PlanFlow:
    """Implements `Flow`: a question or a plan in, statements with their confidence out."""

    name = "plan"
    recursion_limit = 20

    def admit(self, request: PlanRequest, ceiling: RiskConfig) -> None:
        """Refuse a plan that cannot be worked through. There are no limits of risk: nothing is ordered."""
        if request.plan is None:
            return
        from engine.flows.plan.executing.executor import chosen_places  # noqa: PLC0415 - tools take long to import
        from engine.flows.plan.registry import ToolRegistry  # noqa: PLC0415 - see above
        from engine.flows.plan.validation import PlanFault, faults_of  # noqa: PLC0415 - see above

        if faults := list(faults_of(request.plan, ToolRegistry())):
            raise PlanFault("; ".join(faults[:5]))
        chosen_places(request.plan, request.factor)

    def tighten(self, request: RunRequest, ceiling: RiskConfig) -> RunRequest:
        """Return it as it is: nothing is ordered."""
        return request

    def seats(self) -> Sequence[Seat]:
        """Planner, and a reasoner and planner for each factor."""
        return seats()

    def voices(self, request: PlanRequest) -> Mapping[Role, Voice]:
        """Return a script for every role."""
        from engine.flows.plan.script.voices import plan_voices  # noqa: PLC0415 - words that no page needs

        return plan_voices(lies=request.lies, seed=request.seed)

    def lie(self, call: ModelCall, kind: ChaosKind) -> None:
        """Return None: nobody states a value here. What research states for a plan, it states in a run of its own."""

    def load(self) -> None:
        """Import the graph, the tools (TA-Lib, which brings pandas), the ending."""
        from engine.flows.plan import graph, outcome  # noqa: F401, PLC0415 - see above

    async def prepare(self, request: PlanRequest, deps: RunDeps) -> "PlanInputs":
        """Return the question and its instant."""
        from engine.flows.plan.context import prepare  # noqa: PLC0415 - see above

        return await prepare(request, deps)

    def read_inputs(self, data: Mapping[str, Any]) -> "PlanInputs":
        """Return inputs out of the journal."""
        from engine.flows.plan.inputs import PlanInputs  # noqa: PLC0415 - see above

        return PlanInputs.from_json(data)

    def context(self, parts: RunParts) -> "PlanContext":
        """Return what nodes work in."""
        from engine.flows.plan.context import context_of  # noqa: PLC0415 - see above

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

    def shape(self, request: PlanRequest) -> Hashable:
        """Return nothing: every plan has the same graph."""
        return None

    def build(self, request: PlanRequest, saver: "BaseCheckpointSaver[str]") -> Any:
        """Return the graph."""
        from engine.flows.plan.graph import build_graph  # noqa: PLC0415 - see above

        return build_graph(saver)

    def conclude(self, state: Mapping[str, Any], context: "PlanContext", events: Sequence[Event], failure: Failure | None) -> Ended:
        """Return the answer, or why there is none."""
        from engine.flows.plan.outcome import ended  # noqa: PLC0415 - see above

        return ended(state, context, events, failure)

    async def file(self, ended: Ended, context: "PlanContext", request: PlanRequest, deps: RunDeps) -> Ended:
        """Return it as it is: nothing is ordered."""
        return ended

    def fork(self, origin: Origin) -> Fork:
        """Return the node and everybody behind it."""
        return fork_of(origin)

    def forked(self, parent: RunRequest, origin: Origin) -> Mapping[str, object]:
        """Return nothing: it is asked as its parent was."""
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


def plan_request(request: RunRequest) -> PlanRequest:
    """Return the request of a plan's run. Raises BadInput for one of another flow."""
    if not isinstance(request, PlanRequest):
        raise BadInput(f"this run is no plan: its flow is {request.flow}")
    return request
