"""What comes before a position is closed by hand: the entries that still work in its market are ended, since what one of them fills later
would have no stop; and how much of it is meant is found out, since a part of it may not be ours."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final, Literal

from engine.approvals.deps import ApprovalDeps
from engine.domain.errors import BadInput, BrokerError, NotAllowed, NotOnlyOurs, StoreError
from engine.domain.market.terms import exact
from engine.domain.orders import Order, Position
from engine.domain.proposal import IN_FLIGHT
from engine.journal.proposal_store import WrittenOrder
from engine.market.protocol import Feed
from engine.trading.history.ownership import Ownership
from engine.trading.protocol import Broker

_ENDS_S: Final = 10.0  # how long an end is waited for, before what is held is closed without it
_LOOK_S: Final = 0.2
STILL_WORKS: Final = "the end of its entry ({}) is not known, and it may still be filled: close it again"
Amount = float | Literal["ours", "all"] | None
"""How much of a position is closed: base units, what is ours of it, or all of it; None = all of it, which must be ours."""
_log = logging.getLogger(__name__)


async def end_entries(deps: ApprovalDeps, brokers: Sequence[Broker], symbol: str, who: str) -> tuple[list[str], list[str]]:
    """Cancel the entries of ours that still work in a market of exchange accounts, and wait for their end. Returns the ids of those that
    have ended, and of those that may still be filled. Never raises a TribunalError: what is held is closed all the same."""
    ended: list[str] = []
    working: list[str] = []
    for broker in brokers:
        if broker.name != "exchange":
            continue
        try:
            for each in await asyncio.to_thread(deps.journal.proposal_store.orders_of, broker.account, symbol):
                has_ended = each.report is not None and each.report.state != "open"
                if not each.order.reduce_only and not has_ended and await _may_fill(deps, each, who):
                    (ended if await _is_ended(deps, broker, each.order) else working).append(each.order.client_id)
        except StoreError as problem:
            _log.warning("which entries still work in %s is not known: %s", symbol, problem)
    return ended, working


async def _may_fill(deps: ApprovalDeps, written: WrittenOrder, who: str) -> bool:
    """Return whether an order may still be filled; one that is approved and has not left is called off."""
    store = deps.journal.proposal_store
    proposal = await asyncio.to_thread(store.proposal, written.subject)
    if proposal is not None and proposal.state == "approved":
        update = {"why": "nothing was ordered: its market was closed", "changed_at": deps.clock(), "changed_by": who}
        if await asyncio.to_thread(store.change, proposal, proposal.model_copy(update={"state": "failed", **update})):
            return False
        proposal = await asyncio.to_thread(store.proposal, written.subject)
    return proposal is not None and proposal.state in IN_FLIGHT


async def _is_ended(deps: ApprovalDeps, broker: Broker, order: Order) -> bool:
    """Cancel an order and wait for its end, which is written down. False where it does not end, or the venue cannot say."""
    until = time.monotonic() + _ENDS_S
    try:
        report = await broker.cancel(order.client_id, order.symbol)
        while (report is None or report.state == "open") and time.monotonic() < until:
            await asyncio.sleep(_LOOK_S)
            report = await broker.cancel(order.client_id, order.symbol)
    except BrokerError as problem:
        _log.warning("entry %s could not be cancelled: %s", order.client_id, problem)
        return False
    if report is None or report.state == "open":
        return False
    await asyncio.to_thread(deps.journal.proposal_store.report, report)
    return True


async def whose_of(broker: Broker, position: Position) -> Ownership | None:
    """Return how much of a position is ours; None where the journal cannot be read, which alone knows what we ordered."""
    try:
        return await broker.whose(position)
    except StoreError as problem:
        _log.warning("how much of the position in %s is ours is not known: %s", position.symbol, problem)
        return None


async def most_to_close(broker: Broker, symbol: str) -> Decimal | None:
    """Return how much of an exchange's position is ours, directly before an order leaves that closes what is ours; None while the journal
    cannot be read. Raises NotAllowed where none of it is, and where the market is flat: what is opened there a moment later is somebody
    else's."""
    held = await broker.position(symbol, None)
    if held is None:
        raise NotAllowed(f"no position in {symbol} is open")
    whose = await whose_of(broker, held)
    if whose is None or whose.ours > 0:
        return whose.ours if whose is not None else None
    why = f" ({whose.unknown or whose.gone})" if whose.unknown or whose.gone else ""
    raise NotAllowed(f"none of the {held.size:f} {symbol} is ours{why}: close it by hand if that is meant")


async def size_to_close(feed: Callable[[], Feed], broker: Broker, position: Position, amount: Amount) -> Decimal:
    """Return how much of a contract's position is to be closed. Raises NotOnlyOurs where a part of it is not ours and it was not said how
    much. feed: made only where its terms are needed.

    While the journal cannot be read, it cannot be said what is ours: all of it is closed, as the person has asked."""
    symbol, size = position.symbol, position.size
    if amount == "all":
        return size
    if isinstance(amount, float | int):
        return await _part(feed(), symbol, size, amount)
    whose = await whose_of(broker, position)
    if whose is None or whose.ours == size:
        return size
    ours = whose.ours
    if amount == "ours" and ours > 0:
        return ours
    of_it = f"{ours:f} of {size:f} {symbol} is ours" if ours > 0 else f"none of the {size:f} {symbol} is ours"
    why = f" ({whose.unknown or whose.gone})" if whose.unknown or whose.gone else ""
    raise NotOnlyOurs(f"{of_it}{why}: say how much to close", ours, size)


async def _part(feed: Feed, symbol: str, size: Decimal, amount: float) -> Decimal:
    """Return a part of a position in whole steps of the market; all of it when what would be left is none."""
    terms = await feed.terms(await feed.market(symbol))
    part = terms.amount(min(size, exact(amount))) if amount > 0 else Decimal(0)  # what is no number is not above 0 either
    if part <= 0:
        raise BadInput(f"size {amount:g} is below one step of {symbol}, {terms.amount_step:f}")
    return size if size - part < terms.amount_step else part
