"""Reading a listed company at one moment into a snapshot, from any source.

Given a source, a symbol, a date and the session's beginning or end, gives everything that may be known then. It holds the sources to their
word: whatever they return that was published later, or belongs to a later day, is left out here once more.
"""

import asyncio
from datetime import date, datetime
from typing import Any

from engine.domain.calls.counted_reading import CountedReading, ReadingPart, Report, unreported
from engine.domain.calls.together import together
from engine.domain.equity.listing import Listing
from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.equity.trading_session import SessionMoment, TradingMoment
from engine.domain.errors import BadInput, BadMarketData
from engine.domain.market.candles import COLUMNS, Candles
from engine.domain.text.reason import Reason
from engine.equity.adjustment import day_ms, in_shares_of
from engine.equity.known import bars_between, known_closes, known_filings, known_news, known_points
from engine.equity.protocol import EquitySource, IntradayReading, Layer, PriceReading
from engine.equity.sessions import calendar_of, read_timestamp

BARS = 1000


async def read_equity(
    source: EquitySource,
    symbol: str,
    day: date | None = None,
    session: SessionMoment = "post_close",
    timestamp: str | None = None,
    bars: int = BARS,
    report: Report = unreported,
) -> EquitySnapshot:
    """Return all that is known of `symbol` at the session's open or close on `day` (None: the source's latest close).

    timestamp: `YYYY-MM-DD HH:MM:SS` in the exchange's time zone; nothing published after it is known. report: told how far it has
    come. Raises BadInput for a symbol, date or time that cannot be used, and every MarketError of the source's prices.
    """
    reading = CountedReading(symbol, source.name, 7, report)
    listing, moment, asked = await reading.read(ReadingPart("listing"), lambda: asked_moment(source, symbol, day, session, timestamp))
    prices, filings, news, constituents, macro, sector = await together(
        reading.read(ReadingPart("prices"), lambda: source.prices(listing, moment, bars)),
        reading.read(ReadingPart("filings"), lambda: source.filings(listing, moment)),
        reading.read(ReadingPart("news"), lambda: source.news(listing, moment)),
        reading.read(ReadingPart("constituents"), lambda: source.constituents(listing, moment)),
        reading.read(ReadingPart("macro"), lambda: source.macro(listing, moment)),
        reading.read(ReadingPart("sector"), lambda: source.sector(listing)),
    )
    candles, current, previous = _shares_of_the_day(listing, prices, moment)
    sources = {"prices": prices.source}
    intraday: Candles | None = None
    if moment.within:
        reading_within = await source.intraday(listing, moment)
        intraday = await asyncio.to_thread(_bars_of_the_session, listing, reading_within, moment)
        current, previous, sources["intraday"] = float(intraday.close[-1]), float(candles.close[-1]), reading_within.source
    layers: dict[str, Layer[Any]] = {
        "filings": Layer(known_filings(filings.items, moment), filings.source, filings.missing),
        "news": Layer(known_news(news.items, moment), news.source, news.missing),
        "constituents": Layer(tuple(known_closes(constituents.items, moment)), constituents.source, constituents.missing),
        "macro": Layer(tuple(known_points(macro.items, moment)), macro.source, macro.missing),
        "sector": sector,
    }
    return EquitySnapshot(
        listing=listing,
        feed=source.name,
        moment=moment,
        candles=candles,
        current_price=current,
        previous_close=previous,
        splits=tuple(split for split in prices.splits if split.date <= moment.trade_date),
        dividends=tuple(dividend for dividend in prices.dividends if dividend.ex_date <= moment.trade_date),
        filings=tuple(layers["filings"].items),
        news=tuple(layers["news"].items),
        constituents=tuple(layers["constituents"].items),
        macro=tuple(layers["macro"].items),
        sector=next(iter(sector.items), None),
        missing={name: layer.missing or _nothing_yet(name) for name, layer in layers.items() if not layer.items},
        sources=sources | {name: layer.source for name, layer in layers.items() if layer.items},
        notes=prices.notes,
        trade_timestamp=asked,
        intraday=intraday,
    )


def _bars_of_the_session(listing: Listing, reading: IntradayReading, moment: TradingMoment) -> Candles:
    """Return the bars from the open up to `moment.known_at`. Raises BadInput if none had closed by then."""
    opened = calendar_of(listing.calendar).session(moment.trade_date).open
    bars = bars_between(reading.candles, opened, moment.known_at)
    if len(bars) == 0:
        raise BadInput(
            Reason("no_bar_of_had_closed_by_utc", symbol=listing.symbol, known_at=f"{moment.known_at:%H:%M:%S}", opened=f"{opened:%H:%M}")
        )
    for name in ("opened_at", *COLUMNS):
        getattr(bars, name).flags.writeable = False
    return bars


async def asked_moment(
    source: EquitySource, symbol: str, day: date | None, session: SessionMoment, timestamp: str | None
) -> tuple[Listing, TradingMoment, datetime | None]:
    """Return the listing, the clock, and the exact time that was asked for. day: None = of the source's latest close."""
    if session not in ("pre_open", "post_close"):
        raise BadInput(Reason("session_is_not_known", session=f"{str(session)[:40]!r}"))
    listing = await source.listing(symbol)
    chosen = day if day is not None else (await source.latest(listing)).trade_date
    asked = read_timestamp(timestamp, listing, chosen) if timestamp is not None else None
    calendar = await asyncio.to_thread(calendar_of, listing.calendar)
    return listing, calendar.moment(chosen, session, asked), asked


def _shares_of_the_day(listing: Listing, prices: PriceReading, moment: TradingMoment) -> tuple[Candles, float, float | None]:
    """Return the candles in shares of the trade date, closed to writing, the last close and what its change counts from."""
    raw = prices.candles
    if len(raw) == 0 or int(raw.opened_at[-1]) != day_ms(moment.last_session):
        raise BadMarketData(Reason("has_no_row_for_its_close", symbol=listing.symbol, last_session=moment.last_session))
    candles = in_shares_of(raw, prices.splits, moment.trade_date)
    for name in ("opened_at", *COLUMNS):
        getattr(candles, name).flags.writeable = False
    previous = float(candles.close[-2]) if len(candles) > 1 else None
    if prices.stated_previous_close is not None:
        last = day_ms(moment.last_session)
        since = [split.ratio for split in prices.splits if last < day_ms(split.date) <= day_ms(moment.trade_date)]
        previous = prices.stated_previous_close
        for ratio in since:
            previous /= ratio
    return candles, float(candles.close[-1]), previous


def _nothing_yet(layer: str) -> str:
    return {
        "filings": Reason("nothing_was_filed_by_then"),
        "news": Reason("nothing_was_published_in_30_days_before"),
        "constituents": Reason("no_closes_of_constituents_by_then"),
        "macro": Reason("no_figure_was_published_by_then"),
        "sector": Reason("its_sector_is_not_known"),
    }[layer]
