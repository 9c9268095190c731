"""What the sheet promises whatever the market: keys, warm-up, no invented number, no look ahead."""

import json
import math
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.facts import FactSheet
from engine.domain.holding import Holding
from engine.domain.market.candles import COLUMNS, Candle, Candles
from engine.domain.market.instrument import Surroundings
from engine.facts.series import indicator_series
from engine.facts.sheet import WARM_UP, build_sheet
from tests.engine.facts.markets import H1, START_MS, change, first_bars, random_candles, snapshot, times

OSCILLATORS = ("rsi_14", "adx_14", "plus_di", "minus_di", "stoch_k", "stoch_d", "cci_20", "mfi_14", "obv_trend", "volume_ratio_20")
LINES = ("macd", "macd_signal", "macd_hist", "ema_10", "ema_20", "ema_50", "ema_200", "sma_20", "sma_50", "sma_200", "vwap")
BANDS = ("bb_upper", "bb_middle", "bb_lower", "atr_14", "atr_pct", "support", "resistance")
TECHNICAL = (*OSCILLATORS, *LINES, *BANDS)
MARKET = ("close", "change_24h_pct", "funding_rate_pct", "oi_change_pct", "fear_greed")
STATED = ("side", "entry_price", "leverage", "size", "liquidation_price")
POSITION = (*STATED, "profit_pct", "mfe_pct", "mae_pct", "drawdown_from_peak_pct", "hold_count")
LEVELLED = {"support", "resistance"}
AROUND = Surroundings(funding_rate=0.0001, open_interest=110.0, open_interest_24h_ago=100.0, fear_greed=37.0)

seeds = st.integers(0, 10**6)


def holding(candles: Candles) -> Holding:
    return Holding(
        side="long",
        entry_price=float(candles.close[-10]),
        size=2.0,
        opened_at=datetime.fromtimestamp(int(candles.opened_at[-9]) / 1000, UTC),
    )


def full_sheet(seed: int = 1) -> FactSheet:
    candles = random_candles(seed, 300)
    return build_sheet(snapshot(candles, random_candles(seed + 1, 300, H1), around=AROUND, holding=holding(candles)))


def test_every_computable_key_is_there_and_no_other() -> None:
    sheet = full_sheet()
    assert set(sheet.facts) == {*MARKET, *TECHNICAL, *POSITION, *(f"1h.{key}" for key in TECHNICAL)}
    without = build_sheet(snapshot(random_candles(1, 300)))
    assert set(without.facts) == {*MARKET, *TECHNICAL}


def test_what_the_feed_does_not_know_is_missing_never_zero() -> None:
    sheet = build_sheet(snapshot(random_candles(1, 300)))
    for key in ("funding_rate_pct", "oi_change_pct", "fear_greed"):
        assert sheet.facts[key].value is None
        assert sheet.facts[key].missing
    zero_before = build_sheet(snapshot(random_candles(1, 300), around=Surroundings(open_interest=5.0, open_interest_24h_ago=0.0)))
    assert zero_before.facts["oi_change_pct"].value is None


@pytest.mark.parametrize("count", [0, 1, 249])
def test_too_few_bars_is_said(count: int) -> None:
    sheet = build_sheet(snapshot(random_candles(2, 300), random_candles(3, count, H1)))
    for key in TECHNICAL:
        assert sheet.facts[key].value is not None or key in LEVELLED
        assert sheet.facts[f"1h.{key}"].value is None
    said = sheet.facts["1h.rsi_14"].missing
    assert said == (f"only {count} closed bars of 1h, {WARM_UP} needed" if count else "no closed bars of 1h")


def test_the_sheet_is_strict_json_and_comes_back() -> None:
    sheet = full_sheet()
    text = json.dumps(sheet.to_json(), allow_nan=False)
    assert FactSheet.from_json(json.loads(text)) == sheet


def test_the_written_text_of_every_number_stays_true() -> None:
    """Half the convention's tightest tolerances: 0.5 % of a price, 5 % of anything else."""
    for factor in (1e-6, 1.0, 90.0):
        candles = times(random_candles(4, 300), factor)
        sheet = build_sheet(snapshot(candles, around=AROUND, holding=holding(candles)))
        for fact in sheet:
            if fact.number is not None:
                allowed = max(0.0025 * abs(fact.number), 0.025 * abs(fact.number) if fact.unit != "price" else 0.0, 0.05)
                allowed = allowed if fact.unit in {"index", "percent", "ratio"} else 0.0025 * abs(fact.number)
                assert abs(float(str(sheet.text(fact.key))) - fact.number) <= allowed, fact.key


@pytest.mark.full
@settings(max_examples=40, deadline=None)
@given(
    seed=seeds,
    column=st.sampled_from(COLUMNS),
    row=st.integers(0, 259),
    bad=st.sampled_from([math.nan, math.inf, -math.inf, -1.0]),
    in_htf=st.booleans(),
)
def test_one_broken_number_anywhere_silences_its_timeframe(seed: int, column: str, row: int, bad: float, in_htf: bool) -> None:
    def poison(values: np.ndarray) -> np.ndarray:
        values[row] = bad
        return values

    main, higher = random_candles(seed, 260), random_candles(seed + 1, 260, H1)
    if in_htf:
        higher = change(higher, **{column: poison})
    else:
        main = change(main, **{column: poison})
    sheet = build_sheet(snapshot(main, higher, holding=holding(random_candles(seed, 260))))
    silent = (
        {f"1h.{key}" for key in TECHNICAL} if in_htf else {"close", "change_24h_pct", *TECHNICAL, "profit_pct", "mfe_pct", "hold_count"}
    )
    for key in silent:
        assert sheet.facts[key].value is None, key
        assert sheet.facts[key].missing, key
    assert all(pattern.timeframe != ("1h" if in_htf else "15m") for pattern in sheet.patterns)
    assert sheet.number("1h.rsi_14" if not in_htf else "rsi_14") is not None
    json.dumps(sheet.to_json(), allow_nan=False)


@settings(max_examples=15, deadline=None)
@given(seed=seeds, later=st.integers(1, 60))
def test_what_comes_later_changes_nothing(seed: int, later: int) -> None:
    """The sheet at T, from candles that end at T, whatever is stored behind them; and no oscillator looks at the forming bar."""
    longer = random_candles(seed, 300)
    known = longer.slice(0, 300 - later)
    alone = Candles(known.timeframe, known.opened_at.copy(), *(getattr(known, name).copy() for name in COLUMNS))
    assert build_sheet(snapshot(known)) == build_sheet(snapshot(alone))
    forming = Candle(int(known.closed_at), *(float(known.close[-1]),) * 4, 99_999.0)
    with_forming = build_sheet(snapshot(known, forming=forming, at_ms=known.closed_at + 1))
    without = build_sheet(snapshot(known))
    for key in TECHNICAL:
        assert with_forming.facts[key] == without.facts[key]


@pytest.mark.parametrize("seed", range(2))
def test_chart_lines_are_the_facts_of_every_bar(seed: int) -> None:
    candles, htf = random_candles(seed, 480), random_candles(seed + 10, 400, H1, start=START_MS - 300 * H1.ms)
    lines = indicator_series(candles, htf)
    assert {len(line) for line in lines.values()} == {480}
    for count in (260, 261, 300, 384, 385, 479, 480):
        then = first_bars(candles, count)
        closed = int(np.searchsorted(htf.opened_at + H1.ms, then.closed_at, side="right"))
        sheet = build_sheet(snapshot(then, first_bars(htf, closed)))
        for key, line in lines.items():
            assert line[count - 1] == pytest.approx(sheet.number(key), rel=1e-9, abs=1e-9), (key, count)
