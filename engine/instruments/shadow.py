"""What an order that was never sent would have come to, followed with the rules of the paper broker. Written nowhere."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from engine.domain.ledger import LedgerEntry
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.market.timeframe import Timeframe
from engine.domain.orders import Order
from engine.domain.position_record import PositionRecord
from engine.domain.proposal import Basis, OrderPlan
from engine.instruments.contract_fills import entries_of_order
from engine.instruments.instrument import Followed, MarketAccess
from engine.instruments.market_play import entries_of_path, mark
from engine.instruments.quotes import FeedQuotes
from engine.instruments.share_fills import entries_of_share_order
from engine.trading.book import Book
from engine.trading.history.position_history import PositionHistory
from engine.trading.protocol import MarketPath, Quotes

_MONEY: Final = exact(1_000_000_000)  # what it is followed with: an order is never refused for its margin
_STEP_BARS: Final = 200  # of one reading, so that a long way is not read in long candles
_MOST_STEPS: Final = 60


class _Account:
    """A paper account of one market and one order, in memory."""

    def __init__(self, plan: OrderPlan, basis: Basis, order_id: str, at: datetime) -> None:
        self.book, self._history, self._id = Book(), PositionHistory("shadow"), order_id
        self.order = Order(
            client_id=order_id,
            symbol=basis.symbol,
            side=plan.side,
            amount=plan.amount,
            leverage=plan.leverage,
            limit=plan.limit,
            stop=plan.stop,
            target=plan.target,
        )
        self.take(LedgerEntry(kind="deposit", at=at, cash=_MONEY))

    def take(self, *entries: LedgerEntry) -> None:
        for entry in entries:
            self.book.apply(entry)
            self._history.take((entry,))

    def play(self, since: datetime, path: MarketPath, settlements: list[tuple[int, float]], terms: MarketTerms) -> None:
        """Follow the market until the order and its position are over."""
        ms = int(since.timestamp() * 1000)
        for entry in entries_of_path(self.book, self.order.symbol, ms, path, settlements, terms, pinned=True):
            self.take(entry)
            if self.is_over:
                return

    @property
    def is_over(self) -> bool:
        return self.order.symbol not in self.book.held and self._id not in self.book.resting

    @property
    def is_refused(self) -> bool:
        return self.book.reports[self._id].state == "refused"

    @property
    def record(self) -> PositionRecord | None:
        return self._history.record_with(self._id)


async def follow_contract(access: MarketAccess, plan: OrderPlan, basis: Basis, order_id: str) -> Followed | None:
    """Follow an entry with a stop; None for one without, and for one that no rule of the market would have taken. Raises MarketError when
    the market's way since cannot be read."""
    if plan.stop is None:
        return None
    quotes, since, paths = FeedQuotes(lambda: access.feed(basis.place), access.clock), basis.snapshot_at, list[MarketPath]()
    account = _Account(plan, basis, order_id, since)
    account.take(*entries_of_order(account.book, account.order, exact(basis.price), basis.terms, since))
    if account.is_refused:
        return None
    async for path in paths_since(quotes, basis, since):
        settlements = list(await quotes.funding(basis.symbol, _ms(since), _ms(path.at)))
        await asyncio.to_thread(account.play, since, path, settlements, basis.terms)
        paths.append(path)
        since = path.at
        if account.is_over:
            break
    return Followed(account.record, tuple(paths))


async def follow_shares(access: MarketAccess, plan: OrderPlan, basis: Basis, order_id: str) -> Followed | None:
    """Follow a buy of shares by the rules of the paper account, splits and dividends included; without a stop and target to the last
    price. None for one that no rule of the market would have taken."""
    quotes = access.share_quotes(basis.place)
    begins = await decided_at(access, basis)
    account = _Account(plan, basis, order_id, begins)
    placed = replace(await quotes.path(basis.symbol, None, begins), at=begins)
    account.take(mark(basis.symbol, begins, placed.price, pinned=True))
    account.take(*entries_of_share_order(account.book, account.order, placed, basis.terms))
    if account.is_refused:
        return None
    path = await quotes.path(basis.symbol, _ms(begins), None)
    await asyncio.to_thread(account.play, begins, path, [], basis.terms)
    return Followed(account.record, (path,), is_expired=account.record is None and account.is_over)


async def decided_at(access: MarketAccess, basis: Basis) -> datetime:
    """Return the market's instant of a decision: of shares, the open or close of its session."""
    if basis.moment is None or basis.market_clock is not None:
        return basis.market_clock or basis.snapshot_at
    return await access.share_quotes(basis.place).clock(basis.symbol, basis.moment)


async def paths_since(quotes: Quotes, basis: Basis, since: datetime) -> AsyncIterator[MarketPath]:
    """Yield what the market of a decision did since an instant, up to its present, one part after the other. Of shares all at once."""
    if basis.terms.shares is not None:
        yield await quotes.path(basis.symbol, _ms(since), None)
        return
    present = (await quotes.path(basis.symbol, None, None)).at
    bar_ms = Timeframe.parse(basis.timeframe).ms
    begins = since - timedelta(milliseconds=_ms(since) % bar_ms)
    for number in range(1, _MOST_STEPS + 1):
        until = begins + timedelta(milliseconds=number * _STEP_BARS * bar_ms)
        if until >= present or number == _MOST_STEPS:
            break
        yield await quotes.path(basis.symbol, _ms(since), until)
        since = until
    yield await quotes.path(basis.symbol, _ms(since), None)


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)
