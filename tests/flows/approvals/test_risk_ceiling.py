"""TRIBUNAL_RISK is the ceiling of every decision: what a file or a request asks for can only be stricter, and what is tightened later
binds what is waiting."""

from typing import Any

import pytest

from engine.api import Change
from engine.domain.errors import BadInput, NotAllowed
from engine.domain.risk import RiskConfig
from tests.flows.answers import executor
from tests.flows.desk import SYMBOL, Desk


def test_a_request_that_was_made_elsewhere_is_refused_too(desk: Desk) -> None:
    request = desk.engine.decisions.request(SYMBOL, data_dir=str(desk.candles), risk=RiskConfig(max_leverage=20))
    bound = desk.another(risk={"max_leverage": 5, "min_confidence": 60})
    stricter = bound.decisions.request(SYMBOL, data_dir=str(desk.candles), risk={"max_leverage": 4}).risk
    assert (stricter.max_leverage, stricter.min_confidence) == (4, 60), "what is left out is as TRIBUNAL_RISK has it"
    with pytest.raises(BadInput, match="max_leverage 20 is looser than 5"):
        bound.start(request)
    with pytest.raises(BadInput, match="max_leverage 20 is looser than 5"):
        bound.decisions.request(SYMBOL, data_dir=str(desk.candles), risk={"max_leverage": 20})


@pytest.mark.full
def test_a_fork_and_a_replay_are_bound_by_what_was_tightened_since(desk: Desk) -> None:
    run_id = desk.decide(executor(leverage=8))["run_id"]
    bound = desk.another(risk={"max_leverage": 5})
    forked = bound.wait(bound.fork(run_id, "executor"), 60)
    assert forked.result is not None
    assert forked.result["risk_config"]["max_leverage"] == 5
    assert not forked.result["is_valid"]
    replay = bound.decisions.request(SYMBOL, model=f"recorded:{run_id}")
    assert replay.risk.max_leverage == 5
    with pytest.raises(BadInput, match="max_leverage 6 is looser than 5"):
        bound.decisions.request(SYMBOL, model=f"recorded:{run_id}", risk={"max_leverage": 6})


@pytest.mark.parametrize(
    ("tightened", "rule"),
    [({"max_leverage": 2}, "leverage"), ({"max_position_pct": 5}, "position"), ({"allowed_symbols": ["ETH/USDT:USDT"]}, "allowed")],
)
def test_a_limit_that_is_tightened_later_binds_what_is_waiting(desk: Desk, tightened: dict[str, Any], rule: str) -> None:
    waiting = desk.propose()
    later = desk.another(risk=tightened)
    limits = later.trading.preview(waiting.id, Change()).limits
    assert [check.rule for check in limits if not check.passed] == list(tightened)
    with pytest.raises(NotAllowed, match=rule):
        later.trading.approve(waiting.id, "somebody")
    assert desk.fills() == []


@pytest.mark.full
def test_an_order_is_measured_against_what_binds_when_it_leaves(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Approved by a process that died, delivered by one that knows a tighter limit."""
    from engine.approvals.order_dispatch import OrderDispatcher

    waiting = desk.propose()

    async def dies(_: OrderDispatcher, proposal: Any, *_more: Any) -> Any:
        return proposal

    with monkeypatch.context() as patched:
        patched.setattr(OrderDispatcher, "dispatch", dies)
        assert desk.trading.approve(waiting.id, "somebody").state == "approved"
    desk.another(risk={"max_leverage": 2}).trading.recover()
    ended = desk.trading.proposal(waiting.id)
    assert (ended.state, "leverage" in ended.why) == ("failed", True)
    assert desk.fills() == []


@pytest.mark.full
def test_a_limit_that_is_loosened_later_sets_nothing_free(desk: Desk) -> None:
    waiting = desk.propose(risk={"max_leverage": 3})
    later = desk.another(risk={"max_leverage": 100})
    with pytest.raises(NotAllowed, match="leverage"):
        later.trading.edit(waiting.id, "somebody", Change(leverage=4))
    assert later.trading.approve(waiting.id, "somebody").state == "filled"
