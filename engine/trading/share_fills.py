"""What an order or a session does to the shares of a paper account: pure, gives the entries to be written into the one book.

The rules, always the less favourable reading:
- Long only and paid in cash: a buy costs its whole value and its fee, a sale brings them; nothing is sold that is not held and sellable.
- A market order gets the last price, worse by the slippage of `figures.SLIPPAGE` but within the session's price limits; at its own limit
  price there is nobody on the other side, and it is refused.
- A limit order is good for one session and is filled at its own price when the session traded through it.
- Stop and target rest with the position, and are market orders once the price is there. In a session that holds both, the stop comes
  first; one that opens beyond the stop sells at its open. The session a limit order was filled in counts for the stop and not for the
  target.
- Shares that may not be sold yet stay, with their stop; so do all in a session that never traded above its lower limit.
- A morning makes the split first and pays the dividend then, on what was held the evening before.
"""

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Final

from engine.domain.ledger import FillReason, LedgerEntry
from engine.domain.market.share_terms import ShareTerms, whole_lots
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.orders import Order
from engine.trading.figures import market_fill
from engine.trading.paper_book import Book, PaperPosition
from engine.trading.paper_levels import reach_of
from engine.trading.protocol import MarketPath, ShareSession

_CENT: Final = Decimal("0.01")
_NONE: Final = Decimal(0)


def rules_of(terms: MarketTerms) -> ShareTerms:
    """Return the rules of shares. Raises ValueError for the terms of a contract."""
    if terms.shares is None:
        raise ValueError("a contract is not traded by the rules of shares")
    return terms.shares


def entries_of_share_order(book: Book, order: Order, path: MarketPath, terms: MarketTerms) -> list[LedgerEntry]:
    """Return what an order does at once. path: of its market, up to the instant it is placed at."""
    rules, held, buys, at = rules_of(terms), book.held.get(order.symbol), order.side == "buy", path.at
    assert path.day is not None
    limits = rules.limits(path.previous_close, terms.price_step)
    why = _unfit(book, order, held, path.day, terms, limits, path.price)
    if why is None and order.limit is not None and (order.limit < path.price if buys else order.limit > path.price):
        why = _unaffordable(book, order, order.limit, rules) if buys else None
        if why is None:
            return [_resting(order, at, rules)]
    price = path.price
    if why is None:
        price = _got(order, path.price, terms, limits)
        why = _beyond(order, path.price, limits) or (_unaffordable(book, order, price, rules) if buys else None)
    if why is not None:
        return [LedgerEntry(kind="refused", at=at, symbol=order.symbol, client_id=order.client_id, why=why, instrument="shares")]
    filled = _fill(order, order.amount, price, rules, at, path.day, "order")
    gone = not buys and held is not None and order.amount == held.size
    return [filled, *(_orphans(book, order.symbol, at) if gone else ())]


def entries_of_session(book: Book, symbol: str, session: ShareSession, since_ms: int, terms: MarketTerms) -> Iterator[LedgerEntry]:
    """Yield what a session did. since_ms: how far the account had come: what the morning brought is not given twice. Each entry is to be
    applied before the next is asked for."""
    if int(session.opens.timestamp() * 1000) > since_ms:
        yield from _morning(book, symbol, session, terms)
    if session.candle is None:
        return
    for order in [each for each in book.resting.values() if each.symbol == symbol and book.reports[each.client_id].at <= session.opens]:
        if order.client_id not in book.resting:
            continue
        yield _of_day_order(book, order, session, terms)
        if symbol not in book.held and order.side == "sell":
            yield from _orphans(book, symbol, session.closes)
    held = book.held.get(symbol)
    ended = _ending(held, session, terms) if held is not None else None
    if held is not None and ended is not None:
        price, reason, quantity = ended
        sale = Order(client_id="no-order", symbol=symbol, side="sell", amount=quantity, reduce_only=True)
        entry = _fill(sale, quantity, price, rules_of(terms), session.closes, session.day, reason)
        yield entry.model_copy(update={"client_id": None})
        if symbol not in book.held:
            yield from _orphans(book, symbol, session.closes)


def _morning(book: Book, symbol: str, session: ShareSession, terms: MarketTerms) -> Iterator[LedgerEntry]:
    """Yield what the session's morning brings: a split, which ends orders that rest, and a dividend."""
    if session.ratio is not None:
        for order in [each for each in book.resting.values() if each.symbol == symbol]:
            yield _cancelled(order, session.opens, "the shares were split: its price and size are of shares that are no more")
        held = book.held.get(symbol)
        if held is not None:
            yield _split(symbol, held, book.price(symbol), session, terms)
    held = book.held.get(symbol)
    if held is not None and session.dividend > 0:
        cash = (held.size * session.dividend).quantize(_CENT)
        yield LedgerEntry(kind="dividend", at=session.opens, symbol=symbol, cash=cash, price=session.dividend, instrument="shares")


def _split(symbol: str, held: PaperPosition, price: Decimal, session: ShareSession, terms: MarketTerms) -> LedgerEntry:
    assert session.ratio is not None
    made = held.size * session.ratio
    whole = whole_lots(made, Decimal(1))
    stop, target = (terms.price(level / session.ratio) if level is not None else None for level in (held.stop, held.target))
    return LedgerEntry(
        kind="split",
        at=session.opens,
        symbol=symbol,
        amount=whole,
        ratio=session.ratio,
        price=price / session.ratio,
        cash=((made - whole) * price / session.ratio).quantize(_CENT),
        stop=stop,
        target=target,
        instrument="shares",
    )


def _of_day_order(book: Book, order: Order, session: ShareSession, terms: MarketTerms) -> LedgerEntry:
    """Return what became of a day order in its session: filled at its own price, or over."""
    assert order.limit is not None
    assert session.candle is not None
    held, buys, rules = book.held.get(order.symbol), order.side == "buy", rules_of(terms)
    low, high = exact(session.candle.low), exact(session.candle.high)
    if not (low < order.limit if buys else high > order.limit):
        return _cancelled(
            order, session.closes, f"the session of {session.day} did not trade through {order.limit:f}: it was good for the day"
        )
    if not buys and (held is None or order.amount > held.sellable(session.day)):
        return _cancelled(order, session.closes, "the shares it would sell are not held, or may not be sold yet")
    return _fill(order, order.amount, order.limit, rules, session.closes, session.day, "limit")


def _ending(held: PaperPosition, session: ShareSession, terms: MarketTerms) -> tuple[Decimal, FillReason, Decimal] | None:
    """Return how a session sold the position, or what of it may be sold: price, why, shares. None when it did not."""
    assert session.candle is not None
    quantity = held.sellable(session.day)
    if quantity <= 0:
        return None
    low, high, opened = exact(session.candle.low), exact(session.candle.high), exact(session.candle.open)
    limits = rules_of(terms).limits(session.previous_close, terms.price_step)
    reach = reach_of(held, session.opens, low, high, exact(session.candle.close))
    whole = held.fill_at <= session.opens
    if held.stop is not None and reach.worst <= held.stop:
        if limits is not None and high <= limits[0]:
            return None  # it never traded above its lower limit: nobody buys
        reached = min(held.stop, opened) if whole and reach.whole else held.stop
        return _sold_at(reached, terms, limits), "stop", quantity
    if whole and held.target is not None and reach.best > held.target:
        return _sold_at(held.target, terms, limits), "target", quantity
    return None


def _sold_at(level: Decimal, terms: MarketTerms, limits: tuple[Decimal, Decimal] | None) -> Decimal:
    price = market_fill(level, terms, buys=False)
    return max(price, limits[0]) if limits is not None else price


def _unfit(
    book: Book,
    order: Order,
    held: PaperPosition | None,
    day: date,
    terms: MarketTerms,
    limits: tuple[Decimal, Decimal] | None,
    price: Decimal,
) -> str | None:
    """Return why no such order is taken; None when it is."""
    lot = terms.amount_step
    if order.limit is not None and limits is not None and not limits[0] <= order.limit <= limits[1]:
        return f"its limit {order.limit:f} is outside the session's prices, {limits[0]:f} to {limits[1]:f}"
    if order.side == "sell":
        return _unsellable(book, order, held, day, lot)
    if order.reduce_only:
        return "a buy makes no position in shares smaller"
    if order.opens and held is not None:
        return "shares of it are held already"
    if order.amount % lot or order.amount < terms.min_amount:
        return f"{order.amount:f} shares are no order here: whole lots of {lot:f}, {terms.min_amount:f} at least"
    return _level_passed(order, order.limit or price)


def _level_passed(order: Order, price: Decimal) -> str | None:
    """Return that the price is beyond the stop or the target already; None when it is between them."""
    for name, level, side in (("stop", order.stop, 1), ("target", order.target, -1)):
        if level is not None and (price - level) * side <= 0:
            return f"the price {price:f} is beyond its {name} {level:f} already"
    return None


def _unsellable(book: Book, order: Order, held: PaperPosition | None, day: date, lot: Decimal) -> str | None:
    if held is None:
        return "no shares of it are held, and shares cannot be sold short"
    waiting = sum((each.amount for each in book.resting.values() if each.symbol == order.symbol and each.side == "sell"), _NONE)
    free = held.sellable(day) - waiting
    if order.amount > free:
        later = "; the others from the next session on" if held.sellable(day) < held.size else ""
        return f"{order.amount:f} shares cannot be sold: {max(free, _NONE):f} of {held.size:f} may be{later}"
    if order.amount % 1 or order.amount % lot not in {_NONE, held.size % lot}:
        return f"{order.amount:f} shares are no sale here: whole lots of {lot:f}, or all of a rest below a lot"
    return None


def _unaffordable(book: Book, order: Order, price: Decimal, rules: ShareTerms) -> str | None:
    needed = order.amount * price + rules.fees.fee(order.amount, price, buys=True)
    if needed > book.spendable:
        return f"it costs {needed:.2f} {rules.currency} with its fees, and {max(book.spendable, _NONE):.2f} in cash may be spent"
    return None


def _beyond(order: Order, price: Decimal, limits: tuple[Decimal, Decimal] | None) -> str | None:
    """Return why an order that would be filled at once is not: at its limit price, or beyond what it was decided for."""
    buys = order.side == "buy"
    if order.limit is None and limits is not None and (price >= limits[1] if buys else price <= limits[0]):
        side, other = ("upper", "sells") if buys else ("lower", "buys")
        return f"the price {price:f} is at its {side} limit of the session: nobody {other}"
    if order.collar is not None and (price - order.collar) * (1 if buys else -1) > 0:
        return f"the price {price:f} is beyond {order.collar:f}, the worst it may be filled at"
    return None


def _got(order: Order, price: Decimal, terms: MarketTerms, limits: tuple[Decimal, Decimal] | None) -> Decimal:
    """Return the price an order is filled at now: with slippage, never beyond its limit, its collar or the session's limits."""
    buys = order.side == "buy"
    got = market_fill(price, terms, buys=buys)
    bounds = [each for each in (order.limit, order.collar, limits[1 if buys else 0] if limits is not None else None) if each is not None]
    return min(got, *bounds) if buys and bounds else max(got, *bounds) if bounds else got


def _resting(order: Order, at: datetime, rules: ShareTerms) -> LedgerEntry:
    assert order.limit is not None
    cost = order.amount * order.limit + rules.fees.fee(order.amount, order.limit, buys=True) if order.side == "buy" else _NONE
    return LedgerEntry(
        kind="accepted",
        at=at,
        symbol=order.symbol,
        client_id=order.client_id,
        side=order.side,
        amount=order.amount,
        price=order.limit,
        reduce_only=order.reduce_only,
        stop=order.stop,
        target=order.target,
        reserved=cost,
        instrument="shares",
    )


def _fill(order: Order, quantity: Decimal, price: Decimal, rules: ShareTerms, at: datetime, day: date, reason: FillReason) -> LedgerEntry:
    buys = order.side == "buy"
    fee = rules.fees.fee(quantity, price, buys=buys)
    value = quantity * price
    return LedgerEntry(
        kind="fill",
        at=at,
        symbol=order.symbol,
        client_id=order.client_id,
        side=order.side,
        amount=quantity,
        price=price,
        fee=fee,
        cash=(-value if buys else value) - fee,
        stop=order.stop,
        target=order.target,
        reason=reason,
        sellable_after=day if buys and rules.sessions_until_sellable else None,
        instrument="shares",
    )


def _cancelled(order: Order, at: datetime, why: str) -> LedgerEntry:
    return LedgerEntry(kind="cancelled", at=at, symbol=order.symbol, client_id=order.client_id, why=why, instrument="shares")


def _orphans(book: Book, symbol: str, at: datetime) -> list[LedgerEntry]:
    """Return the ends of sales that rest where nothing is held any more."""
    return [_cancelled(each, at, "the shares were sold") for each in book.resting.values() if each.symbol == symbol and each.side == "sell"]
