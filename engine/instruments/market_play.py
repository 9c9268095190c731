"""Playing a market through a paper account: candles, settlements and sessions in the order of time. Pure.

The paper broker follows its accounts with it, and the shadow book follows what was never ordered: both come to the same.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from engine.domain.ledger import LedgerEntry
from engine.domain.market.terms import MarketTerms, exact
from engine.instruments.contract_fills import entries_of_candle, entry_of_funding
from engine.instruments.share_fills import entries_of_session
from engine.trading.book import Book
from engine.trading.protocol import MarketPath

_DAY_MS: Final = 86_400_000


def entries_of_path(
    book: Book,
    symbol: str,
    since_ms: int,
    path: MarketPath,
    settlements: Sequence[tuple[int, float]],
    terms: MarketTerms,
    *,
    pinned: bool,
) -> Iterator[LedgerEntry]:
    """Yield what a market did to an account; each entry is to be applied before the next is asked for.

    since_ms: how far the account had come. settlements: of funding since then, (milliseconds, rate), oldest first. pinned: whether the
    account stays where it is taken to.
    """
    yield from _of_sessions(book, symbol, since_ms, path, terms, pinned=pinned)
    day, due = since_ms // _DAY_MS, list(settlements)
    for candle in path.walk():
        if candle.opened_at // _DAY_MS > day:  # the equity at 00:00 UTC is what the loss of a day is measured from
            day = candle.opened_at // _DAY_MS
            midnight = datetime.fromtimestamp(day * _DAY_MS / 1000, UTC)
            if symbol in book.held:
                yield mark(symbol, midnight, exact(candle.open), pinned=pinned)
        while due and due[0][0] <= candle.opened_at:
            yield from _settled(book, symbol, due.pop(0), exact(candle.open))
        yield from entries_of_candle(book, symbol, candle, terms)
    for settlement in due:
        yield from _settled(book, symbol, settlement, path.price)


def mark(symbol: str, at: datetime, price: Decimal, *, pinned: bool) -> LedgerEntry:
    """Return how far an account was followed in a market."""
    return LedgerEntry(kind="mark", at=at, symbol=symbol, marked_ms=int(at.timestamp() * 1000), price=price, pinned=pinned)


def _settled(book: Book, symbol: str, settlement: tuple[int, float], price: Decimal) -> Iterator[LedgerEntry]:
    entry = entry_of_funding(book, symbol, *settlement, price)
    if entry is not None:
        yield entry


def _of_sessions(book: Book, symbol: str, since_ms: int, path: MarketPath, terms: MarketTerms, *, pinned: bool) -> Iterator[LedgerEntry]:
    """Yield what the sessions of a share did; nothing for a contract."""
    for session in path.sessions:
        yield from entries_of_session(book, symbol, session, since_ms, terms)
        if session.candle is not None and symbol in book.held:  # how far an account fell is seen day by day
            yield mark(symbol, session.closes, exact(session.candle.close), pinned=pinned)
