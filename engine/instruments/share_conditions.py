"""The conditions that an order for shares is answered in: last price, account, cash, and whether the company was decided about since."""

from datetime import date

from engine.domain.equity.cash_account import CashAccount
from engine.domain.proposal import Basis
from engine.domain.risk import RiskConfig
from engine.domain.run import RunRecord
from engine.instruments.instrument import LivePrice, MarketAccess
from engine.journal.store import Journal

_NEWEST_RUNS = 50


async def read_share_price(access: MarketAccess, basis: Basis) -> LivePrice:
    """Return the last price of a company and what its session allows; of a decision about the past, at its own clock. Raises
    MarketError."""
    path, shares = await access.share_quotes(basis.place).path(basis.symbol, None, basis.market_clock), basis.terms.shares
    limits = shares.limits(path.previous_close, basis.terms.price_step) if shares is not None else None
    return LivePrice(float(path.price), 0.0, path.at, path.day, limits)


async def read_share_cash(access: MarketAccess, basis: Basis, found: LivePrice, risk: RiskConfig) -> CashAccount:
    """Return the state of the account for shares in the session of a price. Raises MarketError and BrokerError."""
    assert basis.moment is not None
    day = found.day or basis.moment.trade_date
    return await access.share_broker(basis.place).cash_account(basis.market_clock, day, equity=risk.equity)


async def last_share_price(access: MarketAccess, basis: Basis) -> float:
    """Return the last price of a company, currency a share; at the clock of a decision about the past. Raises MarketError."""
    return float((await access.share_quotes(basis.place).path(basis.symbol, None, basis.market_clock)).price)


def newer_share_run(journal: Journal, basis: Basis) -> str | None:
    """Return the id of a finished run of the same flow and company, on the same account, that began later and was about a later moment of
    it, or None."""
    own = journal.run(basis.run_id)
    if own is None or basis.moment is None:
        return None
    for record in journal.newest_of(own.request.subject, _NEWEST_RUNS, flow=own.request.flow):
        if record.created_at <= own.created_at:
            return None
        place = record.request.account_ref
        if place is not None and place.account == basis.place.account and _is_about_later(journal, record, basis):
            return record.run_id
    return None


def _is_about_later(journal: Journal, record: RunRecord, basis: Basis) -> bool:
    """Return whether a run was about a later moment than a proposal. A request that names none took the newest session of its source:
    which one that was is in its final state, as `trade_date` and `trading_session`."""
    asked = record.request.market_clock
    if asked is not None:
        return asked > basis.snapshot_at
    ended, moment = journal.run(record.run_id), basis.moment
    assert moment is not None  # shares have one
    try:
        state = (ended.result if ended is not None else None) or {}
        about = _order_of_moment(date.fromisoformat(str(state["trade_date"])), str(state["trading_session"]))
    except (KeyError, ValueError):
        return False
    return about > _order_of_moment(moment.trade_date, moment.trading_session)


def _order_of_moment(day: date, session: str) -> tuple[date, int]:
    return day, int(session == "post_close")
