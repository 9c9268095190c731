"""One MCP server on stdio: begun at its first call, ended when it is idle or we end, begun again when it died.

A session must be entered and left in one task, so each has an owner task; calls come from any task and run side by side. A call whose
server dies in the middle is made once more on a new one, so it may run twice: that is right for tools that read. A second death fails that
call alone.
"""

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import JsonValue

from engine.domain.calls.together import together
from engine.domain.errors import SearchError
from engine.domain.text.reason import Reason
from engine.search.client.answer import answer_of
from engine.search.client.server_process import ServerProcess
from engine.search.client.server_spec import ServerSpec

if TYPE_CHECKING:  # they take most of a second to import
    from langchain_core.tools import BaseTool
    from mcp import ClientSession

_ATTEMPTS: Final = 2
_PING_S: Final = 2.0
_LAST_WORDS: Final = 200  # characters of the log that are quoted


class _ServerDied(Exception):
    """The session is closed: the server's process ended."""


@dataclass(eq=False)
class _Session:
    """A server that runs. stop: ends it. owner: the task that holds it."""

    session: "ClientSession"
    tools: Mapping[str, "BaseTool"]
    stop: asyncio.Event
    owner: "asyncio.Task[None]"
    calls: int = 0
    last_used: float = field(default_factory=time.monotonic)


class ServerConnection:
    """The way to one server. log: file that its stderr goes to."""

    def __init__(self, spec: ServerSpec, log: Path) -> None:
        self.spec = spec
        self._log = log
        self._process: ServerProcess | None = None
        self._beginning: asyncio.Task[_Session | SearchError] | None = None
        self._owners: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def tools(self) -> Mapping[str, "BaseTool"]:
        """Return its tools by name, in its order. Raises SearchError when it cannot be begun."""
        return (await self._running()).tools

    async def call(self, name: str, arguments: Mapping[str, Any]) -> JsonValue:
        """Return a tool's answer. Raises SearchError: the tool's own reason, no answer in time, a server that died twice."""
        running: _Session | None = None
        try:
            async with asyncio.timeout(self.spec.call_s):
                for _ in range(_ATTEMPTS):
                    running = await self._running()
                    try:
                        return await self._ask(running, name, arguments)
                    except _ServerDied:
                        self._drop(running)
                raise SearchError(
                    Reason("ended_in_middle_of", name=self.spec.name, name2=name, attempts=_ATTEMPTS, last_words=self._last_words())
                )
        except TimeoutError:
            if running is not None and not await self._answers(running):
                self._drop(running)
            raise SearchError(Reason("did_not_answer_within_s", name=self.spec.name, name2=name, call_s=f"{self.spec.call_s:g}")) from None

    async def close(self) -> None:
        """End the server and wait for its end. No call begins it again."""
        self._is_closed = True
        beginning, self._beginning = self._beginning, None
        if beginning is not None:
            begun = await beginning
            if isinstance(begun, _Session):
                begun.stop.set()
        if self._owners:
            await asyncio.wait(self._owners)

    async def _running(self) -> _Session:
        if self._is_closed:
            raise SearchError(Reason("mcp_server_is_closed", name=self.spec.name))
        if self._beginning is not None and self._beginning.done():
            begun = self._beginning.result()
            if isinstance(begun, SearchError) or begun.stop.is_set() or begun.owner.done():
                self._beginning = None
        if self._beginning is None:
            self._beginning = asyncio.create_task(self._begin(), name=f"begin MCP server {self.spec.name}")
        begun = await asyncio.shield(self._beginning)  # who waits may be cancelled: others wait for the same server
        if isinstance(begun, SearchError):
            raise begun
        return begun

    def _drop(self, running: _Session) -> None:
        """Let a session end; the next call begins another."""
        running.stop.set()

    async def _begin(self) -> "_Session | SearchError":
        try:
            await asyncio.to_thread(_import_client)
        except ImportError as problem:
            return SearchError(Reason("mcp_client_is_not_installed_as_requirements", problem=problem))
        ready: asyncio.Future[_Session | SearchError] = asyncio.get_running_loop().create_future()
        owner = asyncio.create_task(self._own(ready), name=f"MCP server {self.spec.name}")
        self._owners.add(owner)
        owner.add_done_callback(self._owners.discard)
        return await ready

    async def _own(self, ready: "asyncio.Future[_Session | SearchError]") -> None:
        from mcp import ClientSession, StdioServerParameters  # noqa: PLC0415 - imported in a thread by now
        from mcp.client.stdio import get_default_environment, stdio_client  # noqa: PLC0415 - see above

        spec, fault = self.spec, "it ended at once"
        try:
            with ServerProcess(spec, self._log) as self._process:
                command, args = self._process.command({**get_default_environment(), **spec.env})
                asked = StdioServerParameters(command=command, args=args, env=dict(spec.env), cwd=spec.cwd)
                async with stdio_client(asked, self._process.stderr) as (reading, writing), ClientSession(reading, writing) as session:
                    running = await self._listed(session)
                    if isinstance(running, str):
                        fault = running
                    else:
                        ready.set_result(running)
                        await _until_idle(running, spec.idle_s)
        except OSError as error:
            fault = f"{spec.command}: {error.strerror or error}"
        except ExceptionGroup as errors:  # what its streams say about an end that came from the other side
            if not ready.done():
                fault = str(errors.exceptions[0]) or fault
        finally:
            if not ready.done():
                ready.set_result(
                    SearchError(Reason("mcp_server_could_not_be_begun", name=spec.name, fault=fault, last_words=self._last_words()))
                )

    async def _listed(self, session: "ClientSession") -> "_Session | str":
        """Return the session with its tools, or why it has none."""
        from mcp import McpError  # noqa: PLC0415 - imported in a thread by now

        owner = asyncio.current_task()
        assert owner is not None
        try:
            async with asyncio.timeout(self.spec.start_s):
                await together(session.initialize(), asyncio.to_thread(_import_adapters))  # it begins while we import
                from langchain_mcp_adapters.tools import load_mcp_tools  # noqa: PLC0415 - imported by now

                tools = {tool.name: tool for tool in await load_mcp_tools(session)}
        except TimeoutError:
            return Reason("it_did_not_list_its_tools_within", start_s=f"{self.spec.start_s:g}")
        except _faults(McpError, RuntimeError, ValueError, ImportError) as error:
            return " ".join(str(error).split()) or type(error).__name__
        return _Session(session, tools, asyncio.Event(), owner)

    async def _ask(self, running: _Session, name: str, arguments: Mapping[str, Any]) -> JsonValue:
        from langchain_core.tools import ToolException  # noqa: PLC0415 - imported in a thread by now
        from mcp import McpError  # noqa: PLC0415 - see above
        from mcp.types import CONNECTION_CLOSED  # noqa: PLC0415 - see above

        tool = running.tools.get(name)
        if tool is None:
            raise SearchError(Reason("has_no_tool", name=self.spec.name, name2=name))
        call = {"type": "tool_call", "name": name, "id": name, "args": dict(arguments)}
        asking = asyncio.ensure_future(tool.ainvoke(call))
        asking.add_done_callback(lambda done: done.cancelled() or done.exception())  # a failure that no one waits for is none
        running.calls += 1
        try:
            await asyncio.wait({asking, running.owner}, return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                raise _ServerDied
            return answer_of(name, asking.result())
        except McpError as error:
            if error.error.code == CONNECTION_CLOSED:
                raise _ServerDied from None
            raise SearchError(f"{name}: {error}") from None
        except _faults():
            raise _ServerDied from None
        except (ToolException, RuntimeError, ValueError, NotImplementedError) as error:  # an answer that breaks the protocol
            logging.getLogger("engine.search").warning("%s broke the protocol: %s", name, error)
            raise SearchError(Reason("mcp_answer_cannot_be_read", name=name)) from None
        finally:
            asking.cancel()
            running.calls -= 1
            running.last_used = time.monotonic()

    async def _answers(self, running: _Session) -> bool:
        """Return whether a server that was late for one call is alive."""
        from mcp import McpError  # noqa: PLC0415 - imported in a thread by now

        try:
            async with asyncio.timeout(_PING_S):
                await running.session.send_ping()
        except _faults(McpError, TimeoutError):
            return False
        return True

    def _last_words(self) -> str:
        """Return the end of what the server wrote to stderr, as a part of a message."""
        said = self._process.last_words if self._process is not None else ""
        return Reason("hint_last_words", words=said[:_LAST_WORDS]) if said else ""


def _import_client() -> None:
    """Import what takes half a second, on a thread: the loop goes on meanwhile."""
    import mcp.client.stdio  # noqa: F401, PLC0415 - late, as above

    logging.getLogger("mcp.client.stdio").setLevel(logging.CRITICAL)  # it logs every line of a server that is no message, whole


def _import_adapters() -> None:
    import langchain_mcp_adapters.tools  # noqa: F401, PLC0415 - late, as above


def _faults(*further: type[Exception]) -> tuple[type[Exception], ...]:
    """Return what a session raises whose server is gone, and further kinds."""
    import anyio  # noqa: PLC0415 - it comes with mcp

    return anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream, *further


async def _until_idle(running: _Session, idle_s: float) -> None:
    """Return when the session is to stop, or no one has asked for so long."""
    while True:
        left = idle_s - (time.monotonic() - running.last_used)
        if left <= 0 and not running.calls:
            running.stop.set()
            return
        try:
            async with asyncio.timeout(max(left, 1.0)):
                await running.stop.wait()
                return
        except TimeoutError:
            continue
