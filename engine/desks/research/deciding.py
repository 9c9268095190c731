"""llm_decision: thought and action. The model reads the question and what was observed, and calls optional tools or goes on.

The first visit lists the tools of the servers; that is recorded, as every answer is. A model without a usable answer is no reason not to
search: the run goes on and says so. After the breaker no one is asked: the loop is over.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from langgraph.runtime import Runtime
from pydantic import JsonValue

from engine.agents.ask import NoAnswer, Question, ask
from engine.agents.observe import observe
from engine.agents.tool_loop import assistant_message
from engine.agents.watch import watch
from engine.desks.research.context import ResearchContext
from engine.desks.research.prompts import loop_system, question_text
from engine.desks.research.seats import ROLE
from engine.desks.research.state import ExecutorState, Json
from engine.domain.errors import TribunalError
from engine.domain.events import InstructionsSeen, NodeFinished
from engine.domain.research.events import ResearchThought, ToolsListed
from engine.domain.text.reason import Reason
from engine.domain.text.visible import shortened
from engine.llm.protocol import Tool
from engine.prompts.instruction_text import reads_like_an_instruction

NODE, STAGE = "llm_decision", "thinking"
_TYPES: Final = ("string", "integer", "number", "boolean", "array", "object")
_ARGUMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,40}")
_EXCERPT: Final = 200


async def llm_decision_node(state: ExecutorState, runtime: Runtime[ResearchContext]) -> Json:
    """Return the agent's message, with the calls it asks for."""
    context, messages = runtime.context, state.get("executor_messages") or []
    with watch(context.access.emit, NODE, STAGE) as watched:
        listed = await _tools(state, context)
        found: Json = {"tools": listed["tools"], "failed_sources": listed["failed"]} if state.get("tools") is None else {}
        if state.get("breaker"):
            calls = state.get("optional_calls", 0)
            return {
                **found,
                "executor_messages": [assistant_message("", ())],
                "notes": [Reason("optional_calls_ended", calls=calls).said_in(context.language)],
            }
        try:
            spoken = await ask(context.access, _question(listed["tools"], state, context), str)
        except NoAnswer as lost:
            watched.data = NodeFinished(usage=lost.usage)
            watched.failed(str(lost), "abstains")
            lost_message = {"executor_messages": [assistant_message("", ())]}
            return {**found, **lost_message, "notes": [Reason("agent_gave_no_thought", reason=lost).said_in(context.language)]}
        own = spoken.text[len(state.get("said", "")) :].strip()
        turn = len([each for each in messages if each["role"] == "assistant"]) + 1
        actions = tuple({"tool": call.name, "arguments": call.arguments} for call in spoken.tool_calls)
        context.access.emit(NODE, ResearchThought(turn=turn, text=own, actions=actions))
        watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage)
    message = assistant_message(own, spoken.tool_calls, spoken.carried)
    return {**found, "executor_messages": [message], "said": spoken.text, "attempt": spoken.attempt}


def should_call_optional_tools(state: ExecutorState) -> str:
    """Return `optional_tool` for a message that calls tools, else `search`. Behind the search there is no way back."""
    return "optional_tool" if state["executor_messages"][-1].get("tool_calls") else "search"


def optional_tools(tools: Sequence[Mapping[str, Any]], context: ResearchContext) -> list[Mapping[str, Any]]:
    """Return the search tools that are asked only when the agent calls them."""
    return [each for each in tools if not _is_required(each) and context.takes(each["source"])]


def required_tools(tools: Sequence[Mapping[str, Any]], context: ResearchContext) -> list[Mapping[str, Any]]:
    """Return the search tools that every search asks."""
    return [each for each in tools if _is_required(each) and context.takes(each["source"])]


def _is_required(tool: Mapping[str, Any]) -> bool:
    return bool(tool["required"]) or tool["source"] == "library"  # a folder of this machine costs no one anything


def _question(tools: Sequence[Mapping[str, Any]], state: ExecutorState, context: ResearchContext) -> Question:
    messages = tuple(state.get("executor_messages") or ())
    limit = context.request.max_optional_calls
    offered = optional_tools(tools, context) if limit else []
    sources = [str(each["source"]) for each in required_tools(tools, context)]
    return Question(
        role=ROLE,
        node=NODE,
        turn=len([each for each in messages if each["role"] == "assistant"]) + 1,
        system=loop_system(limit, sources, context.language),
        user=question_text(context.request.question, context.inputs.at, context.language),
        messages=messages,
        tools=tuple(_offer(each, context) for each in offered),
        said=state.get("said", ""),
        attempt=state.get("attempt", 1),
    )


def _offer(tool: Mapping[str, Any], context: ResearchContext) -> Tool:
    """Return a tool as the model reads it. What a server says of its tool is in no envelope: where that reads like an instruction it is
    not passed on, and the tool has its name and the types of its arguments."""
    if not _instructs(tool):
        return Tool(tool["name"], tool["description"], tool["parameters"])
    about = Reason("tool_text_withheld", source=tool["source"]).said_in(context.language)
    return Tool(tool["name"], about, _without_words(tool["parameters"]))


def _instructs(tool: Mapping[str, Any]) -> bool:
    return reads_like_an_instruction("\n".join((str(tool["description"]), *_words(tool["parameters"]))))


def _words(schema: Any) -> Iterator[str]:
    """Yield every text of a schema, names included."""
    if isinstance(schema, str):
        yield schema
    elif isinstance(schema, Mapping):
        for name, each in schema.items():
            yield str(name)
            yield from _words(each)
    elif isinstance(schema, list | tuple):
        for each in schema:
            yield from _words(each)


def _without_words(schema: Mapping[str, Any]) -> dict[str, JsonValue]:
    """Return the names and types of a schema's arguments."""
    properties = schema.get("properties")
    typed: dict[str, JsonValue] = {
        name: {"type": each["type"]} if isinstance(each, Mapping) and each.get("type") in _TYPES else {}
        for name, each in (properties.items() if isinstance(properties, Mapping) else ())
        if _ARGUMENT.fullmatch(name)
    }
    needed: list[JsonValue] = [name for name in schema.get("required") or () if name in typed]
    return {"type": "object", "properties": typed, "required": needed}


async def _tools(state: ExecutorState, context: ResearchContext) -> Json:
    """Return what the servers offer, as the run read it first, and why sources have nothing."""
    if (known := state.get("tools")) is not None:
        return {"tools": known, "failed": state.get("failed_sources") or {}}

    async def read() -> ToolsListed:
        try:
            tools = context.room.tools
            listed = await tools.tools("search")
        except TribunalError as problem:
            return ToolsListed(tools=(), missing={"search": str(problem)})
        rows = tuple(
            {
                "name": each.name,
                "source": each.source,
                "description": each.description,
                "parameters": dict(each.parameters),
                "required": each.required,
            }
            for each in listed
        )
        return ToolsListed(tools=rows, missing=dict(tools.missing))

    seen = await observe(context.access, NODE, ToolsListed, 1, read)
    if sly := [each for each in seen.tools if context.takes(str(each["source"])) and _instructs(each)]:
        seen_in = tuple(str(each["name"]) for each in sly)
        context.access.emit(NODE, InstructionsSeen(where=seen_in, excerpt=shortened(str(sly[0]["description"]), _EXCERPT)))
    missing = {name: why for name, why in seen.missing.items() if context.takes(name) or not seen.tools}  # a server that has none
    failed = {**(context.inputs.missing or {}), **missing}
    known_sources = sorted({str(each["source"]) for each in seen.tools})
    for name in context.request.sources or ():
        if name not in known_sources and name not in failed and name not in OWN_SOURCES:
            failed[name] = Reason("source_is_unknown", known=", ".join((*known_sources, *OWN_SOURCES)) or "-").said_in(context.language)
    return {"tools": [dict(each) for each in seen.tools], "failed": failed}


OWN_SOURCES = ("journal", "market")
"""What the desk reads itself: its past decisions, and what was measured of a market."""
