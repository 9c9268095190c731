"""The simulated market is a function of (seed, symbol, time) and of nothing else, and looks like a market."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.market.timeframe import Timeframe
from engine.market.simulated import TIMEFRAMES, SimulatedFeed
from engine.market.simulated_coins import COINS
from engine.market.simulated_mood import surroundings_at
from engine.market.simulated_path import DAY_MS, CoinPath

NOW = datetime(2026, 11, 20, 17, 43, 21, tzinfo=UTC)
FIRST = datetime(2017, 2, 1, tzinfo=UTC)
LATER = NOW + timedelta(days=900)
MINUTE, HOUR = Timeframe.parse("1m"), Timeframe.parse("1h")
INSTANTS = st.datetimes(FIRST.replace(tzinfo=None), NOW.replace(tzinfo=None), timezones=st.just(UTC))
WARM = SimulatedFeed(3, lambda: LATER)  # keeps its days from example to example


def ms(instant: datetime) -> int:
    return int(instant.timestamp() * 1000)


@pytest.mark.full
@settings(max_examples=40, deadline=None)
@given(at=INSTANTS, timeframe=st.sampled_from(TIMEFRAMES[:-1]), bars=st.integers(1, 40), coin=st.sampled_from(["BTC", "SOL", "DOGE"]))
async def test_a_reading_depends_on_seed_symbol_and_time_only(at: datetime, timeframe: Timeframe, bars: int, coin: str) -> None:
    fresh = SimulatedFeed(3, lambda: at)  # knows nothing, and `at` is its present
    market = await fresh.market(f"{coin}/USDT:USDT")
    ours, theirs = await fresh.candles(market, timeframe, at, bars), await WARM.candles(market, timeframe, at, bars)
    assert ours.closed.to_columns() == theirs.closed.to_columns()
    assert ours.forming == theirs.forming
    assert ours.closed.opened_at[-1] == timeframe.last_closed_open(ms(at))
    assert await fresh.surroundings(market, at) == await WARM.surroundings(market, at)
    assert ours.forming is not None
    assert ours.forming.opened_at == ours.closed.closed_at
    assert ours.forming.open == ours.closed.close[-1]


@settings(max_examples=25, deadline=None)
@given(at=INSTANTS, timeframe=st.sampled_from(TIMEFRAMES), part=st.floats(0, 1))
async def test_the_forming_candle_grows_into_the_closed_one(at: datetime, timeframe: Timeframe, part: float) -> None:
    market = await WARM.market("ETH/USDT:USDT")
    opened = timeframe.floor(ms(at))
    close = datetime.fromtimestamp((opened + timeframe.ms) / 1000, UTC)
    closed = (await WARM.candles(market, timeframe, close, 1)).closed[-1]
    early = (await WARM.candles(market, timeframe, close - timedelta(milliseconds=1 + part * (timeframe.ms - 1)), 1)).forming
    late = (await WARM.candles(market, timeframe, close - timedelta(milliseconds=1), 1)).forming
    assert late == closed
    assert early is not None
    assert closed.low <= early.low <= early.close <= early.high <= closed.high
    assert early.open == closed.open
    assert 0 <= early.volume <= closed.volume


@settings(max_examples=15, deadline=None)
@given(at=INSTANTS, longer=st.sampled_from([each for each in TIMEFRAMES if MINUTE < each < Timeframe.parse("12h")]))
async def test_a_longer_candle_is_its_minutes(at: datetime, longer: Timeframe) -> None:
    market = await WARM.market("XRP/USDT:USDT")
    whole = (await WARM.candles(market, longer, at, 1)).closed
    end = datetime.fromtimestamp(whole.closed_at / 1000, UTC)
    minutes = (await WARM.candles(market, MINUTE, end, longer.ms // MINUTE.ms)).closed
    assert minutes.opened_at[0] == whole.opened_at[0]
    assert (whole.open[0], whole.high[0]) == (minutes.open[0], minutes.high.max())
    assert (whole.low[0], whole.close[0]) == (minutes.low.min(), minutes.close[-1])
    assert whole.volume[0] == pytest.approx(minutes.volume.sum(), rel=1e-12)


@pytest.mark.parametrize(("coin", "low", "high"), [("BTC", 35_000, 180_000), pytest.param("SOL", 40, 520, marks=pytest.mark.full)])
async def test_it_looks_like_a_market(coin: str, low: float, high: float) -> None:
    feed = SimulatedFeed(0, lambda: NOW)
    market = await feed.market(f"{coin}/USDT:USDT")
    hours = (await feed.candles(market, HOUR, NOW, 5000)).closed
    assert low < hours.low.min() < hours.high.max() < high
    returns = np.diff(np.log(hours.close))
    assert 0.35 < returns.std() * np.sqrt(365 * 24) < 1.1  # per year
    assert ((returns - returns.mean()) ** 4).mean() / returns.var() ** 2 > 4, "tails are fat"
    assert np.corrcoef(abs(returns[1:]), abs(returns[:-1]))[0, 1] > 0.08, "restless hours come together"
    wicks = hours.high - np.maximum(hours.open, hours.close)
    assert 0.9 < (wicks > 0).mean() < 1
    weeks = np.log(hours.close[167::168] / hours.open[:-167:168])
    assert (weeks > 0.04).any()
    assert (weeks < -0.04).any()
    assert (abs(weeks) < 0.02).any(), "there are ranges, too"
    assert market.price_step is not None
    steps = hours.close / market.price_step
    assert np.allclose(steps, np.rint(steps), atol=1e-6)
    told = [await feed.surroundings(market, NOW - timedelta(days=days)) for days in range(0, 400, 5)]
    rates = [each.funding_rate for each in told if each.funding_rate is not None]
    assert min(rates) < 0 < max(rates) < 0.001
    moods = [each.fear_greed for each in told if each.fear_greed is not None]
    assert min(moods) < 30
    assert max(moods) > 70


@settings(max_examples=20, deadline=None)
@given(at=INSTANTS)
def test_no_price_after_the_instant_is_looked_at(at: datetime) -> None:
    asked: list[int] = []

    class Watched(CoinPath):
        def price_at(self, ms: int) -> float:
            asked.append(ms)
            return super().price_at(ms)

        def log_price(self, day: int) -> float:
            asked.append(day * DAY_MS)
            return super().log_price(day)

    told = surroundings_at(Watched(3, COINS["BTC"]), "perp", ms(at))
    assert None not in (told.funding_rate, told.open_interest, told.open_interest_24h_ago, told.fear_greed)
    assert asked
    assert max(asked) <= ms(at)
