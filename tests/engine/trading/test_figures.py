"""What a plan is said to lose and to win after costs is what the paper account makes of it, and the limit measures exactly that."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.domain.decision import ENTRY_LONG, ENTRY_SHORT
from engine.domain.equity.cash_account import CashAccount
from engine.domain.holding import Holding
from engine.domain.ledger import LedgerEntry
from engine.domain.market.candles import Candle
from engine.domain.market.share_terms import ShareFees, ShareTerms
from engine.domain.market.terms import MarketTerms
from engine.domain.orders import Order
from engine.domain.proposal import Figures, OrderPlan
from engine.domain.risk import LimitCheck, RiskConfig
from engine.equity.listings import listing_of
from engine.instruments.contract_fills import entries_of_candle, entries_of_order
from engine.instruments.limits import check_limits
from engine.instruments.share_fills import entries_of_session, entries_of_share_order
from engine.instruments.share_limits import check_share_limits
from engine.trading.book import Book
from engine.trading.figures import figures_of, round_trip_cost_pct
from engine.trading.protocol import MarketPath, ShareSession
from engine.trading.share_terms import share_terms

D = Decimal
START = datetime(2026, 3, 2, 14, 30, tzinfo=UTC)
RULE = "min_risk_reward_after_costs"
ROUNDING = D("0.0000001")
SIDES = st.sampled_from(["buy", "sell"])
FEES = st.decimals(min_value=0, max_value="0.003", places=5)
TICKS = st.sampled_from([D("0.001"), D("0.01"), D("0.1"), D("0.5"), D(1)])
STEPS_AWAY = st.integers(1, 250)


def terms_of(taker: Decimal, tick: Decimal, shares: ShareTerms | None = None) -> MarketTerms:
    """Terms of a contract, or of shares; the maker's fee is another one, so that it would be seen."""
    return MarketTerms(
        price_step=tick,
        amount_step=D(1),
        min_amount=D(1),
        min_cost=D(0),
        taker_fee=taker,
        maker_fee=taker / 3,
        maintenance_margin=D(0),
        shares=shares,
    )


def plan_at(side: str, price: Decimal, tick: Decimal, stop: int, target: int, amount: int) -> OrderPlan:
    """A plan with its levels so many steps of the market away."""
    sign = 1 if side == "buy" else -1
    levels = {"stop": price - sign * stop * tick, "target": price + sign * target * tick}
    return OrderPlan.model_validate({"side": side, "amount": D(amount), "leverage": 1, **levels})


def order_of(plan: OrderPlan) -> Order:
    return Order(
        client_id="tb-test-0001", symbol="X", side=plan.side, amount=plan.amount, leverage=plan.leverage, stop=plan.stop, target=plan.target
    )


def book() -> Book:
    made = Book()
    made.apply(LedgerEntry(kind="deposit", at=START - timedelta(days=1), cash=D(10**9)))
    return made


def bar_to(plan: OrderPlan, price: Decimal, tick: Decimal, kind: str, at: datetime) -> Candle:
    """A candle that opens at the price and trades through one level of the plan."""
    level = plan.stop if kind == "stop" else plan.target
    assert level is not None
    beyond = level + (tick if level > price else -tick)
    low, high = float(min(price, beyond)), float(max(price, beyond))
    return Candle(int(at.timestamp() * 1000), float(price), high, low, float(price), 1.0)


def paper_result(plan: OrderPlan, price: Decimal, terms: MarketTerms, kind: str) -> Decimal:
    """What the account has more once a contract was entered at market and its stop or target was filled."""
    made = book()
    before = made.cash
    for entry in entries_of_order(made, order_of(plan), price, terms, START):
        made.apply(entry)
    for entry in entries_of_candle(made, "X", bar_to(plan, price, terms.price_step, kind, START + timedelta(minutes=1)), terms):
        assert entry.reason == kind
        made.apply(entry)
    assert not made.held
    return made.cash - before


def share_result(plan: OrderPlan, price: Decimal, terms: MarketTerms, kind: str) -> Decimal:
    """The same of shares, bought in one session and sold in the next."""
    made, day = book(), date(2026, 3, 2)
    before = made.cash
    made.apply(LedgerEntry(kind="mark", at=START, symbol="X", marked_ms=int(START.timestamp() * 1000), price=price))
    for entry in entries_of_share_order(made, order_of(plan), MarketPath(None, None, price, START, (), day, price), terms):
        made.apply(entry)
    opens = START + timedelta(days=1)
    candle = bar_to(plan, price, terms.price_step, kind, opens)
    each = ShareSession(day + timedelta(days=1), opens, opens + timedelta(hours=6), candle, None, D(0), price)
    for entry in entries_of_session(made, "X", each, int(START.timestamp() * 1000), terms):
        assert entry.reason == kind
        made.apply(entry)
    assert not made.held
    return made.cash - before


def measured(plan: OrderPlan, price: Decimal, terms: MarketTerms, figures: Figures) -> LimitCheck:
    """The limit, as an entry is held to it."""
    if terms.shares is not None:
        cash = CashAccount(account="paper:x", cash=10.0**9, total_value=10.0**9)
        checks = check_share_limits(
            plan, symbol="X", price=float(price), confidence=70.0, terms=terms, risk=RiskConfig(), account=None, cash=cash
        )
    else:
        action = ENTRY_LONG if plan.side == "buy" else ENTRY_SHORT
        stop, target = (float(level) if level is not None else None for level in (plan.stop, plan.target))
        given_: dict[str, object] = {"confidence": 70.0, "leverage": 1.0, "adjustment_pct": None, "holding": None}
        checks = check_limits(action, price=float(price), stop=stop, target=target, risk=RiskConfig(), figures=figures, **given_)  # type: ignore[arg-type]
    return next(check for check in checks if check.rule == RULE)


@given(side=SIDES, tick=TICKS, taker=FEES, ticks=st.integers(600, 90_000), stop=STEPS_AWAY, target=STEPS_AWAY, amount=st.integers(1, 500))
def test_a_contract_loses_and_wins_what_was_said_and_the_limit_is_their_ratio(
    side: str, tick: Decimal, taker: Decimal, ticks: int, stop: int, target: int, amount: int
) -> None:
    price, terms = ticks * tick, terms_of(taker, tick)
    plan = plan_at(side, price, tick, stop, target, amount)
    lost, won = -paper_result(plan, price, terms, "stop"), paper_result(plan, price, terms, "target")
    figures = figures_of(plan, float(price), terms)
    assert figures.loss_at_stop == pytest.approx(lost, abs=ROUNDING)
    assert figures.gain_at_target == pytest.approx(won, abs=ROUNDING)
    check = measured(plan, price, terms, figures)
    assert check.measured == figures.reward_risk_net == pytest.approx(float(won / lost), abs=1e-6)
    assert check.passed == (won / lost >= 1) or abs(won / lost - 1) < ROUNDING


@given(
    tick=st.just(D("0.01")),
    fees=st.tuples(FEES, st.decimals(0, "0.02", places=3), st.decimals(0, 5, places=1), FEES, FEES),
    ticks=st.integers(600, 90_000),
    stop=STEPS_AWAY,
    target=STEPS_AWAY,
    amount=st.integers(1, 500),
)
def test_shares_lose_and_win_what_was_said_to_the_cent(
    tick: Decimal, fees: tuple[Decimal, ...], ticks: int, stop: int, target: int, amount: int
) -> None:
    rules = ShareFees(commission=fees[0], per_share=fees[1], least=fees[2], both_sides=fees[3], on_sales=fees[4])
    price, terms = ticks * tick, terms_of(D(0), tick, ShareTerms(currency="USD", fees=rules))
    plan = plan_at("buy", price, tick, stop, target, amount).model_copy(update={"leverage": None})
    lost, won = -share_result(plan, price, terms, "stop"), share_result(plan, price, terms, "target")
    figures = figures_of(plan, float(price), terms)
    assert (figures.loss_at_stop, figures.gain_at_target) == (lost, won)
    assert measured(plan, price, terms, figures).measured == pytest.approx(float(won / lost))


@given(
    side=SIDES, rate=st.floats(-0.002, 0.002), stop=STEPS_AWAY, target=STEPS_AWAY, held=st.integers(1, 500), entry=st.integers(500, 1500)
)
def test_the_ratio_is_of_what_a_plan_adds_and_funding_that_is_paid_makes_it_smaller(
    side: str, rate: float, stop: int, target: int, held: int, entry: int
) -> None:
    price, terms = D(1000), terms_of(D("0.0005"), D("0.1"))
    plan = plan_at(side, price, terms.price_step, stop, target, 10)
    holding = Holding(side="long" if side == "buy" else "short", entry_price=float(entry), size=float(held), opened_at=START)
    alone, larger = figures_of(plan, 1000.0, terms), figures_of(plan, 1000.0, terms, holding=holding)
    assert alone.reward_risk_net == larger.reward_risk_net
    pays = rate * (1 if side == "buy" else -1) > 0
    funded = figures_of(plan, 1000.0, terms, atr=5.0, bar_s=900.0, funding_rate=rate)
    assert alone.reward_risk_net is not None
    assert funded.reward_risk_net is not None
    assume(funded.funding != 0)
    assert (funded.reward_risk_net < alone.reward_risk_net) == pays


@given(tick=TICKS, taker=FEES, ticks=st.integers(600, 90_000))
def test_a_round_trip_costs_what_entering_and_leaving_at_one_price_costs(tick: Decimal, taker: Decimal, ticks: int) -> None:
    price, terms = ticks * tick, terms_of(taker, tick)
    figures = figures_of(OrderPlan(side="buy", amount=D(1)), float(price), terms)
    assert round_trip_cost_pct(float(price), terms) == pytest.approx(float((figures.fees + figures.slippage) / price * 100), abs=1e-6)


def test_a_round_trip_of_shares_has_its_least_fees() -> None:
    """100 at 50 dollars: 0.02 % each way are 2.00, commissions 1.00 each way, the regulator takes 0.14 of what is sold: 4.14 of 5,000."""
    terms = share_terms(listing_of("AAPL"))
    assert round_trip_cost_pct(50.0, terms, D(100)) == pytest.approx(0.0828)
    assert round_trip_cost_pct(50.0, terms, D(1)) > 4
