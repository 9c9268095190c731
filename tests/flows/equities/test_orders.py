"""What the account allows: the bounds, and every order held to them, to the decision and to what is held."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.desks.equities.answers import TradeAction, TradeBlock
from engine.desks.equities.largest_order import order_bounds, shares_for
from engine.desks.equities.orders.order import limit_order
from engine.domain.calibration import Calibration, CalibrationBin
from engine.domain.equity.cash_account import CashAccount, ShareHolding
from engine.domain.risk import RiskConfig
from engine.equity.listings import listing_of


def account(
    cash: float = 31_204.50, total: float = 51_162.20, shares: float = 40, sellable: float | None = None, **more: Any
) -> CashAccount:
    held = ShareHolding(
        quantity=shares,
        average_price=104.6,
        market_value=shares * 115.32,
        unrealized_pnl=428.8,
        sellable=shares if sellable is None else sellable,
    )
    return CashAccount(account="paper", cash=cash, total_value=total, positions={"AAPL": held} if shares else {}, **more)


RISK = RiskConfig(max_position_pct=25.0, risk_per_trade_pct=1.0, max_drawdown_pct=8.0)


def test_the_bounds_are_what_is_worked_out_by_hand() -> None:
    """31,204.50 cash of 51,162.20, 40 shares at 115.32, 4.6 % below the peak, a buy at 113.50 stopped at 107.20 (5.5507 %)."""
    distance = (113.50 - 107.20) / 113.50 * 100
    bounds = order_bounds(account(drawdown_pct=4.6), "AAPL", RISK, distance)
    assert bounds.cash == pytest.approx(31_204.50 - 5_116.22)
    assert bounds.one_name == pytest.approx(12_790.55 - 4_612.80)
    assert bounds.loss_at_stop == pytest.approx(511.622 / (6.30 / 113.50))
    assert bounds.drawdown == pytest.approx(51_162.20 * 0.034 * 0.25 / (6.30 / 113.50))
    assert bounds.binding == "drawdown"
    listing = listing_of("AAPL")
    assert bounds.holdings == pytest.approx(51_162.20 * 5 - 4_612.80)
    assert [shares_for(each, 113.50, listing) for each in bounds.to_json().values()] == [229, 72, 2213, 81, 69]


def test_the_other_holdings_bind_the_largest_order() -> None:
    """60,000 of 100,000 in three other companies: 10,000 are left until 70 % are invested, and a fourth company is one too many."""
    each = ShareHolding(quantity=100, average_price=200, market_value=20_000, unrealized_pnl=0, sellable=100)
    money = CashAccount(account="a", cash=40_000, total_value=100_000, positions=dict.fromkeys(("MSFT", "NVDA", "META"), each))
    risk = RiskConfig(max_exposure_pct=70.0, max_open_positions=4, risk_per_trade_pct=5.0)
    assert (order_bounds(money, "AAPL", risk, 5.0).value, order_bounds(money, "AAPL", risk, 5.0).binding) == (10_000, "holdings")
    assert order_bounds(money, "AAPL", risk.model_copy(update={"max_open_positions": 3}), 5.0).value == 0
    assert order_bounds(money, "MSFT", risk.model_copy(update={"max_open_positions": 3}), 5.0).holdings == 10_000


@pytest.mark.full
@given(cash=st.floats(0, 1e9), rest=st.floats(0, 1e9), drawdown=st.floats(0, 100), distance=st.floats(0.01, 100), share=st.floats(0, 100))
def test_no_bound_is_ever_below_zero_or_above_the_cash(cash: float, rest: float, drawdown: float, distance: float, share: float) -> None:
    money = CashAccount(account="a", cash=cash, total_value=cash + rest, drawdown_pct=drawdown)
    bounds = order_bounds(money, "X", RiskConfig(max_position_pct=share), distance)
    assert 0 <= bounds.value <= cash
    assert bounds.value <= (cash + rest) * share / 100 + 0.01
    if drawdown >= 15.0:
        assert bounds.value == 0


class Given:
    """As much of a context as settling an order takes."""

    language = "en"

    def __init__(
        self,
        symbol: str = "AAPL",
        price: float = 115.32,
        held: CashAccount | None = None,
        risk: RiskConfig = RISK,
        calibration: Calibration | None = None,
    ) -> None:
        self.account = held if held is not None else account()
        self.request = type("Request", (), {"risk": risk, "calibration": calibration})
        self.snapshot = type("Snapshot", (), {"listing": listing_of(symbol), "current_price": price})

    def reversal_facts(self, action: str) -> int | None:
        return None


def trade(action: str = "BUY", quantity: float = 10, **more: Any) -> TradeBlock:
    fields: dict[str, Any] = {"limit_price": None, "stop_price": None, "target_price": None, "confidence": 70.0, **more}
    return TradeBlock(action=TradeAction(action), quantity=quantity, **fields)


def done(block: TradeBlock, context: Any = None, **decided: Any) -> Any:
    return limit_order(block, {"action": block.action.value, "quantity": 1e9, **decided}, context or Given())


def test_an_order_beyond_what_is_allowed_is_cut_and_says_so() -> None:
    limited = done(trade(quantity=1_000_000))
    assert limited.action is TradeAction.BUY
    assert limited.order is not None
    assert 0 < limited.order.value <= order_bounds(account(), "AAPL", RISK, 5.0).value
    assert "largest_allowed_order" in limited.warnings[0]


def gained(share: float, n: int = 30) -> Calibration:
    """So many earlier buys of a confidence from 70 to 80, and how many of 100 gained."""
    cases = CalibrationBin(begins=70, ends=80, n=n, stated=72, hit_rate=share, low=0, high=100)
    return Calibration(n=n, bins=(cases,), enough=n >= 30)


def test_a_buy_is_sized_by_calibrated_confidence_only_where_that_is_asked_for() -> None:
    """1 % of 51,162.20 is 511.62, which 12.06 shares lose at a stop 36.8 % of 115.32 away (42.42): 40 of the stated 70 leave 4/7, 6.89."""
    sized, far = RISK.model_copy(update={"calibrated_sizing": True}), {"stop_price": 72.9, "quantity": 1e6}
    full = done(trade(**far))
    assert (full.order.quantity, full.calibrated) == (12, None)
    assert done(trade(**far), Given(calibration=gained(40.0))).to_json() == full.to_json(), "off is off"
    cut = done(trade(**far), Given(risk=sized, calibration=gained(40.0)))
    assert (cut.order.quantity, cut.to_json()["calibrated_confidence"]) == (6, 40.0)
    assert any("from 12 to 6 shares: 40 of 100" in line and "0.57 %" in line for line in cut.warnings)
    assert next(each.bound for each in cut.limits if each.rule == "risk_per_trade_pct") == pytest.approx(4 / 7)
    assert done(trade(**far), Given(risk=sized, calibration=gained(40.0, n=29))).to_json() == full.to_json(), "29 are too few"
    nothing = done(trade(**far), Given(risk=sized, calibration=gained(0.0)))
    assert (nothing.action, nothing.order) == (TradeAction.HOLD, None)
    assert done(trade("SELL", 10), Given(risk=sized, calibration=gained(0.0))).order.quantity == 10, "sales take risk away"


@pytest.mark.full
@given(share=st.floats(0, 100), stated=st.floats(70, 79.9), stop=st.floats(1, 115), quantity=st.integers(1, 1_000))
def test_calibrated_sizing_never_enlarges_an_order(share: float, stated: float, stop: float, quantity: int) -> None:
    block = trade(quantity=quantity, stop_price=stop, confidence=stated)
    plain, sized = done(block), done(block, Given(risk=RISK.model_copy(update={"calibrated_sizing": True}), calibration=gained(share)))
    largest, own = (each.order.quantity if each.order is not None else 0 for each in (plain, sized))
    assert own <= largest
    assert own == largest or share < stated


def test_an_order_is_measured_against_the_limits_by_hand() -> None:
    """40 shares at 115.32 are held; 10 more at 113.50, stopped at 107.20 (5.55 %), target 125 (ratio 1.83)."""
    limited = done(trade(limit_price=113.5, stop_price=107.2, target_price=125.0))
    measured = {check.rule: (check.measured, check.bound, check.passed) for check in limited.limits}
    assert measured["max_stop_distance_pct"] == (pytest.approx(5.5507, abs=1e-4), 5.0, False)
    assert measured["min_risk_reward_ratio"] == (pytest.approx(11.5 / 6.3), 1.5, True)
    assert measured["min_cash_left"] == (pytest.approx(31_204.50 - 1_136.0), 0.0, True)
    assert measured["max_position_pct"] == (pytest.approx((4_612.80 + 1_135.0) / 51_162.20 * 100), 25.0, True)
    assert measured["max_open_positions"][0] == 1
    assert measured["min_confidence"][:2] == (70.0, RISK.min_confidence)
    assert measured["max_leverage"] == (None, RISK.max_leverage, True), "it does not apply to shares"
    assert limited.order is not None
    assert ["stop" in line for line in limited.warnings] == [True], "what is breached is said"
    assert limited.to_json()["limits"][0] == {"rule": "kill_switch", "measured": 0.0, "bound": 0.0, "passed": True}
    assert done(trade("SELL", 10)).limits == (), "a sale takes risk away"


@pytest.mark.parametrize(
    ("key", "value"),
    [("allowed_symbols", ["MSFT"]), ("max_open_positions", 0), ("min_confidence", 70.5), ("max_exposure_pct", 1.0), ("max_notional", 1.0)],
)
def test_the_keys_of_a_risk_file_bind_shares(key: str, value: object) -> None:
    risk = RISK.model_copy(update={key: value})
    limited = done(trade(), Given(risk=risk))
    breached = [check.rule for check in limited.limits if not check.passed]
    assert breached == [key] or limited.order is None, "what it bounds is breached, or was cut to nothing"


def test_the_trader_never_orders_more_than_was_decided_nor_something_else() -> None:
    limited = done(trade(quantity=50), quantity=7)
    assert limited.order.quantity == 7
    assert "7" in limited.warnings[0]
    other = limit_order(trade("BUY"), {"action": "HOLD", "quantity": 0}, Given())  # type: ignore[arg-type]
    assert (other.action, other.order) == (TradeAction.HOLD, None)
    assert other.errors


def test_a_sale_is_held_to_what_may_be_sold() -> None:
    assert done(trade("SELL", 400)).order.quantity == 40
    assert done(trade("SELL", 400), Given(held=account(sellable=12))).order.quantity == 12
    nothing = done(trade("SELL", 400), Given(held=account(shares=0)))
    assert (nothing.action, nothing.order, nothing.errors) == (TradeAction.HOLD, None, [])
    assert "no sellable shares" in nothing.warnings[0]


def test_lots_are_whole_and_a_rest_below_a_lot_may_be_sold() -> None:
    rich = CashAccount(account="a", cash=1e7, total_value=1e7)
    bought = done(trade(quantity=250), Given("600028.SH", 6.0, rich))
    assert bought.order.quantity == 200
    rest = ShareHolding(quantity=150, average_price=6.0, market_value=900.0, unrealized_pnl=0.0, sellable=150)
    holding = rich.model_copy(update={"positions": {"600028.SH": rest}})
    assert done(trade("SELL", 150), Given("600028.SH", 6.0, holding)).order.quantity == 150
    assert done(trade("SELL", 120), Given("600028.SH", 6.0, holding)).order.quantity == 100


def test_the_smallest_order_of_a_board_binds_and_is_named() -> None:
    """STAR: 200 shares at least, then share by share; what is left may go as a whole."""
    rich = CashAccount(account="a", cash=1e7, total_value=1e7)
    few = done(trade(quantity=150), Given("688028.SH", 6.0, rich))
    assert (few.action, few.order) == (TradeAction.HOLD, None)
    assert "smallest order there, 200" in few.warnings[0]
    assert done(trade(quantity=201), Given("688028.SH", 6.0, rich)).order.quantity == 201
    rest = ShareHolding(quantity=500, average_price=6.0, market_value=3000.0, unrealized_pnl=0.0, sellable=500)
    holding = rich.model_copy(update={"positions": {"688028.SH": rest}})
    assert done(trade("SELL", 50), Given("688028.SH", 6.0, holding)).order is None
    assert done(trade("SELL", 250), Given("688028.SH", 6.0, holding)).order.quantity == 250
    left = rich.model_copy(update={"positions": {"688028.SH": rest.model_copy(update={"quantity": 150.0, "sellable": 150.0})}})
    assert done(trade("SELL", 150), Given("688028.SH", 6.0, left)).order.quantity == 150


@pytest.mark.parametrize(
    ("block", "context", "said"),
    [
        (trade(stop_price=120.0), Given(), "stop 120"),
        (trade(target_price=100.0), Given(), "target 100"),
        (trade(confidence=20.0), Given(), "confidence 20"),
        (trade(limit_price=0.004), Given(), "limit_price 0.004 is not a plausible price"),
        (trade(stop_price=0.001), Given(), "stop_price 0.001 is not a plausible price"),
        (trade(), Given(held=account(halted=True)), "halted"),
        (trade(), Given("^GSPC", 5000.0), "index"),
    ],
)
def test_what_may_not_be_ordered_ends_as_hold_with_a_reason(block: TradeBlock, context: Any, said: str) -> None:
    limited = done(block, context)
    assert (limited.action, limited.order) == (TradeAction.HOLD, None)
    assert said in limited.errors[0]


@given(quantity=st.floats(0, 1e12), price=st.floats(0.01, 1e6), stop=st.floats(0.01, 1e6), cash=st.floats(0, 1e7))
def test_no_buy_ever_costs_more_than_is_allowed(quantity: float, price: float, stop: float, cash: float) -> None:
    held = CashAccount(account="a", cash=cash, total_value=cash)
    limited = done(trade(quantity=quantity, limit_price=price, stop_price=stop), Given("AAPL", price, held))
    if limited.order is not None:
        assert limited.order.value <= order_bounds(held, "AAPL", RISK, 5.0).value + 0.01
        assert limited.order.quantity <= quantity
