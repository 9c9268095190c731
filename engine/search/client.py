"""The tools of every configured MCP server, as research asks for them: implements `SearchTools`."""

import asyncio
import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import JsonValue

from engine.domain.errors import SearchError
from engine.domain.text.reason import Reason
from engine.domain.text.visible import one_line, visible
from engine.search.protocol import SearchTool, ToolKind
from engine.search.servers import ServerSpec

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from engine.search.connection import ServerConnection

_LONGEST_DESCRIPTION: Final = 1_000
_LARGEST_SCHEMA: Final = 20_000
_DEEPEST_SCHEMA: Final = 40
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What endpoints of models take as the name of a tool: another one would have them refuse every tool."""
_MOST_TOOLS: Final = 40
_OURS: Final = frozenset({"journal", "market"})
"""Sources that the desk reads itself: no one else's documents are those."""
_SUFFIX: Final[Mapping[ToolKind, str]] = {"search": "_search", "download": "_download"}


class SearchClient:
    """Implements `SearchTools`. missing: sources of ours that have no tools, and why. logs: folder for what servers write to stderr."""

    def __init__(self, servers: Sequence[ServerSpec], missing: Mapping[str, str], logs: Path) -> None:
        self._specs, self._logs = servers, logs
        self._servers: list[ServerConnection] = []
        self._without: Mapping[str, str] = dict(missing)
        self._failed: dict[str, str] = {}
        self._homes: dict[str, ServerConnection] = {}

    @property
    def missing(self) -> Mapping[str, str]:
        return {**self._without, **self._failed}

    async def tools(self, kind: ToolKind) -> Sequence[SearchTool]:
        """See the protocol. Of two tools with one name the first server's is taken; of a server that lists more than any needs, the first
        ones. `missing` says so of the server, and which names cannot be used."""
        servers = [server for server in await self._connections() if kind in server.spec.kinds]
        listed = await asyncio.gather(*(self._listed(server) for server in servers))
        found: dict[str, SearchTool] = {}
        for server, tools in zip(servers, listed, strict=True):
            for tool in tools:
                if _kind_of(tool.name) != kind:
                    continue
                if tool.name in found:
                    self._failed[server.spec.name] = f"its tool {tool.name} has the name of another server's: it is not used"
                    continue
                found[tool.name] = _described(tool, kind, server.spec)
                self._homes[tool.name] = server
        return tuple(found.values())

    async def call(self, name: str, arguments: Mapping[str, Any]) -> JsonValue:
        if name not in self._homes:
            await self.tools(_kind_of(name))
        if name not in self._homes:
            why = self.missing.get(name.removesuffix(_SUFFIX["search"]).removesuffix(_SUFFIX["download"]))
            raise SearchError(why or Reason("mcp_tool_is_unknown", name=f"{name[:80]!r}", homes=", ".join(sorted(self._homes)) or "none"))
        return await self._homes[name].call(name, arguments)

    async def close(self) -> None:
        """End every server."""
        await asyncio.gather(*(server.close() for server in self._servers))

    async def _connections(self) -> "Sequence[ServerConnection]":
        connection = await asyncio.to_thread(_connection_class)
        if not self._servers:
            self._servers = [connection(spec, self._logs / f"mcp-{spec.name}.log") for spec in self._specs]
        return self._servers

    async def _listed(self, server: "ServerConnection") -> "Sequence[BaseTool]":
        name = server.spec.name
        self._failed.pop(name, None)
        try:
            tools = await server.tools()
        except SearchError as why:
            self._failed[name] = str(why)
            return ()
        if lost := sorted(server.spec.required - tools.keys()):
            self._failed[name] = f"it has no tool {lost[0]}, which is required of it; it has {', '.join(sorted(tools)) or 'none'}"
        usable = [tool for tool in tools.values() if self._is_usable(tool, name)]
        if len(usable) > _MOST_TOOLS:
            self._failed[name] = f"it lists {len(usable)} tools: the first {_MOST_TOOLS} are used"
        return usable[:_MOST_TOOLS]

    def _is_usable(self, tool: "BaseTool", server: str) -> bool:
        if _NAME.fullmatch(tool.name) is None:
            self._failed[server] = f"its tool {one_line(tool.name)[:60]!r} is not used: a name has letters, digits, - and _, 64 at most"
            return False
        if any(tool.name.removesuffix(suffix) in _OURS for suffix in _SUFFIX.values()):
            self._failed[server] = f"its tool {tool.name} is not used: {', '.join(sorted(_OURS))} are what the desk reads itself"
            return False
        return True


def _connection_class() -> "type[ServerConnection]":
    from engine.search.connection import ServerConnection  # noqa: PLC0415 - with mcp it takes a second: other runs go on meanwhile

    return ServerConnection


def _kind_of(name: str) -> ToolKind:
    return "download" if name.endswith(_SUFFIX["download"]) else "search"


def _described(tool: "BaseTool", kind: ToolKind, spec: ServerSpec) -> SearchTool:
    source = tool.name.removesuffix(_SUFFIX[kind])
    parameters = _strict(tool.args_schema)
    if not isinstance(parameters, dict) or len(json.dumps(parameters)) > _LARGEST_SCHEMA:
        parameters = {"type": "object"}
    return SearchTool(
        name=tool.name,
        source=source if source != tool.name else spec.name,
        kind=kind,
        description=visible(tool.description)[:_LONGEST_DESCRIPTION],
        parameters=parameters,
        required=kind == "search" and tool.name in spec.required,
    )


def _strict(value: Any, depth: int = 0) -> JsonValue:
    """Return a schema as strict JSON without hidden characters: what JSON has no number for, and what is too deep, becomes null."""
    if isinstance(value, dict) and depth < _DEEPEST_SCHEMA:
        return {visible(str(key)): _strict(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list) and depth < _DEEPEST_SCHEMA:
        return [_strict(each, depth + 1) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return visible(value) if isinstance(value, str) else value if isinstance(value, bool | int) else None
