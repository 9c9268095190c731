"""The tool loop of one role: what counts, what ends it, and what is told of it."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from engine.agents.access import ModelAccess
from engine.agents.ask import Question
from engine.agents.recording import recorded
from engine.agents.tool_loop import NOT_EXECUTED, Runnable, ToolWork, work_with_tools
from engine.domain.errors import BadInput
from engine.domain.events import Event, EventData
from engine.llm.calls import CallPolicy
from engine.llm.protocol import Chunk, ModelCall, Tool, ToolCall
from engine.prompts.paragraphs import NO_MORE_LOOKUPS
from tests.engine.journal.test_store import NOW

Batch = Sequence[tuple[str, object]]
"""What one answer asks for: (tool, arguments) each."""


class Caller:
    """A model that asks for these batches, one a turn, then answers. calls: how it was asked."""

    name, takes_images = "caller", False

    def __init__(self, *batches: Batch) -> None:
        self._batches, self.calls = batches, list[ModelCall]()

    async def ready(self) -> None:
        pass

    async def close(self) -> None:
        pass

    async def stream(self, call: ModelCall) -> AsyncIterator[Chunk]:
        self.calls.append(call)
        turn = len(self.calls) - 1
        if turn < len(self._batches) and call.may_call:
            asked = [
                ToolCall(f"c{turn}-{place}", tool, arguments if isinstance(arguments, str) else json.dumps(arguments))
                for place, (tool, arguments) in enumerate(self._batches[turn])
            ]
            yield Chunk(finish="tool_calls", tool_calls=tuple(asked))
        else:
            yield Chunk("the report", finish="stop")


class Log(list[Event]):
    def emit(self, node: str | None, data: EventData) -> None:
        self.append(Event(seq=len(self) + 1, run_id="r", at=NOW, kind=data.kind, node=node, data=data))

    def of(self, kind: str) -> list[Mapping[str, Any]]:
        return [event.data.to_json() for event in self if event.kind == kind]


async def price(arguments: Mapping[str, Any]) -> str:
    if arguments.get("symbol") == "NONE":
        raise BadInput("no such symbol")
    return f"price of {arguments.get('symbol')}"


TOOLS = (Runnable(Tool("price", "The price.", {"type": "object"}), price),)


async def work(model: Caller, log: Log, recall: Any = None, limit: int = 5) -> ToolWork[str | None]:
    more = {"recall": recall} if recall is not None else {}
    access = ModelAccess(lambda role, node: model, CallPolicy(), "en", "c0ffee", log.emit, **more)
    return await work_with_tools(access, Question("news", "s", "u"), TOOLS, str, limit)


async def test_the_model_reads_what_its_tools_answer() -> None:
    model, log = Caller([("price", {"symbol": "A"}), ("price", {"symbol": "B"})], [("price", {"symbol": "NONE"})]), Log()
    done = await work(model, log)
    assert (done.spoken.read, done.calls, done.breaker) == ("the report", 3, False)
    first, second, third, fourth, fifth = model.calls[-1].messages
    assert [call["function"]["name"] for call in first["tool_calls"]] == ["price", "price"]  # type: ignore[index,union-attr,call-overload]
    assert (second["content"], third["content"]) == ("price of A", "price of B")
    assert (second["tool_call_id"], third["tool_call_id"]) == ("c0-0", "c0-1")
    assert fourth["role"] == "assistant"
    assert "no such symbol" in str(fifth["content"])
    assert [told["n"] for told in log.of("tool.answered")] == [1, 2, 3]
    assert len(recorded(log).answers) == 3


async def test_calls_beyond_the_limit_are_not_executed_and_the_report_is_written_without_calls() -> None:
    model, log = Caller([("price", {"symbol": str(n)}) for n in range(7)]), Log()
    done = await work(model, log, limit=5)
    assert (done.calls, done.breaker, done.spoken.read) == (5, True, "the report")
    assert len(log.of("tool.called")) == 5
    assert [told["content"] for told in log.of("tool.answered")][5:] == [NOT_EXECUTED] * 2
    last = model.calls[-1]
    assert (bool(last.tools), last.tool_choice) == (True, "none"), "a history with calls needs the names of its tools"
    assert str(last.messages[-1]["content"]) == f"{NOT_EXECUTED}\n\n{NO_MORE_LOOKUPS['en']}"


async def test_a_repeat_is_answered_from_the_first_and_three_in_a_row_end_it() -> None:
    same: Batch = [("price", {"symbol": "A"})]
    model, log = Caller(*[same] * 9), Log()
    done = await work(model, log)
    assert (done.calls, done.breaker) == (1, True)
    assert len(log.of("tool.called")) == 1
    answered = log.of("tool.answered")
    assert [told.get("repeat", False) for told in answered] == [False, True, True, True]
    assert [told["content"] for told in answered] == ["price of A", *["same as above: answer 1"] * 3]
    assert len(model.calls) == 5


async def test_what_is_recalled_asks_no_model_and_runs_no_tool() -> None:
    first, log = Caller([("price", {"symbol": "A"})], [("price", {"symbol": "A"})]), Log()
    done = await work(first, log)
    nobody, again = Caller(), Log()
    repeated = await work(nobody, again, recall=recorded(log))
    assert nobody.calls == []
    assert repeated.spoken.text == done.spoken.text
    assert [(event.kind, event.data) for event in again if event.kind != "model.answered"] == [
        (event.kind, event.data) for event in log if event.kind != "model.answered"
    ]
    told = Log()
    await work(nobody, told, recall=recorded(log, already_logged=True))
    assert told == [], "what stands in the run's own log is not told again"
