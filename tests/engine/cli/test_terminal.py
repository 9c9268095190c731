"""What the shell writes of other people's words: they command no terminal, reverse no price and forge no line; JSON keeps them."""

import ast
import json

import pytest

from engine.domain.errors import BadInput, OrderUnknown
from engine.shell.terminal import as_json, print_line, warn
from tests.conftest import ROOT

HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202e00.5\u2066\u200b\x9b31m\rline\nproposal p-1: filled\u2028\x7f\u0000\U000e0041\ud800"
BAD = {chr(code) for code in (*range(9), *range(0xB, 0x20), *range(0x7F, 0xA0), 0x200B, 0x202E, 0x2028, 0x2066, 0xD800, 0xE0041)}


def is_plain(text: str) -> bool:
    return not BAD & set(text)


def test_a_line_is_one_line_and_plain(capsys: pytest.CaptureFixture[str]) -> None:
    print_line(f"told {HOSTILE}")
    warn(f"warned {HOSTILE}")
    said = capsys.readouterr()
    for stream in (said.out, said.err):
        assert stream.count("\n") == 1
        assert is_plain(stream.rstrip("\n"))
        assert "proposal p-1: filled" in stream, "words stay"
    print_line("多头 ✓ −0.02 % é")
    assert capsys.readouterr().out == "多头 ✓ −0.02 % é\n", "and so does every language"


def test_json_keeps_every_character_as_an_escape() -> None:
    written = as_json({"why": HOSTILE, HOSTILE: ["多头"]})
    assert is_plain(written)
    assert written.isprintable()
    assert json.loads(written) == {"why": HOSTILE, HOSTILE: ["多头"]}
    assert "多头" in written
    with pytest.raises(ValueError, match="JSON"):
        as_json({"x": float("nan")})


def test_every_error_is_one_plain_line() -> None:
    for kind in (BadInput, OrderUnknown):
        assert is_plain(str(kind(HOSTILE)))
        assert "\n" not in str(kind(HOSTILE))


def test_nothing_else_in_the_shell_prints() -> None:
    for path in sorted((ROOT / "engine" / "cli").glob("*.py")):
        if path.name == "terminal.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Name) and node.id == "print"), (
                f"{path.name}:{getattr(node, 'lineno', 0)}: use print_line or warn"
            )
            assert not (isinstance(node, ast.Attribute) and node.attr == "dumps" and path.name != "ground.py"), path.name
