"""What the sheet promises whatever the market: keys, warm-up, no invented number, no look ahead."""

import json
import math
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.domain.facts import FactSheet
from engine.domain.holding import Holding
from engine.domain.market.candles import COLUMNS, Candle, Candles
from engine.domain.market.instrument import Surroundings
from engine.facts import series
from engine.facts.series import indicator_series
from engine.facts.sheet import WARM_UP, build_sheet
from tests.engine.facts.markets import H1, M15, START_MS, change, first_bars, random_candles, snapshot, times

OSCILLATORS = ("rsi_14", "adx_14", "plus_di", "minus_di", "stoch_k", "stoch_d", "cci_20", "mfi_14", "obv_trend", "volume_ratio_20")
LINES = ("macd", "macd_signal", "macd_hist", "ema_10", "ema_20", "ema_50", "ema_200", "sma_20", "sma_50", "sma_200", "vwap")
BANDS = ("bb_upper", "bb_middle", "bb_lower", "atr_14", "atr_pct", "support", "resistance")
TECHNICAL = (*OSCILLATORS, *LINES, *BANDS)
MARKET = ("close", "change_24h_pct", "funding_rate_pct", "oi_change_pct", "fear_greed")
STATED = ("side", "entry_price", "leverage", "size", "liquidation_price")
POSITION = (*STATED, "profit_pct", "mfe_pct", "mae_pct", "drawdown_from_peak_pct", "hold_count")
LEVELLED = {"support", "resistance"}
TIED = {"adx_14", "plus_di", "minus_di", "mfi_14"}  # these ask whether two sums of prices are equal
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


def test_every_fact_says_what_it_is() -> None:
    sheet = full_sheet()
    for fact in sheet:
        assert (fact.value is None) == bool(fact.missing), fact.key
        if fact.value is not None:
            assert fact.formula, fact.key
        key = fact.key.removeprefix("1h.")
        if key in TECHNICAL and fact.value is not None:
            assert fact.timeframe == ("1h" if key != fact.key else "15m")
            assert fact.bar_time == START_MS + 299 * (H1 if key != fact.key else M15).ms
            assert 1 <= fact.bars <= 300
    assert sheet.number("funding_rate_pct") == pytest.approx(0.01)
    assert sheet.number("oi_change_pct") == pytest.approx(10.0)
    assert sheet.number("fear_greed") == 37.0


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


def test_the_main_timeframe_may_be_too_short_as_well() -> None:
    sheet = build_sheet(snapshot(random_candles(2, 249)))
    assert {fact.key for fact in sheet.known()} == {"close"}
    empty = build_sheet(snapshot(random_candles(2, 0), at_ms=START_MS))
    assert not list(empty.known())


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
@settings(max_examples=30, deadline=None)
@example(seed=266, factor=1e-9)  # a level at the last price itself
@given(seed=seeds, factor=st.sampled_from([1e-9, 1e-4, 0.1, 10.0, 1e5, 2.0**-30, 2.0**-7, 2.0**20, 1 / 3, 7.77]))
def test_other_money_scales_prices_and_nothing_else(seed: int, factor: float) -> None:
    candles = random_candles(seed, 260)
    sheet, scaled = build_sheet(snapshot(candles)), build_sheet(snapshot(times(candles, factor)))
    exact = factor not in {1 / 3, 7.77}  # other factors leave the decimal grid: equal prices stay equal, equal sums of prices do not
    for fact in sheet:
        if fact.key in TIED and not exact:
            continue
        other, by = scaled.facts[fact.key], factor if fact.unit in {"price", "macd"} else 1.0
        if fact.number is None:
            assert other.value == fact.value, fact.key
        else:
            assert other.number == pytest.approx(fact.number * by, rel=1e-7, abs=1e-9 * by * float(candles.close[-1])), fact.key
    if exact:
        assert {(p.name, p.bars_ago) for p in sheet.patterns} == {(p.name, p.bars_ago) for p in scaled.patterns}


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


@settings(max_examples=10, deadline=None)
@given(seed=seeds)
def test_older_history_is_forgotten(seed: int) -> None:
    """1,000 bars and 700 bars before the same instant tell the same story, within rounding of what people write."""
    longer = random_candles(seed, 1000)
    sheet, shorter = build_sheet(snapshot(longer)), build_sheet(snapshot(longer.tail(700)))
    for fact in sheet:
        if fact.number is not None and fact.key not in LEVELLED:
            assert shorter.number(fact.key) == pytest.approx(fact.number, rel=0.002, abs=0.002 * float(longer.close[-1]) * 0.01), fact.key


def test_close_is_the_last_price_and_says_so() -> None:
    candles = random_candles(7, 300)
    forming = Candle(candles.closed_at, 1.0, 3.0, 0.5, 2.5, 1.0)
    fact = build_sheet(snapshot(candles, forming=forming, at_ms=candles.closed_at + 1)).facts["close"]
    assert (fact.value, fact.bar_time) == (2.5, candles.closed_at)
    assert "forming" in fact.formula
    closed = build_sheet(snapshot(candles)).facts["close"]
    assert (closed.value, closed.bar_time) == (float(candles.close[-1]), int(candles.opened_at[-1]))
    broken = Candle(candles.closed_at, 1.0, 1.0, 1.0, math.nan, 1.0)
    sheet = build_sheet(snapshot(candles, forming=broken, at_ms=candles.closed_at + 1))
    assert [sheet.number(key) for key in ("close", "support", "resistance")] == [None] * 3
    assert sheet.number("rsi_14") is not None


@pytest.mark.parametrize("seed", range(4))
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


def test_chart_lines_begin_with_their_warm_up() -> None:
    lines = indicator_series(random_candles(3, 320))
    assert {key: line.index(next(value for value in line if value is not None)) for key, line in lines.items()} == (
        {f"ema_{period}": period - 1 for period in (10, 20, 50, 200)}
        | {f"sma_{period}": period - 1 for period in (20, 50, 200)}
        | dict.fromkeys(("bb_upper", "bb_middle", "bb_lower"), 19)
        | {"vwap": 0, "rsi_14": 14, "adx_14": 27, "plus_di": 14, "minus_di": 14, "macd": 33, "macd_signal": 33, "macd_hist": 33}
        | {"atr_14": 14, "atr_pct": 14, "volume_ratio_20": 19, "stoch_k": 17, "stoch_d": 17, "cci_20": 19, "mfi_14": 14}
    )


def test_chart_lines_of_what_cannot_be_measured() -> None:
    def poison(values: np.ndarray) -> np.ndarray:
        values[5] = math.nan
        return values

    assert set(map(tuple, indicator_series(random_candles(1, 0)).values())) == {()}
    assert set(indicator_series(random_candles(1, 30), random_candles(1, 0, H1))) == set(series.LINES)
    assert set(indicator_series(change(random_candles(1, 60), low=poison))["ema_20"]) == {None}
    assert set(indicator_series(random_candles(1, 5))["rsi_14"]) == {None}
    still = change(random_candles(1, 60), **{name: lambda column: np.full_like(column, 7.0) for name in ("open", "high", "low", "close")})
    for key in ("rsi_14", "adx_14", "plus_di", "minus_di", "stoch_k", "stoch_d", "cci_20", "mfi_14"):
        assert set(indicator_series(still)[key]) == {None}, key
    silent = change(random_candles(1, 60), volume=np.zeros_like)
    for key in ("vwap", "volume_ratio_20", "mfi_14"):
        assert set(indicator_series(silent)[key]) == {None}, key
    assert indicator_series(still)["ema_20"][-1] == pytest.approx(7.0)
