"""One role answers a question in one sentence."""

from typing import Any, Literal, TypedDict

from langgraph.graph import StateGraph
from langgraph.runtime import Runtime

from engine.agents.ask import Question, ask
from engine.agents.watch import watch
from engine.desks.desk import Desk, DeskApi
from engine.domain.run import RunRequest
from engine.flows.protocol import Flow, RunParts, Seat, Work
from engine.llm.protocol import Script


class ToyRequest(RunRequest):
    flow: Literal["toy"] = "toy"
    question: str


class ToyState(TypedDict, total=False):
    answer: str


class ToyFlow(Flow):
    name = "toy"

    def seats(self) -> Any:
        return [Seat("teller", "teller", "toy", {"en": "Teller", "zh": "讲述者"})]

    def voices(self, request: Any) -> Any:
        return {"teller": lambda call: Script(f"You asked: {call.user}")}

    def work(self) -> Work:
        graph: Any = StateGraph(ToyState, context_schema=RunParts).add_sequence([("teller", tell)]).set_entry_point("teller")
        return Work(build=lambda request, saver: graph.compile(checkpointer=saver))


async def tell(state: ToyState, runtime: Runtime[RunParts]) -> ToyState:
    access, request = runtime.context.access, runtime.context.record.request
    with watch(access.emit, "teller", "toy"):
        return {"answer": (await ask(access, Question("teller", "Answer in one sentence.", request.subject), str)).text}


class Toys(DeskApi[ToyRequest]):
    flow, request_type = ToyFlow(), ToyRequest

    def request(self, question: str, **asked: object) -> ToyRequest:
        return self.make(asked, ("teller",), question=question)


DESK = Desk(Toys.flow, {"toys": Toys})
