"""The state of the broker's account before a decision: the position in its market, what the account allows, why the position was entered.

"Flat" and "it cannot be said" are different things: whatever keeps the broker from answering is raised and ends the run before a model is
asked.
"""

import asyncio
from datetime import datetime

from engine.approvals.own_position import own_position
from engine.domain.errors import BrokerError
from engine.domain.holding import Holding
from engine.domain.invalidation import Thesis
from engine.domain.risk import RiskConfig
from engine.domain.text.reason import Reason
from engine.flows.protocol import AccountState
from engine.journal.store import Journal
from engine.trading.protocol import Broker


async def account_state_of(
    journal: Journal, broker: Broker, symbol: str, risk: RiskConfig, at: datetime | None, *, keep: bool = False
) -> AccountState:
    """Return the state of an account in one market. at: the market's instant, None = its present. Raises BrokerError, MarketError and
    StoreError when that cannot be said."""
    position = await broker.position(symbol, at, keep=keep)
    account = await broker.view(risk, at)
    account = account.model_copy(update={"halted": await asyncio.to_thread(journal.audit.halted) is not None})
    if position is None:
        return AccountState(None, account)
    holding = position.holding()
    if holding is None:
        raise BrokerError(Reason("holds_and_nobody_knows_since_when_what", account=broker.account, symbol=symbol))
    holding = await asyncio.to_thread(with_first_stop, journal, broker.account, symbol, holding)
    thesis = await asyncio.to_thread(thesis_of, journal, broker.account, symbol, holding)
    return AccountState(holding, account, thesis)


def with_first_stop(journal: Journal, account: str, symbol: str, holding: Holding) -> Holding:
    """Return a position with the stop and the price it was opened with: those of our own order; without them where it came from
    elsewhere."""
    own = own_position(journal, account, symbol)
    if own is None or own.opening.order.stop is None or (own.opening.order.side == "buy") != (holding.side == "long"):
        return holding
    price = own.report.price
    first = {"first_stop": float(own.opening.order.stop), "first_price": float(price) if price is not None else None}
    return holding.model_copy(update=first)


def thesis_of(journal: Journal, account: str, symbol: str, holding: Holding) -> Thesis | None:
    """Return why a position was entered: out of the proposal that opened it; None for one that came from elsewhere."""
    proposal = journal.proposal_store.last_filled(account, symbol)
    if proposal is None or (proposal.plan.side == "buy") != (holding.side == "long"):
        return None
    basis = proposal.basis
    return Thesis(run_id=basis.run_id, at=holding.opened_at, text=basis.thesis, invalidations=basis.invalidations)
