"""What is true now of a contract's market, and whether a newer run has decided about it."""

from datetime import datetime

from engine.domain.account_ref import PriceSource
from engine.domain.errors import MarketError
from engine.domain.market.timeframe import Timeframe
from engine.domain.proposal import Basis
from engine.domain.run import RunRecord
from engine.domain.text.reason import Reason
from engine.instruments.instrument import LivePrice, MarketAccess
from engine.journal.store import Journal

_NEWEST_RUNS = 50  # newest runs of a market


async def read_contract_price(access: MarketAccess, basis: Basis) -> LivePrice:
    """Return the last price and how far it is from the last closed candle. Raises MarketError."""
    price, closed, at = await _prices(access, basis)
    return LivePrice(price, abs(price - closed) / closed * 100.0, at)


async def last_contract_price(access: MarketAccess, basis: Basis) -> float:
    """Return the last price of a market, quote units; the decision's where the market's clock is paused. Raises MarketError."""
    return basis.price if basis.market_clock is not None else (await _prices(access, basis))[0]


async def _prices(access: MarketAccess, basis: Basis) -> tuple[float, float, datetime]:
    """Return last price, close of the last closed candle, and the market's instant."""
    feed = access.feed(basis.place)
    market = await feed.market(basis.symbol)
    timeframe = Timeframe.parse(basis.timeframe)
    at = basis.market_clock or await feed.clock(market, timeframe, None)
    reading = await feed.candles(market, timeframe, at, 1)
    if len(reading.closed) == 0:
        raise MarketError(Reason("no_closed_candle_is_known_at_utc", symbol=basis.symbol, at=f"{at:%Y-%m-%d %H:%M}"))
    closed = float(reading.closed.close[-1])
    return (reading.forming.close if reading.forming is not None else closed), closed, at


def newer_run(journal: Journal, basis: Basis) -> str | None:
    """Return the id of a finished run of the same market that began later and was about a later instant of it, or None."""
    own = journal.run(basis.run_id)
    for record in journal.newest_of(basis.symbol, _NEWEST_RUNS, flow=own.request.flow if own is not None else None):
        if own is not None and record.created_at <= own.created_at:
            return None
        request = record.request
        fresh, account_ref = request.origin is None or request.origin.fresh, request.account_ref
        if account_ref is None or not fresh:  # a research run decides about no market
            continue
        if account_ref.account == basis.place.account and _market_instant(journal, record, account_ref) > basis.snapshot_at:
            return record.run_id
    return None


def _market_instant(journal: Journal, record: RunRecord, source: PriceSource) -> datetime:
    """Return the market's instant that a run was about, aware UTC."""
    asked = record.request.market_clock
    if asked is not None or source.feed != "recorded":
        return asked or record.created_at
    snapshot = journal.snapshot(record.run_id)
    return snapshot.at if snapshot is not None else record.created_at
