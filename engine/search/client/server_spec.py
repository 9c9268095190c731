"""What is needed to begin an MCP server: its command, what it gets from our environment (nothing else), what is asked of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.search.protocol import ToolKind

BOTH: frozenset[ToolKind] = frozenset({"search", "download"})


@dataclass(frozen=True)
class ServerSpec:
    """One server on stdio. env: all it gets beside PATH, HOME and the like. cwd: None = ours. required: its tools that are asked in every
    search. kinds: of the tools that are wanted of it. start_s, call_s: seconds within which it must list its tools, and answer a call.
    idle_s: it is ended after so long without a call; the next one begins it again."""

    name: str
    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None
    required: frozenset[str] = frozenset()
    kinds: frozenset[ToolKind] = BOTH
    start_s: float = 30.0
    call_s: float = 60.0
    idle_s: float = 600.0
