"""The client of MCP servers, with real processes: tools of many servers, answers of any shape, servers that die, hang or never begin."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine.domain.errors import SearchError
from engine.search.client import SearchClient
from engine.search.results import documents
from engine.search.servers import ServerSpec
from tests.conftest import ROOT

Make = Callable[..., SearchClient]


@pytest.fixture
async def make_client(tmp_path: Path) -> AsyncIterator[Make]:
    """Makes clients of the strange server. Keyword arguments are fields of its `ServerSpec`; further servers stand before."""
    made: list[SearchClient] = []

    def make(*further: ServerSpec, **fields: Any) -> SearchClient:
        args = ("-m", "tests.servers.strange_tools", str(tmp_path))
        strange = {"name": "strange", "command": sys.executable, "args": args, "cwd": ROOT, "start_s": 90.0, **fields}
        made.append(SearchClient([ServerSpec(**strange), *further], {"tavily": "it needs a key"}, tmp_path / "logs"))
        return made[-1]

    yield make
    for client in made:
        await client.close()


def _starts(folder: Path) -> list[int]:
    return [int(path.name.removeprefix("start-")) for path in folder.glob("start-*")]


@pytest.mark.full
async def test_tools_are_described_answers_and_failures_of_any_shape_understood_and_closing_ends_the_process(
    make_client: Make, tmp_path: Path
) -> None:
    client = make_client(required=frozenset({"strange_search"}), env={"STRANGE_KEY": "k"})
    tools = {tool.name: tool for tool in await client.tools("search")}
    assert (tools["strange_search"].source, tools["strange_search"].required) == ("strange", True)
    assert (tools["plain_text"].source, tools["plain_text"].required) == ("strange", False)
    assert tools["strange_search"].parameters["required"] == ["query"]
    assert await client.tools("download") == ()
    (found,) = documents("strange", await client.call("strange_search", {"query": "basis"}))
    assert (found.title, found.url, found.abstract) == ("About basis", "https://strange.example/1", "It is strange.")
    assert documents("structured", await client.call("structured_search", {"query": "basis"}))[0].title == "basis"
    assert documents("strange", await client.call("plain_text", {"query": "basis"}))[0].abstract == "Nothing but words about basis."
    names = await client.call("environment_search", {"query": ""})
    assert "STRANGE_KEY" in str(names)
    assert "PYTEST_CURRENT_TEST" not in str(names), "a server gets nothing of our environment but PATH and the like"
    with pytest.raises(SearchError, match=r"^no luck with basis and a second line$"):
        await client.call("failing_search", {"query": "basis"})
    with pytest.raises(
        SearchError, match=r"^strange_search does not accept what it was asked \(query\)$"
    ):  # nothing of pydantic's own words
        await client.call("strange_search", {"question": "basis"})
    with pytest.raises(SearchError, match=r"there is no tool 'other_search'; there are deadly_search, "):
        await client.call("other_search", {})
    with pytest.raises(SearchError, match="it needs a key"):
        await client.call("tavily_search", {})
    (pid,) = _starts(tmp_path)
    assert "strange tools begin" in (tmp_path / "logs" / "mcp-strange.log").read_text()
    endless = asyncio.ensure_future(client.call("endless_search", {"query": "x"}))
    await client.call("plain_text", {"query": "the other call has been sent before"})
    await client.close()
    assert not psutil.pid_exists(pid)
    with pytest.raises(SearchError, match="is closed"):
        await endless
    assert _starts(tmp_path) == [pid]


@pytest.mark.full
async def test_a_server_that_is_killed_is_begun_again_and_a_call_that_kills_it_twice_fails_alone(make_client: Make, tmp_path: Path) -> None:
    client = make_client()
    deadly = client.call("deadly_search", {"query": "x", "times": 1})
    beside = client.call("strange_search", {"query": "beside"})
    survived, answer = await asyncio.gather(deadly, beside)
    assert documents("deadly", survived)[0].title == "survived 1"
    assert documents("strange", answer)[0].title == "About beside"
    assert len(_starts(tmp_path)) == 2
    with pytest.raises(SearchError, match=r"ended in the middle of deadly_search, 2 times"):
        await client.call("deadly_search", {"query": "x", "times": 3})
    assert documents("strange", await client.call("strange_search", {"query": "later"}))[0].title == "About later"
    assert len(_starts(tmp_path)) == 4
    os.kill(max(_starts(tmp_path), key=lambda pid: psutil.Process(pid).create_time() if psutil.pid_exists(pid) else 0), signal.SIGKILL)
    assert documents("strange", await client.call("strange_search", {"query": "y"}))[0].title == "About y", "killed while nobody asked"


@pytest.mark.full
async def test_a_server_that_cannot_be_begun_is_missing_by_reason_and_the_others_have_their_tools(
    make_client: Make, tmp_path: Path
) -> None:
    talker = "import sys; print('no such licence', file=sys.stderr); sys.exit(3)"
    client = make_client(
        ServerSpec(name="absent", command=str(tmp_path / "no-such-program")),
        ServerSpec(name="broken", command=sys.executable, args=("-c", talker)),
        ServerSpec(name="silent", command=sys.executable, args=("-c", "import time; time.sleep(60)"), start_s=0.5),
        ServerSpec(name="twin", command=sys.executable, args=("-m", "tests.servers.strange_tools", str(tmp_path)), cwd=ROOT, start_s=90.0),
        required=frozenset({"strange_search", "lost_search"}),
    )
    assert "strange_search" in {tool.name for tool in await client.tools("search")}
    missing = client.missing
    assert "No such file" in missing["absent"]
    assert "no such licence" in missing["broken"]
    assert "within 0.5 s" in missing["silent"]
    assert "has the name of another server's" in missing["twin"]
    assert missing["strange"].startswith("it has no tool lost_search, which is required of it")


@pytest.mark.full
async def test_a_server_that_goes_on_without_us_is_ended_with_what_it_began_and_what_it_says_is_bounded(
    make_client: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.search.connection._LOOK_AT_LOG_S", 0.05)
    helper = tmp_path / "helper"
    script = f"sleep 300 & echo $! > {helper}; head -c 4000000 /dev/zero | tr '\\0' x >&2; echo 'one last word' >&2; \"$@\"; sleep 300"
    client = make_client(command="/bin/sh", args=("-c", script, "sh", sys.executable, "-m", "tests.servers.strange_tools", str(tmp_path)))
    await client.call("strange_search", {"query": "x"})
    left = psutil.Process(int(helper.read_text()))
    assert left.is_running()
    log = tmp_path / "logs" / "mcp-strange.log"
    async with asyncio.timeout(30):
        while log.stat().st_size > 256_000:  # noqa: ASYNC110 - a file of another process
            await asyncio.sleep(0.05)
    await client.close()
    gone, _ = await asyncio.to_thread(psutil.wait_procs, [left], 5)
    assert gone == [left] or left.status() == psutil.STATUS_ZOMBIE
    assert "one last word" in log.read_text()


@pytest.mark.full
async def test_a_call_that_is_late_fails_alone_and_the_next_one_is_answered(make_client: Make, tmp_path: Path) -> None:
    client = make_client(call_s=8.0)
    await client.tools("search")
    for _ in range(2):
        with pytest.raises(SearchError, match=r"^strange did not answer endless_search within 8 s$"):
            await client.call("endless_search", {"query": "x"})
        assert documents("strange", await client.call("strange_search", {"query": "y"}))[0].title == "About y"
    assert len(_starts(tmp_path)) == 3, "one that may hang is begun again"


@pytest.mark.full
async def test_a_call_that_is_late_takes_no_other_with_it(make_client: Make, tmp_path: Path) -> None:
    client = make_client(call_s=10.0)
    await client.tools("search")
    late = asyncio.ensure_future(client.call("endless_search", {"query": "x"}))
    await asyncio.sleep(5)  # half of its time: so long the other one has after it
    other = asyncio.ensure_future(client.call("patient_search", {"query": "y"}))
    with pytest.raises(SearchError, match="within 10 s"):
        await late
    (tmp_path / "go").touch()
    assert documents("strange", await other)[0].title == "y"
    assert len(_starts(tmp_path)) == 1, "it was answered by the server that it had asked"
