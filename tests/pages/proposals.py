"""Proposals and positions made by hand, for the tests of the pages that show them."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from engine.api import HeldPosition, Preview
from engine.approvals.locks import locks
from engine.domain.account_ref import AccountRef
from engine.domain.decision import Signal
from engine.domain.invalidation import Invalidation, InvalidationCheck, Thesis
from engine.domain.market.terms import MarketTerms
from engine.domain.orders import AccountView, Position
from engine.domain.proposal import Basis, Figures, OrderPlan, Proposal
from engine.domain.risk import LimitCheck, RiskConfig
from engine.instruments.conditions import LiveConditions

START = datetime(2026, 5, 17, 9, 0, tzinfo=UTC)
TERMS = MarketTerms(
    price_step=Decimal("0.1"),
    amount_step=Decimal("0.001"),
    min_amount=Decimal("0.001"),
    min_cost=Decimal(5),
    taker_fee=Decimal("0.0005"),
    maker_fee=Decimal("0.0002"),
)
PLAN = OrderPlan(side="sell", amount=Decimal("0.192"), leverage=3, stop=Decimal("78200.0"), target=Decimal("77690.0"))
FIGURES = Figures(
    price=Decimal("78050.7"),
    notional=Decimal("14985.7"),
    margin=Decimal("4995.2"),
    fees=Decimal("14.9"),
    slippage=Decimal("6.0"),
    funding=Decimal(0),
    loss_at_stop=Decimal("39.2"),
    gain_at_target=Decimal("63.3"),
    reward_risk=2.42,
    reward_risk_net=1.61,
    liquidation=Decimal("103755.0"),
    liquidation_distance_pct=32.9,
)
LIMITS = (
    LimitCheck(rule="kill_switch", measured=0, bound=0, passed=True),
    LimitCheck(rule="max_leverage", measured=3, bound=5, passed=True),
    LimitCheck(rule="min_risk_reward_ratio", measured=2.42, bound=1.5, passed=True),
)


def made_proposal(**changed: Any) -> Proposal:
    """`Enter short` on BTC, waiting since 09:00, ten minutes. What begins with `basis_` changes what it rests on."""
    basis: dict[str, Any] = {
        "run_id": "run-1",
        "snapshot_hash": "a" * 64,
        "context_hash": "b" * 64,
        "place": AccountRef(feed="simulated"),
        "account": "paper:simulated:0",
        "symbol": "BTC/USDT:USDT",
        "timeframe": "15m",
        "snapshot_at": START,
        "price": 78050.7,
        "atr": 93.5,
        "action": Signal.ENTRY_SHORT,
        "confidence": 58.0,
        "risk": RiskConfig(),
        "terms": TERMS,
        **{name.removeprefix("basis_"): changed.pop(name) for name in list(changed) if name.startswith("basis_")},
    }
    given: dict[str, Any] = {
        "id": "p-run-1",
        "created_at": START,
        "expires_at": START + timedelta(minutes=10),
        "state": "pending",
        "machine": PLAN,
        "machine_figures": FIGURES,
        "plan": PLAN,
        "figures": FIGURES,
        "limits": LIMITS,
        "changed_at": START,
        "changed_by": "machine",
        **changed,
    }
    return Proposal(basis=Basis(**basis), **given)


def seen_at(price: float, *, limits: tuple[LimitCheck, ...] = LIMITS, plan: OrderPlan = PLAN, **now: Any) -> Preview:
    """What the engine would say of it at a price."""
    account = AccountView(account="paper:simulated:0", broker="paper", equity=24_976.0, day_loss_pct=0.4)
    world: dict[str, Any] = {"account": account, "holding": None, "price_gap_pct": 0.0, **now}
    seen = LiveConditions(price=price, **world)
    return Preview(plan, FIGURES, limits, locks(made_proposal(plan=plan), seen), seen)


def made_position(**changed: Any) -> HeldPosition:
    """Long 0.5 BTC from 77,000, with a thesis of which one part holds, one is broken and one cannot be checked."""
    conditions = (
        InvalidationCheck(
            invalidation=Invalidation(kind="level", key="close", relation="below", bound=76_000.0), broken=False, measured=78_000.0
        ),
        InvalidationCheck(
            invalidation=Invalidation(kind="indicator", key="ema_20", relation="below", other="ema_50"),
            broken=True,
            measured=77_900.0,
            against=78_000.0,
        ),
        InvalidationCheck(invalidation=Invalidation(kind="time", key="hold_count", relation="above", bound=96.0), broken=None),
    )
    position = Position(
        symbol="BTC/USDT:USDT",
        side="long",
        size=Decimal("0.5"),
        entry_price=Decimal(77_000),
        leverage=3.0,
        opened_at=START,
        stop=Decimal(76_500),
        target=Decimal(79_000),
        liquidation_price=Decimal(52_000),
    )
    facts = {"mfe_pct": 1.9, "mae_pct": -0.4, "profit_pct": 1.3, "hold_count": 34.0, "drawdown_from_peak_pct": None}
    thesis = Thesis(run_id="run-1", at=START, text="Support holds <script>alert(1)</script>.")
    given: dict[str, Any] = {"thesis": thesis, "checked": conditions, **changed}
    return HeldPosition("paper:simulated:0", position, Decimal(78_000), START, facts, **given)
