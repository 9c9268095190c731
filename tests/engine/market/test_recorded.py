"""Recorded candles: which file is read, what is built, and that no fault in a file gets past without file and row."""

import gzip
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.domain.errors import BadMarketData
from engine.domain.market.timeframe import Timeframe
from engine.market.protocol import CandleReading
from engine.market.recorded import RecordedFeed

HEADING = "timestamp,open,high,low,close,volume"
START = datetime(2025, 6, 2, tzinfo=UTC)  # a Monday
HOUR = timedelta(hours=1)
H1 = Timeframe.parse("1h")
Row = list[float | int | str]


def at(hours: float) -> datetime:
    return START + hours * HOUR


def ms(instant: datetime) -> int:
    return int(instant.timestamp() * 1000)


def rows(count: int, step: timedelta = HOUR, start: datetime = START, base: float = 100.0) -> list[Row]:
    """Candles whose open is base + their number: close one higher, high and low half a unit beyond."""
    return [[ms(start + n * step), base + n, base + n + 1.5, base + n - 0.5, base + n + 1, 10 + n] for n in range(count)]


def text(table: list[Row], heading: str = HEADING) -> str:
    return "\n".join([heading, *(",".join(map(str, row)) for row in table)]) + "\n"


def write(folder: Path, table: list[Row], name: str = "acme_perp_BTCUSDT_1h.csv") -> Path:
    path = folder / name
    path.write_text(text(table))
    return path


async def read(folder: Path, instant: datetime, timeframe: str = "1h", bars: int = 1000, symbol: str = "BTC/USDT:USDT") -> CandleReading:
    feed = RecordedFeed(folder)
    return await feed.candles(await feed.market(symbol), Timeframe.parse(timeframe), instant, bars)


def changed(index: int, column: int, value: float | str) -> list[Row]:
    table = rows(12)
    table[index][column] = value
    return table


def swapped() -> list[Row]:
    table = rows(12)
    table[4], table[5] = table[5], table[4]
    return table


FAULTS = {
    "a word for a price": (text(changed(6, 4, "n/a")), "row 7 (line 8)", "close 'n/a' is not a number"),
    "NaN": (text(changed(6, 2, "nan")), "row 7 (line 8)", "high is nan"),
    "high below low": (text(changed(3, 2, 50)), "row 4 (line 5)", "high is below low"),
    "out of order": (text(swapped()), "row 6 (line 7)", "rows must be in the order of time"),
    "askew": (text(changed(5, 0, ms(at(5)) + 60_000)), "row 6 (line 7)", "is not where a 1h candle opens"),
    "a missing column": (text([row[:5] for row in rows(12)], HEADING.removesuffix(",volume")), "", "no column volume"),
    "a short row": (text([*rows(4), rows(5)[4][:4], *rows(12)[5:]]), "row 5 (line 6)", "4 fields instead of 6"),
    "no heading": (text(rows(12)).removeprefix(HEADING + "\n"), "", "no column timestamp"),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_broken_file_is_refused_with_file_and_row(tmp_path: Path, fault: str) -> None:
    content, place, what = FAULTS[fault]
    (tmp_path / "acme_perp_BTCUSDT_1h.csv").write_text(content)
    with pytest.raises(BadMarketData) as caught:
        await read(tmp_path, at(10))
    message = str(caught.value)
    assert message.startswith("acme_perp_BTCUSDT_1h.csv")
    assert place in message
    assert what in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("acme_perp_BTCUSDT_1h.csv.gz", gzip.compress(text(rows(400)).encode())[:900], "not a whole gzip file"),
        ("acme_perp_BTCUSDT_1h.parquet", b"PAR1 and then nothing", "not a whole Parquet file"),
        ("acme_perp_BTCUSDT_1h.csv", b"timestamp,open\n\xff\xfe", "not a text file"),
    ],
)
async def test_an_unreadable_file_is_refused_by_name(tmp_path: Path, name: str, content: bytes, what: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadMarketData, match=f"{name}.*{what}"):
        await read(tmp_path, at(10))


@pytest.mark.parametrize("kind", ["crlf and byte order mark", "csv.gz", "parquet", "parquet with instants"])
async def test_every_kind_of_file_gives_the_same_candles(tmp_path: Path, kind: str) -> None:
    table = rows(30)
    columns = dict(zip(HEADING.split(","), map(list, zip(*table, strict=True)), strict=True))
    stem = tmp_path / "acme_perp_BTCUSDT_1h"
    match kind:
        case "crlf and byte order mark":
            stem.with_suffix(".csv").write_bytes(b"\xef\xbb\xbf" + text(table).replace("\n", "\r\n").encode() + b"\r\n\r\n")
        case "csv.gz":
            stem.with_suffix(".csv.gz").write_bytes(gzip.compress(text(table).encode()))
        case "parquet":
            pq.write_table(pa.table(columns), stem.with_suffix(".parquet"))
        case _:
            columns["timestamp"] = pa.array(columns["timestamp"], pa.timestamp("ms", tz="UTC"))
            pq.write_table(pa.table(columns), stem.with_suffix(".parquet"))
    closed = (await read(tmp_path, at(30))).closed
    expected = np.array([row[1:] for row in table], dtype=float)
    assert closed.opened_at.tolist() == [row[0] for row in table]
    assert np.array_equal(np.stack([closed.open, closed.high, closed.low, closed.close, closed.volume], axis=1), expected)


@pytest.mark.parametrize("beyond", [timedelta(0), timedelta(milliseconds=1), timedelta(minutes=30), HOUR - timedelta(milliseconds=1)])
async def test_the_candle_that_is_open_at_the_end_is_nowhere_yet(tmp_path: Path, beyond: timedelta) -> None:
    """Up to one candle beyond the last close all candles that are closed then are in the file."""
    write(tmp_path, rows(30))
    reading = await read(tmp_path, at(30) + beyond)
    assert (len(reading.closed), reading.closed.opened_at[-1], reading.notes) == (30, ms(at(29)), ())


@pytest.mark.parametrize("hours", [28, 28.9, 29.9])
async def test_a_higher_timeframe_of_its_own_is_known_while_its_next_candle_is_open(tmp_path: Path, hours: float) -> None:
    write(tmp_path, rows(30))
    write(tmp_path, rows(7, timedelta(hours=4), base=7000), "acme_perp_BTCUSDT_4h.csv")  # to 28:00
    closed = (await read(tmp_path, at(hours), "4h", bars=7)).closed
    assert (closed.open[0], closed.opened_at[-1]) == (7000, ms(at(24)))


async def test_a_longer_timeframe_is_built_of_complete_candles_only(tmp_path: Path) -> None:
    write(tmp_path, rows(40, start=at(-1)))  # one hour before midnight: the first four-hour candle is cut off
    closed = (await read(tmp_path, at(38.9), "4h")).closed
    assert closed.opened_at.tolist() == [ms(at(hours)) for hours in range(0, 36, 4)]
    first = closed[0]
    assert (first.open, first.high, first.low, first.close, first.volume) == (101, 105.5, 100.5, 105, 11 + 12 + 13 + 14)


async def test_candles_before_a_gap_are_not_used_and_the_gap_is_reported(tmp_path: Path) -> None:
    write(tmp_path, [*rows(20), *rows(100)[23:60], *rows(100)[61:]])
    reading = await read(tmp_path, at(100))
    assert reading.closed.opened_at[0] == ms(at(61))
    assert len(reading.closed) == 39
    (note,) = reading.notes
    assert "acme_perp_BTCUSDT_1h.csv row 58 (line 59): 1 candle is missing between 2025-06-04 11:00 UTC and 2025-06-04 13:00 UTC" in note
    assert "1 more before it" in note
    earlier = await read(tmp_path, at(50))
    assert "row 21 (line 22): 3 candles are missing" in earlier.notes[0]
    assert (await read(tmp_path, at(20))).notes == (), "a gap of the future is not known"


async def test_an_instant_inside_a_gap_is_refused_with_the_place(tmp_path: Path) -> None:
    write(tmp_path, [*rows(20), *rows(100)[25:]])
    for hours in (21, 24.5, 25):
        with pytest.raises(BadMarketData, match=r"acme_perp_BTCUSDT_1h.csv row 21 \(line 22\): 5 candles are missing"):
            await read(tmp_path, at(hours))
    assert len((await read(tmp_path, at(20.5))).closed) == 20
    assert len((await read(tmp_path, at(26))).closed) == 1
    with pytest.raises(BadMarketData, match="row 21"):
        await read(tmp_path, at(28), "4h")  # 24:00 to 28:00 lacks its first hour


async def test_funding_is_the_last_settled_one_and_never_stale(tmp_path: Path) -> None:
    write(tmp_path, rows(100))
    settled = [[ms(at(hours)), rate] for hours, rate in ((0, 0.0001), (8, -0.0002), (16, 0.0003))]
    (tmp_path / "acme_perp_BTCUSDT_funding.csv").write_text(text(settled, "timestamp,funding_rate"))
    (tmp_path / "fear_greed_1d.csv").write_text(
        text([[ms(at(0)), 30, "Fear"], [ms(at(24)), 61, "Greed"]], "timestamp,value,classification")
    )
    feed = RecordedFeed(tmp_path)
    market = await feed.market("BTC/USDT:USDT")
    told = {hours: (await feed.surroundings(market, at(hours))) for hours in (-1, 7.99, 8, 15.99, 16, 39, 41)}
    assert [told[hours].funding_rate for hours in told] == [None, 0.0001, -0.0002, -0.0002, 0.0003, 0.0003, None]
    assert [told[hours].fear_greed for hours in (-1, 16, 39)] == [None, 30, 61]
    assert told[16].open_interest is None
    noted = await feed.read_surroundings(market, at(41))
    assert noted.notes == (
        "acme_perp_BTCUSDT_funding.csv has nothing newer than 2025-06-02 16:00 UTC for 2025-06-03 17:00 UTC: funding_rate is not known",
    )
