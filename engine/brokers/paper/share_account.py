"""The state of a paper account in shares: a pure function of its book, whose marks are the last prices it was followed to."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal

from engine.domain.equity.cash_account import CashAccount, ShareHolding
from engine.domain.market.terms import exact
from engine.trading.book import Book

_NONE = Decimal(0)


def cash_account_of(book: Book, account: str, day: date, equity: float) -> CashAccount:
    """Return the account. day: the session's date, which decides what may be sold. equity: what it begins with, counted while nothing was
    paid in. Prices are those of the book: what it was followed to."""
    if not book.deposits:
        return CashAccount(account=account, cash=equity, total_value=equity, max_drawdown_pct=0.0)
    worst, now = drawdowns(book.worth())
    contracts = [(symbol, held) for symbol, held in book.held.items() if not held.paid_in_full]
    return CashAccount(
        account=account,
        cash=float(max(_NONE, book.spendable)),
        total_value=float(max(_NONE, book.equity)),
        positions={symbol: _holding(book, symbol, day) for symbol, held in sorted(book.held.items()) if held.paid_in_full},
        reserved=float(sum(book.reserved.values(), _NONE)),
        waiting=tuple(sorted({book.resting[client_id].symbol for client_id in book.reserved})),
        contracts=len(contracts),
        contracts_value=float(sum((abs(held.size) * book.price(symbol) for symbol, held in contracts), _NONE)),
        max_drawdown_pct=worst,
        drawdown_pct=now,
    )


def _holding(book: Book, symbol: str, day: date) -> ShareHolding:
    held, price = book.held[symbol], book.price(symbol)
    return ShareHolding(
        quantity=float(held.size),
        average_price=float(held.entry),
        market_value=float(held.value(price)),
        unrealized_pnl=float(held.result(price)),
        sellable=float(held.sellable(day)),
    )


def drawdowns(worth: Sequence[tuple[datetime, Decimal]]) -> tuple[float, float]:
    """Return the worst fall from a peak, and the fall from the highest point to the last one, both percent of the peak. worth: equity over
    time, oldest first; (0, 0) without any."""
    peak, worst, now = exact(0), _NONE, _NONE
    for _, value in worth:
        peak = max(peak, value)
        now = (peak - value) / peak * 100 if peak > 0 else _NONE
        worst = max(worst, now)
    return float(worst), float(now)
