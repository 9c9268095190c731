"""A market as it is before a decision is asked for: its newest candles, read in the background, for a chart that is there from the start.

Nothing of this reaches a model or a run: a run reads its own snapshot.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Final

from engine.bootstrap.container import Container
from engine.domain.errors import TribunalError
from engine.domain.market.candles import Candle, Candles
from engine.domain.market.instrument import Market
from engine.domain.market.timeframe import Timeframe
from engine.domain.run import DecideRequest
from engine.market.protocol import Feed

BARS: Final = 240
_PATIENCE_S: Final = 0.4  # a page waits so long for it, and draws without it else
_KEPT_S: Final = 60.0
_MOST_KEPT: Final = 32


@dataclass(frozen=True)
class MarketPreview:
    """A market's closed candles up to the instant a decision would be about, oldest first, and the open one where the feed knows it."""

    market: Market
    candles: Candles
    forming: Candle | None


class MarketPreviews:
    """Newest candles of markets, each kept for a minute, so that a page that is drawn again shows the same candles."""

    def __init__(self, container: Container, clock: Callable[[], float] = time.monotonic) -> None:
        self._container, self._clock = container, clock
        self._asked: dict[tuple[object, ...], tuple[float, Future[MarketPreview]]] = {}
        self._asking = threading.Lock()

    def read(self, request: DecideRequest) -> MarketPreview | None:
        """Return the market of a decision that could be asked for; None while it is being read. Raises the TribunalError of a feed that
        cannot give it, and asks again a minute later."""
        asked = self._question(request)
        try:
            return asked.result(_PATIENCE_S)
        except TimeoutError:
            return None
        except CancelledError:
            raise TribunalError(f"{request.symbol} was not read: the engine is closing") from None

    def _question(self, request: DecideRequest) -> Future[MarketPreview]:
        seed = request.seed if request.feed == "simulated" else 0
        key = (request.feed, request.data_dir, request.exchange, request.symbol, request.timeframe, request.at, seed)
        now = self._clock()
        with self._asking:
            kept = self._asked.get(key)
            if kept is None or (now - kept[0] > _KEPT_S and kept[1].done()):
                if len(self._asked) >= _MOST_KEPT:
                    self._asked.pop(next(iter(self._asked)))
                feed = self._container.providers.feed(request)
                kept = self._asked[key] = now, self._container.loop.submit(_read(feed, request))
            return kept[1]


async def _read(feed: Feed, request: DecideRequest) -> MarketPreview:
    market, timeframe = await feed.market(request.symbol), Timeframe.parse(request.timeframe)
    at = request.at or await feed.clock(market, timeframe, None)
    reading = await feed.candles(market, timeframe, at, BARS)
    return MarketPreview(market, reading.closed, reading.forming)
