"""A foreign MCP server that means no good: what it lists is not taken as it is, what it answers is documents or a reason, and the next call
is answered."""

import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from engine.domain.errors import SearchError
from engine.search.client import SearchClient
from engine.search.protocol import SearchTool
from engine.search.results import read_results
from engine.search.servers import ServerSpec
from tests.conftest import ROOT
from tests.flows.research.played import research
from tests.servers.hostile_tools import LISTED, ORDER
from tests.toy.room import ANSWERS, ToyTools, toy_room

Make = Callable[..., SearchClient]


@pytest.fixture
async def make_client(tmp_path: Path) -> AsyncIterator[Make]:
    made: list[SearchClient] = []

    def make(*lists: str, **fields: Any) -> SearchClient:
        spec = {"command": sys.executable, "args": ("-m", "tests.servers.hostile_tools", *lists), "cwd": ROOT, **fields}
        made.append(SearchClient([ServerSpec(name="hostile", **spec)], {}, tmp_path / "logs"))
        return made[-1]

    yield make
    for client in made:
        await client.close()


@pytest.mark.full
async def test_only_tools_that_can_be_offered_are(make_client: Make) -> None:
    refused = ("spaces", "long name", "no name", "foreign name", "journal", "market")
    taken = ("hidden", "long description", "large schema", "deep schema", "odd schema", "no schema")
    client = make_client(*refused, *taken)
    tools = {each.name: each for each in await client.tools("search")}
    assert set(tools) == {"honest_search", "hidden_search", "wordy_search", "large_search", "nested_search", "odd_search", "bare_search"}
    assert "is not used" in client.missing["hostile"]
    assert tools["hidden_search"].description.isprintable()
    assert all(len(each.description) <= 1_000 and len(str(each.parameters)) < 25_000 for each in tools.values())


@pytest.mark.full
async def test_of_too_many_tools_the_first_are_used_and_of_broken_ones_none(make_client: Make) -> None:
    client = make_client("many")
    assert len(await client.tools("search")) == 40
    assert client.missing["hostile"] == "it lists 3001 tools: the first 40 are used"
    broken = make_client("wrong types")
    assert await broken.tools("search") == ()
    assert "could not be begun" in broken.missing["hostile"]


@pytest.mark.full
async def test_an_answer_is_documents_or_a_reason_and_the_next_call_is_answered(make_client: Make) -> None:
    client = make_client(call_s=10.0)
    await client.tools("search")
    for asked, kept in {
        "many documents": 200,
        "deep text": 1,
        "wrong types": 1,
        "an image": 0,
        "scripts": 1,
        "paths": 1,
        "surrogate": 1,
    }.items():
        read = read_results("hostile", await client.call("honest_search", {"query": asked}))
        assert len(read.documents) == kept, asked
        for each in read.documents:
            assert (each.source, each.saved_path, each.copies) == ("hostile", None, ())
            assert each.url == "" or each.url.startswith("https://")
            each.model_dump_json().encode()
    for asked in ("huge structured", "content is a number", "nothing", "result is a list"):
        with pytest.raises(SearchError) as refusal:
            await client.call("honest_search", {"query": asked})
        assert str(refusal.value).isprintable()
        assert len(str(refusal.value)) < 600
    assert read_results("hostile", await client.call("honest_search", {"query": "x"})).documents[0].title == "About x"


@pytest.mark.parametrize("lists", ["instruction", "instruction in schema"])
async def test_what_a_server_says_of_its_tool_gives_no_orders(lists: str) -> None:
    [listed] = LISTED[lists]
    room = toy_room({**ANSWERS, listed["name"]: [{"title": "ok"}]})
    assert isinstance(room.tools, ToyTools)
    plain = room.tools.tools

    async def tools(kind: Any) -> list[SearchTool]:
        return [
            SearchTool(each.name, each.source, kind, listed["description"], listed["inputSchema"], required=False)
            if each.name == listed["name"]
            else each
            for each in await plain(kind)
        ]

    room.tools.tools = tools  # type: ignore[method-assign]
    played = await research(room=room)
    offered = {each.name: each for call in played.calls for each in call.tools}
    assert ORDER not in str(offered)
    assert offered[listed["name"]].parameters["properties"] == {"query": {"type": "string"}}
    assert "withheld" in offered[listed["name"]].description
    assert offered["sec_edgar_search"].description == "Ask sec_edgar."
    [seen] = [event.data for event in played.of("instructions.seen") if event.node == "llm_decision"]
    assert seen.to_json()["where"] == [listed["name"]]
