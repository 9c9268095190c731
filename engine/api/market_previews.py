"""A market as it is before a decision is asked for: its newest candles, for a chart that is there from the start."""

from dataclasses import dataclass
from typing import Final

from engine.api.kept_readings import KeptReadings
from engine.bootstrap.container import Container
from engine.domain.market.candles import Candle, Candles
from engine.domain.market.instrument import Market
from engine.domain.market.timeframe import Timeframe
from engine.domain.run import DecideRequest
from engine.market.protocol import Feed

BARS: Final = 240


@dataclass(frozen=True)
class MarketPreview:
    """A market's closed candles up to the instant a decision would be about, oldest first, and the open one where the feed knows it."""

    market: Market
    candles: Candles
    forming: Candle | None


class MarketPreviews:
    """Newest candles of markets, each kept for a minute."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._kept = KeptReadings[MarketPreview](container)

    def read(self, request: DecideRequest) -> MarketPreview | None:
        """Return the market of a decision that could be asked for; None while it is being read. Raises the TribunalError of a feed that
        cannot give it, and asks again a minute later."""
        seed = request.seed if request.feed == "simulated" else 0
        key = (request.feed, request.data_dir, request.exchange, request.symbol, request.timeframe, request.at, seed)
        return self._kept.read(request.symbol, key, lambda: _read(self._container.providers.feed(request), request))


async def _read(feed: Feed, request: DecideRequest) -> MarketPreview:
    market, timeframe = await feed.market(request.symbol), Timeframe.parse(request.timeframe)
    at = request.at or await feed.clock(market, timeframe, None)
    reading = await feed.candles(market, timeframe, at, BARS)
    return MarketPreview(market, reading.closed, reading.forming)
