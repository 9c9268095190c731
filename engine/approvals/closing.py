"""What comes before a position is closed by hand: the entries that still work in its market are ended, since what one of them fills later
would have no stop; and how much of it is meant is found out, since a part of it may not be ours."""

import asyncio
import logging
import time
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from engine.approvals.deps import ApprovalDeps
from engine.domain.errors import BrokerError, NotAllowed, StoreError
from engine.domain.orders import Order
from engine.domain.proposal import IN_FLIGHT
from engine.domain.text.reason import Reason
from engine.instruments.contract_sale import whose_of
from engine.journal.proposal_store import WrittenOrder
from engine.trading.protocol import Broker

_ENDS_S: Final = 10.0  # how long an end is waited for, before what is held is closed without it
_LOOK_S: Final = 0.2
_STALE_S: Final = 5.0
_LOOKS: Final = 3  # a venue that is always this slow must not prevent a close
_log = logging.getLogger(__name__)


async def end_entries(deps: ApprovalDeps, brokers: Sequence[Broker], symbol: str, who: str) -> tuple[list[str], list[str]]:
    """Cancel the entries of ours that still work in a market of exchange accounts, and wait for their end. Returns the ids of those that
    have ended, and of those that may still be filled. Never raises a TribunalError: what is held is closed all the same."""
    ended: list[str] = []
    working: list[str] = []
    for broker in brokers:
        if not broker.capabilities.at_venue:
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
        update = {"why": Reason("nothing_was_ordered_market_closed"), "changed_at": deps.clock(), "changed_by": who}
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


async def most_to_close(broker: Broker, symbol: str) -> Decimal | None:
    """Return how much of an exchange's position is ours, directly before an order leaves that closes what is ours; None while the journal
    cannot be read. Where reading takes longer than `_STALE_S`, because this process was suspended or the venue is slow, the answer may be
    out of date, and the venue is asked again. Raises NotAllowed where none of it is, and where the market is flat: what is opened there a
    moment later is someone else's."""
    for _ in range(_LOOKS - 1):
        began = time.monotonic()
        most = await _ours(broker, symbol)
        if time.monotonic() - began < _STALE_S:
            return most
    return await _ours(broker, symbol)


async def _ours(broker: Broker, symbol: str) -> Decimal | None:
    held = await broker.position(symbol, None)
    if held is None:
        raise NotAllowed(Reason("no_position_in_is_open", symbol=symbol))
    whose = await whose_of(broker, held)
    if whose is None or whose.ours > 0:
        return whose.ours if whose is not None else None
    why = Reason("aside", text=whose.unknown or whose.gone) if whose.unknown or whose.gone else ""
    raise NotAllowed(Reason("none_of_position_is_ours_close_by_hand", size=f"{held.size:f}", symbol=symbol, why=why))
