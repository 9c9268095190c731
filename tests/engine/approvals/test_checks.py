"""What locks a proposal: the world is not the one it was decided in any more."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from engine.approvals.locks import locks
from engine.domain.account_ref import AccountRef
from engine.domain.decision import Signal
from engine.domain.holding import Holding
from engine.domain.market.terms import MarketTerms
from engine.domain.orders import AccountView
from engine.domain.proposal import Basis, Figures, OrderPlan, Proposal
from engine.domain.risk import RiskConfig
from engine.domain.text.reason import Reason
from engine.instruments.conditions import LiveConditions

D = Decimal
AT = datetime(2026, 3, 1, tzinfo=UTC)
HELD = Holding(side="long", entry_price=95.0, size=40.0, leverage=4.0, opened_at=AT - timedelta(days=1))
ACCOUNT = AccountView(account="paper:simulated:0", broker="paper", equity=10_000)


def proposal(*, sells: bool = False, atr: float | None = 1.0, holding: Holding | None = None, reduces: bool = False) -> Proposal:
    sign = -1 if sells else 1
    terms = MarketTerms(
        price_step=D("0.1"), amount_step=D("0.01"), min_amount=D("0.01"), min_cost=D(5), taker_fee=D("0.0005"), maker_fee=D("0.0002")
    )
    basis = Basis(
        run_id="r", snapshot_hash="s", context_hash="c", place=AccountRef(feed="simulated"), account=ACCOUNT.account,
        symbol="BTC/USDT:USDT", timeframe="15m", snapshot_at=AT, price=100.0, atr=atr,
        action=Signal.ENTRY_SHORT if sells else Signal.ENTRY_LONG, confidence=70.0,
        holding=holding, risk=RiskConfig(), terms=terms,
    )  # fmt: skip
    levels: dict[str, Any] = {} if reduces else {"stop": D(100 - 2 * sign), "target": D(100 + 4 * sign), "leverage": 3}
    plan = OrderPlan(side="sell" if sells else "buy", amount=D(1), reduce_only=reduces, **levels)
    figures = Figures(price=D(100), notional=D(100), margin=D(33), fees=D(0), slippage=D(0), funding=D(0))
    return Proposal(
        id="p-r", basis=basis, created_at=AT, expires_at=AT + timedelta(minutes=15), state="pending", machine=plan, machine_figures=figures,
        plan=plan, figures=figures, changed_at=AT, changed_by="machine",
    )  # fmt: skip


def now(price: float, **more: Any) -> LiveConditions:
    return LiveConditions(price=price, account=ACCOUNT, price_gap_pct=0.0, **{"holding": None, **more})


def told(found: tuple[Reason, ...]) -> str:
    return found[0]


@pytest.mark.parametrize("sells", [False, True])
def test_a_world_that_has_not_moved_locks_nothing(sells: bool) -> None:
    assert locks(proposal(sells=sells), now(100.0)) == ()
    assert locks(proposal(sells=sells), now(100.5)) == ()  # exactly what is allowed


@pytest.mark.parametrize(
    ("sells", "price", "words"),
    [
        (False, 100.51, ["moved 0.51 ATR"]),
        (False, 99.4, ["moved 0.60 ATR"]),
        (False, 98.0, ["moved", "the stop 98 has already been crossed"]),
        (False, 104.0, ["moved", "the target 104 has already been reached"]),
        (True, 102.0, ["moved", "the stop 102 has already been crossed"]),
        (True, 95.0, ["moved", "the target 96 has already been reached"]),
    ],
)
def test_a_price_that_has_moved(sells: bool, price: float, words: list[str]) -> None:
    found = locks(proposal(sells=sells), now(price))
    assert len(found) == len(words)
    assert all(word in lock for word, lock in zip(words, found, strict=True))


def test_a_move_that_cannot_be_measured() -> None:
    assert locks(proposal(atr=None), now(100.0)) == ()
    assert "no ATR" in told(locks(proposal(atr=None), now(100.1)))


def test_a_newer_run_and_another_position() -> None:
    assert "run x has decided" in told(locks(proposal(), now(100.0, newer_run="x")))
    assert "flat then, long 40 now" in told(locks(proposal(), now(100.0, holding=HELD)))
    chinese = locks(proposal(), now(100.0, holding=HELD))[0].said_in("zh")
    assert "当时空仓，现在多头 40" in chinese
    assert "long 40 then, flat now" in told(locks(proposal(holding=HELD, reduces=True, sells=True), now(100.0)))
    smaller = HELD.model_copy(update={"size": 20.0})
    assert "long 40 then, long 20 now" in told(locks(proposal(holding=HELD), now(100.0, holding=smaller)))
    assert locks(proposal(holding=HELD, reduces=True, sells=True), now(100.0, holding=smaller, newer_run="x")) == ()
    assert locks(proposal(holding=HELD, reduces=True, sells=True), now(80.0, holding=HELD)) == ()  # an exit is wanted most when it is late
    assert locks(proposal(holding=HELD, reduces=True, sells=True), now(100.0, holding=HELD)) == ()
