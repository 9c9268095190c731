"""Sending one order once, and finding out its outcome by its client id.

sent -> answered                          the answer, followed until an order that is filled at once or never has ended
     -> refused                           a report that says so
     -> no readable answer, or a          looked for by its client id for `doubt_s`; found: a report; not found: OrderUnknown, since it may
        duplicate id                      still arrive. Never sent again.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

import ccxt.async_support as ccxt

from engine.brokers.ccxt.orders import Ticket, UnreadableReply, contract_size, fee_paid, is_binance, market_of, report_of
from engine.domain.errors import BrokerError, BrokerRefused, OrderUnknown
from engine.domain.market.terms import exact
from engine.domain.orders import OrderReport
from engine.domain.text.reason import Reason
from engine.venue.signed import DuplicateOrder, OrderRejected, SignedWire

_TAKER: Final = Decimal("0.0005")  # where the venue reports no fee
_PAUSE_S: Final = 2.0  # between two requests for an order that is still open


@dataclass(frozen=True)
class Deadlines:
    """Seconds. request_s: one request. reading_s: one reading, retries included. backoff_s: before the first retry, doubled from
    then on. doubt_s: how long an order whose answer was lost is looked for. filling_s: how long an entry may take to be filled; what is
    left of it then is cancelled. silent_s: how long a venue that no longer answers is asked. protecting_s: how long a stop that was refused
    is tried again, and the position closed, before that is left to maintenance."""

    request_s: float = 10.0
    reading_s: float = 20.0
    backoff_s: float = 0.5
    doubt_s: float = 5.0
    filling_s: float = 30.0
    silent_s: float = 120.0
    protecting_s: float = 20.0


OnPartialFill = Callable[[OrderReport], Awaitable[None]]
"""What is done as soon as an order is filled in part."""


class Sender:
    """Over a signed wire."""

    def __init__(self, wire: SignedWire, clock: Callable[[], datetime], within: Deadlines) -> None:
        self._wire, self._client, self._clock, self._within = wire, wire.client, clock, within

    async def send(self, ticket: Ticket, client_id: str, on_part: OnPartialFill | None = None) -> OrderReport:
        """Send an order and return its outcome, its fee estimated. on_part: called as soon as a part is filled. Raises BrokerRefused,
        BrokerUnreachable, OrderUnknown."""
        arguments = (ticket.symbol, ticket.kind, ticket.side, ticket.amount, ticket.price, ticket.params)
        try:
            raw = await self._wire.send(Reason("what_order", client_id=client_id), lambda: self._client.create_order(*arguments))
            report = self._read(raw, client_id, ticket.symbol)
        except DuplicateOrder:
            hidden = Reason("venue_has_order_and_does_not_show_it", venue=self._client.id, client_id=client_id)
            report = await self._sought(client_id, ticket.symbol, hidden)
        except OrderRejected as no:
            return OrderReport(client_id=client_id, state="refused", at=self._clock(), why=str(no))
        except (OrderUnknown, UnreadableReply) as doubt:
            report = await self._sought(client_id, ticket.symbol, str(doubt))
        if ticket.is_immediate and report.state == "open":
            report = await self.followed(report, ticket.symbol, on_part, keep=bool(ticket.params.get("reduceOnly")))
        if ticket.is_immediate and ticket.price is not None and report.state == "cancelled":
            report = report.model_copy(update={"why": Reason("market_had_nothing_to_offer", price=ticket.price)})
        return report

    async def find(self, client_id: str, symbol: str) -> OrderReport | None:
        """Return the outcome of an order, None if the venue does not know the id. Raises BrokerError."""
        report = await self._ask(client_id, symbol)
        return await self.with_fee(report, symbol) if report is not None else None

    async def _ask(self, client_id: str, symbol: str) -> OrderReport | None:
        async def ask() -> Any:
            try:
                return await self._client.fetch_order("", symbol, {"clientOrderId": client_id})
            except ccxt.OrderNotFound:
                return None

        raw = await self._wire.read(Reason("what_order", client_id=client_id), ask)
        return self._read(raw, client_id, symbol) if raw is not None else None

    def _read(self, raw: Any, client_id: str, symbol: str) -> OrderReport:
        taker = market_of(self._client, symbol).get("taker")
        return report_of(raw, client_id, contract_size(self._client, symbol), exact(taker) if taker else _TAKER, self._clock())

    async def _sought(self, client_id: str, symbol: str, doubt: str) -> OrderReport:
        """Look for an order that may have arrived, by its id, for `doubt_s`. Raises OrderUnknown when it is not found."""
        report = await self.awaited(client_id, symbol)
        if report is None:
            raise OrderUnknown(doubt)
        return report

    async def awaited(self, client_id: str, symbol: str) -> OrderReport | None:
        """Look for an order by its id for `doubt_s`. Returns None when it does not come."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._within.doubt_s
        while loop.time() < until:
            try:
                async with asyncio.timeout_at(until):
                    report = await self._ask(client_id, symbol)
            except (BrokerError, TimeoutError):
                report = None
            if report is not None:
                return report
            await asyncio.sleep(self._within.backoff_s)
        return None

    async def cancel(self, client_id: str, symbol: str) -> OrderReport | None:
        """Cancel an order and return its outcome. Raises BrokerError."""
        with suppress(BrokerRefused):  # it has ended already
            await self._wire.send(
                Reason("what_cancellation", client_id=client_id),
                lambda: self._client.cancel_order("", symbol, {"clientOrderId": client_id}),
            )
        return await self.find(client_id, symbol)

    async def followed(self, report: OrderReport, symbol: str, on_part: OnPartialFill | None = None, *, keep: bool) -> OrderReport:
        """Wait until an order has ended; its last known state when the venue stops answering.

        on_part: called once, as soon as a part is filled. keep: it is never cancelled, since it takes risk away.
        """
        loop = asyncio.get_running_loop()
        began = last_response = loop.time()
        pause, cancelled = self._within.backoff_s, keep
        while report.state == "open" and loop.time() - last_response < self._within.silent_s:
            if report.filled > 0 and on_part is not None:
                await on_part(report)
                on_part = None
            if not cancelled and loop.time() - began >= self._within.filling_s:
                with suppress(BrokerError):
                    report = await self.cancel(report.client_id, symbol) or report
                    cancelled = True
            await asyncio.sleep(pause)
            pause = min(pause * 2, _PAUSE_S)
            try:
                found = await self._ask(report.client_id, symbol)
            except BrokerError:
                continue
            if found is not None:
                report, last_response = found, loop.time()
        return report

    async def with_fee(self, report: OrderReport, symbol: str) -> OrderReport:
        """Return the report with the fee that was really paid, where the venue reports it; a failure to ask leaves the estimate."""
        client, order_id = self._client, report.venue_id
        if report.filled == 0 or order_id is None or not client.has.get("fetchMyTrades"):
            return report
        try:
            if is_binance(client):
                trades = await self._wire.read("its trades", lambda: client.fetch_my_trades(symbol, None, None, {"orderId": order_id}))
            elif client.has.get("fetchOrderTrades"):
                trades = await self._wire.read("its trades", lambda: client.fetch_order_trades(order_id, symbol))
            else:
                return report
        except BrokerError:
            return report
        entry = market_of(client, symbol)
        fee = fee_paid(trades, str(entry.get("settle")), report.filled / contract_size(client, symbol))
        return report if fee is None else report.model_copy(update={"fee": fee})
