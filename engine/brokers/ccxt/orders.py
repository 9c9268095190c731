"""Orders as a venue takes and reports them: pure, without a request.

Given a ccxt client's table of markets and our orders, gives the arguments of `create_order`; given what the venue reports, gives reports
and conditional orders. Amounts go out as the exact strings they were sized to, or not at all. Raises BrokerRefused for what cannot be sent
and Unreadable for an answer that is none. A contract may be worth more or less than one base unit; here everything is base units.
"""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, Literal

import ccxt.async_support as ccxt

from engine.domain.errors import BrokerRefused, BrokerUnreachable
from engine.domain.market.terms import exact
from engine.domain.orders import Order, OrderReport, OrderSide, OrderState, Position
from engine.domain.text.reason import Reason

LONGEST_ID: Final = 33  # of an order's client id: venues take 36 characters, and its protective orders are named after it
_SUFFIX: Final = re.compile(r"-(?:[st]|x\d?|b[st])$")  # stop, target, closed again (and again); a bridge to a stop or target
_ENDED: Final = {"closed", "canceled", "cancelled", "expired"}
Kind = Literal["stop", "target"]


class UnreadableReply(BrokerUnreachable):
    """The venue answered something that cannot be read."""


@dataclass(frozen=True)
class Ticket:
    """The arguments of `create_order`. amount, price: exact strings in the venue's units. is_immediate: it is filled when it arrives or not
    at all; a limit is the worst price then."""

    symbol: str
    kind: Literal["market", "limit"]
    side: OrderSide
    amount: str | None
    price: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    is_immediate: bool = True


@dataclass(frozen=True)
class Conditional:
    """An open conditional order. kind: None for what protects nothing. amount: base units. whole: it closes all there is at that moment."""

    client_id: str
    venue_id: str
    symbol: str
    kind: Kind | None
    side: OrderSide
    trigger: Decimal
    whole: bool
    amount: Decimal

    def covers(self, position: Position) -> bool:
        """Return whether it closes all of a position."""
        return self.side == closing_side(position) and (self.whole or self.amount >= position.size)

    def fits(self, position: Position, *, alone: bool) -> bool:
        """Return whether it closes all of our position and nothing else. alone: the venue holds nothing beside it."""
        return self.side == closing_side(position) and (alone if self.whole else self.amount == position.size)


def closing_side(position: Position) -> OrderSide:
    """Return the side of an order that makes it smaller."""
    return "sell" if position.side == "long" else "buy"


def stopped_at(position: Position, orders: tuple[Conditional, ...]) -> Decimal | None:
    """Return the level at which the open stops close all of a position, together if need be: the one farthest away; None when they do
    not."""
    stops = [each for each in orders if each.symbol == position.symbol and each.kind == "stop" and each.side == closing_side(position)]
    if any(each.whole for each in stops):
        return next(each.trigger for each in stops if each.whole)
    if not stops or sum((each.amount for each in stops), Decimal(0)) < position.size:
        return None
    return min(each.trigger for each in stops) if position.sign > 0 else max(each.trigger for each in stops)


def protective_ids(client_id: str) -> tuple[str, ...]:
    """Return the ids that stops and targets placed for an order have: each its own, and the one it has while another is replaced."""
    return tuple(f"{client_id}-{suffix}" for suffix in ("s", "bs", "t", "bt"))


def base_of(client_id: str) -> str:
    """Return the id of the order that a protective order was placed for; an order's own id is its base."""
    return _SUFFIX.sub("", client_id)


def market_of(client: Any, symbol: str) -> dict[str, Any]:
    """Return the venue's entry of a linear perpetual. Raises BrokerRefused for anything else."""
    entry: dict[str, Any] | None = (client.markets or {}).get(symbol)
    if entry is None or not (entry.get("swap") and entry.get("linear")):
        raise BrokerRefused(Reason("has_no_perpetual_market_settled", client_id=client.id, symbol=symbol))
    return entry


def contract_size(client: Any, symbol: str) -> Decimal:
    """Return base units in one contract, of markets too that are not traded here."""
    return number((client.markets or {}).get(symbol) or {}, "contractSize") or Decimal(1)


def exact_amount(client: Any, symbol: str, amount: Decimal) -> str:
    """Return an amount of base units in the venue's own units. Raises BrokerRefused when it would have to be changed."""
    market_of(client, symbol)
    contracts = amount / contract_size(client, symbol)
    try:
        text = str(client.amount_to_precision(symbol, f"{contracts:f}"))
    except ccxt.InvalidOrder:
        text = "0"
    if Decimal(text) != contracts:
        raise BrokerRefused(Reason("trades_in_other_steps", client_id=client.id, symbol=symbol, amount=f"{amount:f}", text=text))
    return text


def exact_price(client: Any, symbol: str, price: Decimal) -> str:
    """Return a price as the venue takes it. Raises BrokerRefused when it would have to be changed."""
    market_of(client, symbol)
    try:
        text = str(client.price_to_precision(symbol, f"{price:f}"))
    except ccxt.InvalidOrder:
        text = "0"
    if Decimal(text) != price:
        raise BrokerRefused(Reason("prices_in_other_steps", client_id=client.id, symbol=symbol, price=f"{price:f}", text=text))
    return text


def ticket_of(client: Any, order: Order) -> Ticket:
    """Return an order as it is sent. Stop and target go with it where the venue attaches them to an entry. Raises BrokerRefused."""
    if len(order.client_id) > LONGEST_ID:
        raise BrokerRefused(Reason("client_id_is_longer_than_characters", client_id=order.client_id, longest_id=LONGEST_ID))
    amount = exact_amount(client, order.symbol, order.amount)
    is_immediate = order.limit is None
    collar = order.collar if is_immediate and not order.reduce_only and takes_ioc(client) else None
    limit = collar if is_immediate else order.limit
    price = exact_price(client, order.symbol, limit) if limit is not None else None
    levels = {name: exact_price(client, order.symbol, level) for name, level in _levels(order) if level is not None}
    params: dict[str, Any] = {"clientOrderId": order.client_id}
    if price is not None:
        params["timeInForce"] = "IOC" if is_immediate else "GTC"
    if order.reduce_only:
        params["reduceOnly"] = True
    elif attaches(client):
        params |= {name: {"triggerPrice": level} for name, level in levels.items()}
    return Ticket(order.symbol, "market" if price is None else "limit", order.side, amount, price, params, is_immediate=is_immediate)


def _levels(order: Order) -> tuple[tuple[str, Decimal | None], ...]:
    return ("stopLoss", order.stop), ("takeProfit", order.target)


def guard_ticket(client: Any, position: Position, kind: Kind, level: Decimal, client_id: str, *, whole: bool) -> Ticket:
    """Return a conditional order that closes a position. whole: all there is at that moment, where the venue knows such orders."""
    trigger = {"stop": "stopLossPrice", "target": "takeProfitPrice"}[kind]
    params: dict[str, Any] = {trigger: exact_price(client, position.symbol, level), "clientOrderId": client_id}
    if is_binance(client):
        params["clientAlgoId"] = params.pop("clientOrderId")
    if whole and is_binance(client):
        return Ticket(position.symbol, "market", closing_side(position), None, None, params | {"closePosition": True})
    amount = exact_amount(client, position.symbol, position.size)
    return Ticket(position.symbol, "market", closing_side(position), amount, None, params | {"reduceOnly": True})


def is_binance(client: Any) -> bool:
    """Return whether it is one of Binance's own exchanges, whose perpetuals know orders that close the whole position."""
    return isinstance(client, ccxt.binance)


def attaches(client: Any) -> bool:
    """Return whether stop and target can be sent with the entry."""
    return bool(_order_features(client).get("attachedStopLossTakeProfit"))


def takes_ioc(client: Any) -> bool:
    """Return whether a limit order can be sent that is filled at once or cancelled (IOC)."""
    times = _order_features(client).get("timeInForce")
    return isinstance(times, dict) and bool(times.get("IOC"))


def _order_features(client: Any) -> dict[str, Any]:
    """Return what ccxt knows of orders on the venue's linear perpetuals."""
    features: Any = client.features or {}
    for name in ("swap", "linear", "createOrder"):
        features = features.get(name) or {} if isinstance(features, dict) else {}
    return features if isinstance(features, dict) else {}


def report_of(raw: Any, client_id: str, size: Decimal, taker: Decimal, now: datetime) -> OrderReport:
    """Return the outcome of an order. raw: the venue's reply, as ccxt reads it. size: base units in a contract. taker: the fee, a fraction
    of the value, where the venue reports none. Raises UnreadableReply."""
    if not isinstance(raw, dict) or raw.get("clientOrderId") != client_id:
        raise UnreadableReply(Reason("venue_answer_is_not_about_order", client_id=client_id))
    status, filled, price = raw.get("status"), number(raw, "filled"), number(raw, "average")
    if filled is None or status not in {"open", "rejected", *_ENDED} or (filled > 0 and not price):
        raise UnreadableReply(Reason("venue_answer_does_not_say_what_became", client_id=client_id))
    state: OrderState = "open" if status == "open" else "filled" if filled > 0 else "refused" if status == "rejected" else "cancelled"
    done = filled * size
    return OrderReport(
        client_id=client_id,
        state=state,
        at=instant(raw.get("timestamp")) or now,
        filled=done,
        price=price if filled > 0 else None,
        fee=done * (price or 0) * taker,
        venue_id=str(raw["id"]) if raw.get("id") else None,
        why=Reason("venue_ended_it_without_fill", status=status) if state in {"refused", "cancelled"} else None,
    )


def fee_paid(trades: Any, currency: str, contracts: Decimal) -> Decimal | None:
    """Return the fees of the trades that filled an order, in `currency`; None while some are missing, or in another currency."""
    rows = [row for row in trades if isinstance(row, dict)] if isinstance(trades, list) else []
    if not rows or sum((number(row, "amount") or Decimal(0) for row in rows), Decimal(0)) != contracts:
        return None
    costs = [number(row["fee"], "cost") for row in rows if isinstance(row.get("fee"), dict) and row["fee"].get("currency") == currency]
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if len(known) == len(rows) else None


def conditional_of(raw: Any, size: Decimal) -> Conditional:
    """Return an open conditional order as the venue reports it. size: base units in a contract. Raises UnreadableReply."""
    row: dict[str, Any] = raw if isinstance(raw, dict) else {}
    info: dict[str, Any] = row["info"] if isinstance(row.get("info"), dict) else {}
    level = number(row, "takeProfitPrice") or number(row, "stopLossPrice") or number(row, "triggerPrice")
    trails = "trailing" in str(row.get("type")).lower()  # such a one has no level of its own
    if (level is None and not trails) or row.get("side") not in {"buy", "sell"} or not row.get("symbol") or not row.get("id"):
        raise UnreadableReply(Reason("venue_reported_conditional_order_that_cannot"))
    whole = str(info.get("closePosition")).lower() == "true"
    client_id = str(row.get("clientOrderId") or "")
    is_target = row.get("takeProfitPrice") is not None or client_id.endswith(("-t", "-bt"))
    closes = level is not None and (whole or row.get("reduceOnly") is True)
    return Conditional(
        client_id=client_id,
        venue_id=str(row["id"]),
        symbol=str(row["symbol"]),
        kind=("target" if is_target else "stop") if closes else None,
        side=row["side"],
        trigger=level or Decimal(0),
        whole=whole,
        amount=(number(row, "amount") or Decimal(0)) * size,
    )


def instant(ms: Any) -> datetime | None:
    """Return milliseconds since 1970 as aware UTC; None for what is no positive number."""
    return datetime.fromtimestamp(ms / 1000, UTC) if isinstance(ms, int | float) and ms > 0 else None


def number(raw: dict[str, Any], name: str) -> Decimal | None:
    """Return a number of a reply; None for what is none."""
    value = raw.get(name)
    if value is None or isinstance(value, bool):
        return None
    try:
        found = exact(float(value))
    except (TypeError, ValueError):
        return None
    return found.normalize() + 0 if found.is_finite() else None
