"""What an order, a candle or a settlement does to a paper account: pure, gives the entries to be written.

The rules, always the less favourable reading:
- A market order gets the last price, worse by the slippage of `figures.SLIPPAGE`, and pays the taker's fee.
- A limit order is filled when the price has traded through it, at its own price (a touch is not enough), and pays the maker's fee.
- Of one candle that holds both, the stop comes before the target. A candle that opens beyond the stop fills at its open.
- The candle a fill fell into counts for stop and liquidation whole, and for the target not at all.
- A position is liquidated at its liquidation price and loses its whole margin. It never loses more.
- Levels that were changed within a candle are not reached by what it did before (`levels`).
- Stop and target are market orders that wait for their price, as they are at a venue: they slip and pay the taker's fee. They are one:
  when either fills, the other is gone with the position.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from engine.domain.ledger import FillReason, LedgerEntry
from engine.domain.market.candles import Candle
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.orders import Order, OrderSide
from engine.domain.text.reason import Reason
from engine.trading.book import Book, PaperPosition
from engine.trading.figures import market_fill
from engine.trading.levels import Reach, reach_of

_CASH = Decimal("0.00000001")


def entries_of_order(book: Book, order: Order, price: Decimal, terms: MarketTerms, at: datetime) -> list[LedgerEntry]:
    """Return what an order does at once."""
    held = book.held.get(order.symbol)
    why = _refusal(book, order, held, price, terms)
    if why is not None:
        return [LedgerEntry(kind="refused", at=at, symbol=order.symbol, client_id=order.client_id, why=why)]
    buys = order.side == "buy"
    if order.limit is not None and (order.limit < price if buys else order.limit > price):
        return [_resting(order, at)]
    got = _within(order.collar, market_fill(price, terms, buys=buys), buys)
    amount = min(order.amount, abs(held.size)) if order.reduce_only and held is not None else order.amount
    filled = _fill(order, held, amount, got, terms.taker_fee, at, "order")
    rest = (abs(held.size) - amount) if order.reduce_only and held is not None else None
    return [filled, *(_orphans(book, order.symbol, at) if rest == 0 else ())]


def entries_of_candle(book: Book, symbol: str, candle: Candle, terms: MarketTerms) -> Iterator[LedgerEntry]:
    """Yield what happened to resting orders and to the position while a candle went by. Each entry is to be applied before the next is
    asked for."""
    at = datetime.fromtimestamp(candle.opened_at / 1000, UTC)
    low, high, opened = exact(candle.low), exact(candle.high), exact(candle.open)
    for order in [each for each in book.resting.values() if each.symbol == symbol]:
        assert order.limit is not None
        placed = book.reports[order.client_id].at
        through = low < order.limit if order.side == "buy" else high > order.limit
        if through and placed <= at:
            before = book.held.get(symbol)
            yield _traded_through(order, before, terms, at + timedelta(milliseconds=1))  # its target may have come before
            if before is not None and symbol not in book.held:
                yield from _orphans(book, symbol, at)
                return
    held = book.held.get(symbol)
    if held is None:
        return
    reach = reach_of(held, at, low, high, exact(candle.close))
    ended = _ending(held, (low, high), opened, reach, terms, whole=held.fill_at <= at)
    if ended is None:
        return
    price, reason = ended
    fee = ZERO_FEE if reason == "liquidation" else abs(held.size) * price * terms.taker_fee
    yield _closing(symbol, held, price, fee, max(at, held.fill_at), reason)
    yield from _orphans(book, symbol, at)


def _resting(order: Order, at: datetime) -> LedgerEntry:
    return LedgerEntry(
        kind="accepted",
        at=at,
        symbol=order.symbol,
        client_id=order.client_id,
        side=order.side,
        amount=order.amount,
        price=order.limit,
        reduce_only=order.reduce_only,
        leverage=order.leverage,
        stop=order.stop,
        target=order.target,
    )


def _traded_through(order: Order, held: PaperPosition | None, terms: MarketTerms, at: datetime) -> LedgerEntry:
    """Return the fill of an order that rested; its end where the position it would meet is another one than when it was placed."""
    assert order.limit is not None
    opposite = held is not None and (held.size > 0) != (order.side == "buy")
    if opposite != order.reduce_only:
        why = Reason("it_would_turn_position_round") if opposite else Reason("there_is_no_position_it_could_make")
        return LedgerEntry(kind="cancelled", at=at, symbol=order.symbol, client_id=order.client_id, why=why)
    amount = min(order.amount, abs(held.size)) if held is not None and opposite else order.amount
    return _fill(order, held, amount, order.limit, terms.maker_fee, at, "limit")


def entry_of_funding(book: Book, symbol: str, at_ms: int, rate: float, price: Decimal) -> LedgerEntry | None:
    """Return a settlement: longs pay a positive rate to shorts. None when nothing was held then."""
    held = book.held.get(symbol)
    at = datetime.fromtimestamp(at_ms / 1000, UTC)
    if held is None or at <= held.opened_at:
        return None
    cash = (-held.size * price * exact(rate)).quantize(_CASH)
    return LedgerEntry(kind="funding", at=at, symbol=symbol, cash=cash, price=price)


ZERO_FEE = Decimal(0)


def _refusal(book: Book, order: Order, held: PaperPosition | None, price: Decimal, terms: MarketTerms) -> str | None:
    opposite = held is not None and (held.size > 0) != (order.side == "buy")
    if order.reduce_only:
        return None if opposite else Reason("there_is_no_position_it_could_make")
    if order.opens and held is not None:
        return Reason("position_is_open_in_this_market_already")
    if order.adds and held is None:
        return Reason("position_it_adds_to_is_closed")
    if opposite:
        return Reason("it_would_turn_position_round_close_it")
    if terms.is_too_small(order.amount, price):
        return Reason("is_below_market_smallest_order", amount=f"{order.amount:f}")
    return _beyond(order, price) or _unaffordable(book, order, held, price)


def _within(collar: Decimal | None, price: Decimal, buys: bool) -> Decimal:
    """Return the price a market order is filled at: slippage never goes beyond the collar."""
    if collar is None:
        return price
    return min(price, collar) if buys else max(price, collar)


def _beyond(order: Order, price: Decimal) -> str | None:
    sign = 1 if order.side == "buy" else -1
    if order.collar is not None and (price - order.collar) * sign > 0:
        return Reason("price_is_beyond", price=f"{price:f}", collar=f"{order.collar:f}")
    for name, level, side in (("stop", order.stop, sign), ("target", order.target, -sign)):
        if level is not None and (price - level) * side <= 0:
            return Reason("price_is_beyond_its_already", price=f"{price:f}", name=name, level=f"{level:f}")
    return None


def _unaffordable(book: Book, order: Order, held: PaperPosition | None, price: Decimal) -> str | None:
    leverage = order.leverage or (held.leverage if held else 1)
    needed = order.amount * price / leverage
    if needed > book.free:
        return Reason("it_needs_margin_of", needed=f"{needed:.2f}", free=f"{max(book.free, ZERO_FEE):.2f}")
    return None


def _fill(
    order: Order, held: PaperPosition | None, amount: Decimal, price: Decimal, rate: Decimal, at: datetime, reason: FillReason
) -> LedgerEntry:
    fee = (amount * price * rate).quantize(_CASH)
    signed = amount if order.side == "buy" else -amount
    closes = held is not None and held.size * signed < 0
    result = (-signed * (price - held.entry)).quantize(_CASH) if closes and held is not None else ZERO_FEE
    return LedgerEntry(
        kind="fill",
        at=at,
        symbol=order.symbol,
        client_id=order.client_id,
        side=order.side,
        amount=amount,
        price=price,
        fee=fee,
        cash=result - fee,
        leverage=order.leverage,
        stop=order.stop,
        target=order.target,
        reason=reason,
    )


def _closing(symbol: str, held: PaperPosition, price: Decimal, fee: Decimal, at: datetime, reason: FillReason) -> LedgerEntry:
    side: OrderSide = "sell" if held.sign > 0 else "buy"
    cost = fee.quantize(_CASH)
    cash = held.result(price).quantize(_CASH) - cost
    return LedgerEntry(kind="fill", at=at, symbol=symbol, side=side, amount=abs(held.size), price=price, fee=cost, cash=cash, reason=reason)


def _ending(
    held: PaperPosition, extremes: tuple[Decimal, Decimal], opened: Decimal, reach: Reach, terms: MarketTerms, *, whole: bool
) -> tuple[Decimal, FillReason] | None:
    """Return how a candle ended the position: the price it got and why; None when it did not. extremes: its low and high. reach: how far
    it went as the levels count it. whole: whether the position was there from its beginning."""
    sign = held.sign
    worst = extremes[0] if sign > 0 else extremes[1]
    liquidation = held.liquidation(terms)
    stop = held.stop
    stopped = stop is not None and (reach.worst - stop) * sign <= 0
    if liquidation is not None and (worst - liquidation) * sign <= 0:
        beyond = whole and (opened - liquidation) * sign <= 0
        if beyond or not stopped or stop is None or (stop - liquidation) * sign < 0:
            return held.entry * (1 - sign / Decimal(held.leverage)), "liquidation"
    if stopped and stop is not None:
        reached = min(stop, opened) if sign > 0 else max(stop, opened)
        at_open = reached if whole and reach.whole else stop
        return market_fill(at_open, terms, buys=sign < 0), "stop"
    if whole and held.target is not None and (reach.best - held.target) * sign > 0:
        return market_fill(held.target, terms, buys=sign < 0), "target"
    return None


def _orphans(book: Book, symbol: str, at: datetime) -> list[LedgerEntry]:
    """Return the cancellations of resting orders of a market whose position is gone."""
    why = Reason("position_was_closed")
    return [
        LedgerEntry(kind="cancelled", at=at, symbol=symbol, client_id=order.client_id, why=why)
        for order in book.resting.values()
        if order.symbol == symbol
    ]
