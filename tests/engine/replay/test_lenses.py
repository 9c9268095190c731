"""What stands between sources and a decision: nothing later than the clock is shown, and an altered future changes no reading before it."""

import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.errors import ClockOutOfRange
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.equity.recorded import RecordedEquities
from engine.equity.sessions import calendar_of
from engine.equity.snapshot import read_equity
from engine.market.recorded import RecordedFeed
from engine.market.simulated import SimulatedFeed
from engine.market.snapshot import take_snapshot
from engine.replay.altered import AlteredLens
from engine.replay.clock import ReplayClock
from engine.replay.past_lens import PastLens
from engine.replay.worlds import world_of
from tests.engine.equity.altered_year import Year
from tests.engine.equity.worlds import write
from tests.flows.answers import write_candles

SYMBOL = "BTC/USDT:USDT"
LAST = datetime(2026, 5, 17, 9, tzinfo=UTC)
QUARTER, HOUR = Timeframe.parse("15m"), Timeframe.parse("1h")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recorded perpetual with its funding."""
    made = write_candles(tmp_path_factory.mktemp("recorded"))
    first = int((LAST - timedelta(days=14)).timestamp() * 1000)
    rows = [f"{first + n * 28_800_000},{0.0001 * (n % 5 - 2)}" for n in range(42)]
    (made / "binance_perp_BTCUSDT_funding.csv").write_text("\n".join(["timestamp,funding_rate", *rows]))
    return made


async def seen(feed: RecordedFeed | SimulatedFeed, at: datetime) -> Snapshot:
    return await take_snapshot(feed, symbol=SYMBOL, timeframe=QUARTER, htf=HOUR, at=at, holding=None, bars=120)


@pytest.mark.full
@given(minutes=st.integers(0, 5 * 1440))
@settings(max_examples=40)
async def test_a_snapshot_of_a_recording_knows_nothing_later(folder: Path, minutes: int) -> None:
    at = LAST - timedelta(minutes=minutes)
    lens = AlteredLens(3)
    lens.future.begin(at, None)
    altered = RecordedFeed(folder, lens.files())
    real = await seen(RecordedFeed(folder), at)
    assert (await seen(altered, at)).hash == real.hash
    lens.future.begin(at - timedelta(minutes=15), None)  # the last candle is altered too: the test could not fail otherwise
    assert (await seen(altered, at)).hash != real.hash


@pytest.mark.full
@given(minutes=st.integers(0, 3 * 1440), seed=st.integers(0, 3))
@settings(max_examples=25)
async def test_a_snapshot_of_a_simulated_market_knows_nothing_later(minutes: int, seed: int) -> None:
    at = LAST - timedelta(minutes=minutes)
    lens, plain = AlteredLens(3), SimulatedFeed(seed, lambda: LAST)
    lens.future.begin(at, None)
    altered = lens.feed(plain)
    real = await seen(plain, at)
    assert (await seen(altered, at)).hash == real.hash  # type: ignore[arg-type]
    lens.future.begin(at - timedelta(minutes=15), None)
    assert (await seen(altered, at)).hash != real.hash  # type: ignore[arg-type]


@pytest.mark.full
async def test_a_company_as_it_is_read_knows_nothing_later(company_data: Path, tmp_path: Path) -> None:
    """Twelve sessions of a year with a split, dividends, filings and news; what came one session earlier does change them."""
    write(tmp_path / "year", Year(company_data).files())
    plain, lens = RecordedEquities(tmp_path / "year"), AlteredLens(5)
    altered, calendar = RecordedEquities(tmp_path / "year", lens.files()), calendar_of("XNYS")
    days = random.Random(8).sample(calendar.between(date(2020, 3, 30), date(2021, 3, 30)), 10)
    for number, day in enumerate([*days, date(2020, 8, 28), date(2020, 8, 31)]):
        moment = calendar.moment(day, "pre_open" if number % 2 else "post_close")
        lens.future.begin(moment.known_at, moment.last_session)
        real = await read_equity(plain, "AAPL", day, moment.trading_session, bars=260)
        found = await read_equity(altered, "AAPL", day, moment.trading_session, bars=260)
        assert found.hash == real.hash, (day, moment.trading_session)
        before = calendar.before(moment.last_session)
        lens.future.begin(before.close, before.date)
        assert (await read_equity(altered, "AAPL", day, moment.trading_session, bars=260)).hash != real.hash, day


async def test_nothing_behind_the_clock_is_shown(folder: Path) -> None:
    clock = ReplayClock(LAST - timedelta(days=1))
    feed = PastLens(clock).feed(RecordedFeed(folder))
    market = await feed.market(SYMBOL)
    assert await feed.clock(market, QUARTER, HOUR) == clock.at
    assert len((await feed.candles(market, QUARTER, clock.at, 10)).closed) == 10
    with pytest.raises(ClockOutOfRange):
        await feed.candles(market, QUARTER, clock.at + timedelta(minutes=1), 10)
    with pytest.raises(ClockOutOfRange):
        await feed.surroundings(market, clock.at + timedelta(minutes=1))
    clock.move(LAST + timedelta(days=9))
    assert await feed.clock(market, QUARTER, HOUR) == LAST


async def test_a_world_stands_in_the_place_of_one_market_alone(folder: Path) -> None:
    lens = PastLens(lambda: LAST)
    feed, plain = lens.feed(RecordedFeed(folder)), RecordedFeed(folder)
    market = await plain.market(SYMBOL)
    real = (await plain.candles(market, QUARTER, LAST, 1000)).closed
    world = world_of(real, "shuffled", 4)
    lens.world = (SYMBOL, world)
    at = LAST - timedelta(hours=5)
    hours = (await feed.candles(market, HOUR, at, 20)).closed
    known = world.slice(0, int((world.opened_at + QUARTER.ms).searchsorted(int(at.timestamp() * 1000), side="right")))
    assert hours.close[-1] == known.close[-1]
    assert hours.high[-1] == known.high[-4:].max()
    assert hours.open[-1] == known.open[-4]
    lens.world = ("ETH/USDT:USDT", world)
    assert (await feed.candles(market, HOUR, at, 20)).closed.close[-1] == (await plain.candles(market, HOUR, at, 20)).closed.close[-1]
