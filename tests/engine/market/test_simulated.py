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
