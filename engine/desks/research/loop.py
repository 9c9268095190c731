"""The loop of thought and action, two nodes of the graph: `llm_decision` reads the question and what was observed, and calls optional tools
or goes on; `optional_tool` runs its calls, all of an answer at once, and gives back what the agent observes.

What counts and what ends the loop is in `agents/tool_loop.py`. A model without a usable answer is no reason not to search: the run goes on
and says so. After the breaker the model is not asked again.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from langgraph.runtime import Runtime

from engine.agents.ask import NoAnswer, Question, ask
from engine.agents.tool_loop import CallsMade, PlannedCall, answer_call, assistant_message
from engine.agents.watch import watch
from engine.desks.research.context import ResearchContext
from engine.desks.research.prompts import OBSERVED, loop_system, question_text
from engine.desks.research.seats import ROLE
from engine.desks.research.state import ExecutorState, Json, as_rows
from engine.desks.research.tools import ListedTool, listed_tools, offer, optional_tools, required_tools, with_bound
from engine.domain.errors import TribunalError
from engine.domain.events import InstructionsSeen, NodeFinished, ToolAnswered
from engine.domain.research.document import Document
from engine.domain.research.events import ResearchObserved, ResearchThought
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.domain.text.visible import one_line, shortened
from engine.llm.protocol import ToolCall
from engine.prompts.instruction_text import reads_like_an_instruction
from engine.prompts.render import quoted
from engine.search.results import read_results

DECISION: Final = "llm_decision"
OPTIONAL_TOOL: Final = "optional_tool"
_STAGE: Final = "thinking"
_PREVIEW: Final = 200
_SOURCES: Final = {"sec_edgar": "SEC EDGAR", "akshare": "AKShare", "openalex": "OpenAlex", "semantic_scholar": "Semantic Scholar"}


async def llm_decision_node(state: ExecutorState, runtime: Runtime[ResearchContext]) -> Json:
    """Return the agent's message, with the calls it asks for."""
    context, messages = runtime.context, state.get("executor_messages") or []
    with watch(context.access.emit, DECISION, _STAGE) as watched:
        tools, failed = await listed_tools(state, context, DECISION)
        found: Json = {"tools": tools, "failed_sources": failed} if state.get("tools") is None else {}
        if state.get("breaker"):
            calls = state.get("optional_calls", 0)
            return {
                **found,
                "executor_messages": [assistant_message("", ())],
                "notes": [Reason("optional_calls_ended", calls=calls).said_in(context.language)],
            }
        try:
            spoken = await ask(context.access, _question(tools, state, context), str)
        except NoAnswer as lost:
            watched.data = NodeFinished(usage=lost.usage)
            watched.failed(str(lost), "abstains")
            lost_message = {"executor_messages": [assistant_message("", ())]}
            return {**found, **lost_message, "notes": [Reason("agent_gave_no_thought", reason=lost).said_in(context.language)]}
        own = spoken.text[len(state.get("said", "")) :].strip()
        turn = len([each for each in messages if each["role"] == "assistant"]) + 1
        actions = tuple({"tool": call.name, "arguments": call.arguments} for call in spoken.tool_calls)
        context.access.emit(DECISION, ResearchThought(turn=turn, text=own, actions=actions))
        watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage)
    message = assistant_message(own, spoken.tool_calls, spoken.carried)
    return {**found, "executor_messages": [message], "said": spoken.text, "attempt": spoken.attempt}


def should_call_optional_tools(state: ExecutorState) -> str:
    """Return `optional_tool` for a message that calls tools, else `search`. Behind the search there is no way back."""
    return "optional_tool" if state["executor_messages"][-1].get("tool_calls") else "search"


def _question(tools: Sequence[ListedTool], state: ExecutorState, context: ResearchContext) -> Question:
    messages = tuple(state.get("executor_messages") or ())
    limit = context.request.max_optional_calls
    offered = optional_tools(tools, context) if limit else []
    sources = [str(each["source"]) for each in required_tools(tools, context)]
    return Question(
        role=ROLE,
        node=DECISION,
        turn=len([each for each in messages if each["role"] == "assistant"]) + 1,
        system=loop_system(limit, sources, context.language),
        user=question_text(context.request.question, context.inputs.at, context.language),
        messages=messages,
        tools=tuple(offer(each, context) for each in offered),
        said=state.get("said", ""),
        attempt=state.get("attempt", 1),
    )


async def optional_tool_node(state: ExecutorState, runtime: Runtime[ResearchContext]) -> Json:
    """Return the observations, as messages and in words, and the documents behind them."""
    context, limit = runtime.context, runtime.context.request.max_optional_calls
    made = CallsMade(**state.get("calls_made") or {})
    asked = [ToolCall(each["id"], **each["function"]) for each in state["executor_messages"][-1]["tool_calls"]]
    tools = {str(each["name"]): each for each in optional_tools(state.get("tools") or (), context)}
    calls = made.plan(asked, limit)
    with watch(context.access.emit, OPTIONAL_TOOL, _STAGE) as watched:
        answered = await asyncio.gather(*(_observe(call, tools, context) for call in calls))
        watched.data = NodeFinished(result={"tool_calls": sum(call.executed for call in calls)})
    searches, failed = dict(state.get("searches") or {}), dict(state.get("failed_sources") or {})
    for call, each in zip(calls, answered, strict=True):
        if call.executed and call.arguments is not None and call.asked.name in tools:
            _note(str(tools[call.asked.name]["source"]), each, searches, failed)
    return {
        "executor_messages": [_message(call, each) for call, each in zip(calls, answered, strict=True)],
        "observations": [each.content for call, each in zip(calls, answered, strict=True) if call.executed],
        "optional_search_results": [*(state.get("optional_search_results") or []), *(row for each in answered for row in _rows_of(each))],
        "optional_calls": len(made.places),
        "calls_made": asdict(made),
        "breaker": made.is_over(limit),
        "searches": searches,
        "failed_sources": failed,
    }


async def _observe(call: PlannedCall, tools: Mapping[str, ListedTool], context: ResearchContext) -> ToolAnswered:
    """Return what came of a call, recorded. A text like an instruction in it is an event."""

    async def run(call: PlannedCall) -> dict[str, Any]:
        return await _run(call, tools, context)

    seen = await answer_call(context.access, OPTIONAL_TOOL, ROLE, call, run)
    if call.executed:
        context.access.emit(OPTIONAL_TOOL, ResearchObserved(n=call.n, tool=call.asked.name, text=seen.content))
        if reads_like_an_instruction(seen.content):
            excerpt = shortened(seen.content, _PREVIEW)
            context.access.emit(OPTIONAL_TOOL, InstructionsSeen(where=(call.asked.name,), excerpt=excerpt))
    return seen


async def _run(call: PlannedCall, tools: Mapping[str, ListedTool], context: ResearchContext) -> dict[str, Any]:
    """Ask the tool. What went wrong is an observation too."""
    name, language, error = call.asked.name, context.language, ""
    if name not in tools:
        error = Reason("there_is_no_tool_of_that_name_there_are", offered=", ".join(tools) or "none")
    elif call.arguments is None:
        error = Reason("arguments_are_no_json_object")
    else:
        tool = tools[name]
        try:
            answer = await context.room.tools.call(name, with_bound(tool["parameters"], call.arguments, context))
            found = read_results(str(tool["source"]), answer).documents
            content = _found_text(name, str(tool["source"]), call.arguments, found, language)
            return {"content": content, "documents": as_rows(found), "found": len(found)}
        except (TribunalError, TimeoutError) as problem:
            error = str(problem) or Reason("no_answer_in_time")
    content = OBSERVED["failed"][language].format(tool=one_line(name)[:60], reason=shortened(one_line(error), _PREVIEW))
    return {"content": content, "error": error, "documents": [], "found": 0}


def _rows_of(answered: ToolAnswered) -> list[Json]:
    """Return the documents of an answer, as JSON."""
    rows = answered.to_json().get("documents")
    return [each for each in rows if isinstance(each, dict)] if isinstance(rows, list) and not answered.repeat else []


def _note(source: str, answered: ToolAnswered, searches: Json, failed: dict[str, str]) -> None:
    """Count a call that its source was asked with. A wrong name, or arguments that are no object, are the agent's fault and no source's."""
    so_far = searches.get(source) or {"ms": 0.0, "found": 0}
    searches[source] = {"ms": round(so_far["ms"] + (answered.ms or 0.0), 1), "found": so_far["found"] + len(_rows_of(answered))}
    if answered.error is not None and not searches[source]["found"]:
        failed[source] = answered.error
    elif searches[source]["found"]:
        failed.pop(source, None)


def _message(call: PlannedCall, answered: ToolAnswered) -> Json:
    """Return the message that answers a call; what a source wrote is inside an envelope."""
    said = answered.content
    content = quoted("observation", said) if call.executed and not said.startswith("<said") else said
    return {"role": "tool", "tool_call_id": call.asked.id, "content": content}


def _found_text(tool: str, source: str, arguments: Mapping[str, Any], documents: Sequence[Document], language: Language) -> str:
    """Return the observation of a call that was answered: whom it is about, where from, the first 200 characters."""
    asked = next((shortened(one_line(value), 80) for value in arguments.values() if isinstance(value, str) and value.strip()), "?")
    if not documents:
        return OBSERVED["nothing"][language].format(tool=tool, name=asked)
    first = documents[0]
    said = next((each.abstract or each.text for each in documents if each.abstract or each.text), "") or first.title
    name = str(first.extra.get("company") or first.extra.get("name") or "").strip() or first.title or asked
    preview = shortened(one_line(said), _PREVIEW)
    return OBSERVED["found"][language].format(name=shortened(one_line(name), 80), source=_SOURCES.get(source, source), preview=preview)
