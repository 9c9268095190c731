"""optional_tool: action. Runs the calls of the last message and gives back what the agent observes, then back to the decision.

Executed calls count, failed and unknown ones too; one that was made before is answered with the place of its answer. Of a batch the first
ones up to the limit are executed. Every answer is recorded with its documents: a run that is continued calls nothing twice.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langgraph.runtime import Runtime
from pydantic import JsonValue

from engine.agents.observe import observe
from engine.agents.tool_loop import NOT_EXECUTED, REPEATS_IN_A_ROW
from engine.agents.watch import watch
from engine.desks.research.context import ResearchContext
from engine.desks.research.deciding import STAGE, optional_tools
from engine.desks.research.searching import documents_of, with_bound
from engine.desks.research.seats import ROLE
from engine.desks.research.state import ExecutorState, Json
from engine.domain.errors import TribunalError
from engine.domain.events import InstructionsSeen, NodeFinished, ToolAnswered, ToolCalled
from engine.domain.research.document import Document
from engine.domain.research.events import ResearchObserved
from engine.domain.text.language import Language
from engine.domain.text.plain_json import read_object
from engine.domain.text.reason import Reason
from engine.domain.text.visible import one_line, shortened
from engine.prompts.instruction_text import reads_like_an_instruction
from engine.prompts.paragraphs import SAME_AS_ABOVE
from engine.prompts.render import Text, quoted, render

NODE = "optional_tool"


PREVIEW: Final = 200
_FOUND: Text = {
    "en": "✓ Full information on {name} was retrieved\nSource: {source}\nPreview: {preview}",
    "zh": "✓ 成功获取 {name} 的完整信息\n来源: {source}\n预览: {preview}",
}
_NOTHING: Text = {"en": "✗ {tool}: nothing was found for {name}", "zh": "✗ {tool}：没有找到 {name} 的信息"}
_FAILED: Text = {"en": "✗ {tool} gave nothing: {reason}", "zh": "✗ {tool} 未返回结果：{reason}"}
_SOURCES: Final = {"sec_edgar": "SEC EDGAR", "akshare": "AKShare", "openalex": "OpenAlex", "semantic_scholar": "Semantic Scholar"}


def found_text(tool: str, source: str, arguments: Mapping[str, Any], documents: Sequence[Document], language: Language) -> str:
    """Return the observation of a call that was answered: whom it is about, where from, the first 200 characters."""
    asked = _asked(arguments)
    if not documents:
        return _NOTHING[language].format(tool=tool, name=asked)
    first = documents[0]
    said = next((each.abstract or each.text for each in documents if each.abstract or each.text), "") or first.title
    name = str(first.extra.get("company") or first.extra.get("name") or "").strip() or first.title or asked
    preview = shortened(one_line(said), PREVIEW)
    return _FOUND[language].format(name=shortened(one_line(name), 80), source=_SOURCES.get(source, source), preview=preview)


def failed_text(tool: str, reason: str, language: Language) -> str:
    """Return the observation of a call that was not answered."""
    return _FAILED[language].format(tool=one_line(tool)[:60], reason=shortened(one_line(reason), PREVIEW))


def _asked(arguments: Mapping[str, Any]) -> str:
    """Return what was asked for: the first text among the arguments."""
    return next((shortened(one_line(value), 80) for value in arguments.values() if isinstance(value, str) and value.strip()), "?")


@dataclass(frozen=True)
class _Call:
    """n: which of the node's calls, from 1. key: what makes two calls the same. first: which call was the same one before. executed:
    whether it is run."""

    n: int
    id: str
    name: str
    asked: str
    arguments: Mapping[str, Any] | None
    first: int | None
    executed: bool


async def optional_tool_node(state: ExecutorState, runtime: Runtime[ResearchContext]) -> Json:
    """Return the observations, as messages and in words, and the documents behind them."""
    context, calls = runtime.context, _planned(state, runtime.context)
    with watch(context.access.emit, NODE, STAGE) as watched:
        answered = await asyncio.gather(*(_answer(call, state, context) for call in calls))
        executed = sum(call.executed for call in calls)
        watched.data = NodeFinished(result={"tool_calls": executed})
    repeats = state.get("repeats", 0)
    for call in calls:
        repeats = repeats + 1 if call.first is not None else 0
    total = state.get("optional_calls", 0) + executed
    searches, failed = dict(state.get("searches") or {}), dict(state.get("failed_sources") or {})
    sources = {str(each["name"]): str(each["source"]) for each in optional_tools(state.get("tools") or (), context)}
    for call, each in zip(calls, answered, strict=True):
        if call.executed and call.arguments is not None and call.name in sources:
            _note(sources[call.name], each, searches, failed)
    return {
        "executor_messages": [_message(call, each) for call, each in zip(calls, answered, strict=True)],
        "observations": [each.content for call, each in zip(calls, answered, strict=True) if call.executed],
        "optional_search_results": [*(state.get("optional_search_results") or []), *(row for each in answered for row in rows_of(each))],
        "optional_calls": total,
        "repeats": repeats,
        "breaker": total >= context.request.max_optional_calls or repeats >= REPEATS_IN_A_ROW,
        "searches": searches,
        "failed_sources": failed,
    }


def _planned(state: ExecutorState, context: ResearchContext) -> list[_Call]:
    """Return the calls of the last message, with what becomes of each."""
    messages = state["executor_messages"]
    before = _observed_before(messages[:-1])
    count, executed = sum(each["role"] == "tool" for each in messages), state.get("optional_calls", 0)
    planned: list[_Call] = []
    for n, asked in enumerate(messages[-1]["tool_calls"], count + 1):
        name, text = asked["function"]["name"], asked["function"]["arguments"]
        arguments = read_object(text)
        key = _key(name, text)
        runs = key not in before and executed < context.request.max_optional_calls
        planned.append(_Call(n, asked["id"], name, text, arguments, before.get(key), runs))
        executed += runs
        if runs:
            before[key] = n
    return planned


def _observed_before(messages: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], int]:
    """Return (tool, arguments) -> number of the call, from 1. Answers follow the calling message, in its order."""
    found: dict[tuple[str, str], int] = {}
    count = 0
    waiting: list[Mapping[str, Any]] = []
    for message in messages:
        if message["role"] == "assistant":
            waiting = list(message.get("tool_calls") or ())
        elif waiting:
            asked, count = waiting.pop(0)["function"], count + 1
            if message["content"] != NOT_EXECUTED:
                found.setdefault(_key(asked["name"], asked["arguments"]), count)
    return found


def _key(name: str, text: str) -> tuple[str, str]:
    arguments = read_object(text)
    return name, json.dumps(arguments, sort_keys=True) if arguments is not None else text


async def _answer(call: _Call, state: ExecutorState, context: ResearchContext) -> ToolAnswered:
    """Return what came of a call, recorded."""
    access, about = context.access, ToolAnswered(analyst=ROLE, tool=call.name)
    if call.first is not None:
        same = render(SAME_AS_ABOVE[context.language], n=str(call.first))
        return await observe(access, NODE, ToolAnswered, call.n, _always(about.plus(repeat=True, content=same, preview="")))
    if not call.executed:
        refused = about.plus(content=NOT_EXECUTED, preview=NOT_EXECUTED, error=NOT_EXECUTED)
        return await observe(access, NODE, ToolAnswered, call.n, _always(refused))
    known = access.recall.observation(NODE, ToolAnswered.kind, call.n)
    if known is None or not known.already_logged:
        asked: JsonValue = dict(call.arguments) if call.arguments is not None else call.asked
        access.emit(NODE, ToolCalled(analyst=ROLE, tool=call.name, arguments=asked, n=call.n))

    async def run() -> ToolAnswered:
        return await _run(call, state, context)

    seen = await observe(access, NODE, ToolAnswered, call.n, run)
    access.emit(NODE, ResearchObserved(n=call.n, tool=call.name, text=seen.content))
    if reads_like_an_instruction(seen.content):
        access.emit(NODE, InstructionsSeen(where=(call.name,), excerpt=shortened(seen.content, PREVIEW)))
    return seen


async def _run(call: _Call, state: ExecutorState, context: ResearchContext) -> ToolAnswered:
    """Ask the tool. What went wrong is an observation too."""
    began, language = time.monotonic(), context.language
    offered = {each["name"]: each for each in optional_tools(state.get("tools") or (), context)}
    documents: list[Json] = []
    error: str | None = None
    if call.name not in offered:
        error = Reason("there_is_no_tool_of_that_name_there_are", offered=", ".join(offered) or "none")
    elif call.arguments is None:
        error = Reason("arguments_are_no_json_object")
    else:
        tool = offered[call.name]
        try:
            answer = await context.room.tools.call(call.name, with_bound(tool["parameters"], call.arguments, context))
            found, _ = documents_of(tool["source"], answer)
            documents = [each.model_dump(mode="json", exclude_defaults=True) for each in found]
            content = found_text(call.name, tool["source"], call.arguments, found, language)
        except (TribunalError, TimeoutError) as problem:
            error = str(problem) or Reason("no_answer_in_time")
    if error is not None:
        content = failed_text(call.name, error, language)
    ms = round((time.monotonic() - began) * 1000, 1)
    about = ToolAnswered(analyst=ROLE, tool=call.name, content=content, preview=shortened(content, PREVIEW), error=error, ms=ms)
    return about.plus(documents=documents, found=len(documents))


def rows_of(answered: ToolAnswered) -> list[Json]:
    """Return the documents of an answer, as JSON."""
    rows = answered.to_json().get("documents")
    return [each for each in rows if isinstance(each, dict)] if isinstance(rows, list) and not answered.repeat else []


def _note(source: str, answered: ToolAnswered, searches: Json, failed: dict[str, str]) -> None:
    """Count a call that its source was asked with. A wrong name, or arguments that are no object, are the agent's fault and no source's."""
    so_far = searches.get(source) or {"ms": 0.0, "found": 0}
    searches[source] = {"ms": round(so_far["ms"] + (answered.ms or 0.0), 1), "found": so_far["found"] + len(rows_of(answered))}
    if answered.error is not None and not searches[source]["found"]:
        failed[source] = answered.error
    elif searches[source]["found"]:
        failed.pop(source, None)


def _message(call: _Call, answered: ToolAnswered) -> Json:
    """Return the message that answers a call; what a source wrote is inside an envelope."""
    said = answered.content
    content = quoted("observation", said) if call.executed and not said.startswith("<said") else said
    return {"role": "tool", "tool_call_id": call.id, "content": content}


def _always(data: ToolAnswered) -> Callable[[], Awaitable[ToolAnswered]]:
    async def read() -> ToolAnswered:
        return data

    return read
