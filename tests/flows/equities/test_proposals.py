"""From an order of the desk to a position: filed, signed, filled on paper, seen by the next run, sold again."""

import json
import os
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.domain.errors import NotAllowed
from tests.flows.equities.played import DAY, DECISION, TRADE, Words, play, told
from tests.processes import run_engine

if TYPE_CHECKING:
    from engine.api import Engine


def test_an_order_is_signed_filled_seen_and_sold(tmp_path: Path) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TRIBUNAL_", "OPENAI_"))}
    environment = {**clean, "TRIBUNAL_HOME": str(tmp_path / "home"), "TRIBUNAL_PACE": "0"}

    def shell(*arguments: str) -> tuple[int, str, str]:
        done = run_engine(*arguments, environment=environment, folder=tmp_path)
        return done.returncode, done.stdout, done.stderr

    state = json.loads(shell("fusion", "AAPL", "--date", "2024-03-05", "--propose", "--json")[1])
    proposal, order = state["proposal_id"], state["order"]
    assert state["execution_record"] is None, "it waits for a signature"
    (row,) = json.loads(shell("proposals", "--json")[1])
    assert (row["id"], row["state"], row["symbol"]) == (proposal, "pending", "AAPL")
    code, out, err = shell("approve", proposal, "--json")
    assert code == 0, err
    approved = json.loads(out)
    assert approved["state"] == "filled"
    record = approved["execution_record"]
    assert (record["status"], record["quantity"], record["proposal_id"]) == ("filled", order["quantity"], proposal)
    run_id = state["run_id"]
    shown = json.loads(shell("show", run_id, "--json")[1])["result"]
    assert shown["execution_record"] == record, "signed by hand"
    assert json.loads(shell("resume", run_id, "--json")[1])["execution_record"] == record
    code, _, err = shell("export", run_id, "run.json")
    assert code == 0, err
    assert json.loads((tmp_path / "run.json").read_text())["run"]["result"]["execution_record"] == record
    assert shell("verify", "run.json")[0] == 0
    again = shell("approve", proposal)
    assert again[0] == 1
    assert proposal in again[2]
    later = json.loads(shell("fusion", "AAPL", "--date", "2024-03-07", "--json")[1])
    held = later["portfolio_positions"]["AAPL"]
    assert set(held) == {"quantity", "average_price", "market_value", "unrealized_pnl", "sellable"}
    assert held["quantity"] == order["quantity"]
    assert later["account_cash"] < state["account_cash"]
    assert later["largest_allowed_order"] < state["largest_allowed_order"]
    assert shell("verify")[0] == 0


@pytest.mark.parametrize("role", ["risk_judge", "trader"])
def test_a_buy_without_a_stop_is_asked_for_once_more_then_refused(engine: "Engine", monkeypatch: pytest.MonkeyPatch, role: str) -> None:
    bare = (DECISION if role == "risk_judge" else TRADE).replace("stop_price: 117", "stop_price: NONE")
    words = Words(monkeypatch, **{role: bare})
    state, _ = play(engine, propose=True)
    assert [where for where in words.asked() if where == role] == [role, role]
    assert (state["trader_action"], state["order"], state["proposal_id"], state["is_valid"]) == ("hold", None, None, False)
    assert "BUY states no stop_price" in state["errors"][0]


def test_an_order_beyond_the_account_is_cut_before_it_is_filed(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    Words(
        monkeypatch,
        risk_judge=DECISION.replace("quantity: 5", "quantity: 1000000"),
        trader=TRADE.replace("quantity: 5", "quantity: 1000000"),
    )
    state, _ = play(engine, propose=True)
    assert 0 < state["order"]["value"] <= state["largest_allowed_order"]
    assert any("largest_allowed_order" in line for line in state["warnings"])
    (proposal,) = engine.trading.proposals()
    assert (proposal.id, proposal.state) == (state["proposal_id"], "pending"), proposal.why
    assert int(proposal.plan.amount) == state["order"]["quantity"]
    filed = {check.rule: check.model_dump(mode="json") for check in proposal.limits}
    assert {check["rule"]: check for check in state["limits"]} == {
        rule: filed[rule] for rule in (check["rule"] for check in state["limits"])
    }
    assert set(filed) - {check["rule"] for check in state["limits"]} >= {"max_daily_loss_pct", "max_orders_per_hour"}


@pytest.mark.full
def test_limits_are_measured_without_a_proposal_and_a_breached_one_blocks_it(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    Words(monkeypatch)
    state, events = play(engine, risk={"allowed_symbols": ["MSFT"]})
    breached = [check["rule"] for check in state["limits"] if not check["passed"]]
    assert (breached, state["is_valid"], state["proposal_id"]) == (["allowed_symbols"], True, None)
    (checked,) = told(events, "limits.checked")
    assert (checked["node"], checked["passed"], checked["limits"]) == ("trader", False, state["limits"])
    filed, _ = play(engine, day=date(2024, 3, 6), risk={"allowed_symbols": ["MSFT"]}, propose=True)
    (proposal,) = engine.trading.proposals()
    assert (filed["proposal_id"], proposal.state) == (proposal.id, "blocked")
    Words(monkeypatch, **HOLD)
    held, _ = play(engine, day=date(2024, 3, 7))
    assert held["limits"] == []


HOLD = {"risk_judge": DECISION.replace("BUY", "HOLD").replace("quantity: 5", "quantity: 0")}
HOLD["trader"] = TRADE.replace("BUY", "HOLD").replace("quantity: 5", "quantity: 0")


@pytest.mark.full
@pytest.mark.parametrize(
    ("later", "locks"),
    [
        ({"day": date(2024, 3, 4)}, False),
        ({"day": DAY, "session": "pre_open"}, False),
        ({"day": date(2024, 3, 6), "session": "pre_open"}, True),
        ({"day": None}, True),  # the newest session there is
        ({"day": date(2024, 3, 6), "symbol": "MSFT"}, False),
    ],
)
def test_only_a_newer_run_about_a_later_moment_locks_a_proposal(
    engine: "Engine", monkeypatch: pytest.MonkeyPatch, later: dict[str, Any], locks: bool
) -> None:
    Words(monkeypatch)
    state, _ = play(engine, propose=True)
    Words(monkeypatch, **HOLD)
    newer, _ = play(engine, **later)
    assert newer["trader_action"] == "hold"
    if locks:
        with pytest.raises(NotAllowed, match=newer["run_id"]):
            engine.trading.approve(state["proposal_id"], "somebody")
    else:
        assert engine.trading.approve(state["proposal_id"], "somebody").state == "filled"
