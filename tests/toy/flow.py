"""A flow as small as one can be and still need everything: two roles, a private state, a tool loop of three turns, one memory, no market
and no order. What it concludes can be worked out by hand."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Literal, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from engine.agents.ask import NoAnswer, Question, ask
from engine.agents.observe import read_memory
from engine.agents.tool_loop import Runnable, work_with_tools
from engine.agents.watch import watch
from engine.domain.ended import Ended, Memory
from engine.domain.events import Event, NodeFinished
from engine.domain.opinion import Usage
from engine.domain.run import RunRequest
from engine.flows.protocol import Failure, Flow, Json, RunParts, Seat, Work
from engine.llm.protocol import ModelCall, Script, Tool, ToolCall

DIGGER, TELLER = "digger", "teller"
ORDER = (DIGGER, TELLER)
DUG: list[str] = []
"""Every call of the tool, in this process."""


class ToyRequest(RunRequest):
    flow: Literal["toy"] = "toy"
    question: str


class DigState(TypedDict, total=False):
    """Private to the digger: its notes never leave it."""

    notes: str
    findings: str
    spent: list[Json]


class ToyState(TypedDict, total=False):
    question: str
    created_at: str
    findings: str
    story: str
    spent: list[Json]


def digger_says(call: ModelCall) -> Script:
    """Two calls of the tool, one a turn, then what they gave."""
    answered = [str(message["content"]) for message in call.messages if message["role"] == "tool"]
    if call.may_call and len(answered) < 2:
        dig_again = ToolCall(f"c{len(answered)}", "dig", json.dumps({"depth": len(answered)}))
        return Script(f"I dig for the {len(answered) + 1}. time.", tool_calls=(dig_again,))
    return Script(f"found {' and '.join(answered)}")


def teller_says(call: ModelCall) -> Script:
    return Script(f"Once upon a time: {call.user}")


class ToyFlow(Flow):
    name, recursion_limit = "toy", 30

    def seats(self) -> Sequence[Seat]:
        return tuple(Seat(role, role, "toy", {"en": role.title(), "zh": role}) for role in ORDER)

    def voices(self, request: ToyRequest) -> Mapping[str, Any]:
        return {DIGGER: digger_says, TELLER: teller_says}

    def work(self) -> Work:
        return Work(build=self.build, first_state=self.first_state, conclude=self.conclude)

    def first_state(self, context: RunParts, request: ToyRequest) -> Json:
        return {"question": request.question, "created_at": context.clock().isoformat(), "spent": []}

    def build(self, request: ToyRequest, saver: Any) -> Any:
        inner: Any = StateGraph(DigState, context_schema=RunParts, output_schema=DigState)
        inner.add_node(DIGGER, dig)
        inner.add_edge(START, DIGGER)
        outer: Any = StateGraph(ToyState, context_schema=RunParts)
        outer.add_node("digging", inner.compile())
        outer.add_node(TELLER, tell)
        outer.add_edge(START, "digging")
        outer.add_edge("digging", TELLER)
        outer.add_edge(TELLER, END)
        return outer.compile(checkpointer=saver)

    def conclude(self, state: Mapping[str, Any], context: RunParts, events: Sequence[Event], failure: Failure | None) -> Ended:
        story = state.get("story")
        spent = [Usage.model_validate(each) for each in state.get("spent") or []]
        final = {
            "flow": self.name,
            "run_id": context.record.run_id,
            "inputs_hash": context.inputs.hash,
            "findings": state.get("findings"),
            "story": story,
            "is_valid": story is not None and failure is None,
            "errors": [] if story else ["nothing was told"],
            "calls": sum(each.requests for each in spent),
            "total_duration_ms": (context.clock() - datetime.fromisoformat(state["created_at"])).total_seconds() * 1000,
        }
        memory = Memory(flow=self.name, subject=context.record.request.subject, name="story", body={"story": story})
        tokens = sum(each.prompt_tokens + each.completion_tokens for each in spent)
        return Ended(final, story, bool(final["is_valid"]), final["total_duration_ms"], tokens, 0.0, memories=(memory,) if story else ())


async def dig(state: DigState, runtime: Runtime[RunParts]) -> Json:
    """Three turns: two calls of the tool, one report."""
    access = runtime.context.access

    async def run(arguments: Mapping[str, Any]) -> str:
        DUG.append(str(arguments["depth"]))
        return f"layer {arguments['depth']}"

    tool = Tool("dig", "Dig.", {"type": "object", "properties": {"depth": {"type": "integer"}}})
    with watch(access.emit, DIGGER, "toy") as watched:
        work = await work_with_tools(access, Question(DIGGER, "Dig.", "What is there?"), (Runnable(tool, run),), str)
        watched.data = NodeFinished(attempt=work.spoken.attempt, usage=work.usage)
    return {"findings": str(work.spoken.read), "notes": work.spoken.text, "spent": [work.usage.model_dump(mode="json")]}


async def tell(state: ToyState, runtime: Runtime[RunParts]) -> Json:
    """One turn, on what was told last time."""
    parts = runtime.context
    with watch(parts.access.emit, TELLER, "toy") as watched:

        async def newest() -> Mapping[str, Any] | None:
            assert parts.deps is not None, "a run that is verified reads nothing"
            memory = parts.deps.newest_memory("toy", parts.record.request.subject, "story")
            return memory.body if memory is not None else None

        last = await read_memory(parts.access, TELLER, "story", newest)
        told = f"{state['findings']}; last time: {last['story'] if last else 'nothing'}"
        try:
            spoken = await ask(parts.access, Question(TELLER, "Tell.", told), partial(str))
        except NoAnswer as lost:
            watched.failed(str(lost), "safe_action")
            return {}
        watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage)
    return {"story": spoken.text, "spent": [*state["spent"], spoken.usage.model_dump(mode="json")]}
