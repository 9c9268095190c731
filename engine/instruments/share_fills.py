"""What an order or a session does to the shares of a paper account: pure, gives the entries to be written into the one book.

The rules, always the less favourable reading:
- Long only and paid in cash: a buy costs its whole value and its fee, a sale brings them; nothing is sold that is not held and sellable.
- A market order gets the last price, worse by the slippage of `figures.SLIPPAGE` but within the session's price limits; at its own limit
  price nobody is on the other side, and it is refused.
- A limit order is good for one session and is filled at its own price when the session traded through it.
- Where orders wait (`MarketPath.orders_wait`), an order at market, or at a limit that the last price is within, is filled at the next
  session's open; beyond its worst price only once the session traded through that.
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
from engine.domain.market.candles import Candle
from engine.domain.market.share_terms import ShareTerms, whole_lots
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.orders import Order
from engine.domain.text.reason import Reason
from engine.trading.book import Book, PaperPosition
from engine.trading.figures import market_fill
from engine.trading.levels import reach_of
from engine.trading.protocol import MarketPath, ShareSession

_CENT: Final = Decimal("0.01")
_NOT_SELLABLE: Final = "the shares it would sell are not held, or may not be sold yet"
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
    rests = order.limit is not None and (order.limit < path.price if buys else order.limit > path.price)
    if why is None and (rests or path.orders_wait):
        expected = order.limit if order.limit is not None and rests else _got(order, path.price, terms, limits)
        why = _unaffordable(book, order, expected, rules) if buys else None
        if why is None:
            return [_resting(order, at, rules, expected, at_open=not rests)]
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
    """Return the outcome of a day order in its session: filled at its own price, or over."""
    assert session.candle is not None
    if order.limit is None:
        return _at_open(book, order, session, session.candle, terms)
    held, buys, rules = book.held.get(order.symbol), order.side == "buy", rules_of(terms)
    low, high = exact(session.candle.low), exact(session.candle.high)
    if not (low < order.limit if buys else high > order.limit):
        return _cancelled(order, session.closes, Reason("session_of_did_not_trade_through", day=session.day, limit=f"{order.limit:f}"))
    if not buys and (held is None or order.amount > held.sellable(session.day)):
        return _cancelled(order, session.closes, _NOT_SELLABLE)
    return _fill(order, order.amount, order.limit, rules, session.closes, session.day, "limit")


def _at_open(book: Book, order: Order, session: ShareSession, candle: Candle, terms: MarketTerms) -> LedgerEntry:
    """Return the outcome of an order that waited for the open: filled there; at its worst price where it opened beyond that and the session
    traded through it; or over."""
    held, buys, rules, worst = book.held.get(order.symbol), order.side == "buy", rules_of(terms), order.collar
    opened, at, why = exact(candle.open), session.opens, None
    reason: FillReason = "order"
    if worst is not None and (opened > worst if buys else opened < worst):
        if not (exact(candle.low) < worst if buys else exact(candle.high) > worst):
            return _cancelled(order, session.closes, Reason("session_of_did_not_trade_through", day=session.day, limit=f"{worst:f}"))
        price, at, reason = worst, session.closes, "limit"
    else:
        limits = rules.limits(session.previous_close, terms.price_step)
        price, why = _got(order, opened, terms, limits), _beyond(order, opened, limits) or _level_passed(order, opened)
    if buys:
        why = why or _unaffordable(book, order, price, rules)
    elif held is None or order.amount > held.sellable(session.day):
        why = _NOT_SELLABLE
    return _cancelled(order, at, why) if why is not None else _fill(order, order.amount, price, rules, at, session.day, reason)


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
            return None  # it never traded above its lower limit: no one buys
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
        return Reason("its_limit_is_outside_session_prices", limit=f"{order.limit:f}", limits=f"{limits[0]:f}", limits2=f"{limits[1]:f}")
    if order.side == "sell":
        return _unsellable(book, order, held, day, lot)
    if order.reduce_only:
        return Reason("buy_makes_no_position_in_shares_smaller")
    if (order.opens and held is not None) or (order.adds and held is None):
        return Reason("shares_of_it_are_held_already" if order.opens else "position_it_adds_to_is_closed")
    if order.amount % lot or order.amount < terms.min_amount:
        return Reason("shares_are_no_order_here", amount=f"{order.amount:f}", lot=f"{lot:f}", min_amount=f"{terms.min_amount:f}")
    return _level_passed(order, order.limit or price)


def _level_passed(order: Order, price: Decimal) -> str | None:
    """Return that the price is beyond the stop or the target already; None when it is between them."""
    for name, level, side in (("stop", order.stop, 1), ("target", order.target, -1)):
        if level is not None and (price - level) * side <= 0:
            return Reason("price_is_beyond_its_already", price=f"{price:f}", name=name, level=f"{level:f}")
    return None


def _unsellable(book: Book, order: Order, held: PaperPosition | None, day: date, lot: Decimal) -> str | None:
    if held is None:
        return Reason("no_shares_of_it_are_held")
    waiting = sum((each.amount for each in book.resting.values() if each.symbol == order.symbol and each.side == "sell"), _NONE)
    free = held.sellable(day) - waiting
    if order.amount > free:
        later = Reason("hint_others_later") if held.sellable(day) < held.size else ""
        return Reason("shares_cannot_be_sold", amount=f"{order.amount:f}", free=f"{max(free, _NONE):f}", size=f"{held.size:f}", later=later)
    if order.amount % 1 or order.amount % lot not in {_NONE, held.size % lot}:
        return Reason("shares_are_no_sale_here", amount=f"{order.amount:f}", lot=f"{lot:f}")
    return None


def _unaffordable(book: Book, order: Order, price: Decimal, rules: ShareTerms) -> str | None:
    needed = order.amount * price + rules.fees.fee(order.amount, price, buys=True)
    spendable = book.spendable + book.reserved.get(order.client_id, _NONE)
    if needed > spendable:
        return Reason("it_costs_with_its_fees", needed=f"{needed:.2f}", currency=rules.currency, spendable=f"{max(spendable, _NONE):.2f}")
    return None


def _beyond(order: Order, price: Decimal, limits: tuple[Decimal, Decimal] | None) -> str | None:
    """Return why an order that would be filled at once is not: at its limit price, or beyond what it was decided for."""
    buys = order.side == "buy"
    if order.limit is None and limits is not None and (price >= limits[1] if buys else price <= limits[0]):
        side, other = ("upper", "sells") if buys else ("lower", "buys")
        return Reason("price_is_at_its_limit_of_session", price=f"{price:f}", side=side, other=other)
    if order.collar is not None and (price - order.collar) * (1 if buys else -1) > 0:
        return Reason("price_is_beyond", price=f"{price:f}", collar=f"{order.collar:f}")
    return None


def _got(order: Order, price: Decimal, terms: MarketTerms, limits: tuple[Decimal, Decimal] | None) -> Decimal:
    """Return the price an order is filled at now: with slippage, never beyond its limit, its collar or the session's limits."""
    buys = order.side == "buy"
    got = market_fill(price, terms, buys=buys)
    bounds = [each for each in (order.limit, order.collar, limits[1 if buys else 0] if limits is not None else None) if each is not None]
    return min(got, *bounds) if buys and bounds else max(got, *bounds) if bounds else got


def _resting(order: Order, at: datetime, rules: ShareTerms, expected: Decimal, *, at_open: bool) -> LedgerEntry:
    """Return that an order rests. expected: the price that cash is kept for."""
    buys = order.side == "buy"
    cost = order.amount * expected + rules.fees.fee(order.amount, expected, buys=True) if buys else _NONE
    bounds = [each for each in (order.limit, order.collar) if each is not None]
    return LedgerEntry(
        kind="accepted",
        at=at,
        symbol=order.symbol,
        client_id=order.client_id,
        side=order.side,
        amount=order.amount,
        price=None if at_open else order.limit,
        collar=(min(bounds) if buys else max(bounds)) if at_open and bounds else None,
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
    return [
        _cancelled(each, at, Reason("shares_were_sold")) for each in book.resting.values() if each.symbol == symbol and each.side == "sell"
    ]
