"""An analyst is one file: added, it joins the fan-out, the consensus and the page, and its report stands in the state under its name."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.desks.decision.analysis import consensus_of
from engine.desks.decision.analysts import ANALYSTS
from engine.domain.events import Event
from engine.domain.opinion import AgentReport
from pages.desks.decision.decision_view import DECISION
from pages.desks.decision.speeches import analysts_panel
from pages.frame.show import Show
from tests.conftest import ROOT
from tests.pages.reader import Reader

ONCHAIN = """
key = "onchain"
weight = 0.25
facts = ["close", "volume_ratio_20", "obv_trend"]
task = {en = "You are the on-chain analyst.", zh = "你是链上分析师。"}
title = {en = "On-chain", zh = "链上"}
"""


@pytest.mark.full
def test_a_file_more_is_an_analyst_more(candles: Path, tmp_path: Path) -> None:
    """In a copy of the engine, to which nothing but the file is added."""
    shutil.copytree(ROOT / "engine", tmp_path / "engine")
    (tmp_path / "engine" / "desks" / "decision" / "analysts" / "onchain.toml").write_text(ONCHAIN, encoding="utf-8")
    command = ["-m", "engine", "decide", "BTC/USDT:USDT", "--data", str(candles), "--json", "--events", str(tmp_path / "events")]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"TRIBUNAL_HOME": str(tmp_path / "home")}
    done = subprocess.run([sys.executable, *command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    state = json.loads(done.stdout)
    events = [Event.model_validate_json(line) for line in (tmp_path / "events").read_text(encoding="utf-8").splitlines()]
    assert state["onchain_report"]["agent"] == "onchain"
    assert set(state["reports"]) == {"indicator", "trend", "sentiment", "pattern", "onchain"}
    assert state["metrics"]["llm_calls_count"] == 9
    reports = [AgentReport.model_validate(report) for report in state["reports"].values()]
    weights = {analyst.key: analyst.weight for analyst in ANALYSTS} | {"onchain": 0.25}
    assert dict(consensus_of(reports, weights).scores) == state["weighted_scores"], "its vote counts with its weight"
    panel = Reader(analysts_panel(DECISION.reduce(events), Show(titles={"onchain": "On-chain"}))).text
    assert "On-chain" in panel
    assert any(event.node == "onchain" and event.kind == "node.finished" for event in events)
