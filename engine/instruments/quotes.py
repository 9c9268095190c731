"""A feed in the shape that a paper broker needs: terms, the path of the price, settlements."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from engine.domain.errors import ClockOutOfRange, MarketError, NoSuchTimeframe
from engine.domain.market.instrument import Market
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.reason import Reason
from engine.market.protocol import CandleReading, Feed
from engine.trading.protocol import MarketPath

_MOST_CANDLES: Final = 3000  # of one reading: finer than that it need not be
_SETTLEMENT_H: Final = 8
_MOST_SETTLEMENTS: Final = 400


class FeedQuotes:
    """Over any feed. feed: gives it, each time it is read: who made it decides how long it is kept. clock: the process's own."""

    def __init__(self, feed: Callable[[], Feed], clock: Callable[[], datetime]) -> None:
        self._feed, self._clock = feed, clock
        self._terms: dict[str, MarketTerms] = {}

    async def terms(self, symbol: str) -> MarketTerms:
        """See the protocol. Asked for once: a market's terms do not change while a process lives."""
        if symbol not in self._terms:
            feed = self._feed()
            self._terms[symbol] = await feed.terms(await feed.market(symbol))
        return self._terms[symbol]

    async def path(self, symbol: str, since_ms: int | None, at: datetime | None) -> MarketPath:
        """See the protocol. In the finest candles that reach back to `since_ms` and are not too many."""
        feed = self._feed()
        market = await feed.market(symbol)
        known = await feed.timeframes(market)
        instant = at or await self._present(feed, market, known)
        at_ms = int(instant.timestamp() * 1000)
        span = 0 if since_ms is None else max(0, at_ms - since_ms)
        usable = [each for each in known if span / each.ms <= _MOST_CANDLES] or [known[-1]]
        problem: MarketError | None = None
        for timeframe in usable:
            try:
                reading = await feed.candles(market, timeframe, instant, int(span // timeframe.ms) + 2)
            except (ClockOutOfRange, NoSuchTimeframe) as unknown:
                problem = unknown
                continue
            if path := _path(reading, timeframe, since_ms, instant):
                return path
        raise problem or ClockOutOfRange(Reason("no_candles_reach_back_to_what_happened", symbol=symbol, since_ms=_say(since_ms)))

    async def funding(self, symbol: str, since_ms: int, until_ms: int) -> Sequence[tuple[int, float]]:
        """Return a settlement every eight hours (milliseconds, rate), at the rate the feed knew then. Empty for spot markets; where a rate
        is not known, the last one is taken again, and none before the first."""
        feed = self._feed()
        market = await feed.market(symbol)
        if market.kind == "spot":
            return ()
        step = _SETTLEMENT_H * 3_600_000
        instants = range((since_ms // step + 1) * step, until_ms + 1, step)[-_MOST_SETTLEMENTS:]
        found: list[tuple[int, float]] = []
        last: float | None = None
        for ms in instants:
            rate = (await feed.surroundings(market, datetime.fromtimestamp(ms / 1000, UTC))).funding_rate
            last = rate if rate is not None else last
            if last is not None:
                found.append((ms, last))
        return found

    async def _present(self, feed: Feed, market: Market, known: Sequence[Timeframe]) -> datetime:
        """Return now, or the end of a recording: the last instant at which any timeframe is known."""
        ends = []
        for timeframe in known:
            try:
                ends.append(await feed.clock(market, timeframe, None))
            except ClockOutOfRange:
                continue
        return max(ends, default=self._clock())


def _path(reading: CandleReading, timeframe: Timeframe, since_ms: int | None, at: datetime) -> MarketPath | None:
    """Return the path of a reading; None when it does not reach back to `since_ms`, or ends long before `at`."""
    closed, forming = reading.closed, reading.forming
    if len(closed) == 0 and forming is None:
        return None
    begins = int(closed.opened_at[0]) if len(closed) else forming.opened_at if forming else 0
    if since_ms is not None and begins > timeframe.floor(since_ms):
        return None
    price = forming.close if forming is not None else float(closed.close[-1])
    if timeframe.floor(int(at.timestamp() * 1000)) - (closed.closed_at if len(closed) else begins) > 0:
        return None
    since = closed.since(timeframe.floor(since_ms)) if since_ms is not None else closed.slice(len(closed))
    return MarketPath(since, forming if since_ms is not None else None, exact(price), at)


def _say(ms: int | None) -> str:
    return "now" if ms is None else f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d %H:%M} UTC"
