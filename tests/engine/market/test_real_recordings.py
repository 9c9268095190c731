"""The same reader over real candles, checked against the plain text of the files."""

import csv
import gzip
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.domain.market.timeframe import Timeframe
from engine.market.recorded import RecordedFeed
from engine.market.snapshot import take_snapshot

AT = datetime(2025, 11, 21, 9, 20, tzinfo=UTC)


def plain(path: Path) -> dict[int, list[float]]:
    with gzip.open(path, "rt") as lines:
        return {int(row[0]): [float(cell) for cell in row[1:]] for row in list(csv.reader(lines))[1:]}


@pytest.mark.full
@pytest.mark.parametrize("coin", ["BTC", "ETH"])
async def test_real_candles_are_those_of_the_file(recorded_data: Path, coin: str) -> None:
    feed = RecordedFeed(recorded_data)
    snapshot = await take_snapshot(
        feed, symbol=f"{coin}/USDT:USDT", timeframe=Timeframe.parse("1h"), htf=Timeframe.parse("4h"), at=AT, holding=None
    )
    hours = plain(recorded_data / f"binance_perp_{coin}USDT_1h.csv.gz")
    assert len(snapshot.candles) == len(snapshot.candles_htf) == 1000
    assert snapshot.price == hours[int(datetime(2025, 11, 21, 8, tzinfo=UTC).timestamp() * 1000)][3]
    last = int(snapshot.candles_htf.opened_at[-1])
    assert last == int(datetime(2025, 11, 21, 4, tzinfo=UTC).timestamp() * 1000)
    inside = [hours[last + step * 3_600_000] for step in range(4)]
    expected = (inside[0][0], max(row[1] for row in inside), min(row[2] for row in inside), inside[-1][3])
    built = snapshot.candles_htf[-1]
    assert (built.open, built.high, built.low, built.close) == expected
    assert snapshot.surroundings.funding_rate is not None
    assert snapshot.notes == ()


@pytest.mark.full
async def test_a_file_that_does_not_cover_the_instant_is_not_used(recorded_data: Path) -> None:
    feed = RecordedFeed(recorded_data)
    market = await feed.market("BTC/USDT:USDT")
    at = datetime(2025, 5, 25, 10, 7, tzinfo=UTC)  # before the 15m file begins, inside the 1m file
    minutes = plain(recorded_data / "binance_perp_BTCUSDT_1m.csv.gz")
    closed = (await feed.candles(market, Timeframe.parse("15m"), at, 500)).closed
    assert len(closed) == 500
    assert closed.close[-1] == minutes[closed.closed_at - 60_000][3]


async def test_a_real_gap_is_reported(recorded_data: Path) -> None:
    feed = RecordedFeed(recorded_data)
    reading = await feed.candles(await feed.market("BTC/USDT"), Timeframe.parse("1d"), datetime(2020, 5, 1, tzinfo=UTC), 1000)
    assert reading.closed.opened_at[0] == int(datetime(2020, 2, 20, tzinfo=UTC).timestamp() * 1000)
    assert "binance_spot_BTCUSDT_1d.csv row 772 (line 773): 1 candle is missing" in reading.notes[0]
