"""The levels of a paper position: changed without a fill, and what a candle may do to levels that were changed in it. Pure.

A candle that began before its position got new levels has a low and a high of before, too. So in that candle a level is reached only by a
new low or high, or by its close; where it is not known what the candle had done until then, by its close, or where the stop of before
would have been reached as well.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from engine.domain.ledger import LedgerEntry
from engine.domain.market.terms import exact
from engine.domain.orders import Order
from engine.domain.text.reason import Reason
from engine.trading.book import Book, PaperPosition
from engine.trading.protocol import MarketPath


@dataclass(frozen=True)
class Reach:
    """How far a candle went against a position and for it, as its stop and its target count it. whole: whether all of the candle was
    after the last change of the levels."""

    worst: Decimal
    best: Decimal
    whole: bool


def reach_of(held: PaperPosition, begins: datetime, low: Decimal, high: Decimal, close: Decimal) -> Reach:
    """Return how far a candle reaches. begins: of the candle, aware UTC."""
    worst, best = (low, high) if held.sign > 0 else (high, low)
    moved = held.moved
    if moved is None or begins >= moved.at:
        return Reach(worst, best, whole=True)
    seen = (moved.low, moved.high) if held.sign > 0 else (moved.high, moved.low)
    before = moved.stop_before
    if seen[0] is not None and seen[1] is not None:
        further, higher = (worst - seen[0]) * held.sign < 0, (best - seen[1]) * held.sign > 0
    else:
        further, higher = before is not None and (worst - before) * held.sign <= 0, False
    return Reach(worst if further else close, best if higher else close, whole=False)


def entry_of_levels(book: Book, order: Order, path: MarketPath) -> LedgerEntry:
    """Return what an order does that changes the levels of a position: the change, or its refusal. path: of its market, to the instant it
    is placed at."""
    held, at = book.held.get(order.symbol), path.at
    why = _refusal(held, order, path.price)
    if why is not None or held is None:
        instrument = held.instrument if held is not None else "contract"
        return LedgerEntry(kind="refused", at=at, symbol=order.symbol, client_id=order.client_id, why=why, instrument=instrument)
    low, high = _seen(path)
    return LedgerEntry(
        kind="levels",
        at=at,
        symbol=order.symbol,
        client_id=order.client_id,
        stop=order.stop if order.stop is not None else held.stop,
        target=order.target if order.target is not None else held.target,
        low=low,
        high=high,
        instrument=held.instrument,
    )


def _seen(path: MarketPath) -> tuple[Decimal | None, Decimal | None]:
    """Return low and high of the open candle, with the last price; None where it is not known."""
    candle = path.forming
    if candle is None or datetime.fromtimestamp(candle.opened_at / 1000, UTC) > path.at:
        return None, None
    return min(exact(candle.low), path.price), max(exact(candle.high), path.price)


def _refusal(held: PaperPosition | None, order: Order, price: Decimal) -> str | None:
    if held is None or (held.size > 0) == (order.side == "buy"):
        return Reason("there_is_no_position_it_could_protect")
    for name, level, side in (("stop", order.stop, held.sign), ("target", order.target, -held.sign)):
        if level is not None and (price - level) * side <= 0:
            return Reason("price_is_beyond_its_already", price=f"{price:f}", name=name, level=f"{level:f}")
    return None
