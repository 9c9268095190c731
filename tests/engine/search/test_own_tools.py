"""Our own tools as they are in a process: two servers of ours over loopback services, what each may know, and when they end."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine.bootstrap.search import SearchRooms
from engine.domain.errors import SearchError
from engine.search.protocol import SearchTools
from engine.search.results import documents
from engine.settings import Settings
from tests.conftest import ROOT
from tests.servers.sources import PAGE, LoopbackSources

BEGIN = """
import asyncio, sys
from pathlib import Path
from engine.bootstrap.search import SearchRooms
from engine.settings import Settings

async def main():
    room = SearchRooms(Settings(_env_file=None, home=Path(sys.argv[1]))).room()
    await room.tools.tools("search")
    await room.tools.tools("download")
    print("begun", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.fixture
async def tools(services: LoopbackSources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SearchTools]:
    library = tmp_path / "library"
    library.mkdir()
    (library / "basis.md").write_text("---\ntitle: Basis\ndate: 2025-01-02\n---\nBasis is the future's price less the spot price.\n")
    strange = {"command": sys.executable, "args": ["-m", "tests.servers.strange_tools", str(tmp_path)], "required": ["strange_search"]}
    (tmp_path / "servers.json").write_text(json.dumps({"strange": strange}))
    monkeypatch.chdir(ROOT)  # where the strange server's module is found
    keys = {"openai_api_key": "sk-of-the-model", "api_secret": "exchange-secret"}
    settings = Settings(
        _env_file=None,
        home=tmp_path / "home",
        contact="ops@desk.example",
        mcp_servers=tmp_path / "servers.json",
        **services.settings(),
        **keys,
    )
    rooms = SearchRooms(settings)
    yield rooms.room(str(library)).tools
    await rooms.close()


def _children() -> list[psutil.Process]:
    found = []
    for each in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):  # it has ended: another one's
            found += [each] if "mcp" in each.cmdline() else []
    return found


@pytest.mark.full
async def test_every_source_answers_fails_alone_and_only_what_it_gave_is_saved(
    tools: SearchTools, services: LoopbackSources, tmp_path: Path
) -> None:
    required = [tool.name for tool in await tools.tools("search") if tool.required]
    ours = ["library_search", "openalex_search", "semantic_scholar_search", "tavily_search", "wikipedia_search"]
    assert sorted(required) == sorted([*ours, "strange_search"])
    found = {name: documents(name.removesuffix("_search"), await tools.call(name, {"query": "basis"})) for name in required}
    assert all(found.values())
    assert all("ops@desk.example" in headers["User-Agent"] for _, headers in services.requests)
    assert len(_children()) == 1, "the one that downloads is begun when a download is asked for"

    page = found["tavily_search"][0]
    answer = await tools.call("tavily_download", {"document": page.model_dump(mode="json")})
    (saved,) = documents("tavily", answer)
    assert PAGE in saved.text
    assert saved.saved_path is not None
    file = tmp_path / "home" / "downloads" / saved.saved_path
    assert PAGE.encode() in file.read_bytes()
    assert (saved.title, saved.url) == (page.title, page.url)
    (own,) = documents("library", await tools.call("library_download", {"document": found["library_search"][0].model_dump(mode="json")}))
    assert own.text.startswith("Basis is")

    elsewhere = page.model_copy(update={"url": f"{services.url}/page/9?secret=1"}).model_dump(mode="json")
    with pytest.raises(SearchError, match="was not found by a search of tavily"):
        await tools.call("tavily_download", {"document": elsewhere})
    with pytest.raises(SearchError, match="not of 'wikipedia'"):
        await tools.call("wikipedia_download", {"document": page.model_dump(mode="json")})
    with pytest.raises(SearchError, match=r"^the field title of the document is not valid$"):
        await tools.call("tavily_download", {"document": {**elsewhere, "title": 5}})
    assert services.asked("/page/9") == 0

    services.fail("/works", "html")
    with pytest.raises(SearchError, match=r"^OpenAlex answered with a web page instead of JSON: is TRIBUNAL_OPENALEX_URL right"):
        await tools.call("openalex_search", {"query": "another question"})
    assert documents("wikipedia", await tools.call("wikipedia_search", {"query": "basis"}))
    late = documents("tavily", await tools.call("tavily_search", {"query": "basis", "until": "2024-12-31"}))
    assert [each.published_date for each in late] == [None], "what is dated later is not given"
    with pytest.raises(SearchError, match="until is not a date, 'soon': write YYYY-MM-DD"):
        await tools.call("tavily_search", {"query": "basis", "until": "soon"})

    assert (tmp_path / "home" / "search").stat().st_mode & 0o077 == 0, "what was searched for is its owner's alone"

    known = {each.cmdline()[each.cmdline().index("--kind") + 1]: each.environ() for each in _children()}
    assert known["search"]["TAVILY_API_KEY"] == "tvly-loopback-key"
    assert "TAVILY_API_KEY" not in known["download"], "what reads strange files knows no key"
    assert not {"OPENAI_API_KEY", "TRIBUNAL_API_SECRET"} & {*known["search"], *known["download"]}


@pytest.mark.full
def test_no_child_is_left_when_the_engines_process_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", BEGIN, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "begun\n"
        children = psutil.Process(parent.pid).children()
        assert len(children) == 2
        os.kill(parent.pid, signal.SIGKILL)
    _, alive = psutil.wait_procs(children, timeout=60)
    assert alive == []


@pytest.mark.full
@pytest.mark.parametrize("ends", ["its stdin", "SIGTERM"])
def test_the_command_speaks_the_protocol_on_stdout_and_nothing_else(tmp_path: Path, ends: str) -> None:
    environment = {"PATH": os.environ["PATH"], "TRIBUNAL_HOME": str(tmp_path), "HOME": str(tmp_path)}
    asked: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": _NAME}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "engine", "mcp", "--environment-only"],
        cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        for each in asked:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **each}) + "\n")
            server.stdin.flush()
        lines = [json.loads(server.stdout.readline()) for _ in range(2)]
        server.terminate() if ends == "SIGTERM" else server.stdin.close()
        assert server.stdout.read() == ""
        assert server.wait(60) == 0
    names = {tool["name"] for tool in lines[1]["result"]["tools"]}
    assert {"wikipedia_search", "library_search", "sec_edgar_download", "library_download"} <= names
    assert "tavily_search" not in names, "without its key"


_NAME = {"name": "test", "version": "1"}
