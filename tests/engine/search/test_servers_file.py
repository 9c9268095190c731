"""The file of further servers: what it may say, and how a fault in it is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.domain.errors import BadInput
from engine.search.servers import read_servers

TAKEN = frozenset({"tribunal"})


def test_a_server_is_its_command_arguments_environment_and_required_tools(tmp_path: Path) -> None:
    entry = {"command": "npx", "args": ["-y", "brave"], "env": {"BRAVE_KEY": "k"}, "required": ["brave_web_search"]}
    (tmp_path / "servers.json").write_text(json.dumps({"brave": entry, "plain": {"command": "plain-server"}}))
    brave, plain = read_servers(tmp_path / "servers.json", TAKEN)
    assert (brave.name, brave.command, brave.args, dict(brave.env)) == ("brave", "npx", ("-y", "brave"), {"BRAVE_KEY": "k"})
    assert brave.required == {"brave_web_search"}
    assert (plain.args, dict(plain.env), plain.required, plain.kinds) == ((), {}, frozenset(), {"search", "download"})


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ([], 'not an object, such as {"name":'),
        ({"brave": {"command": "npx", "args": ["-y", 3]}}, "brave.args[1]: must be a text"),
        ({"brave": {"command": "npx", "url": "http://x"}}, "brave.url: is not known; there are command, args, env, required"),
        ({"tribunal": {"command": "npx"}}, "tribunal: a server of our own has this name"),
        ({"../x": {"command": "npx"}}, "'../x' is no name of a server"),
    ],
)
def test_a_fault_is_named_by_its_place(content: Any, fault: str, tmp_path: Path) -> None:
    file = tmp_path / "servers.json"
    file.write_text(json.dumps(content))
    with pytest.raises(BadInput) as raised:
        read_servers(file, TAKEN)
    assert f"TRIBUNAL_MCP_SERVERS: {file}: {fault}" in str(raised.value)


def test_what_is_no_json_or_not_there_is_said_and_no_secret_repeated(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"servers.json cannot be read: No such file"):
        read_servers(tmp_path / "servers.json", TAKEN)
    (tmp_path / "servers.json").write_text('{"brave": {"command": "npx", "env": {"KEY": ["hush-hush"]}}}')
    with pytest.raises(BadInput) as raised:
        read_servers(tmp_path / "servers.json", TAKEN)
    assert "hush" not in str(raised.value)
    with pytest.raises(BadInput, match="cannot be read: Is a directory"):
        read_servers(tmp_path, TAKEN)
    for content in ('{"a": {"command": "x"}, "a": {"command": "y"}}', "{", "[" * 100_000):
        (tmp_path / "servers.json").write_text(content)
        with pytest.raises(BadInput, match="TRIBUNAL_MCP_SERVERS"):
            read_servers(tmp_path / "servers.json", TAKEN)


@pytest.mark.full
@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b" " * 5_000_000, "longer than 1,000,000 characters"),
        (b"{" + b",".join(b'"s%d": 1' % n for n in range(60_000)) + b', "s59999": 2}', "'s59999' appears twice"),
        (b'{"a": {"command": "x", "args": ["\\ud800"]}}', r"a.args[0]: must be a text"),
        ('{"a\u202eb": {"command": "x"}}'.encode(), r"'a\u202eb' is no name of a server"),
    ],
    ids=["5 MB", "twice", "half a character", "hidden"],
)
def test_a_file_that_was_made_to_harm_is_refused_at_once(content: bytes, fault: str, tmp_path: Path) -> None:
    file = tmp_path / "servers.json"
    file.write_bytes(content)
    with pytest.raises(BadInput) as raised:
        read_servers(file, TAKEN)
    assert fault in str(raised.value)
    assert str(raised.value).isprintable()
