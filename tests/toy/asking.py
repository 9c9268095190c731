"""A flow that needs another: a clerk asks for a run of any flow and waits for it, a teller tells what came of it."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from engine.agents.child_run import run_child
from engine.agents.watch import watch
from engine.domain.run import AnyRequest, Origin, RunRequest
from engine.flows.forking import Fork
from engine.flows.protocol import Json, RunParts, Seat
from tests.toy.flow import TELLER, ToyFlow, ToyRequest, ToyState, tell

CLERK = "clerk"


class AskingRequest(RunRequest):
    """A question, and the run that is to answer it."""

    flow: Literal["asking"] = "asking"
    question: str
    asks: AnyRequest


class AskingFlow(ToyFlow):
    name = "asking"

    def seats(self) -> Sequence[Seat]:
        return tuple(seat for seat in super().seats() if seat.role == TELLER)

    def build(self, request: ToyRequest, saver: Any) -> Any:
        graph: Any = StateGraph(ToyState, context_schema=RunParts)
        graph.add_node(CLERK, ask_for_a_run)
        graph.add_node(TELLER, tell)
        graph.add_edge(START, CLERK)
        graph.add_edge(CLERK, TELLER)
        graph.add_edge(TELLER, END)
        return graph.compile(checkpointer=saver)

    def fork(self, origin: Origin) -> Fork:
        return Fork(frozenset({CLERK, TELLER})) if origin.from_node == CLERK else super().fork(origin)


async def ask_for_a_run(state: ToyState, runtime: Runtime[RunParts]) -> Json:
    parts = runtime.context
    request = parts.record.request
    assert isinstance(request, AskingRequest)
    with watch(parts.access.emit, CLERK, "toy"):
        child = await run_child(parts.access, CLERK, 1, request.asks, parts.children)
    result: Mapping[str, Any] = child.result or {}
    return {"findings": f"{child.status}: {result.get('story') or result.get('final_action') or child.error}"}
