"""What the market did after a decision: the one reader that looks past T, for people who judge a finished run or sign what came of it.

Given a feed and the snapshot of a run. Nothing in a prompt ever comes from here.
"""

from datetime import timedelta

from engine.domain.market.candles import Candles
from engine.domain.market.snapshot import Snapshot
from engine.market.protocol import CandleReading, Feed


async def later_candles(feed: Feed, snapshot: Snapshot, most: int) -> Candles:
    """Return up to `most` candles of the main timeframe that closed after T, oldest first; fewer when no more is known, none at its end.

    Raises every MarketError of the feed.
    """
    market = await feed.market(snapshot.market.symbol)
    end = await feed.clock(market, snapshot.timeframe, None)
    last = min(end, snapshot.at + timedelta(milliseconds=snapshot.timeframe.ms * most))
    if most < 1 or last <= snapshot.at:
        return snapshot.candles.slice(0, 0)
    reading = await feed.candles(market, snapshot.timeframe, last, most)
    return reading.closed.since(snapshot.candles.closed_at)


async def candles_so_far(feed: Feed, snapshot: Snapshot, most: int) -> CandleReading:
    """Return the candles of the main timeframe that have closed since T, oldest first, and the open one, as of now; nothing
    where more than `most` have closed: they would begin behind a gap.

    Raises every MarketError of the feed.
    """
    market = await feed.market(snapshot.market.symbol)
    now = await feed.clock(market, snapshot.timeframe, None)
    since = snapshot.candles.closed_at
    wanted = (int(now.timestamp() * 1000) - since) // snapshot.timeframe.ms
    if not 0 <= wanted <= most:
        return CandleReading(snapshot.candles.slice(0, 0), None)
    reading = await feed.candles(market, snapshot.timeframe, now, wanted + 1)
    return CandleReading(reading.closed.since(since), reading.forming)
