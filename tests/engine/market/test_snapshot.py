"""A snapshot: what is checked before a feed is asked, how far it reads for a holding, and that it never changes."""

from datetime import UTC, datetime, timedelta

import pytest

from engine.domain.errors import BadInput, ClockOutOfRange, MarketError
from engine.domain.holding import Holding
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.market.simulated import SimulatedFeed
from engine.market.snapshot import MOST_BARS, take_snapshot

NOW = datetime(2026, 11, 20, 17, 43, 21, tzinfo=UTC)


async def snap(
    *,
    symbol: str = "BTC/USDT:USDT",
    timeframe: str = "15m",
    htf: str | None = "1h",
    at: datetime | None = NOW,
    holding: Holding | None = None,
    bars: int = 100,
) -> Snapshot:
    feed = SimulatedFeed(5, lambda: NOW)
    higher = Timeframe.parse(htf) if htf else None
    return await take_snapshot(feed, symbol=symbol, timeframe=Timeframe.parse(timeframe), htf=higher, at=at, holding=holding, bars=bars)


def held(since: timedelta) -> Holding:
    return Holding(side="long", entry_price=80_000, size=0.1, opened_at=NOW - since)


async def test_it_holds_both_timeframes_at_one_instant() -> None:
    snapshot = await snap()
    assert (len(snapshot.candles), len(snapshot.candles_htf or ())) == (100, 100)
    assert snapshot.forming is not None
    assert snapshot.forming_htf is not None
    assert snapshot.price == snapshot.forming.close == snapshot.forming_htf.close
    assert snapshot.at == NOW
    again = Snapshot.from_json(snapshot.to_json())
    assert again.hash == snapshot.hash == (await snap()).hash
    assert (await snap(at=NOW - timedelta(seconds=1))).hash != snapshot.hash
    assert (await snap(htf=None)).candles_htf is None


async def test_the_instant_may_be_written_in_any_zone() -> None:
    other = NOW.astimezone(datetime.strptime("+0530", "%z").tzinfo)
    assert (await snap(at=other)).hash == (await snap()).hash


async def test_nobody_can_change_its_candles() -> None:
    snapshot = await snap()
    with pytest.raises(ValueError, match="read-only"):
        snapshot.candles.close[0] = 1.0


@pytest.mark.parametrize(
    ("timeframe", "htf", "words"),
    [
        ("1h", "15m", "15m is not longer than 1h"),
        ("1h", "1h", "1h is not longer than 1h"),
        ("1h", "60m", "60m is not longer than 1h"),
        ("15m", "20m", "20m is not a multiple of 15m: choose one that is, for example 1h"),
        ("3d", "1w", "1w is not a multiple of 3d"),
    ],
)
async def test_timeframes_must_fit(timeframe: str, htf: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        await snap(timeframe=timeframe, htf=htf)


async def test_instants_that_cannot_be() -> None:
    with pytest.raises(BadInput, match="zone"):
        await snap(at=NOW.replace(tzinfo=None))
    with pytest.raises(ClockOutOfRange, match="in the future"):
        await snap(at=NOW + timedelta(minutes=1))
    with pytest.raises(BadInput, match="opened at 2026-11-20 17:44:21 UTC, after the time of the decision"):
        await snap(holding=held(timedelta(minutes=-1)))


async def test_a_short_on_a_spot_market_cannot_be() -> None:
    short = held(timedelta(hours=1)).model_copy(update={"side": "short"})
    with pytest.raises(BadInput, match="cannot be sold short"):
        await snap(symbol="BTC/USDT", holding=short)
    assert (await snap(symbol="BTC/USDT:USDT", holding=short)).holding == short


async def test_an_unknown_symbol_ends_it() -> None:
    with pytest.raises(MarketError):
        await take_snapshot(
            SimulatedFeed(5, lambda: NOW), symbol="NOPE/USDT", timeframe=Timeframe.parse("1h"), htf=None, at=None, holding=None
        )


@pytest.mark.parametrize("days", [0.01, 1, 12])
async def test_every_candle_since_the_entry_is_there(days: float) -> None:
    holding = held(timedelta(days=days))
    snapshot = await snap(holding=holding)
    assert snapshot.candles.opened_at[0] <= holding.opened_ms
    assert len(snapshot.candles) >= 100
    assert snapshot.notes == ()


async def test_a_holding_too_old_is_noted_and_found_in_the_higher_timeframe() -> None:
    holding = held(timedelta(days=400))
    snapshot = await snap(holding=holding, timeframe="15m", htf="4h")
    assert len(snapshot.candles) == MOST_BARS
    assert snapshot.candles_htf is not None
    assert snapshot.candles_htf.opened_at[0] <= holding.opened_ms
    (note,) = snapshot.notes
    assert "the position is from 2025-10-16 17:43:21 UTC, but 15m candles are known from 2026-04-26" in note
