"""The live feed through the real ccxt client, against a venue of our own on loopback that can be told to misbehave."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime

import pytest
import pytest_asyncio

from engine.domain.errors import BadInput, BadMarketData, MarketRefused, MarketUnreachable, UnknownSymbol
from engine.domain.market.timeframe import Timeframe
from engine.market.exchange import ExchangeFeed
from engine.market.exchange_answers import read_rows
from engine.market.protocol import CandleReading
from engine.market.snapshot import take_snapshot
from engine.venue.wire import ATTEMPTS, Wire
from tests.servers.exchange import HOUR, FaultKind, LoopbackExchange, candles

H1 = Timeframe.parse("1h")
NOW = datetime(2026, 3, 10, 12, 34, 56, tzinfo=UTC)
NOW_MS = int(NOW.timestamp() * 1000)
SYMBOL = "BTC/USDT:USDT"
Open = Callable[..., ExchangeFeed]


@pytest.fixture
def venue() -> Iterator[LoopbackExchange]:
    with LoopbackExchange(lambda: NOW) as running:
        yield running


@pytest_asyncio.fixture
async def opened(venue: LoopbackExchange) -> AsyncIterator[Open]:
    """Opens feeds of the venue that are patient, and closes them."""
    feeds: list[ExchangeFeed] = []

    def make(exchange_id: str = "binanceusdm", **options: float) -> ExchangeFeed:
        feeds.append(
            ExchangeFeed(exchange_id, venue.url, lambda: NOW, **{"backoff_s": 0.01, "timeout_s": 20.0, "deadline_s": 60.0, **options})
        )
        return feeds[-1]

    yield make
    for feed in feeds:
        await feed.close()


async def read(feed: ExchangeFeed, bars: int = 200, at: datetime = NOW) -> CandleReading:
    return await feed.candles(await feed.market(SYMBOL), H1, at, bars)


async def test_pages_are_joined_and_the_forming_candle_is_kept_apart(venue: LoopbackExchange, opened: Open) -> None:
    reading = await read(opened(), 2500)
    wanted = candles("1h", NOW_MS - 2501 * HOUR, NOW_MS, NOW_MS)
    closed = reading.closed
    assert len(closed) == 2500
    assert [[at, *map(float, row)] for at, *row in wanted[-2501:-1]] == [
        [one.opened_at, one.open, one.high, one.low, one.close, one.volume] for one in (closed[index] for index in range(2500))
    ]
    assert reading.forming is not None
    assert (reading.forming.opened_at, reading.forming.close) == (wanted[-1][0], float(wanted[-1][4]))
    assert reading.notes == ()
    assert venue.asked("/fapi/v1/klines") == 3
    assert all("limit=1500" not in path for path in venue.requests)


@pytest.mark.full
@pytest.mark.parametrize("fault", ["500", "cut", "hang", "429"])
async def test_network_trouble_is_retried(venue: LoopbackExchange, opened: Open, fault: FaultKind) -> None:
    feed = opened()
    await feed.market(SYMBOL)
    venue.fail("klines", fault, times=1 if fault in ("429", "hang") else 2)
    if fault == "hang":
        assert feed._wire is not None
        feed._wire.client.timeout = 2_000
    began = time.monotonic()
    reading = await read(feed)
    assert len(reading.closed) == 200
    assert venue.asked("klines") == (2 if fault in ("429", "hang") else 3)
    assert time.monotonic() - began >= (1.0 if fault == "429" else 0.01), "Retry-After is waited for"


async def test_lasting_trouble_ends_in_one_line(venue: LoopbackExchange, opened: Open) -> None:
    venue.fail("klines", "drop", times=99)
    with pytest.raises(MarketUnreachable, match=rf"did not return 1h candles of BTC/USDT:USDT in {ATTEMPTS} attempts") as caught:
        await read(opened())
    assert "\n" not in str(caught.value)
    assert ATTEMPTS <= venue.asked("klines") <= 2 * ATTEMPTS  # aiohttp itself asks again when a kept connection turns out to be dead


@pytest.mark.parametrize(
    ("fault", "words"), [("451", "does not serve this location.*TRIBUNAL_EXCHANGE"), ("418", "has banned this address")]
)
async def test_a_refusal_is_final_and_names_a_way_out(venue: LoopbackExchange, opened: Open, fault: FaultKind, words: str) -> None:
    venue.fail("klines", fault, times=99)
    with pytest.raises(MarketRefused, match=words):
        await read(opened())
    assert venue.asked("klines") == 1


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("html", "web page instead of data"),
        ("nulls", "row 1 of 201 is no candle"),
        ("duplicate", "the candle of 2026-03-06 08:00 UTC is there twice"),
    ],
)
async def test_a_broken_answer_is_refused_at_once(venue: LoopbackExchange, opened: Open, fault: FaultKind, words: str) -> None:
    venue.fail("klines", fault, times=99)
    with pytest.raises(BadMarketData, match=words) as caught:
        await read(opened())
    assert "\n" not in str(caught.value)
    assert venue.asked("klines") == 1


async def test_a_gap_is_reported_and_not_reached_across(venue: LoopbackExchange, opened: Open) -> None:
    venue.fail("klines", "gap")
    reading = await read(opened())
    assert len(reading.closed) == 97
    (note,) = reading.notes
    assert "1h candles are missing between 2026-03-06 07:00 UTC and 2026-03-06 11:00 UTC; only those after it are used" in note


async def test_names_that_are_not_there(opened: Open) -> None:
    with pytest.raises(UnknownSymbol, match=r"no market BTC/USDT: did you mean BTC/USDT:USDT"):
        await opened().market("BTC/USDT")
    for name, words in (("binanceusd", "did you mean binanceusdm"), ("zzzz", "write a ccxt id")):
        with pytest.raises(BadInput, match=words):
            ExchangeFeed(name)
    with pytest.raises(BadInput, match="write http://host:port"):
        ExchangeFeed("kraken", "localhost:99")


@pytest.mark.parametrize("exchange_id", ["binanceusdm", "kraken"])
async def test_every_rest_address_is_redirected(exchange_id: str) -> None:
    def addresses(entry: object) -> list[str]:
        if isinstance(entry, dict):
            return [address for value in entry.values() for address in addresses(value)]
        return [entry] if isinstance(entry, str) else []

    plain, moved = Wire(exchange_id, None, 1, 1), Wire(exchange_id, "http://127.0.0.1:1234/gate/", 1, 1)
    rest = [address for address in addresses(plain.client.urls["api"]) if address.startswith("http")]
    redirected = [address for address in addresses(moved.client.urls["api"]) if address.startswith("http")]
    assert rest
    assert redirected == ["http://127.0.0.1:1234/gate" + "".join(address.split("//", 1)[1].partition("/")[1:]) for address in rest]
    await plain.close()
    await moved.close()


async def test_a_spot_venue_works_without_funding(venue: LoopbackExchange, opened: Open) -> None:
    """One that gives no more than 719 candles at once."""
    snapshot = await take_snapshot(opened("kraken"), symbol="BTC/USD", timeframe=H1, htf=None, at=None, holding=None, bars=900)
    assert snapshot.market.kind == "spot"
    assert len(snapshot.candles) == 719
    assert snapshot.forming is not None
    assert snapshot.market.price_step == pytest.approx(0.1)
    beside = snapshot.surroundings
    assert (beside.funding_rate, beside.open_interest, beside.open_interest_24h_ago) == (None, None, None)
    assert len(snapshot.notes) == 1
    assert venue.asked("premiumIndex") == venue.asked("openInterestHist") == 0


GOOD = [NOW_MS // HOUR * HOUR, 10.0, 12.0, 9.0, 11.0, 5.0]


@pytest.mark.parametrize(
    "row",
    [
        GOOD[:5],
        "candle",
        [*GOOD[:4], "11", 5.0],
        [*GOOD[:4], float("nan"), 5.0],
    ],
)
def test_a_row_that_is_no_candle(row: object) -> None:
    with pytest.raises(BadMarketData, match="acme: row 2 of 2 is no candle"):
        read_rows([GOOD, row], H1, "acme")


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        (0, GOOD[0] + 1, "is not where"),
        (1, 13.0, "leaves its high"),
        (4, -1.0, "above zero"),
    ],
)
def test_a_row_that_cannot_be_true(column: int, value: float, words: str) -> None:
    row = [*GOOD[:column], value, *GOOD[column + 1 :]]
    with pytest.raises(BadMarketData, match=f"acme: the candle of 2026-03-10 12:00.* UTC .*{words}"):
        read_rows([row], H1, "acme")
