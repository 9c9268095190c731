"""Asking a venue whose a position is: the outcome of our protective orders, by their ids, and the fills since our opening order.

Nothing is asked while the position has the size that our reports leave and every signed level works. Whatever the venue does not answer is
a doubt in the evidence, never a guess. Beside a position that was held before ours, fills that are younger than what was read of it would
make too much ours: it is read again after them, and they count only while it is unchanged. See `ownership`.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

import ccxt.async_support as ccxt

from engine.brokers.ccxt.account import ExchangeAccount
from engine.brokers.ccxt.orders import Conditional, Kind, contract_size, is_binance, number, protective_ids
from engine.brokers.ccxt.sending import Sender
from engine.domain.errors import BrokerError
from engine.domain.holding import Side
from engine.domain.orders import Order, OrderReport, Position
from engine.domain.text.reason import Reason
from engine.trading.history.ownership import Evidence, Fate, Fill, OwnClaim, Ownership, SignedLevels, ownership
from engine.venue.signed import SignedWire

_PAGE: Final = 1000
_PAGES: Final = 10
_EARLIER_MS: Final = 60_000  # by which clocks may differ


@dataclass(frozen=True)
class Owned:
    """A position of the venue and whose it is. claim: what our reports leave. held: None = flat. counted: ids of the closing orders that
    our part is without."""

    claim: OwnClaim | None
    held: Position | None
    whose: Ownership
    counted: frozenset[str] = frozenset()

    @property
    def ours(self) -> Position | None:
        """Our part of the position; None without one."""
        return self.held.model_copy(update={"size": self.whose.ours}) if self.held is not None and self.whose.ours > 0 else None


class OwnershipReader:
    """Over a signed wire. claim_of: see `AccountRecords`; may raise StoreError."""

    def __init__(self, wire: SignedWire, account: ExchangeAccount, sender: Sender, claim_of: Callable[[str], OwnClaim | None]) -> None:
        self._wire, self._client, self._account, self._sender, self._claim_of = wire, wire.client, account, sender, claim_of

    async def claim(self, symbol: str) -> OwnClaim | None:
        """Return what our orders leave in a market, by the journal. Raises StoreError."""
        return await asyncio.to_thread(self._claim_of, symbol)

    async def read(self, symbol: str, held: Position | None, orders: Iterable[Conditional]) -> Owned:
        """Return whose a position is. orders: the open conditional ones, of this market at least. Raises StoreError."""
        return await self._read(await self.claim(symbol), symbol, held, orders)

    async def read_sent(self, order: Order, report: OrderReport, held: Position | None, orders: Iterable[Conditional]) -> Owned:
        """Return whose a position is, where an entry has left and is not reported yet: what it has filled counts beside what our reports
        leave. report: what the venue says of it. orders: as for `read`. Raises StoreError for an entry that adds to a position."""
        before = None if order.opens else await self.claim(order.symbol)
        return await self._read(_with_entry(before, order, report), order.symbol, held, orders)

    async def _read(self, claim: OwnClaim | None, symbol: str, held: Position | None, orders: Iterable[Conditional]) -> Owned:
        if claim is None or held is None or held.side != claim.side:
            return Owned(claim, held, ownership(claim, held, Evidence()))
        open_ids = {each.client_id: each for each in orders if each.symbol == symbol}
        if _is_quiet(claim, held, open_ids):
            return Owned(claim, held, Ownership(held.size), claim.closes)
        evidence = await self._evidence(claim, held, open_ids)
        ended = frozenset(each.client_id for each in evidence.fates if not each.is_working)
        return Owned(claim, held, ownership(claim, held, evidence), claim.closes | ended)

    async def _evidence(self, claim: OwnClaim, held: Position, open_ids: dict[str, Conditional]) -> Evidence:
        symbol, fates, doubts = held.symbol, list[Fate](), list[str]()
        for client_id in dict.fromkeys(name for base in claim.orders for name in protective_ids(base)):
            if client_id in open_ids:
                fates.append(Fate(client_id, is_working=True))
                continue
            try:
                fates.append(await self._fate(client_id, symbol))
            except BrokerError as problem:
                doubts.append(Reason("fate_is_not_known", client_id=client_id, problem=problem))
        for client_id in claim.unreported:
            try:
                report = await self._sender.find(client_id, symbol)
            except BrokerError as problem:
                doubts.append(Reason("fate_is_not_known", client_id=client_id, problem=problem))
                continue
            if report is not None:
                fates.append(Fate(client_id, is_working=report.state == "open", filled=report.filled, order_id=report.venue_id))
        fills = await self._fills(symbol, claim)
        if fills is not None and not claim.opens and await self._has_changed(held):
            fills = None
            doubts.append(Reason("fills_lead_elsewhere"))
        return Evidence(tuple(fates), fills, Reason.listed(doubts))

    async def _has_changed(self, held: Position) -> bool:
        """Return whether a position differs from what was read before; True if it cannot be read."""
        try:
            now = await self._account.venue_position(held.symbol)
        except BrokerError:
            return True
        return now is None or (now.position.side, now.position.size) != (held.side, held.size)

    async def _fate(self, client_id: str, symbol: str) -> Fate:
        """Return the outcome of a protective order; one that the venue does not know was never placed. Raises BrokerError."""
        name = "clientAlgoId" if is_binance(self._client) else "clientOrderId"

        async def ask() -> Any:
            try:
                return await self._client.fetch_order("", symbol, {name: client_id, "trigger": True})
            except ccxt.OrderNotFound:
                return {}

        raw = await self._wire.read(Reason("what_order", client_id=client_id), ask)
        status, info = raw.get("status"), raw.get("info")
        if status == "open":
            return Fate(client_id, is_working=True)
        if status != "closed":
            return Fate(client_id)
        order_id = str(info.get("actualOrderId") or "") if isinstance(info, dict) and is_binance(self._client) else str(raw.get("id") or "")
        return Fate(client_id, filled=await self._filled(order_id, symbol) if order_id else None, order_id=order_id or None)

    async def _filled(self, order_id: str, symbol: str) -> Decimal | None:
        """Return what an order of the venue's id has filled, base units; None where the venue does not say. Raises BrokerError."""
        raw = await self._wire.read(Reason("what_order", client_id=order_id), lambda: self._client.fetch_order(order_id, symbol))
        filled = number(raw, "filled") if isinstance(raw, dict) else None
        return filled * contract_size(self._client, symbol) if filled is not None else None

    async def _fills(self, symbol: str, claim: OwnClaim) -> tuple[Fill, ...] | None:
        """Return every fill of the market since our opening order, in the venue's order; None where they cannot be had."""
        client, opening = self._client, claim.opening
        if opening is None or not client.has.get("fetchMyTrades"):
            return None
        try:
            if is_binance(client):
                first = await self._trades(symbol, {"orderId": opening})
                rows = await self._from(symbol, min(int(row["id"]) for row in first))
            else:
                since = int(claim.opened_at.timestamp() * 1000) - _EARLIER_MS
                rows = await self._wire.read("its trades", lambda: client.fetch_my_trades(symbol, since, _PAGE))
                begins = next(at for at, row in enumerate(rows) if str(row["order"]) == opening)
                rows = rows[begins:] if len(rows) < _PAGE else []
            size = contract_size(client, symbol)
            found = [Fill(str(row["order"]), _signed(row) * size) for row in rows]
        except (BrokerError, KeyError, TypeError, ValueError, StopIteration):  # an answer that is none; without fills the orders decide
            return None
        return tuple(found) or None

    async def _from(self, symbol: str, trade: int) -> list[dict[str, Any]]:
        """Return every trade from one on; nothing where there are too many. Raises BrokerError."""
        found: list[dict[str, Any]] = []
        for _ in range(_PAGES):
            page = sorted(await self._trades(symbol, {"fromId": trade}), key=lambda row: int(row["id"]))
            found += page
            if len(page) < _PAGE:
                return found
            trade = int(page[-1]["id"]) + 1
        return []

    async def _trades(self, symbol: str, which: dict[str, Any]) -> list[dict[str, Any]]:
        return list(await self._wire.read("its trades", lambda: self._client.fetch_my_trades(symbol, None, _PAGE, which)))


def _with_entry(before: OwnClaim | None, order: Order, report: OrderReport) -> OwnClaim | None:
    """Return a claim together with what an entry has filled. Its only level is the stop that the entry asks for, or else the one before.
    before: what our reports leave, None = nothing."""
    if report.filled <= 0:
        return before
    name, venue_id = order.client_id, report.venue_id
    side: Side = "long" if order.side == "buy" else "short"
    claim = before or OwnClaim(side, Decimal(0), SignedLevels(name, None, None), (), 0, report.at, venue_id, opens=order.opens)
    levels = claim.levels if order.stop is None else SignedLevels(name, order.stop, None)
    return replace(
        claim,
        size=claim.size + report.filled,
        levels=replace(levels, target=None),
        orders=(*claim.orders, name),
        venue_ids=claim.venue_ids if venue_id is None else claim.venue_ids | {venue_id},
    )


def _is_quiet(claim: OwnClaim, held: Position, open_ids: dict[str, Conditional]) -> bool:
    """Return whether nothing has happened that could have made the position another's."""
    wanted: list[tuple[Kind, Decimal | None]] = [("stop", claim.levels.stop), ("target", claim.levels.target)]
    ours = [open_ids[name] for base in claim.orders for name in protective_ids(base) if name in open_ids]
    works = all(level is None or any(each.kind == kind and each.trigger == level for each in ours) for kind, level in wanted)
    return held.size == claim.size and works and not claim.unreported and (claim.levels.stop is not None or claim.levels.target is not None)


def _signed(row: dict[str, Any]) -> Decimal:
    amount = number(row, "amount")
    if amount is None or row.get("side") not in {"buy", "sell"}:
        raise ValueError("a trade that cannot be read")
    return amount if row["side"] == "buy" else -amount
