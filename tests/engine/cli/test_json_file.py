"""A key that stands twice in a JSON file is refused by name: which of the two was meant, nobody knows."""

from pathlib import Path

import pytest

from engine.cli.main import main

TWICE = '{"max_leverage": 3, "allowed_symbols": [], "max_leverage": 100}'


@pytest.mark.parametrize(
    ("arguments", "what", "text", "key"),
    [
        (("decide", "BTC/USDT:USDT", "--risk"), "risk", TWICE, "max_leverage"),
        (("decide", "BTC/USDT:USDT", "--position"), "position", '{"side": "long", "size": 1, "side": "short"}', "side"),
        (("verify",), "bundle", '{"run": {"id": 1, "id": 2}}', "id"),
    ],
)
def test_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], what: str, text: str, key: str) -> None:
    path = tmp_path / "given.json"
    path.write_text(text, encoding="utf-8")
    assert main([*arguments, str(path)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"error: {what} file {path}: the key {key!r} appears twice: keep one of them\n"
