"""The conditions that an order for shares is answered in: last price, account, cash, and whether the company was decided about since."""

import asyncio
from datetime import date

from engine.approvals.account_state import account_state_of
from engine.approvals.checks import LiveConditions
from engine.approvals.deps import ApprovalDeps
from engine.domain.proposal import Basis
from engine.domain.risk import RiskConfig
from engine.domain.run import RunRecord
from engine.journal.store import Journal

_NEWEST_RUNS = 50


async def read_share_conditions(deps: ApprovalDeps, basis: Basis, risk: RiskConfig) -> LiveConditions:
    """Return what is true now of a company and the account of a proposal; of a decision about the past, at its own clock. Raises
    MarketError, BrokerError and StoreError."""
    assert basis.moment is not None
    path = await deps.share_quotes(basis.place).path(basis.symbol, None, basis.market_clock)
    state = await account_state_of(deps.journal, deps.broker(basis.place), basis.symbol, risk, basis.market_clock)
    assert state.account is not None  # it is asked for with the position
    day, shares = path.day or basis.moment.trade_date, basis.terms.shares
    cash = await deps.share_broker(basis.place).cash_account(basis.market_clock, day, equity=risk.equity)
    return LiveConditions(
        price=float(path.price),
        account=state.account,
        holding=state.holding,
        price_gap_pct=0.0,
        market_at=path.at,
        newer_run=await asyncio.to_thread(newer_share_run, deps.journal, basis),
        risk=risk,
        cash=cash.model_copy(update={"halted": state.account.halted}),
        session_prices=shares.limits(path.previous_close, basis.terms.price_step) if shares is not None else None,
    )


async def last_share_price(deps: ApprovalDeps, basis: Basis) -> float:
    """Return the last price of a company, currency a share; at the clock of a decision about the past. Raises MarketError."""
    return float((await deps.share_quotes(basis.place).path(basis.symbol, None, basis.market_clock)).price)


def newer_share_run(journal: Journal, basis: Basis) -> str | None:
    """Return the id of a finished run of the same flow and company, on the same account, that began later and was about a later moment of
    it; None when there is none."""
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
    which one that was stands in its final state, as `trade_date` and `trading_session`."""
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
