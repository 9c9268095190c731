"""Directional accuracy on windows of candles: what is known of a walk without an edge, and of one whose direction is given away."""

import csv
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from engine.benchmark.windows import AHEAD, read_windows, result_of
from engine.cli.main import main
from tests.servers.llm import Body, LLMServer, user_of

BARS, COUNT, FEE = 100, 60, 0.0005


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Overlapping windows of a random walk that begin ten candles apart."""
    chosen = np.random.RandomState(5)
    closes = 100 * np.cumprod(1 + 0.01 * chosen.standard_normal(BARS + 10 * COUNT))
    (tmp_path / "walk").mkdir()
    for place in range(COUNT):
        with (tmp_path / "walk" / f"{place:03}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["Datetime", "Open", "High", "Low", "Close"])
            for at in range(10 * place, 10 * place + BARS):
                close = round(float(closes[at]), 4)
                writer.writerow([(datetime(2025, 1, 1, tzinfo=UTC) + timedelta(hours=4 * at)).isoformat(), close, close, close, close])
    return tmp_path


def test_nobody_has_an_edge_in_a_random_walk_and_it_says_that_three_points_would_not_show(folder: Path) -> None:
    found = result_of(read_windows(folder), FEE)
    assert (found.windows, found.markets, found.overlapping, found.block) == (COUNT, 1, 1.0, 10)
    for name in ("always_long", "momentum"):
        accuracy = found.predictors[name].accuracy
        assert (accuracy.low or 0) <= 0.5 <= (accuracy.high or 0)
        assert (accuracy.high or 0) - (accuracy.low or 0) > 0.2
    assert found.predictors["coin"].return_pct.value == -0.1
    assert not found.can_show_three_points
    assert found.smallest_edge >= 2.8 * 0.9 * (0.25 / COUNT) ** 0.5


def test_one_that_is_always_right_is_and_pays_its_fees(folder: Path) -> None:
    windows = read_windows(folder)
    verdicts = {window.name: "LONG" if window.move > 0 else "SHORT" for window in windows}
    verdicts[windows[0].name] = "NEUTRAL"
    seer = result_of(windows, FEE, verdicts, "seer").predictors["seer"]
    assert (seer.taken, seer.accuracy.value) == (COUNT - 1, 1.0)
    expected = np.mean([100 * abs(window.move) for window in windows[1:]]) - 100 * 2 * FEE
    assert seer.return_pct.value == pytest.approx(expected, abs=1e-3)


@pytest.mark.full
def test_a_model_is_shown_everything_but_the_end(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIBUNAL_HOME", str(folder / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")

    def rises(body: Body) -> str:
        rows = user_of(body).splitlines()[2:]
        first, last = (float(row.split()[-1]) for row in (rows[0], rows[-1]))
        return f"It goes on.\n\n[View]\ndirection: {'LONG' if last > first else 'SHORT'}\nconfidence: 60\n"

    with LLMServer(rises) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert main(["benchmark", "quantagent", str(folder), "--model", "any", "--json"]) == 0
    out, err = capsys.readouterr()
    assert "three points" in err
    found = json.loads(out)
    windows = read_windows(folder)
    assert len(server.requests) == COUNT
    shown = {user_of(request.body).count("\n") for request in server.requests}
    assert shown == {BARS - AHEAD + 1}
    right = sum((each.known[-1][4] > each.known[0][4]) == (each.move > 0) for each in windows)
    assert found["predictors"]["any"]["accuracy"]["value"] == pytest.approx(right / COUNT, abs=1e-4)
