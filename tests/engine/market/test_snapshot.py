"""A snapshot: what is checked before a feed is asked, how far it reads for a holding, and that it never changes."""

from datetime import UTC, datetime, timedelta

import pytest

from engine.domain.errors import BadInput
from engine.domain.holding import Holding
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.market.simulated import SimulatedFeed
from engine.market.snapshot import take_snapshot

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


@pytest.mark.parametrize("days", [0.01, 1, 12])
async def test_every_candle_since_the_entry_is_there(days: float) -> None:
    holding = held(timedelta(days=days))
    snapshot = await snap(holding=holding)
    assert snapshot.candles.opened_at[0] <= holding.opened_ms
    assert len(snapshot.candles) >= 100
    assert snapshot.notes == ()
