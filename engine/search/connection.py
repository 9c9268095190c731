"""One MCP server on stdio: begun at its first call, ended when we end, begun again when it died.

The streams of a session must be closed by the task that opened them, so each session has a task of its own; calls come from any task and
run side by side. A call whose server dies in the middle is made once more on a new one, so it may run twice: that is right for tools that
read. A second death fails that call alone.
"""

import asyncio
import json
import logging
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TextIO

import anyio
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langchain_mcp_adapters.tools import load_mcp_tools
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CONNECTION_CLOSED
from pydantic import JsonValue

from engine.domain.errors import SearchError
from engine.domain.text.reason import Reason, bounded, mapped
from engine.search.servers import ServerSpec

_ATTEMPTS: Final = 2
_LAST_WORDS: Final = 200  # characters of the log that are quoted
_LONGEST_LOG, _KEPT_OF_LOG = 256_000, 16_000  # bytes
_LOOK_AT_LOG_S = 5.0
_MOST_CHARACTERS: Final = 4_000_000
_LONGEST_REASON: Final = 400
_GONE: Final = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream)
"""What a session raises whose server has ended."""
_OF_A_SCHEMA: Final = re.compile(
    r"validation errors? for |\[type=\w+|input_value=|errors\.pydantic\.dev|^input validation error|is a required property|is not of type ",
    re.IGNORECASE,
)
"""What pydantic and JSON schemas say of arguments: of use to the server's author."""
_FIELD: Final = re.compile(r"validation errors? for \S+ ([A-Za-z_][\w.]{0,60}) |'([A-Za-z_]\w{0,60})' is a required property")
_LOG: Final = logging.getLogger("engine.search")


class _ServerDied(Exception):
    """The server's process ended, or its session was closed."""


class _Session:
    """One run of a server, from its start to its end. log: its stderr, emptied at each start, cut to its end when it grows too long.
    tools: by name, in the server's order."""

    def __init__(self, spec: ServerSpec, log: Path) -> None:
        self.tools: Mapping[str, BaseTool] = {}
        self.calls = 0
        self.owner = asyncio.create_task(self._hold(spec, log), name=f"MCP server {spec.name}")
        self._fault: str | None = Reason("mcp_server_is_closed", name=spec.name)
        self._begun = asyncio.Event()

    @property
    def is_over(self) -> bool:
        """Whether no further call may use it."""
        return self.owner.done() or self.owner.cancelling() > 0

    async def begun(self) -> None:
        """Wait until its tools are listed. Raises SearchError when it could not be begun."""
        await self._begun.wait()
        if self._fault is not None:
            raise SearchError(self._fault)

    async def _hold(self, spec: ServerSpec, log: Path) -> None:
        try:
            asked = StdioServerParameters(command=spec.command, args=list(spec.args), env=dict(spec.env), cwd=spec.cwd)
            with _emptied(log) as errors:
                async with stdio_client(asked, errors) as streams, ClientSession(*streams) as session:
                    async with asyncio.timeout(spec.start_s):
                        await session.initialize()
                        self.tools = {tool.name: tool for tool in await load_mcp_tools(session)}
                    self._fault = None
                    self._begun.set()
                    while True:
                        await asyncio.sleep(_LOOK_AT_LOG_S)
                        _shorten(log)
        except (OSError, ExceptionGroup) as problem:
            fault = _in_words(problem, spec)
            self._fault = Reason("mcp_server_could_not_be_begun", name=spec.name, fault=fault, last_words=_last_words(log))
        finally:
            self._begun.set()

    async def ask(self, name: str, arguments: Mapping[str, Any]) -> ToolMessage:
        """Return a tool's message. Raises _ServerDied, McpError, and ValueError or the like for an answer that breaks the protocol."""
        call = {"type": "tool_call", "name": name, "id": name, "args": dict(arguments)}
        asking = asyncio.ensure_future(self.tools[name].ainvoke(call))
        asking.add_done_callback(lambda done: done.cancelled() or done.exception())  # a failure that no one waits for is none
        self.calls += 1
        try:
            await asyncio.wait({asking, self.owner}, return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                raise _ServerDied
            answer: ToolMessage = asking.result()
            return answer
        except _GONE:
            raise _ServerDied from None
        except McpError as error:
            if error.error.code == CONNECTION_CLOSED:
                raise _ServerDied from None
            raise
        finally:
            asking.cancel()
            self.calls -= 1


class ServerConnection:
    """The way to one server. log: file that its stderr goes to."""

    def __init__(self, spec: ServerSpec, log: Path) -> None:
        self.spec = spec
        self._log = log
        self._session: _Session | None = None
        self._owners: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def tools(self) -> Mapping[str, BaseTool]:
        """Return its tools by name, in its order. Raises SearchError when it cannot be begun."""
        return (await self._running()).tools

    async def call(self, name: str, arguments: Mapping[str, Any]) -> JsonValue:
        """Return a tool's answer. Raises SearchError: the tool's own reason, no answer in time, a server that died twice."""
        running: _Session | None = None
        try:
            async with asyncio.timeout(self.spec.call_s):
                for _ in range(_ATTEMPTS):
                    running = await self._running()
                    if name not in running.tools:
                        raise SearchError(Reason("has_no_tool", name=self.spec.name, name2=name))
                    try:
                        return _answer_of(name, await running.ask(name, arguments))
                    except _ServerDied:
                        running.owner.cancel()
        except TimeoutError:
            if running is not None and not running.calls:
                running.owner.cancel()  # it may hang: the next call begins another, unless one is waiting that it may still answer
            raise SearchError(Reason("did_not_answer_within_s", name=self.spec.name, name2=name, call_s=f"{self.spec.call_s:g}")) from None
        except McpError as error:
            raise SearchError(f"{name}: {error}") from None
        except (RuntimeError, ValueError, NotImplementedError) as error:
            _LOG.warning("%s broke the protocol: %s", name, error)
            raise SearchError(Reason("mcp_answer_cannot_be_read", name=name)) from None
        said = _last_words(self._log)
        raise SearchError(Reason("ended_in_middle_of", name=self.spec.name, name2=name, attempts=_ATTEMPTS, last_words=said))

    async def close(self) -> None:
        """End the server and wait for its end. No call begins it again."""
        self._is_closed = True
        for owner in self._owners:
            owner.cancel()
        if self._owners:
            await asyncio.wait(self._owners)

    async def _running(self) -> _Session:
        if self._is_closed:
            raise SearchError(Reason("mcp_server_is_closed", name=self.spec.name))
        if self._session is None or self._session.is_over:
            self._session = _Session(self.spec, self._log)
            self._owners.add(self._session.owner)
            self._session.owner.add_done_callback(self._owners.discard)
        session = self._session
        await session.begun()
        return session


def _answer_of(name: str, message: ToolMessage) -> JsonValue:
    """Return what the server gives as structured, else its text; of several texts a list.

    Raises SearchError with the tool's own reason where it failed, in plain words where that is a schema's, and for an answer that is too
    large.
    """
    blocks = [{"text": message.content}] if isinstance(message.content, str) else message.content
    texts = [str(each["text"]) for each in blocks if isinstance(each, dict) and "text" in each]  # pictures and files have none
    if message.status == "error":
        raise SearchError(bounded(_reason(texts) or _said(name, texts), _LONGEST_REASON))
    structured = (message.artifact or {}).get("structured_content")
    answer: JsonValue = structured if structured is not None else texts[0] if len(texts) == 1 else list(texts)
    if len(json.dumps(answer)) > _MOST_CHARACTERS:
        raise SearchError(Reason("answered_with_more_than_characters", name=name, most_characters=f"{_MOST_CHARACTERS:,}"))
    return answer


def _said(name: str, texts: list[str]) -> str:
    """Return why a tool failed, by its own words; what a schema says goes to the log."""
    said = " ".join(" ".join(texts).split()).removeprefix(f"Error executing tool {name}: ")
    if not _OF_A_SCHEMA.search(said):
        return said or Reason("failed_without_reason", name=name)
    _LOG.warning("%s refused its arguments: %s", name, said)
    field = _FIELD.search(said)
    return Reason("does_not_accept_what_it_was_asked", name=name, about=f" ({field[1] or field[2]})" if field else "")


def _reason(texts: list[str]) -> Reason | None:
    """Return the reason that a server of ours gives beside its words; None for another server's text. Its key and values have to make the
    same words, so that no server can pass its text off as one of ours."""
    *words, last = "\n".join(texts).split("\n")
    try:
        given = Reason.read(json.loads(last))
        made = mapped(given, str) if isinstance(given, Reason) else None
    except (ValueError, KeyError, IndexError, RecursionError):
        return None
    return made if isinstance(made, Reason) and made == " ".join(words) else None


def _in_words(problem: Exception, spec: ServerSpec) -> str:
    """Return why a server could not be begun."""
    while isinstance(problem, ExceptionGroup):  # the scopes of its streams wrap what is raised within them
        problem = problem.exceptions[0]
    if isinstance(problem, TimeoutError):
        return Reason("it_did_not_list_its_tools_within", start_s=f"{spec.start_s:g}")
    if isinstance(problem, OSError):
        return f"{spec.command}: {problem.strerror or problem}"
    return " ".join(str(problem).split()) or type(problem).__name__


def _emptied(log: Path) -> TextIO:
    """Return the log of a server, opened and emptied; where none can be made, its words are lost."""
    try:
        log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600), "w", encoding="utf-8")
    except OSError:
        return Path(os.devnull).open("w", encoding="utf-8")


def _shorten(log: Path) -> None:
    """Keep only the end of a log that has grown too long; the server goes on writing behind it."""
    with suppress(OSError):
        if log.stat().st_size > _LONGEST_LOG:
            with log.open("r+b") as file:
                file.seek(-_KEPT_OF_LOG, os.SEEK_END)
                end = file.read()
                file.truncate(0)
                file.seek(0)
                file.write(end)


def _last_words(log: Path) -> str:
    """Return the last line of a server's log, as a part of a message."""
    with suppress(OSError), log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 4 * _LAST_WORDS))
        lines = [" ".join(line.split()) for line in file.read().decode("utf-8", "replace").split("\n") if line.strip()]
        if lines:
            return Reason("hint_last_words", words=lines[-1][:_LAST_WORDS])
    return ""
