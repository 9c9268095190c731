"""Swing levels and candlestick patterns."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.market.candles import Candles
from engine.facts.sheet import build_sheet
from tests.engine.facts import by_hand
from tests.engine.facts.markets import H1, M15, START_MS, random_candles, snapshot


def candles_of(rows: Sequence[tuple[float, float, float, float]]) -> Candles:
    columns = np.array(rows, dtype=np.float64).T
    return Candles(M15, START_MS + M15.ms * np.arange(len(rows)), *columns, np.full(len(rows), 5.0))


def zigzag(turns: Sequence[float], leg: int = 10) -> Candles:
    """Straight legs between turning points; every bar reaches 0.5 above and below its close."""
    path = np.concatenate([np.linspace(a, b, leg, endpoint=False) for a, b in pairwise(turns)])
    return candles_of([(p, p + 0.5, p - 0.5, p) for p in path])


def assert_nearest(candles: Candles) -> None:
    """Against the rule worked out by hand: groups within half an ATR, two touches before one, nearest first."""
    sheet = build_sheet(snapshot(candles))
    points = by_hand.swing_points(candles.high.tolist(), candles.low.tolist())
    atr = by_hand.all_of(candles)["atr_14"]
    groups: list[list[float]] = []
    for point in points:
        if groups and point <= groups[-1][0] + 0.5 * float(atr):
            groups[-1].append(point)
        else:
            groups.append([point])
    price = float(candles.close[-1])
    for key, nearer in (("support", lambda level: price - level), ("resistance", lambda level: level - price)):
        side = sorted(
            (nearer(by_hand.mean(group)), -len(group), by_hand.mean(group)) for group in groups if nearer(by_hand.mean(group)) > 0
        )
        chosen = [level for _, touches, level in side if touches <= -2] or [level for _, _, level in side]
        if chosen:
            assert sheet.number(key) == pytest.approx(chosen[0]), key
        else:
            assert sheet.facts[key].value is None


@pytest.mark.full
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_levels_enclose_the_price_and_follow_the_rule(seed: int) -> None:
    candles = random_candles(seed, 260)
    sheet = build_sheet(snapshot(candles))
    price = float(candles.close[-1])
    support, resistance = sheet.number("support"), sheet.number("resistance")
    assert support is None or support < price
    assert resistance is None or resistance > price
    assert_nearest(candles)


def test_a_turn_counts_only_when_three_bars_confirm_it() -> None:
    """The newest bars cannot be a swing yet, or a level would vanish when one looks again."""
    turned = zigzag([100, 110] * 13 + [100, 90, 95])
    assert float(turned.low[-10]) == 89.5
    early = build_sheet(snapshot(turned.slice(0, len(turned) - 7)))
    late = build_sheet(snapshot(turned.slice(0, len(turned) - 6)))
    assert early.number("support") is None
    assert late.number("support") == pytest.approx(89.5)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_every_pattern_stands_on_a_recent_bar_of_its_timeframe(seed: int) -> None:
    main, higher = random_candles(seed, 260), random_candles(seed + 1, 260, H1)
    patterns = build_sheet(snapshot(main, higher)).patterns
    assert {pattern.timeframe for pattern in patterns} == {"15m", "1h"}
    for pattern in patterns:
        candles = main if pattern.timeframe == "15m" else higher
        assert 0 <= pattern.bars_ago < 24
        assert int(candles.opened_at[-1 - pattern.bars_ago]) == pattern.bar_time
    assert len(set(patterns)) == len(patterns)
