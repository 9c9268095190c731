"""Ratios and sizes, against their definitions in money."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.risk import RiskConfig
from engine.trading.sizing import full_margin_pct, held_margin_pct, planned_margin_pct, risk_reward_ratio, stop_distance_pct


@pytest.mark.parametrize(
    ("price", "stop", "target", "sign", "ratio"),
    [
        (100.0, 98.0, 105.0, 1, 2.5),
        (100.0, 102.0, 95.0, -1, 2.5),
        (100.0, 102.0, 105.0, 1, None),
        (100.0, 98.0, 99.0, 1, None),
        (100.0, 98.0, 105.0, -1, None),
        (100.0, 100.0, 105.0, 1, None),
        (100.0, 98.0, 100.0, 1, None),
        (100.0, None, 105.0, 1, None),
        (100.0, 98.0, math.nan, 1, None),
        (math.inf, 98.0, 105.0, 1, None),
        (100.0, -5.0, 105.0, 1, None),
        (100.0, 98.0, 105.0, 0, None),
        (100.0, 110.0, 0.0, -1, None),
    ],
)
def test_reward_per_risk(price: float, stop: float | None, target: float, sign: int, ratio: float | None) -> None:
    got = risk_reward_ratio(price, stop, target, sign)
    assert got == (pytest.approx(ratio) if ratio is not None else None)


@given(
    price=st.floats(0.01, 1e5),
    distance=st.floats(0.1, 50),
    sign=st.sampled_from([1, -1]),
    leverage=st.floats(1, 125),
    risk=st.builds(RiskConfig, equity=st.floats(10, 1e7), risk_per_trade_pct=st.floats(0.01, 10), max_position_pct=st.floats(0.1, 100)),
)
def test_the_stop_loses_exactly_the_risked_share(price: float, distance: float, sign: int, leverage: float, risk: RiskConfig) -> None:
    stop = price * (1 - sign * distance / 100)
    margin = full_margin_pct(price, stop, sign, leverage, risk)
    assert margin is not None
    units = margin / 100 * risk.equity * leverage / price
    assert units * abs(price - stop) == pytest.approx(risk.equity * risk.risk_per_trade_pct / 100, rel=1e-6)
    planned = planned_margin_pct(price, stop, sign, leverage, risk)
    assert planned == min(margin, risk.max_position_pct)
    assert held_margin_pct(units, price, leverage, risk.equity) == pytest.approx(margin)


def test_a_cap_of_zero_cuts_nothing() -> None:
    closed = RiskConfig(max_position_pct=0.0)
    assert planned_margin_pct(100.0, 98.0, 1, 5.0, closed) == pytest.approx(10.0)


@pytest.mark.parametrize("bad", [None, math.nan, math.inf, -math.inf, 0.0, -3.0])
def test_a_bad_number_gives_no_size(bad: float | None) -> None:
    risk = RiskConfig()
    assert stop_distance_pct(bad, 98.0, 1) is None
    assert stop_distance_pct(100.0, bad, 1) is None
    assert planned_margin_pct(100.0, bad, 1, 5.0, risk) is None
    assert planned_margin_pct(100.0, 98.0, 1, bad, risk) is None
    assert held_margin_pct(bad, 100.0, 5.0, 10_000.0) is None
    assert held_margin_pct(1.0, bad, 5.0, 10_000.0) is None
    assert held_margin_pct(1.0, 100.0, bad, 10_000.0) is None
    assert held_margin_pct(1.0, 100.0, 5.0, bad) is None
