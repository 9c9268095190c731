"""The table of indicators, against the same indicators worked out by hand."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from engine.domain.market.candles import Candles
from engine.domain.market.timeframe import Timeframe
from engine.facts.sheet import build_sheet
from tests.engine.facts import by_hand
from tests.engine.facts.markets import H1, M15, START_MS, change, random_candles, recorded_candles, snapshot, times

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


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("count", [250, 411])
def test_generated_candles(seed: int, count: int) -> None:
    assert_as_by_hand(random_candles(seed, count))


@pytest.mark.parametrize("price", [3e-9, 0.00001234, 97_380.0, 4e7])
def test_any_price_level(price: float) -> None:
    assert_as_by_hand(random_candles(5, 300, price=price))


@pytest.mark.parametrize("factor", [1e-9, 1e-3, 1e6, 1e12])
def test_any_volume_level(factor: float) -> None:
    candles = random_candles(6, 300)
    assert_as_by_hand(change(candles, volume=lambda volume: volume * factor))


@pytest.mark.parametrize(
    ("name", "timeframe"),
    [("binance_perp_BTCUSDT_15m.csv.gz", "15m"), ("binance_perp_SOLUSDT_5m.csv.gz", "5m"), ("binance_perp_ETHUSDT_1h.csv.gz", "1h")],
)
@pytest.mark.parametrize("skip", [0, 1777])
def test_recorded_candles(recorded_data: Path, name: str, timeframe: str, skip: int) -> None:
    assert_as_by_hand(recorded_candles(recorded_data, name, Timeframe.parse(timeframe), 500, skip))


def test_equal_moves_on_both_sides_are_a_tie() -> None:
    """Outside bars of equal reach on a grid of 0.1: neither side moved, though 100.3 - 100.0 and 100.0 - 99.7 differ in doubles."""
    reach = np.round(0.3 + 0.1 * np.arange(300), 1)
    centre = np.full(300, 100.1)
    high, low = np.round(centre + reach, 1), np.round(centre - reach, 1)
    assert len(set(np.diff(high).tolist()) ^ set((-np.diff(low)).tolist())) > 0
    sheet = build_sheet(snapshot(Candles(M15, START_MS + M15.ms * np.arange(300), centre, high, low, centre, np.full(300, 1.0))))
    assert (sheet.number("plus_di"), sheet.number("minus_di")) == (0.0, 0.0)
    assert sheet.facts["mfi_14"].value is None  # the typical price stood still


def test_a_steep_rise_reads_as_one() -> None:
    rising = np.linspace(100.0, 200.0, 300)
    candles = Candles(M15, START_MS + M15.ms * np.arange(300), rising - 0.1, rising + 0.2, rising - 0.3, rising, np.full(300, 10.0))
    sheet = build_sheet(snapshot(candles))
    assert sheet.number("rsi_14") == pytest.approx(100.0)
    assert sheet.number("mfi_14") == pytest.approx(100.0)
    assert sheet.number("adx_14") == pytest.approx(100.0)
    assert sheet.number("minus_di") == pytest.approx(0.0)
    assert sheet.word("obv_trend") == "rising"
    assert sheet.number("volume_ratio_20") == pytest.approx(1.0)


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


def test_vwap_of_days_rolls_over_20() -> None:
    candles = random_candles(10, 260, Timeframe.parse("1d"))
    typical = ((candles.high + candles.low + candles.close) / 3).tolist()
    expected = by_hand.vwap_since(candles.opened_at.tolist(), typical, candles.volume.tolist(), int(candles.opened_at[-20]))
    assert build_sheet(snapshot(candles)).number("vwap") == pytest.approx(expected)


@pytest.mark.parametrize(("timeframe", "bars"), [("15m", 96), ("1h", 24), ("1d", 1)])
def test_change_over_24_hours(timeframe: str, bars: int) -> None:
    candles = random_candles(11, 260, Timeframe.parse(timeframe))
    expected = (candles.close[-1] / candles.close[-1 - bars] - 1) * 100
    assert build_sheet(snapshot(candles)).number("change_24h_pct") == pytest.approx(expected)


@pytest.mark.parametrize("timeframe", ["1w", "7m", "2d", "1m"])
def test_change_over_24_hours_is_missing_where_no_bar_closes_then(timeframe: str) -> None:
    fact = build_sheet(snapshot(random_candles(11, 260, Timeframe.parse(timeframe)))).facts["change_24h_pct"]
    assert fact.value is None
    assert fact.missing


def test_change_over_24_hours_never_takes_a_neighbour_of_a_missing_bar() -> None:
    candles = random_candles(12, 300)
    hole = len(candles) - 97
    kept = np.arange(300) != hole
    holed = Candles(M15, candles.opened_at[kept], *(getattr(candles, name)[kept] for name in ("open", "high", "low", "close", "volume")))
    assert build_sheet(snapshot(holed)).number("change_24h_pct") is None


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


def test_one_bar_without_range_does_not_hide_the_stochastic() -> None:
    candles = random_candles(14, 300)
    last = float(candles.close[-2])
    still = {name: lambda column: np.append(column[:-1], last) for name in ("open", "high", "low", "close")}
    assert_as_by_hand(change(candles, **still))


def test_huge_prices_are_missing_not_infinite() -> None:
    sheet = build_sheet(snapshot(times(random_candles(15, 300), 1e200)))
    assert all(fact.value is None and fact.missing for fact in sheet)
