"""Moving the stop of an open position: towards the price it is free, away from it every limit applies."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.holding import Holding
from engine.domain.market.terms import MarketTerms
from engine.domain.orders import AccountView
from engine.domain.risk import RiskConfig
from engine.instruments.moved_stop import HeldMarket, check_moved_stop, takes_risk_away

D = Decimal
OPENED = datetime(2026, 3, 1, tzinfo=UTC)
LEVELS = st.decimals(min_value=1, max_value=400, places=1)
SIGNS = st.sampled_from([1, -1])
TERMS = MarketTerms(
    price_step=D("0.1"), amount_step=D("0.01"), min_amount=D("0.01"), min_cost=D(5), taker_fee=D("0.0005"), maker_fee=D("0.0002")
)


def held(sign: int = 1, entry: float = 100.0, leverage: float = 5.0) -> Holding:
    return Holding(side="long" if sign > 0 else "short", entry_price=entry, size=2.0, leverage=leverage, opened_at=OPENED)


def market(price: float = 101.0, instrument: str = "contract", **account: Any) -> HeldMarket:
    view = AccountView(account="paper:x", broker="paper", equity=10_000.0, **account)
    return HeldMarket("BTC/USDT:USDT", instrument, price, 0.1, view, TERMS)  # type: ignore[arg-type]


def broken(stop: str, standing: str = "99", target: str | None = "110", sign: int = 1, **around: Any) -> set[str]:
    goal = D(target) if target is not None else None
    checks = check_moved_stop(D(stop), goal, D(standing), held(sign), RiskConfig(), market(**around))
    assert checks, "it adds risk"
    return {check.rule for check in checks if not check.passed}


@given(LEVELS, LEVELS, SIGNS)
def test_towards_the_price_it_is_free_whatever_the_account_has_lost(stop: Decimal, standing: Decimal, sign: int) -> None:
    ruined = market(halted=True, day_loss_pct=50.0, drawdown_pct=90.0, cooldown_left_min=30.0)
    checks = check_moved_stop(stop, None, standing, held(sign), RiskConfig(), ruined)
    assert (checks == ()) == ((stop - standing) * sign >= 0) == takes_risk_away(stop, standing, sign)


def test_a_stop_where_there_was_none_and_one_that_stays_are_free() -> None:
    assert check_moved_stop(D(50), None, None, held(), RiskConfig(), market()) == ()
    assert check_moved_stop(None, D(200), D(99), held(), RiskConfig(), market()) == ()


def test_limits_worked_out_by_hand() -> None:
    """Long from 100, price 101, target 110, stop at 99."""
    assert broken("97") == set()  # 4 % of the price, 3 % of the entry, pays 10 for 3
    assert broken("95.5") == {"max_stop_distance_pct"}  # 5.4 % of 101
    assert broken("92") == {"max_stop_distance_pct", "min_risk_reward_ratio"}  # 10 for 8, 9.9 for 8.1 after the way out
    assert broken("97", target="103") == {"min_risk_reward_ratio", "min_risk_reward_after_costs"}  # 3 for 3, 2.9 for 3.1
    assert broken("97", target=None) == set()
    assert broken("94.5", price=97.0, target=None) == {"max_stop_distance_pct"}  # 2.6 % of the price, but 5.5 % of the entry


def test_a_stop_that_locks_a_gain_in_may_come_back_within_the_distance() -> None:
    assert broken("115", standing="118", price=120.0, target="121") == set()
    assert broken("113", standing="118", price=120.0, target="121") == {"max_stop_distance_pct"}


@pytest.mark.parametrize(
    ("around", "rule"),
    [
        ({"halted": True}, "kill_switch"),
        ({"day_loss_pct": 3.5}, "max_daily_loss_pct"),
        ({"drawdown_pct": 20.0}, "max_drawdown_pct"),
        ({"cooldown_left_min": 5.0}, "cooldown_minutes"),
        ({"orders_last_hour": 30}, "max_orders_per_hour"),
    ],
)
def test_an_account_that_may_take_no_more_risk_moves_no_stop_away(around: dict[str, Any], rule: str) -> None:
    assert broken("98", **around) == {rule}


def test_a_stop_beyond_the_liquidation_and_one_on_the_wrong_side_are_no_stops() -> None:
    tight = held(leverage=50.0)  # liquidated 1.5 % below its entry
    checks = check_moved_stop(D("97.5"), None, D(99), tight, RiskConfig(), market(100.0))
    assert "max_stop_to_liquidation_pct" in {check.rule for check in checks if not check.passed}
    assert "max_stop_distance_pct" in broken("98", price=97.0)


def test_of_shares_it_is_the_money_that_is_bounded() -> None:
    rules = {each.rule for each in check_moved_stop(D(97), None, D(99), held(), RiskConfig(), market(instrument="shares"))}
    assert "risk_per_trade_pct" in rules
    assert not rules & {"max_stop_to_liquidation_pct", "max_price_gap_pct"}
    big = held().model_copy(update={"size": 40.0})  # 40 * 3 of 10,000
    checks = check_moved_stop(D(97), None, D(99), big, RiskConfig(), market(instrument="shares"))
    assert {each.rule for each in checks if not each.passed} == {"risk_per_trade_pct"}
