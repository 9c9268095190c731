"""The conditions a proposal is answered in: price, position, account, and whether a newer run has decided about the market since."""

import asyncio

from engine.approvals.account_state import account_state_of
from engine.approvals.deps import ApprovalDeps
from engine.domain.errors import NotAllowed
from engine.domain.proposal import Basis
from engine.domain.stability import agreement_pct
from engine.domain.text.reason import Reason
from engine.instruments.conditions import LiveConditions
from engine.instruments.kinds import instrument_of
from engine.trading.protocol import Broker


async def read_live_conditions(deps: ApprovalDeps, basis: Basis) -> LiveConditions:
    """Return what is true now of the market and the account of a proposal; on a market with a clock of its own, at that clock.

    Raises MarketError, BrokerError and StoreError: what cannot be known is never taken to be as it was.
    """
    broker = deps.broker(basis.place)
    must_be_same_account(basis, broker)
    risk, instrument = deps.limits(basis), instrument_of(basis.instrument)
    found = await instrument.read_price(deps, basis)
    state = await account_state_of(deps.journal, broker, basis.symbol, risk, basis.market_clock)
    assert state.account is not None  # it is asked for with the position
    cash = await instrument.read_cash(deps, basis, found, risk)
    return LiveConditions(
        price=found.price,
        account=state.account,
        holding=state.holding,
        price_gap_pct=found.price_gap_pct,
        market_at=found.at,
        newer_run=await asyncio.to_thread(instrument.newer_run, deps.journal, basis),
        risk=risk,
        cash=cash.model_copy(update={"halted": state.account.halted}) if cash is not None else None,
        session_prices=found.session_prices,
        agreement_pct=await asyncio.to_thread(_agreement, deps, basis) if risk.min_agreement_pct is not None else None,
    )


def _agreement(deps: ApprovalDeps, basis: Basis) -> float | None:
    record = deps.journal.run(basis.run_id)
    return agreement_pct(record.result or {}) if record is not None else None


def must_be_same_account(basis: Basis, broker: Broker) -> None:
    """Require that a proposal's orders still go to the account it was decided for: what was decided on a sandbox is never real money.
    Raises NotAllowed."""
    if broker.account != basis.account:
        raise NotAllowed(Reason("this_was_decided_for_account", account=basis.account, account2=broker.account))
