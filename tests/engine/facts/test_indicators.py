"""The table of indicators, against the same indicators worked out by hand."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from engine.domain.market.candles import Candles
from engine.domain.market.timeframe import Timeframe
from engine.facts.sheet import build_sheet
from tests.engine.facts import by_hand
from tests.engine.facts.markets import H1, START_MS, change, random_candles, recorded_candles, snapshot

# TA-Lib seeds its directional sums one bar shorter than Wilder's mean; after 236 bars 3e-8 of that is left
SEEDED = {"adx_14", "plus_di", "minus_di"}


def assert_as_by_hand(candles: Candles) -> None:
    sheet = build_sheet(snapshot(candles))
    for key, expected in by_hand.all_of(candles).items():
        if isinstance(expected, str):
            assert sheet.word(key) == expected, key
        else:
            scale = abs(float(candles.close[-1])) if sheet.facts[key].unit in {"price", "macd"} else 1.0
            allowed = 1e-5 if key in SEEDED else 1e-9 * scale
            assert sheet.number(key) == pytest.approx(expected, rel=1e-8, abs=allowed), key


@pytest.mark.parametrize(("seed", "count"), [(0, 250), (1, 411)])
def test_generated_candles(seed: int, count: int) -> None:
    assert_as_by_hand(random_candles(seed, count))


@pytest.mark.parametrize(
    ("name", "timeframe"),
    [("binance_perp_BTCUSDT_15m.csv.gz", "15m"), pytest.param("binance_perp_SOLUSDT_5m.csv.gz", "5m", marks=pytest.mark.full)],
)
def test_recorded_candles(recorded_data: Path, name: str, timeframe: str) -> None:
    assert_as_by_hand(recorded_candles(recorded_data, name, Timeframe.parse(timeframe), 500, 1777))


@pytest.mark.parametrize("bars_of_the_day", [1, 37, 96])
def test_vwap_starts_at_midnight_utc(bars_of_the_day: int) -> None:
    candles = random_candles(9, 96 * 3 + bars_of_the_day)
    typical = ((candles.high + candles.low + candles.close) / 3).tolist()
    midnight = START_MS + 3 * 86_400_000
    assert datetime.fromtimestamp(midnight / 1000, UTC).hour == 0
    fact = build_sheet(snapshot(candles)).facts["vwap"]
    assert fact.number == pytest.approx(by_hand.vwap_since(candles.opened_at.tolist(), typical, candles.volume.tolist(), midnight))
    assert fact.bars == bars_of_the_day


def test_vwap_is_missing_when_its_day_is_not_whole() -> None:
    one_minute = random_candles(9, 300, Timeframe.parse("1m"), start=START_MS + 3_600_000)
    fact = build_sheet(snapshot(one_minute)).facts["vwap"]
    assert fact.value is None
    assert "00:00 UTC" in str(fact.missing)


@pytest.mark.parametrize(("timeframe", "bars"), [("15m", 96), ("1h", 24), ("1d", 1)])
def test_change_over_24_hours(timeframe: str, bars: int) -> None:
    candles = random_candles(11, 260, Timeframe.parse(timeframe))
    expected = (candles.close[-1] / candles.close[-1 - bars] - 1) * 100
    assert build_sheet(snapshot(candles)).number("change_24h_pct") == pytest.approx(expected)


@pytest.mark.parametrize("timeframe", ["1w", "7m"])
def test_change_over_24_hours_is_missing_where_no_bar_closes_then(timeframe: str) -> None:
    fact = build_sheet(snapshot(random_candles(11, 260, Timeframe.parse(timeframe)))).facts["change_24h_pct"]
    assert fact.value is None
    assert fact.missing


def test_a_market_without_volume_has_no_volume_facts() -> None:
    sheet = build_sheet(snapshot(change(random_candles(13, 300), volume=np.zeros_like)))
    for key in ("volume_ratio_20", "vwap", "mfi_14", "obv_trend"):
        assert sheet.facts[key].value is None
        assert "no volume" in str(sheet.facts[key].missing)
    assert sheet.number("rsi_14") is not None


def test_a_market_that_stands_still_has_no_oscillators() -> None:
    flat = np.full(300, 50.0)
    candles = Candles(H1, START_MS + H1.ms * np.arange(300), flat, flat, flat, flat, np.full(300, 1.0))
    sheet = build_sheet(snapshot(candles))
    for key in ("rsi_14", "adx_14", "plus_di", "minus_di", "stoch_k", "stoch_d", "cci_20", "mfi_14", "support", "resistance"):
        assert sheet.facts[key].value is None, key
        assert sheet.facts[key].missing, key
    for key in ("close", "ema_200", "sma_50", "bb_upper", "bb_lower", "vwap"):
        assert sheet.number(key) == pytest.approx(50.0), key
    assert sheet.number("atr_14") == 0.0
    assert sheet.word("obv_trend") == "flat"
