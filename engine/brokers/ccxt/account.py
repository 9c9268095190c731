"""An exchange account as it is: positions, equity, ledger; and what must be set before a position is opened.

Reads only, but for margin mode and leverage. An answer of another shape is never taken for "no positions": ccxt's parsers give an empty
list for `{}` and drop rows they cannot read, so what came in is counted again here. Raises BrokerError.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any, Final

import ccxt.async_support as ccxt

from engine.brokers.ccxt.equity import BalanceChange, changes_of
from engine.brokers.ccxt.orders import UnreadableReply, contract_size, instant, is_binance, number
from engine.domain.errors import BrokerError, BrokerRefused
from engine.domain.market.terms import exact
from engine.domain.orders import Order, Position
from engine.domain.text.reason import Reason
from engine.venue.signed import SignedWire

_PAGE: Final = 1000  # rows of the ledger asked for at once
_PAGES: Final = 10
_NO_NEED: Final = "-4046"  # Binance: the margin mode is what it should be
_KEPT: Final = timedelta(days=89)  # Binance keeps three months of its ledger


@dataclass(frozen=True)
class VenuePosition:
    """A position as the venue reports it. margin, notional: quote units. reported_at: the venue's time of it, which need not be its
    opening."""

    position: Position
    margin: float
    notional: float
    reported_at: datetime | None


class ExchangeAccount:
    """Over a signed wire. settle: the currency that equity is counted in."""

    def __init__(self, wire: SignedWire, settle: str) -> None:
        self._wire, self._client, self._settle = wire, wire.client, settle
        self._loading = asyncio.Lock()
        self._is_one_way = False

    async def ready(self) -> None:
        """Load the markets, once."""
        async with self._loading:
            if not self._client.markets:
                await self._wire.read("its markets", lambda: self._client.load_markets(True))
            if not self._client.markets:
                raise UnreadableReply(Reason("lists_no_market", id=self._client.id))

    async def one_way(self) -> None:
        """Require an account in one-way mode. Raises BrokerRefused for hedge mode. Asked once: a venue whose mode has changed refuses the
        order itself."""
        if self._is_one_way or not self._client.has.get("fetchPositionMode"):
            return
        try:
            mode = await self._wire.read("its position mode", self._client.fetch_position_mode)
        except BrokerRefused:
            if not self._wire.is_unasked():
                raise
            self._is_one_way = True  # every position says itself when it is one of two sides
            return
        hedged = mode.get("hedged") if isinstance(mode, dict) else None
        if hedged is None:
            raise UnreadableReply(Reason("does_not_say_whether_account", client_id=self._client.id))
        if hedged:
            raise _hedged(self._client.id)
        self._is_one_way = True

    async def venue_positions(self) -> tuple[VenuePosition, ...]:
        """Return every open position, by symbol."""
        await self.ready()
        try:
            rows = await self._wire.read("its positions", self._client.fetch_positions)
        except BrokerRefused:
            if not self._wire.is_unasked() or self._client.options.get("leverageBrackets") is not None:
                raise
            self._client.options["leverageBrackets"] = {}  # ccxt asks for them first, and needs them for no more than the margin's share
            rows = await self._wire.read("its positions", self._client.fetch_positions)
        self._check_rows(rows, self._wire.last())
        open_rows = [row for row in rows if number(row, "contracts") != 0]
        leverages = await self._leverages([row["symbol"] for row in open_rows if not row.get("leverage")])
        venue_positions = [self._venue_position(row, leverages) for row in open_rows]
        return tuple(sorted(venue_positions, key=lambda each: each.position.symbol))

    async def venue_position(self, symbol: str) -> VenuePosition | None:
        """Return the position in one market; None = flat."""
        return next((each for each in await self.venue_positions() if each.position.symbol == symbol), None)

    async def resting(self) -> tuple[tuple[str, str, str], ...]:
        """Return the open orders that are not conditional: symbol, client id, the venue's id. Raises BrokerError."""
        await self.ready()
        rows = await self._wire.read("its open orders", self._client.fetch_open_orders)
        if not isinstance(rows, list) or (is_binance(self._client) and not isinstance(self._wire.last(), list)):
            raise UnreadableReply(Reason("answered_its_open_orders_in_form", client_id=self._client.id))
        return tuple((str(row.get("symbol")), str(row.get("clientOrderId") or ""), str(row.get("id"))) for row in rows)

    async def equity(self) -> float:
        """Return the equity in the settle currency, quote units, unrealised result included. Raises BrokerError."""
        await self.ready()
        balance = await self._wire.read("its balance", self._client.fetch_balance)
        total = number(balance.get("total") or {}, self._settle) if isinstance(balance, dict) else None
        if total is None:
            raise UnreadableReply(Reason("does_not_report_balance_of", client_id=self._client.id, settle=self._settle))
        if total <= 0:
            raise BrokerError(Reason("account_holds_no", client_id=self._client.id, settle=self._settle))
        return float(total)

    async def changes(self, since: datetime, transfers_since: datetime, now: datetime) -> list[BalanceChange]:
        """Return the changes of the balance since `since`, and what was paid in or out since `transfers_since`, oldest first in each part;
        empty where the venue has no ledger."""
        if not self._client.has.get("fetchLedger"):
            return []
        found = await self._ledger(max(since, now - _KEPT), {})
        earlier = max(transfers_since, now - _KEPT)
        if is_binance(self._client) and earlier < since:
            found += [each for each in await self._ledger(earlier, {"incomeType": "TRANSFER"}) if each.at < since]
        return found

    async def prepare(self, order: Order, held: Position | None) -> None:
        """Set margin mode and leverage for an order that opens or enlarges. Raises BrokerRefused and BrokerError; nothing was ordered
        then."""
        if held is not None and (held.side == "long") != (order.side == "buy"):
            raise BrokerRefused(Reason("it_would_turn_position_round_close_it"))
        leverage = order.leverage or (1 if held is None else None)
        if held is None and is_binance(self._client):  # elsewhere the mode may be the whole account's
            try:
                await self._wire.read("the isolated margin mode", lambda: self._isolate(order.symbol))
            except BrokerRefused:
                if not self._wire.is_unasked():
                    raise
        if leverage is None or (held is not None and held.leverage == leverage) or not self._client.has.get("setLeverage"):
            return
        reply = await self._wire.read(Reason("what_leverage", leverage=leverage), lambda: self._client.set_leverage(leverage, order.symbol))
        got = number(reply, "leverage") if isinstance(reply, dict) else None
        if got is not None and got != leverage:
            raise BrokerRefused(Reason("set_leverage_of_x_in_place", client_id=self._client.id, got=f"{got:f}", leverage=leverage))

    async def _isolate(self, symbol: str) -> None:
        try:
            await self._client.set_margin_mode("isolated", symbol)
        except ccxt.BaseError:
            if self._wire.last_code() != _NO_NEED:
                raise

    async def may_withdraw(self) -> bool:
        """Return whether the venue says of the key that it may withdraw; False where it says nothing."""
        if not is_binance(self._client):
            return False
        try:
            await self.ready()  # it sets the clock by the venue's
            reply = await self._wire.send("what the key may do", self._client.sapiGetAccountApiRestrictions)
        except BrokerError:  # a gateway or a sandbox may not know the question
            return False
        return isinstance(reply, dict) and str(reply.get("enableWithdrawals")).lower() == "true"

    async def _ledger(self, since: datetime, params: dict[str, Any]) -> list[BalanceChange]:
        found: list[BalanceChange] = []
        start = int(since.timestamp() * 1000)
        for _ in range(_PAGES if is_binance(self._client) else 1):
            try:
                rows = await self._wire.read("its ledger", partial(self._client.fetch_ledger, self._settle, start, _PAGE, params))
            except BrokerRefused:
                if not self._wire.is_unasked():
                    raise
                return found  # the recorded equities have to do
            if is_binance(self._client) and not isinstance(self._wire.last(), list):
                raise UnreadableReply(Reason("answered_its_ledger_in_form_that_cannot", client_id=self._client.id))
            page = [change for change in changes_of(rows) if change not in found]
            found += page
            if len(rows) < _PAGE or not page:
                break
            start = int(page[-1].at.timestamp() * 1000)
        return found

    def _check_rows(self, rows: Any, reply: Any) -> None:
        """Require that every open position that came in was read. Raises UnreadableReply."""
        fine = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
        if fine and is_binance(self._client):
            fine = isinstance(reply, list) and all(isinstance(row, dict) and number(row, "positionAmt") is not None for row in reply)
            fine = fine and sum(number(row, "positionAmt") != 0 for row in reply) == sum(number(row, "contracts") != 0 for row in rows)
        if not fine:
            raise UnreadableReply(Reason("answered_its_positions_in_form_that_cannot", client_id=self._client.id))

    async def _leverages(self, symbols: list[str]) -> dict[str, Any]:
        if not symbols or not self._client.has.get("fetchLeverages"):
            return {}
        reply = await self._wire.read("its leverages", lambda: self._client.fetch_leverages(symbols))
        return reply if isinstance(reply, dict) else {}

    def _venue_position(self, row: dict[str, Any], leverages: dict[str, Any]) -> VenuePosition:
        symbol, contracts, entry = row.get("symbol"), number(row, "contracts"), number(row, "entryPrice")
        if row.get("hedged") and is_binance(self._client):
            raise _hedged(self._client.id)
        if not symbol or not contracts or not entry or row.get("side") not in {"long", "short"}:
            raise UnreadableReply(Reason("reported_position_that_cannot_be_read", client_id=self._client.id, symbol=str(symbol)[:40]))
        size = abs(contracts) * contract_size(self._client, symbol)
        notional = abs(number(row, "notional") or size * (number(row, "markPrice") or entry))
        leverage = number(row, "leverage") or number(leverages.get(symbol) or {}, "longLeverage")
        margin = number(row, "initialMargin") or notional / (leverage or 1)
        times = leverage or (notional / margin if margin else Decimal(1))
        position = Position(
            symbol=symbol,
            side=row["side"],
            size=size,
            entry_price=entry,
            leverage=float(min(max(times, Decimal(1)), Decimal(125))),
            liquidation_price=number(row, "liquidationPrice") or None,
            stop=_level(row, "stopLossPrice"),
            target=_level(row, "takeProfitPrice"),
        )
        return VenuePosition(position, float(margin), float(notional), instant(row.get("timestamp")))


def _level(row: dict[str, Any], name: str) -> Decimal | None:
    value = number(row, name)
    return exact(value) if value else None


def _hedged(venue: str) -> BrokerRefused:
    return BrokerRefused(Reason("account_at_is_in_hedge_mode", venue=venue))
