"""The shell: what a script may rely on, and wrong uses that each give one clear line."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cli.main import main
from tests.conftest import ROOT
from tests.servers.llm import refused_url

SYMBOL = "BTC/USDT:USDT"
POSITION = {"side": "long", "entry_price": 98, "size": 1, "leverage": 3, "opened_at": "2026-05-16T20:00:00Z"}


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIBUNAL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRIBUNAL_PACE", "0")
    monkeypatch.chdir(tmp_path)


@pytest.mark.full
def test_a_decision_as_json(candles: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = tmp_path / "events.jsonl"
    at = "2026-05-16T12:07:00Z"
    code = main(["decide", SYMBOL, "--data", str(candles), "--at", at, "--seed", "3", "--events", str(events), "--json"])
    out, err = capsys.readouterr()
    state = json.loads(out)
    rows = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
    assert code == 0
    assert err.splitlines()[0] == f"run {state['run_id']}"
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
    assert set(rows[0]) == {"seq", "run_id", "at", "kind", "node", "data"}
    # 12:07 lies inside the candles of 12:00 (15m) and 12:00 (1h): neither is known
    last = {key: state[key]["last_open"] for key in ("ohlcv_data", "ohlcv_data_htf")}
    assert last == {"ohlcv_data": 1_778_931_900_000, "ohlcv_data_htf": 1_778_929_200_000}


@pytest.mark.full
def test_in_words(candles: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decide", SYMBOL, "--data", str(candles)]) == 0
    assert "confidence" in capsys.readouterr().out


@pytest.mark.full
def test_a_position_takes_its_path(candles: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "position.json").write_text(json.dumps(POSITION), encoding="utf-8")
    assert main(["decide", SYMBOL, "--data", str(candles), "--position", "position.json", "--language", "zh", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["execution_path"] == "position"


WRONG = {
    "no command": ([], {}),
    "no symbol": (["decide"], {}),
    "unreadable symbol": (["decide", "bitcoin"], {}),
    "unknown symbol": (["decide", "DOGE/USDT:USDT", "--data", "{candles}"], {}),
    "unknown timeframe": (["decide", SYMBOL, "--timeframe", "7x"], {}),
    "higher timeframe shorter": (["decide", SYMBOL, "--timeframe", "1h", "--htf", "15m"], {}),
    "unknown feed": (["decide", SYMBOL, "--feed", "dreams"], {}),
    "unknown exchange": (["decide", SYMBOL, "--feed", "live", "--exchange", "nosuch"], {}),
    "no data folder": (["decide", SYMBOL, "--feed", "recorded"], {}),
    "at after the data": (["decide", SYMBOL, "--data", "{candles}", "--at", "2026-06-01"], {}),
    "at in the future": (["decide", SYMBOL, "--feed", "simulated", "--at", "2999-01-01"], {}),
    "at outside the calendar": (["decide", SYMBOL, "--at", "0001-01-01T00:00+14:00"], {}),
    "a deadline that never comes": (["decide", SYMBOL], {"TRIBUNAL_CALL_DEADLINE_S": "inf"}),
    "lies out of range": (["decide", SYMBOL, "--lies", "1.5"], {}),
    "position too deep": (["decide", SYMBOL, "--position", "{json}" + "[" * 100_000], {}),
    "position not JSON": (["decide", SYMBOL, "--position", "{broken}"], {}),
    "position without a zone": (["decide", SYMBOL, "--position", "{json}" + json.dumps(POSITION | {"opened_at": "2026-01-01T00:00"})], {}),
    "position from the future": (
        ["decide", SYMBOL, "--data", "{candles}", "--position", "{json}" + json.dumps(POSITION | {"opened_at": "2026-09-01T00:00Z"})],
        {},
    ),
    "unknown risk key": (["decide", SYMBOL, "--risk", '{json}{"max_lever":3}'], {}),
    "no key for a real model": (["decide", SYMBOL, "--model", "gpt-4o"], {}),
    "endpoint down": (["decide", SYMBOL, "--model", "m"], {"OPENAI_API_KEY": "sk-canary", "OPENAI_BASE_URL": "{refused}"}),
    "home not writable": (["decide", SYMBOL], {"TRIBUNAL_HOME": "{file}/home"}),
    "database not usable": (["decide", SYMBOL], {"TRIBUNAL_DATABASE_URL": "nosuch://x"}),
    "events not writable": (["decide", SYMBOL, "--events", "no/such/folder/e.jsonl"], {}),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_use_gives_one_clear_line(
    name: str, candles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, settings = WRONG[name]
    (tmp_path / "file").write_text("not JSON {", encoding="utf-8")
    filled = []
    for argument in arguments:
        if argument.startswith("{json}"):
            (tmp_path / "given.json").write_text(argument.removeprefix("{json}"), encoding="utf-8")
        given = "given.json" if argument.startswith("{json}") else argument
        filled.append(given.replace("{candles}", str(candles)).replace("{broken}", str(tmp_path / "file")))
    for key, value in settings.items():
        monkeypatch.setenv(key, value.replace("{file}", str(tmp_path / "file")).replace("{refused}", refused_url()))
    try:
        code = main(filled)
    except SystemExit as ended:  # argparse ends by itself
        code = int(ended.code or 0)
    out, err = capsys.readouterr()
    assert code in (1, 2)
    assert out == ""
    assert "Traceback" not in err
    assert "sk-canary" not in err
    assert len(err.splitlines()) == 1
    assert err.startswith("error: ")
    assert 20 < len(err) < 400


@pytest.mark.full
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_output_that_cannot_be_written_is_one_line(candles: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decide", SYMBOL, "--data", str(candles), "--events", "/dev/full"]) == 1
    assert capsys.readouterr().err == "error: events file /dev/full cannot be written any more: No space left on device\n"
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "engine", "decide", SYMBOL, "--data", str(candles)],
            cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60,
        )  # fmt: skip
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "error: the result cannot be written: No space left on device")


SLOW = {"asyncio", "ccxt", "email", "langchain_core", "langgraph", "matplotlib", "numpy", "openai", "pandas", "sqlalchemy", "ssl", "talib"}


def test_help_imports_nothing_that_takes_long() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "engine", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "decide" in done.stdout
    assert "engine.cli.main" in imported
    assert (SLOW | {"pydantic.main"}) & imported == set()


@pytest.mark.full  # seconds depend on the machine: the test above finds in the gate what makes them many
def test_help_answers_at_once() -> None:
    """Measured in time of the processor: on a busy machine a program waits for longer than it works."""

    def spent() -> float:
        of_children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return of_children.ru_utime + of_children.ru_stime

    least = 10.0
    for _ in range(3):
        before = spent()
        done = subprocess.run([sys.executable, "-m", "engine", "--help"], cwd=ROOT, capture_output=True, text=True, check=True)
        least = min(least, spent() - before)
        assert "decide" in done.stdout
    assert least < 0.4
