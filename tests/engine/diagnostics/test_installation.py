"""What a check says of the home, the login and the versions; that it changes nothing; and the command itself."""

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.diagnostics.login_probe import probe_login
from engine.diagnostics.probe import Probe, Results, run_probes
from engine.diagnostics.wording import WORDS, DiagnosticWords
from engine.domain.diagnostics.result import DiagnosticResult
from tests.processes import run_engine

if TYPE_CHECKING:
    from engine.api import Engine

ENGLISH = DiagnosticWords("en")


def named(lines: list[DiagnosticResult]) -> dict[str, DiagnosticResult]:
    return {each.name: each for each in lines}


def test_with_no_settings_at_all_nothing_fails_and_the_script_is_named(make_engine: "Callable[..., Engine]", tmp_path: Path) -> None:
    engine = make_engine()
    before = {path.name: path.read_bytes() for path in (tmp_path / "home").iterdir() if path.suffix not in {".db-wal", ".db-shm"}}
    found = named(engine.check())
    assert {each.status for each in found.values()} == {"ok", "skipped"}
    assert "scripted" in found["model.reached"].detail
    assert {"home.writable", "home.free_space", "home.file_modes", "home.journal", "home.audit_chain", "login", "versions"} <= found.keys()
    after = {path.name: path.read_bytes() for path in (tmp_path / "home").iterdir() if path.suffix not in {".db-wal", ".db-shm"}}
    assert after == before
    assert [each.name for each in engine.check(language="zh")] == [*found]


def test_a_chain_that_was_changed_fails(make_engine: "Callable[..., Engine]", tmp_path: Path) -> None:
    engine = make_engine()
    engine.trading.halt("somebody", "a test")
    with closing(sqlite3.connect(tmp_path / "home" / "tribunal.db")) as connection:
        connection.execute("UPDATE audit SET who = 'nobody' WHERE kind = 'halt'")
        connection.commit()
    found = named(engine.check())["home.audit_chain"]
    assert found.status == "failed"
    assert "row" in found.detail


@pytest.mark.full
def test_the_command_prints_its_lines_and_its_exit_code(tmp_path: Path) -> None:
    done = run_engine("check", "--json", environment={**os.environ, "TRIBUNAL_HOME": str(tmp_path / "home")})
    lines = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert all(set(each) == {"name", "status", "detail", "what_to_do"} for each in lines)
    (tmp_path / "file").write_text("no folder")
    done = run_engine("check", "--json", environment={**os.environ, "TRIBUNAL_HOME": str(tmp_path / "file")})
    failed = {each["name"] for each in json.loads(done.stdout) if each["status"] == "failed"}
    assert done.returncode == 1
    assert {"home.writable", "home.journal"} <= failed


LONG = "0123456789abcdef" * 2
WHOLE = f"""[auth]
redirect_uri = "https://desk.example/oauth2callback"
cookie_secret = "{LONG}"
client_id = "canary-id"
client_secret = "canary-secret"
server_metadata_url = "https://login.example/.well-known/openid-configuration"
"""


@pytest.mark.parametrize(
    ("secrets", "public_url", "real_money", "status", "says"),
    [
        ("", "https://desk.example", False, "warning", "others can reach"),
        ("", "https://desk.example", True, "failed", "others can reach"),
        (WHOLE, "https://desk.example", True, "ok", "complete"),
        (WHOLE, "https://other.example", True, "failed", "another address"),
        (WHOLE.replace('client_id = "canary-id"', ""), None, False, "failed", "client_id"),
    ],
)
def test_the_login(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    secrets: str,
    public_url: str | None,
    real_money: bool,
    status: str,
    says: str,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)  # as if its library were installed
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    folder = tmp_path / ".streamlit"
    folder.mkdir()
    (folder / "config.toml").write_text('[server]\naddress = "127.0.0.1"\n')
    (folder / "secrets.toml").write_text(secrets)
    (found,) = probe_login(tmp_path, public_url, real_money=real_money, words=ENGLISH)
    assert found.status == status
    assert says in found.detail
    assert "canary" not in repr(found)


async def test_a_probe_that_breaks_takes_no_other_with_it_and_no_secret_is_quoted() -> None:
    async def breaks() -> Results:
        raise KeyError("sk-canary")

    async def works() -> Results:
        return [DiagnosticResult(name="b", status="ok", detail="quotes sk-canary\nand goes on")]

    found = await run_probes([Probe("a", breaks), Probe("b", works)], 1.0, ENGLISH, ["sk-canary"])
    assert [(each.name, each.status) for each in found] == [("a", "failed"), ("b", "ok")]
    assert "sk-canary" not in repr(found)
    assert "\n" not in found[1].detail


def test_both_languages_have_the_same_holes() -> None:
    import string

    def holes(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    for key, (english, chinese) in WORDS.items():
        assert holes(english) == holes(chinese), key
