"""What the servers offer: tools that every search asks, and tools that the agent may call in its loop.

What a server says of its tool is in no envelope: where that reads like an instruction it is not passed on.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import JsonValue

from engine.agents.observe import observe
from engine.desks.research.context import ResearchContext
from engine.desks.research.state import ExecutorState
from engine.domain.errors import TribunalError
from engine.domain.events import InstructionsSeen
from engine.domain.research.events import ToolsListed
from engine.domain.text.reason import Reason
from engine.domain.text.visible import shortened
from engine.llm.protocol import Tool
from engine.prompts.instruction_text import reads_like_an_instruction

OWN_SOURCES: Final = ("journal", "market")
"""What the desk reads itself: its past decisions, and what was measured of a market."""
_TYPES: Final = ("string", "integer", "number", "boolean", "array", "object")
_ARGUMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,40}")
_EXCERPT: Final = 200
_FIELDS: Final = ("name", "source", "description", "parameters", "required")

ListedTool = Mapping[str, Any]
"""{"name","source","description","parameters","required"}"""


async def listed_tools(state: ExecutorState, context: ResearchContext, node: str) -> tuple[Sequence[ListedTool], dict[str, str]]:
    """Return what the servers offer, as the run read it first, and why sources have nothing."""
    if (known := state.get("tools")) is not None:
        return known, state.get("failed_sources") or {}

    async def read() -> ToolsListed:
        try:
            tools = context.room.tools
            listed = await tools.tools("search")
        except TribunalError as problem:
            return ToolsListed(tools=(), missing={"search": str(problem)})
        rows = tuple({name: getattr(each, name) for name in _FIELDS} | {"parameters": dict(each.parameters)} for each in listed)
        return ToolsListed(tools=rows, missing=dict(tools.missing))

    seen = await observe(context.access, node, ToolsListed, 1, read)
    if sly := [each for each in seen.tools if context.request.takes(str(each["source"])) and _instructs(each)]:
        seen_in = tuple(str(each["name"]) for each in sly)
        context.access.emit(node, InstructionsSeen(where=seen_in, excerpt=shortened(str(sly[0]["description"]), _EXCERPT)))
    missing = {name: why for name, why in seen.missing.items() if context.request.takes(name) or not seen.tools}  # a server that has none
    failed = {**(context.inputs.missing or {}), **missing}
    known_sources = sorted({str(each["source"]) for each in seen.tools})
    for name in context.request.sources or ():
        if name not in known_sources and name not in failed and name not in OWN_SOURCES:
            failed[name] = Reason("source_is_unknown", known=", ".join((*known_sources, *OWN_SOURCES)) or "-").said_in(context.language)
    return [dict(each) for each in seen.tools], failed


def optional_tools(tools: Sequence[ListedTool], context: ResearchContext) -> list[ListedTool]:
    """Return the search tools that are asked only when the agent calls them."""
    return [each for each in tools if not _is_required(each) and context.request.takes(each["source"])]


def required_tools(tools: Sequence[ListedTool], context: ResearchContext) -> list[ListedTool]:
    """Return the search tools that every search asks."""
    return [each for each in tools if _is_required(each) and context.request.takes(each["source"])]


def _is_required(tool: ListedTool) -> bool:
    return bool(tool["required"]) or tool["source"] == "library"  # a folder of this machine costs no one anything


def offer(tool: ListedTool, context: ResearchContext) -> Tool:
    """Return a tool as the model reads it. What a server says of its tool is in no envelope: where that reads like an instruction it is
    not passed on, and the tool has its name and the types of its arguments."""
    if not _instructs(tool):
        return Tool(tool["name"], tool["description"], tool["parameters"])
    about = Reason("tool_text_withheld", source=tool["source"]).said_in(context.language)
    return Tool(tool["name"], about, _without_words(tool["parameters"]))


def _instructs(tool: ListedTool) -> bool:
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


def with_bound(parameters: Mapping[str, Any], arguments: Mapping[str, Any], context: ResearchContext) -> dict[str, Any]:
    """Return the arguments of a search; in a run about the past, with the last day that is wanted, where the tool takes one."""
    takes_bound = "until" in (parameters.get("properties") or {})
    bound = {"until": f"{context.inputs.at:%Y-%m-%d}"} if takes_bound and not context.inputs.is_present else {}
    return {**arguments, **bound}
