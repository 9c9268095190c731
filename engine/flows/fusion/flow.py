"""The equities desk as a flow: what runs, bundles and pages need to know of it (`engine/flows/protocol.py`).

What it takes long to import (the graph, the indicators, calendars) comes in when a run needs it: pages ask for seats and forks only.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.domain.chaos import ChaosKind
from engine.domain.ended import Ended
from engine.domain.errors import BadInput, TribunalError
from engine.domain.events import Event, RunStarted
from engine.domain.inputs import Inputs
from engine.domain.risk import RiskConfig, looser, stricter
from engine.domain.roles import Role
from engine.domain.run import Origin, RunRequest
from engine.flows.fusion.forking import fork_of
from engine.flows.fusion.request import FusionRequest
from engine.flows.fusion.stages import HEARD, STAGES, seats
from engine.flows.protocol import Failure, Fork, Json, RunDeps, RunParts, Seat
from engine.llm.lie import PlantedSentence, lie_about_facts
from engine.llm.protocol import ModelCall, Voice

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from engine.flows.fusion.context import FusionContext
    from engine.flows.fusion.inputs import FusionInputs


_LATER_FIELDS = ("limits",)


class FusionFlow:
    """Implements `Flow`: one company or index in, one order or none out."""

    name = "fusion"
    recursion_limit = 150

    def admit(self, request: FusionRequest, ceiling: RiskConfig) -> None:
        """Refuse limits that are looser than those of the process."""
        if beyond := looser(request.risk, ceiling):
            raise BadInput(f"{'; '.join(beyond)} (TRIBUNAL_RISK): a decision's own limits can only be stricter")

    def tighten(self, request: RunRequest, ceiling: RiskConfig) -> RunRequest:
        """Return the stricter of its own limits and those of today."""
        return request.model_copy(update={"risk": stricter(fusion_request(request).risk, ceiling)})

    def seats(self) -> Sequence[Seat]:
        """Analysts of both presets, their memories, debaters, judges, trader."""
        return seats()

    def voices(self, request: FusionRequest) -> Mapping[Role, Voice]:
        """Return a script for every role."""
        from engine.flows.fusion.script.voices import fusion_voices  # noqa: PLC0415 - words that no page needs

        return fusion_voices(lies=request.lies, seed=request.seed)

    def lie(self, call: ModelCall, kind: ChaosKind) -> PlantedSentence | None:
        """Return a lie about the measured facts of a prompt."""
        return lie_about_facts(call, kind)

    def load(self) -> None:
        """Import the graph, the sheet of facts (TA-Lib, which brings pandas), the ending."""
        from engine.flows.fusion import graph, outcome, prepare  # noqa: F401, PLC0415 - see above

    async def prepare(self, request: FusionRequest, deps: RunDeps) -> "FusionInputs":
        """Return the company as it was known, and the account."""
        from engine.flows.fusion.prepare import prepare  # noqa: PLC0415 - see above

        return await prepare(request, deps)

    def read_inputs(self, data: Mapping[str, Any]) -> "FusionInputs":
        """Return inputs out of the journal."""
        from engine.flows.fusion.inputs import FusionInputs  # noqa: PLC0415 - see above

        return FusionInputs.from_json(data)

    def context(self, parts: RunParts) -> "FusionContext":
        """Measure the company and the account."""
        from engine.flows.fusion.prepare import context_of  # noqa: PLC0415 - see above

        return context_of(parts)

    def opening(self, context: "FusionContext", request: FusionRequest) -> RunStarted:
        """Return the request, the company in figures, who takes part."""
        from engine.flows.fusion.opening import opening  # noqa: PLC0415 - see above

        return opening(context, request)

    def first_state(self, context: "FusionContext", request: FusionRequest) -> Json:
        """Return whom it is about, when, and how the account stands."""
        from engine.flows.fusion.outcome import first_state  # noqa: PLC0415 - see above

        return first_state(context, request.symbol)

    def shape(self, request: FusionRequest) -> Hashable:
        """Return the preset, the rounds and how the research debate opens."""
        from engine.flows.fusion.prepare import preset_for  # noqa: PLC0415 - see above

        return preset_for(request).name, request.depth, request.openings

    def build(self, request: FusionRequest, saver: "BaseCheckpointSaver[str]") -> Any:
        """Return the graph of a preset."""
        from engine.flows.fusion.graph import build_graph  # noqa: PLC0415 - see above
        from engine.flows.fusion.prepare import preset_for  # noqa: PLC0415 - see above

        return build_graph(preset_for(request), request.depth, together=request.openings == "together", checkpointer=saver)

    def conclude(self, state: Mapping[str, Any], context: "FusionContext", events: Sequence[Event], failure: Failure | None) -> Ended:
        """Return an order or none, or the safe outcome."""
        from engine.flows.fusion.outcome import ended  # noqa: PLC0415 - see above

        return ended(state, context, events, failure)

    async def file(self, ended: Ended, context: "FusionContext", request: FusionRequest, deps: RunDeps) -> Ended:
        """Return the end after its order was filed as a proposal, when that was asked for. What cannot be filed is said."""
        if not request.propose or ended.state["order"] is None:
            return ended
        from engine.flows.fusion.orders.filing import file_order  # noqa: PLC0415 - see above

        try:
            return await file_order(ended, context, request, deps)
        except (TribunalError, ArithmeticError) as problem:
            from engine.flows.fusion.reasons import reason  # noqa: PLC0415 - see above

            warnings = [*ended.state["warnings"], reason("not_filed", request.language, reason=problem)]
            return replace(ended, state={**ended.state, "warnings": warnings}, shown={**ended.shown, "warnings": warnings})

    def fork(self, origin: Origin) -> Fork:
        """Return the node and everybody behind it."""
        return fork_of(origin, STAGES, HEARD)

    def forked(self, parent: RunRequest, origin: Origin) -> Mapping[str, object]:
        """Only what is decided on fresh inputs is proposed again."""
        return {"propose": origin.fresh and fusion_request(parent).propose}

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
        """Return the state without keys that an older version did not write."""
        return {key: value for key, value in played.items() if key in written or key not in _LATER_FIELDS}


def fusion_request(request: RunRequest) -> FusionRequest:
    """Return the request of the desk. Raises BadInput for one of another flow."""
    if not isinstance(request, FusionRequest):
        raise BadInput(f"this run is none of the equities desk: its flow is {request.flow}")
    return request
