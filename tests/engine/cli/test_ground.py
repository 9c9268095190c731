"""`python -m engine ground`: every line gets its answer, whatever stands in the others."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import main
from tests.conftest import ROOT

FACTS = {"symbol": "BTC/USDT:USDT", "timeframe": "15m", "close": 97380.0, "rsi_14": 48.6, "adx_14": 31.5, "1h.rsi_14": 56.3}


def ground(lines: bytes) -> tuple[list[dict[str, Any]], int]:
    """The answers and the exit code."""
    done = subprocess.run([sys.executable, "-m", "engine", "ground", "-"], cwd=ROOT, input=lines, capture_output=True, check=False)
    assert done.stderr == b""
    return [json.loads(line, parse_constant=pytest.fail) for line in done.stdout.splitlines()], done.returncode


def line(name: object, text: object, facts: object = None, **more: object) -> bytes:
    case = {"id": name, "path": "entry", "source": "bull", "text": text, "facts": FACTS if facts is None else facts, **more}
    return json.dumps(case).encode() + b"\n"


@pytest.mark.full
def test_lines_are_answered_in_order_and_a_bad_one_costs_only_itself() -> None:
    bad = [
        b'{"id": NaN, "text": "RSI 28", "facts": {}}\n',
        b"{\n",
        b"[]\n",
        b'{"id": "no text"}\n',
        b'{"text": "", "facts": {}}\n',
        b"\xff\xfe\n",
        line("list", "RSI 28", {"rsi_14": [1]}),
    ]
    good = [line("en", "RSI is 72 on 15m, 1h RSI 56."), line("zh", "RSI为28，ADX为31。"), line("half", "RSI 28 \ud800"), line("empty", "")]
    answers, code = ground(b"\xef\xbb\xbf" + good[0] + b"".join(bad) + b"\n\r\n" + b"".join(good[1:]))
    assert code == 1
    assert [answer["id"] for answer in answers] == ["en", None, None, None, "no text", None, None, "list", "zh", "half", "empty"]
    assert ["error" in answer for answer in answers] == [False, *[True] * 7, False, False, False]
    en, zh = answers[0], answers[8]
    assert [(claim["indicator"], claim["claimed"], claim["actual"], claim["verdict"]) for claim in en["claims"]] == [
        ("rsi_14", 72.0, 48.6, "false"),
        ("1h.rsi_14", 56.0, 56.3, "true"),
    ]
    assert (en["hallucination_score"], zh["hallucination_score"]) == (50.0, 50.0)
    assert "[corrected]" in en["corrected_text"]
    assert "[已更正]" in zh["corrected_text"]
    assert answers[-1] == {"id": "empty", "claims": [], "hallucination_score": 0.0, "corrected_text": ""}


@pytest.mark.parametrize("value", [None, float("nan"), "-Infinity", 10**400])
def test_what_is_no_number_is_missing_and_convicts_nobody(value: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_bytes(line(1, "RSI is 28 and ADX is 50.", {"rsi_14": value, "adx_14": 31.5}))
    assert main(["ground", str(file)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [claim["verdict"] for claim in answer["claims"]] == ["unverifiable", "false"]
    assert answer["hallucination_score"] == 100.0


def test_a_file_that_cannot_be_read_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ground", "no/such/file.jsonl"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: file no/such/file.jsonl cannot be read")
    assert said.count("\n") == 1
