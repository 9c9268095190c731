"""The conditions a proposal is answered in: price, position, account, and whether a newer run has decided about the market since."""

import asyncio
from datetime import datetime

from engine.approvals.account_state import account_state_of
from engine.approvals.checks import LiveConditions
from engine.approvals.deps import ApprovalDeps
from engine.approvals.share_conditions import last_share_price, read_share_conditions
from engine.domain.account_ref import PriceSource
from engine.domain.errors import MarketError, NotAllowed
from engine.domain.market.timeframe import Timeframe
from engine.domain.proposal import Basis
from engine.domain.run import RunRecord
from engine.journal.store import Journal
from engine.trading.protocol import Broker

_NEWEST_RUNS = 50  # newest runs of a market


async def read_live_conditions(deps: ApprovalDeps, basis: Basis) -> LiveConditions:
    """Return what is true now of the market and the account of a proposal; on a market with a clock of its own, at that clock.

    Raises MarketError, BrokerError and StoreError: what cannot be known is never taken to be as it was.
    """
    broker = deps.broker(basis.place)
    must_be_same_account(basis, broker)
    if basis.instrument == "shares":
        return await read_share_conditions(deps, basis, deps.limits(basis))
    price, closed, at = await _prices(deps, basis)
    risk = deps.limits(basis)
    account_state = await account_state_of(deps.journal, broker, basis.symbol, risk, basis.market_clock)
    account = account_state.account
    assert account is not None  # it is asked for with the position
    return LiveConditions(
        price=price,
        account=account,
        holding=account_state.holding,
        price_gap_pct=abs(price - closed) / closed * 100.0,
        market_at=at,
        newer_run=await asyncio.to_thread(newer_run, deps.journal, basis),
        risk=risk,
    )


async def last_price(deps: ApprovalDeps, basis: Basis) -> float:
    """Return the last price of a proposal's market, quote units; the decision's where the market's clock stands still. Raises
    MarketError."""
    if basis.instrument == "shares":
        return await last_share_price(deps, basis)
    return basis.price if basis.market_clock is not None else (await _prices(deps, basis))[0]


async def _prices(deps: ApprovalDeps, basis: Basis) -> tuple[float, float, datetime]:
    """Return last price, close of the last closed candle, and the market's instant."""
    feed = deps.feed(basis.place)
    market = await feed.market(basis.symbol)
    timeframe = Timeframe.parse(basis.timeframe)
    at = basis.market_clock or await feed.clock(market, timeframe, None)
    reading = await feed.candles(market, timeframe, at, 1)
    if len(reading.closed) == 0:
        raise MarketError(f"{basis.symbol}: no closed candle is known at {at:%Y-%m-%d %H:%M} UTC")
    closed = float(reading.closed.close[-1])
    return (reading.forming.close if reading.forming is not None else closed), closed, at


def must_be_same_account(basis: Basis, broker: Broker) -> None:
    """Require that a proposal's orders still go to the account it was decided for: what was decided on a sandbox is never real money.
    Raises NotAllowed."""
    if broker.account != basis.account:
        raise NotAllowed(
            f"this was decided for the account {basis.account}, and orders would go to {broker.account} now (TRIBUNAL_LIVE): "
            "answer it with the settings it was decided with"
        )


def newer_run(journal: Journal, basis: Basis) -> str | None:
    """Return the id of a finished run of the same market that began later and was about a later instant of it; None when there is none."""
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
