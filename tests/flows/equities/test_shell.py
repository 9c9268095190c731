"""`fusion` and `memory` in the shell: one state, exit codes, one clear line."""

import json
import os
from pathlib import Path

import pytest

from tests.processes import Completed, run_engine

SPECIFIED = {
    "company_of_interest", "trade_date", "trade_timestamp", "market_analyst_summary", "news_analyst_summary", "sentiment_analyst_summary",
    "fundamentals_analyst_summary", "research_summary", "risk_summary", "investment_plan", "trader_investment_plan", "final_trade_decision",
    "account_cash", "account_total_value", "current_price", "previous_close", "portfolio_positions", "max_drawdown", "execution_record",
}  # fmt: skip
"""Fields of the specification's FusionState."""
FURTHER = {
    "flow", "preset", "trading_session", "trader_action", "order", "largest_allowed_order", "false_claims", "total_claims",
    "false_claim_details", "corrections", "analysts", "proposal_id", "run_id", "is_valid", "errors", "warnings", "metrics", "inputs_hash",
}  # fmt: skip
INDEX = {"index_info", "macro_report", "policy_report", "sector_report", "technical_report", "international_report", "strategy_report"}


def shell(home: Path, *arguments: str) -> Completed:
    """A command on a home of its own, on simulated companies, without pauses."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TRIBUNAL_", "OPENAI_"))}
    return run_engine(*arguments, environment={**clean, "TRIBUNAL_HOME": str(home / "home"), "TRIBUNAL_PACE": "0"}, folder=home)


@pytest.mark.full
def test_a_run_prints_every_field_and_its_events(tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    done = shell(
        tmp_path, "fusion", "AAPL", "--date", "2024-03-05", "--session", "pre_open", "--depth", "2", "--events", str(events), "--json"
    )
    assert done.returncode == 0, done.stderr
    state = json.loads(done.stdout, parse_constant=pytest.fail)
    assert done.stderr.splitlines()[0] == f"run {state['run_id']}"
    assert set(state) >= SPECIFIED | FURTHER
    assert not INDEX & set(state)
    assert set(state["market_analyst_summary"]) == {"today_report", "memory_summary_pre_open", "memory_summary_post_close"}
    assert all(set(record) >= {"status", "tool_calls", "breaker", "attempts", "report"} for record in state["analysts"].values())
    assert {"llm_calls_count", "tool_calls_count", "total_duration_ms", "total_tokens"} <= set(state["metrics"])
    rows = [json.loads(line) for line in events.read_text().splitlines()]
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
    called = [row["data"] for row in rows if row["kind"] == "tool.called"]
    assert called
    assert all({"analyst", "tool", "arguments", "n"} <= set(data) for data in called)
    assert all({"preview", "ms", "error"} <= set(row["data"]) for row in rows if row["kind"] == "tool.answered")
    assert {row["kind"] for row in rows} >= {"memory.read", "memory.written", "node.tokens", "run.finished"}
    shown = shell(tmp_path, "memory", "AAPL", "--json")
    memory = json.loads(shown.stdout)
    assert set(memory) == {"market", "news", "sentiment", "fundamentals"}
    assert memory["market"]["today_report"] == state["analysts"]["market"]["report"]
    before = json.loads(shell(tmp_path, "memory", "AAPL", "--analyst", "news", "--date", "2024-03-04", "--json").stdout)
    assert before == {"news": {"today_report": "", "memory_summary_pre_open": "", "memory_summary_post_close": ""}}
    again = shell(tmp_path, "resume", state["run_id"], "--json")
    assert json.loads(again.stdout) == state
    assert "pre_open" in shell(tmp_path, "show", state["run_id"]).stdout


@pytest.mark.full
def test_the_index_prints_its_own_fields(tmp_path: Path) -> None:
    done = shell(tmp_path, "fusion", "000300.SH", "--date", "2024-03-05", "--language", "zh", "--json")
    assert done.returncode == 0, done.stderr
    state = json.loads(done.stdout)
    assert set(state) >= INDEX
    assert state["index_info"]["symbol"] == "000300.SH"
    assert set(state["analysts"]) == {"macro", "policy", "sector", "technical", "international", "strategy"}


@pytest.mark.full
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("fusion", "AAPL", "--date", "2024-03-03"), 2, ("2024-03-01", "2024-03-04")),
        (("fusion", "NOSUCH", "--date", "2024-03-05"), 2, ("NOSUCH",)),
        (("fusion", "AAPL", "--date", "05/03/2024"), 2, ("YYYY-MM-DD",)),
        (("fusion", "AAPL", "--copies", "0"), 2, ("from 1 to 1000",)),
        (("fusion", "AAPL", "--tool-calls", "0"), 2, ("tool_calls",)),
        (
            ("fusion", "AAPL", "--date", "2024-03-05", "--session", "post_close", "--timestamp", "2024-03-05 09:00:00"),
            2,
            ("before the close",),
        ),
        (
            ("fusion", "AAPL", "--date", "2024-03-05", "--timestamp", "2024-03-05 10:30:00"),
            2,
            ("no prices within a session", "--timestamp", "{source}_{SYMBOL}_1m_raw.csv"),
        ),
        (
            ("fusion", "AAPL", "--date", "2024-03-05", "--session", "pre_open", "--timestamp", "2024-03-05 17:00:00"),
            2,
            ("after the close", "post_close"),
        ),
        (("memory", "AAPL", "--analyst", "astrology"), 2, ("astrology", "sentiment")),
    ],
)
def test_what_cannot_be_asked_is_one_line(tmp_path: Path, arguments: tuple[str, ...], code: int, said: tuple[str, ...]) -> None:
    done = shell(tmp_path, *arguments, "--json")
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert all(word in done.stderr for word in said), done.stderr
