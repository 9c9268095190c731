"""The stop and the target of a position at the venue: placed, read back, replaced; the position is never without its stop in between.

    a new level, or another size of ours:   place the new order -> read it back -> cancel the old one

An order has the size of our position, so that it never closes what someone else holds beside it. Where the venue refuses that size to the
last and holds nothing beside ours, one that closes the whole position takes its place (Binance).

Sending a protective order again is safe, as sending an order is not: its client id is fixed and unique among open orders, and it only
closes. `ensure` says why a level does not stand; only a venue that could be read and showed no stop makes it say that there is none.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import ccxt.async_support as ccxt

from engine.brokers.ccxt.orders import (
    Conditional,
    Kind,
    Ticket,
    UnreadableReply,
    conditional_of,
    contract_size,
    guard_ticket,
    is_binance,
    stopped_at,
)
from engine.domain.errors import BrokerError, BrokerRefused
from engine.domain.orders import Position
from engine.domain.text.reason import Reason
from engine.venue.signed import DuplicateOrder, SignedWire, WouldTriggerNow

_ATTEMPTS: Final = 4
_SUFFIX: Final[dict[Kind, str]] = {"stop": "-s", "target": "-t"}


@dataclass(frozen=True)
class ProtectionStatus:
    """Whether a stop or target is in place at the venue. why: what kept it from being placed. is_unprotected: the venue was read, and the
    orders it has do not close the position. would_trigger: it was refused because the price is beyond it already."""

    is_active: bool
    why: str = ""
    is_unprotected: bool = False
    would_trigger: bool = False


class Guard:
    """Over a signed wire. is_ours: whether an order of that client id is this installation's."""

    def __init__(self, wire: SignedWire, is_ours: Callable[[str], Awaitable[bool]], backoff_s: float) -> None:
        self._wire, self._client, self.is_ours, self._backoff_s = wire, wire.client, is_ours, backoff_s

    async def open_conditionals(self, symbol: str | None = None) -> tuple[Conditional, ...]:
        """Return the open conditional orders, those of other programs too; of all markets for None. Raises BrokerError."""
        what = Reason("its_conditional_orders")
        rows = await self._wire.read(what, lambda: self._client.fetch_open_orders(symbol, params={"trigger": True}))
        reply: Any = self._wire.last()
        if not isinstance(rows, list) or (is_binance(self._client) and (not isinstance(reply, list) or len(reply) != len(rows))):
            raise UnreadableReply(Reason("venue_rows_cannot_be_read", client_id=self._client.id, what=what))
        return tuple(conditional_of(row, contract_size(self._client, str((row or {}).get("symbol")))) for row in rows)

    async def ensure(
        self, position: Position, kind: Kind, level: Decimal, base_id: str, *, at_first: bool = False, alone: bool = True
    ) -> ProtectionStatus:
        """Place a stop or target for all of our position, and cancel ours of the same kind at other levels. Never raises a BrokerError.

        at_first: the position has just been opened; there is nothing to be read before its stop is placed. alone: the venue holds nothing
        beside it.
        """
        why, would_trigger, is_refused, good = "", False, False, None
        for attempt in range(_ATTEMPTS):
            if attempt:
                await asyncio.sleep(self._backoff_s * 2 ** (attempt - 1))
            try:
                with suppress(BrokerError):  # it is placed even if what is in place cannot be read
                    good = None if at_first and attempt == 0 else _at(await self._closing(position, kind), level, position, alone=alone)
                if good is None:
                    await self._put(position, kind, level, base_id, whole=alone and is_refused and attempt == _ATTEMPTS - 1)
                    good = _at(await self._closing(position, kind), level, position, alone=alone)
                if good is not None:
                    await self._cancel_others(position, kind, good)
                    return ProtectionStatus(is_active=True)
                why = Reason("venue_took_it_and_does_not_show")
            except WouldTriggerNow as no:
                why, would_trigger = str(no), True
                break
            except BrokerError as problem:
                why, is_refused = str(problem), isinstance(problem, BrokerRefused)
        if good is not None:
            return ProtectionStatus(is_active=True, why=Reason("older_one_could_not_be_cancelled", why=why))
        try:
            open_orders = await self._closing(position, kind)
            is_unprotected = stopped_at(position, tuple(open_orders)) is None if kind == "stop" else not open_orders
        except BrokerError:
            is_unprotected = False
        return ProtectionStatus(is_active=False, why=why, is_unprotected=is_unprotected, would_trigger=would_trigger)

    async def clear(self, symbol: str) -> None:
        """Cancel our protective orders of a market without a position. Raises BrokerError."""
        for each in await self.open_conditionals(symbol):
            if each.kind is not None and await self.is_ours(each.client_id):
                await self.cancel(each)

    async def cancel(self, order: Conditional) -> None:
        """Cancel one; one that is gone already is fine. Raises BrokerError."""

        async def gone() -> None:
            try:
                await self._client.cancel_order(order.venue_id, order.symbol, {"trigger": True})
            except ccxt.OrderNotFound:
                return

        await self._wire.read(Reason("what_cancellation", client_id=order.client_id or order.venue_id), gone)

    async def _closing(self, position: Position, kind: Kind) -> list[Conditional]:
        """Return orders of a kind that close at least a part of the position."""
        open_orders = await self.open_conditionals(position.symbol)
        side = "sell" if position.side == "long" else "buy"
        return [each for each in open_orders if each.kind == kind and each.side == side]

    async def _cancel_others(self, position: Position, kind: Kind, good: Conditional) -> None:
        for each in await self._closing(position, kind):
            if each.venue_id != good.venue_id and await self.is_ours(each.client_id):
                await self.cancel(each)

    async def _put(self, position: Position, kind: Kind, level: Decimal, base_id: str, *, whole: bool) -> None:
        """Send an order under the name that is free: while one of another size is replaced, both are there."""
        for client_id in (base_id + _SUFFIX[kind], f"{base_id}-b{_SUFFIX[kind][1:]}"):
            with suppress(DuplicateOrder):
                await self._send(guard_ticket(self._client, position, kind, level, client_id, whole=whole))
                return
            if _at(await self._closing(position, kind), level, position, alone=whole) is not None:
                return  # another process was quicker

    async def _send(self, ticket: Ticket) -> None:
        arguments = (ticket.symbol, ticket.kind, ticket.side, ticket.amount, ticket.price, ticket.params)
        await self._wire.send(Reason("what_protective_order", symbol=ticket.symbol), lambda: self._client.create_order(*arguments))


def _at(orders: list[Conditional], level: Decimal, position: Position, *, alone: bool) -> Conditional | None:
    """Return the order that closes all of our position at a level; the one of its size, if there are two."""
    fitting = [each for each in orders if each.trigger == level and each.fits(position, alone=alone)]
    return min(fitting, key=lambda each: each.whole, default=None)
