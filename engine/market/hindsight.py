"""What the market did after a decision: the one reader that looks past T, for people who judge a finished run.

Given a feed and the snapshot of a run. Nothing in a prompt ever comes from here.
"""

from datetime import timedelta

from engine.domain.market.candles import Candles
from engine.domain.market.snapshot import Snapshot
from engine.market.protocol import Feed


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
