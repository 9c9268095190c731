"""What every feed promises (`engine/market/protocol.py`), over the recorded, the simulated and the live one.

A world is opened "as of" an instant: the recording ends there, the simulation and the venue have that present. What a feed says of T must
then be the same in the world of T and in every later one.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from engine.domain.errors import BadInput, ClockOutOfRange, NoSuchTimeframe, UnknownSymbol
from engine.domain.market.candles import COLUMNS, Candles
from engine.domain.market.timeframe import Timeframe
from engine.market.exchange import ExchangeFeed
from engine.market.hindsight import candles_so_far, later_candles
from engine.market.protocol import Feed, HistoryReader, SeriesName
from engine.market.recorded import RecordedFeed
from engine.market.simulated import SimulatedFeed
from engine.market.snapshot import take_snapshot
from tests.servers.exchange import EIGHT_HOURS, HOUR, MINUTE, LoopbackExchange, candles, funding_at

SYMBOL = "BTC/USDT:USDT"
NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
LISTED = datetime(2025, 12, 20, tzinfo=UTC)
M15, H1, H4, D1, W1 = (Timeframe.parse(name) for name in ("15m", "1h", "4h", "1d", "1w"))
World = Callable[[datetime], Feed]


def ms(instant: datetime) -> int:
    return int(instant.timestamp() * 1000)


def record(folder: Path, until: datetime) -> Feed:
    """A folder of what was recorded up to `until`."""
    folder.mkdir(parents=True)
    rows = candles("15m", ms(LISTED), ms(until) - 15 * MINUTE, ms(until))
    lines = [",".join(map(str, row)) for row in rows]
    (folder / "acme_perp_BTCUSDT_15m.csv").write_text("\n".join(["timestamp,open,high,low,close,volume", *lines]))
    settled = range(-(-ms(LISTED) // EIGHT_HOURS) * EIGHT_HOURS, ms(until) + 1, EIGHT_HOURS)
    (folder / "acme_perp_BTCUSDT_funding.csv").write_text(
        "\n".join(["timestamp,funding_rate", *(f"{at},{funding_at(at)}" for at in settled)])
    )
    interest = range(ms(LISTED), ms(until) + 1, HOUR)
    (folder / "acme_perp_BTCUSDT_open_interest.csv").write_text(
        "\n".join(["timestamp,open_interest", *(f"{at},{at // HOUR}" for at in interest)])
    )
    return RecordedFeed(folder)


@pytest_asyncio.fixture(params=["recorded", "simulated", "live"])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    """Opens feeds as of an instant; all are closed in the end."""
    feeds: list[Feed] = []
    with ExitStack() as venues:

        def opened(now: datetime) -> Feed:
            feeds.append(made(now))
            return feeds[-1]

        def made(now: datetime) -> Feed:
            if request.param == "recorded":
                return record(tmp_path / f"{now:%Y%m%dT%H%M%S}{len(list(tmp_path.iterdir()))}", now)
            if request.param == "simulated":
                return SimulatedFeed(7, lambda: now)
            venue = venues.enter_context(LoopbackExchange(lambda: now, listed_at=ms(LISTED)))
            return ExchangeFeed("binanceusdm", venue.url, lambda: now, backoff_s=0.01)

        yield opened
        for feed in feeds:
            await feed.close()


def same(left: Candles, right: Candles) -> None:
    assert left.opened_at.tolist() == right.opened_at.tolist()
    for name in COLUMNS:
        assert getattr(left, name).tolist() == getattr(right, name).tolist(), name


@pytest.mark.parametrize("timeframe", [M15, H1, H4, D1, W1], ids=str)
@pytest.mark.parametrize("back", [timedelta(0), timedelta(milliseconds=1), timedelta(days=20, hours=5, minutes=17, seconds=3)])
async def test_candles_are_closed_evenly_spaced_and_end_at_the_instant(world: World, timeframe: Timeframe, back: timedelta) -> None:
    feed, at = world(NOW), NOW - back
    market = await feed.market(SYMBOL)
    reading = await feed.candles(market, timeframe, at, 300)
    closed = reading.closed
    assert 0 < len(closed) <= 300
    assert closed.timeframe == timeframe
    assert closed.opened_at[-1] == timeframe.last_closed_open(ms(at))
    assert closed.closed_at <= ms(at)
    assert set(np.diff(closed.opened_at).tolist()) <= {timeframe.ms}
    assert (closed.high >= np.maximum(closed.open, closed.close)).all()
    assert (closed.low <= np.minimum(closed.open, closed.close)).all()
    assert (closed.low > 0).all()
    assert (closed.volume >= 0).all()
    assert all(np.isfinite(getattr(closed, name)).all() for name in COLUMNS)
    if reading.forming is not None:
        assert reading.forming.opened_at == timeframe.floor(ms(at)) == closed.closed_at


async def test_what_is_known_at_an_instant_does_not_depend_on_what_came_after(world: World) -> None:
    at = NOW - timedelta(days=9, hours=3, minutes=45)
    then, later = world(at), world(NOW)
    market = await then.market(SYMBOL)
    for timeframe in (M15, H1, D1):
        same((await then.candles(market, timeframe, at, 200)).closed, (await later.candles(market, timeframe, at, 200)).closed)
    past = at - timedelta(hours=2)  # the present itself may have running values
    assert await then.surroundings(market, past) == await later.surroundings(market, past)


@pytest.mark.parametrize("longer", [H1, H4, D1], ids=str)
async def test_a_longer_candle_is_its_shorter_ones(world: World, longer: Timeframe) -> None:
    feed = world(NOW)
    market = await feed.market(SYMBOL)
    whole = (await feed.candles(market, longer, NOW, 5)).closed
    parts = (await feed.candles(market, M15, NOW, 5 * longer.ms // M15.ms + 96)).closed
    for index, opened_at in enumerate(whole.opened_at.tolist()):
        inside = [parts[at] for at in range(len(parts)) if opened_at <= parts[at].opened_at < opened_at + longer.ms]
        assert len(inside) == longer.ms // M15.ms
        expected = (inside[0].open, max(one.high for one in inside), min(one.low for one in inside), inside[-1].close)
        assert (whole[index].open, whole[index].high, whole[index].low, whole[index].close) == expected
        assert whole[index].volume == pytest.approx(sum(one.volume for one in inside), rel=1e-12)


async def test_two_readings_give_one_snapshot(world: World) -> None:
    hashes = set()
    for _ in range(2):
        feed = world(NOW)
        for _ in range(2):
            snapshot = await take_snapshot(feed, symbol=SYMBOL, timeframe=M15, htf=H1, at=NOW - timedelta(days=2), holding=None, bars=120)
            hashes.add(snapshot.hash)
        assert len(hashes) == 1


async def test_the_clock_is_an_instant_that_can_be_read(world: World) -> None:
    feed = world(NOW)
    market = await feed.market(SYMBOL)
    now = await feed.clock(market, M15, D1)
    assert now == NOW
    snapshot = await take_snapshot(feed, symbol=SYMBOL, timeframe=M15, htf=D1, at=None, holding=None, bars=50)
    assert snapshot.at == NOW
    assert snapshot.candles.closed_at == ms(NOW)
    assert snapshot.feed == feed.name
    assert snapshot.venue == feed.venue


async def test_markets_and_timeframes_are_what_can_be_read(world: World) -> None:
    feed = world(NOW)
    markets = await feed.markets()
    assert markets == await feed.markets()
    market = await feed.market(SYMBOL)
    assert market in markets
    assert market.kind == "perp"
    timeframes = await feed.timeframes(market)
    assert list(timeframes) == sorted(timeframes)
    assert {M15, H1, H4, D1, W1} <= set(timeframes)
    for timeframe in timeframes:
        assert len((await feed.candles(market, timeframe, NOW, 3)).closed) == 3


async def test_surroundings_are_of_the_instant_and_missing_is_not_zero(world: World) -> None:
    feed = world(NOW)
    market = await feed.market(SYMBOL)
    told = [await feed.surroundings(market, NOW - timedelta(days=3, hours=hours)) for hours in (0, 8, 16, 24)]
    assert len({each.funding_rate for each in told}) > 1
    assert all(each.open_interest is not None and each.open_interest > 0 for each in told)
    assert told[0].open_interest_24h_ago == told[3].open_interest
    before = await feed.surroundings(market, datetime(2016, 5, 1, tzinfo=UTC))
    assert before.funding_rate is None
    assert before.open_interest is None


@pytest.mark.parametrize("symbol", ["NOPE/USDT:USDT", "BTC/XYZ:XYZ", "BTCC/USDT:USDT"])
async def test_an_unknown_symbol_is_refused_by_name(world: World, symbol: str) -> None:
    feed = world(NOW)
    with pytest.raises(UnknownSymbol, match=symbol) as caught:
        await feed.market(symbol)
    assert "\n" not in str(caught.value)


async def test_an_unknown_timeframe_names_the_known_ones(world: World) -> None:
    feed = world(NOW)
    market = await feed.market(SYMBOL)
    with pytest.raises(NoSuchTimeframe, match=r"7m.*15m"):
        await feed.candles(market, Timeframe.parse("7m"), NOW, 10)


@pytest.mark.parametrize("at", [NOW + timedelta(minutes=20), NOW + timedelta(days=400), datetime(2016, 6, 1, tzinfo=UTC)])
async def test_instants_outside_the_market_are_refused(world: World, at: datetime) -> None:
    feed = world(NOW)
    market = await feed.market(SYMBOL)
    with pytest.raises(ClockOutOfRange, match=f"{at:%Y-%m-%d}"):
        await feed.candles(market, M15, at, 10)


async def test_a_time_without_a_zone_is_refused(world: World) -> None:
    feed = world(NOW)
    market = await feed.market(SYMBOL)
    with pytest.raises(BadInput, match="zone"):
        await feed.candles(market, M15, NOW.replace(tzinfo=None), 10)


async def test_hindsight_is_what_came_after_and_nothing_else(world: World) -> None:
    feed, at = world(NOW), NOW - timedelta(hours=5, minutes=7)
    snapshot = await take_snapshot(feed, symbol=SYMBOL, timeframe=M15, htf=None, at=at, holding=None, bars=100)
    whole = (await feed.candles(await feed.market(SYMBOL), M15, NOW, 400)).closed
    for most in (1, 7, 1000):
        later = await later_candles(feed, snapshot, most)
        same(later, whole.since(snapshot.candles.closed_at).slice(0, most))
    now = await take_snapshot(feed, symbol=SYMBOL, timeframe=M15, htf=None, at=NOW, holding=None, bars=100)
    assert len(await later_candles(feed, now, 10)) == 0


@pytest.mark.parametrize("what", ["funding_rate", "open_interest"])
@pytest.mark.parametrize("back", [timedelta(0), timedelta(days=3, hours=5, minutes=17)])
async def test_series_beside_the_candles_end_at_the_instant_and_do_not_depend_on_what_came_after(
    world: World, what: SeriesName, back: timedelta
) -> None:
    at = NOW - back
    then, later = world(at), world(NOW)
    assert isinstance(then, HistoryReader)
    assert isinstance(later, HistoryReader)
    market = await then.market(SYMBOL)
    reading = await later.history(market, what, at, 12)
    stamps = [known for known, _ in reading.points]
    assert len(stamps) == 12
    assert stamps == sorted(set(stamps))
    assert ms(at) - reading.step_ms - 1000 <= stamps[-1] <= ms(at)
    assert (await then.history(market, what, at, 12)).points == reading.points
    around = await later.surroundings(market, datetime.fromtimestamp(stamps[-1] / 1000, UTC))
    assert reading.points[-1][1] == getattr(around, what), "one truth, read two ways"


async def test_what_has_happened_so_far_goes_on_with_the_market_and_leaves_no_gap(world: World) -> None:
    then = NOW - timedelta(hours=2, minutes=7)
    snapshot = await take_snapshot(world(then), symbol=SYMBOL, timeframe=M15, htf=None, at=then, holding=None, bars=100)
    for later in (then, then + timedelta(minutes=8), NOW):
        feed = world(later)
        at = await feed.clock(await feed.market(SYMBOL), M15, None)
        whole = await feed.candles(await feed.market(SYMBOL), M15, at, 400)
        found = await candles_so_far(feed, snapshot, 100)
        same(found.closed, whole.closed.since(snapshot.candles.closed_at))
        assert found.forming == whole.forming
        if len(found.closed):
            assert found.closed.opened_at[0] == snapshot.candles.closed_at
    assert len((await candles_so_far(world(NOW), snapshot, 3)).closed) == 0
