"""Reading a market at one instant into a snapshot, from any feed.

Given a feed and what is asked of it, gives everything that may be known at T. Checks what no feed can: the relation of the two timeframes,
and that a holding was opened before T. Reads the timeframes and the surroundings at the same time, since a venue may be slow.
"""

from datetime import datetime

from engine.domain.calls.counted_reading import CountedReading, ReadingPart
from engine.domain.calls.together import together
from engine.domain.errors import BadInput, BadMarketData, MarketError
from engine.domain.holding import Holding
from engine.domain.market.candles import Candles
from engine.domain.market.instants import from_ms, instant_ms, utc_text
from engine.domain.market.instrument import Market
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.terms import MarketTerms
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.reason import Reason
from engine.market.protocol import CandleReading, Feed, HistoryReader, SeriesName, SurroundingsReader, SurroundingsReading

BARS = 1000
SETTLEMENTS, HOURS = 9, 6  # of past funding and open interest
MOST_BARS = 20_000  # candles read for an old holding at most: seven months of 15m


async def take_snapshot(
    feed: Feed,
    *,
    symbol: str,
    timeframe: Timeframe,
    htf: Timeframe | None,
    at: datetime | None,
    holding: Holding | None,
    bars: int = BARS,
    reading: CountedReading | None = None,
) -> Snapshot:
    """Return all that is known of `symbol` at `at` (None: the feed's clock), to the millisecond.

    bars: closed candles wanted per timeframe; more of both are read when a holding is older. reading: counts both timeframes and the
    surroundings. Raises BadInput for a higher timeframe that is not a longer multiple, a time without a zone, a holding from after `at`
    or a short on a spot market; and every MarketError of the feed.
    """
    _check_timeframes(timeframe, htf)
    if at is not None:
        instant_ms(at)  # a time without a zone is refused before anything is asked
    market = await feed.market(symbol)
    if holding is not None and holding.side == "short" and market.nature.paid_in_full:
        raise BadInput(Reason("spot_market_cannot_be_sold_short"))
    at_ms = instant_ms(at if at is not None else await feed.clock(market, timeframe, htf))
    instant, counted = from_ms(at_ms), reading or CountedReading(symbol, feed.venue, 2 if htf is None else 3)

    async def candles(frame: Timeframe) -> CandleReading:
        wanted = _bars_for(holding, frame, at_ms, bars)
        return await counted.read(ReadingPart("candles", str(frame)), lambda: feed.candles(market, frame, instant, wanted))

    main, higher, beside, (terms, unknown), funding, interest = await together(
        candles(timeframe),
        _nothing() if htf is None else candles(htf),
        counted.read(ReadingPart("surroundings"), lambda: _surroundings(feed, market, instant)),
        _terms(feed, market),
        _past(feed, market, "funding_rate", instant, SETTLEMENTS),
        _past(feed, market, "open_interest", instant, HOURS),
    )
    notes = [*main.notes, *(higher.notes if higher is not None else ()), *beside.notes, *unknown]
    notes += _missing_since_entry(market, main, holding)
    return Snapshot(
        market=market,
        venue=feed.venue,
        feed=feed.name,
        at=instant,
        candles=_owned(main.closed),
        candles_htf=_owned(higher.closed) if higher is not None else None,
        forming=main.forming,
        forming_htf=higher.forming if higher is not None else None,
        surroundings=beside.surroundings.model_copy(update={"funding_past": funding, "open_interest_past": interest}),
        holding=holding,
        notes=tuple(dict.fromkeys(notes)),
        terms=terms,
    )


def _check_timeframes(timeframe: Timeframe, htf: Timeframe | None) -> None:
    if htf is None:
        return
    if htf <= timeframe:
        raise BadInput(Reason("higher_timeframe_is_not_longer_than", htf=htf, timeframe=timeframe))
    if not timeframe.divides(htf):
        raise BadInput(Reason("higher_timeframe_is_not_multiple_of", htf=htf, timeframe=timeframe, timeframe2=_longer(timeframe)))


def _longer(timeframe: Timeframe) -> str:
    """Return a usual timeframe that is a multiple, or four times this one."""
    usual = (Timeframe.parse(name) for name in ("5m", "15m", "1h", "4h", "1d"))
    return next((str(each) for each in usual if each > timeframe and timeframe.divides(each)), f"{timeframe.ms * 4 // 60_000}m")


def _bars_for(holding: Holding | None, timeframe: Timeframe, at_ms: int, bars: int) -> int:
    if holding is None:
        return bars
    if holding.opened_ms > at_ms:
        raise BadInput(Reason("position_was_opened_at", opened_ms=utc_text(holding.opened_ms), at_ms=utc_text(at_ms)))
    since_entry = (at_ms - timeframe.floor(holding.opened_ms)) // timeframe.ms + 1
    return max(bars, min(since_entry, MOST_BARS))


def _missing_since_entry(market: Market, main: CandleReading, holding: Holding | None) -> tuple[str, ...]:
    if holding is None or len(main.closed) == 0 or int(main.closed.opened_at[0]) <= holding.opened_ms:
        return ()
    first = utc_text(int(main.closed.opened_at[0]))
    entered = utc_text(holding.opened_ms)
    return (f"{market.symbol}: the position is from {entered}, but {main.closed.timeframe} candles are known from {first} only",)


def _owned(candles: Candles) -> Candles:
    """Return the same candles without the feed's longer arrays behind them, and closed to writing: a snapshot never changes."""
    arrays = [column.copy() for column in (candles.open, candles.high, candles.low, candles.close, candles.volume)]
    opened_at = candles.opened_at.copy()
    for array in (opened_at, *arrays):
        array.flags.writeable = False
    return Candles(candles.timeframe, opened_at, *arrays)


async def _surroundings(feed: Feed, market: Market, at: datetime) -> SurroundingsReading:
    if isinstance(feed, SurroundingsReader):
        return await feed.read_surroundings(market, at)
    return SurroundingsReading(await feed.surroundings(market, at))


async def _past(feed: Feed, market: Market, what: SeriesName, at: datetime, points: int) -> tuple[tuple[int, float], ...]:
    """Return the latest past values, none where the feed keeps none or does not give them: a decision can be made without."""
    if not isinstance(feed, HistoryReader):
        return ()
    try:
        return (await feed.history(market, what, at, points)).points
    except MarketError:
        return ()


async def _terms(feed: Feed, market: Market) -> tuple[MarketTerms | None, tuple[str, ...]]:
    """Return how the market is traded; None and the reason where its source lists it wrongly: it can be read, and not be ordered in."""
    try:
        return await feed.terms(market), ()
    except BadMarketData as problem:
        return None, (str(problem),)


async def _nothing() -> None:
    return None
