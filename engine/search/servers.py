"""MCP servers: what is needed to begin one, and the file of further ones (TRIBUNAL_MCP_SERVERS).

The file is `{NAME: {"command", "args", "env", "required"}}`; a fault is named by its place. A server gets the environment that is there and
nothing of ours but PATH, HOME and the like.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from engine.domain.errors import BadInput
from engine.domain.text.plain_json import read_json
from engine.domain.text.reason import Reason
from engine.search.protocol import BOTH, ToolKind

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_KEYS: Final = ("command", "args", "env", "required")
_MOST_CHARACTERS: Final = 1_000_000
_MOST_SERVERS: Final = 20


@dataclass(frozen=True)
class ServerSpec:
    """One server on stdio. env: all it gets beside PATH, HOME and the like. cwd: None = ours. required: its tools that are asked in every
    search. kinds: of the tools that are wanted of it. start_s, call_s: seconds within which it must list its tools, and answer a call."""

    name: str
    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None
    required: frozenset[str] = frozenset()
    kinds: frozenset[ToolKind] = BOTH
    start_s: float = 30.0
    call_s: float = 60.0


def read_servers(path: Path, taken: frozenset[str]) -> tuple[ServerSpec, ...]:
    """Return the servers of a file. taken: names that ours have. Raises BadInput naming the file and the place in it."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(_MOST_CHARACTERS + 1)
        if len(text) > _MOST_CHARACTERS:
            raise ValueError(f"longer than {_MOST_CHARACTERS:,} characters: too large for a list of servers")
        content = read_json(text)
        if not isinstance(content, dict):
            raise ValueError('not an object, such as {"name": {"command": "npx", "args": []}}')
        if len(content) > _MOST_SERVERS:
            raise ValueError(f"{len(content)} servers: {_MOST_SERVERS} at most")
        return tuple(_server(name, entry, taken) for name, entry in content.items())
    except OSError as problem:
        raise BadInput(Reason("tribunal_mcp_servers_cannot_be_read", path=path, strerror=problem.strerror or problem)) from None
    except (ValueError, RecursionError) as problem:
        raise BadInput(f"TRIBUNAL_MCP_SERVERS: {path}: {problem}") from None


def _server(name: str, entry: Any, taken: frozenset[str]) -> ServerSpec:
    if _NAME.fullmatch(name) is None:
        raise ValueError(f"{name[:60]!a} is no name of a server: letters, digits, - and _, 40 at most")
    if name in taken:
        raise ValueError(f"{name}: a server of our own has this name; choose another")
    if not isinstance(entry, dict):
        raise ValueError(f"{name}: must be an object with {', '.join(_KEYS)}")
    if unknown := sorted(set(entry) - set(_KEYS)):
        raise ValueError(f"{name}.{unknown[0][:60]}: is not known; there are {', '.join(_KEYS)}")
    command = entry.get("command")
    if not isinstance(command, str) or not command.strip() or not _can_be_given(command):
        raise ValueError(f"{name}.command: must be the program to begin, as a text")
    return ServerSpec(
        name=name,
        command=command,
        args=tuple(_texts(f"{name}.args", entry.get("args", []))),
        env=_environment(f"{name}.env", entry.get("env", {})),
        required=frozenset(_texts(f"{name}.required", entry.get("required", []))),
    )


def _texts(where: str, value: Any) -> Iterator[str]:
    if not isinstance(value, list):
        raise ValueError(f"{where}: must be a list of texts")
    for index, each in enumerate(value):
        if not isinstance(each, str) or not _can_be_given(each):
            raise ValueError(f"{where}[{index}]: must be a text")
        yield each


def _environment(where: str, value: Any) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise ValueError(f"{where}: must be an object of texts")
    for name, each in value.items():
        if not name or "=" in name or not _can_be_given(name):
            raise ValueError(f"{where}: {name[:60]!a} is no name of a variable")
        if not isinstance(each, str) or not _can_be_given(each):  # what is there may be a secret: it is not repeated
            raise ValueError(f"{where}.{name[:60]}: must be a text")
    return dict(value)


def _can_be_given(text: str) -> bool:
    """Return whether a process can be given a text: it has no NUL, and no half of a character."""
    return "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)
