"""The shadow book: what refused proposals would have come to, followed on paper with the rules of the paper broker and written nowhere.

For people who judge their refusals afterwards; nothing in a prompt comes from here. Entries with a stop and a target are followed,
from the decision's instant to the end of what the market is known for, or to a recording's end.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Final

from engine.approvals.deps import ApprovalDeps, client_id
from engine.approvals.quotes import FeedQuotes
from engine.domain.ledger import LedgerEntry
from engine.domain.market.terms import exact
from engine.domain.orders import Order
from engine.domain.proposal import REFUSED, OrderPlan, Proposal
from engine.trading.paper_book import Book
from engine.trading.paper_fills import entries_of_candle, entries_of_order
from engine.trading.share_fills import entries_of_session, entries_of_share_order

_MONEY: Final = exact(1_000_000_000)  # what it is followed with: an order is never refused for its margin


@dataclass(frozen=True)
class ShadowResult:
    """What a refused order would have come to. result: quote units after fees, of the open position at the last price while it would
    still be open. ended: `stop`, `target`, `liquidation`, or None."""

    result: Decimal
    ended: str | None
    at: datetime


class ShadowBook:
    """Follows refused proposals on paper. On the engine's loop."""

    def __init__(self, deps: ApprovalDeps) -> None:
        self._deps = deps

    async def follow(self, proposal: Proposal) -> ShadowResult | None:
        """Return what a refused proposal would have come to, or the machine's plan where a person changed it and it was filled. None for
        any other, and for one that has no stop to be followed by.

        Raises MarketError when the market's way since cannot be read.
        """
        is_changed = proposal.state == "filled" and proposal.is_edited
        plan, basis = (proposal.machine if is_changed else proposal.plan), proposal.basis
        if not (is_changed or proposal.state in REFUSED) or plan.reduce_only or plan.protects:
            return None
        if basis.instrument == "shares":
            return await self._follow_shares(proposal, plan)
        if plan.stop is None:
            return None
        quotes = FeedQuotes(lambda: self._deps.feed(basis.place), self._deps.clock)
        since_ms = int(basis.snapshot_at.timestamp() * 1000)
        path = await quotes.path(basis.symbol, since_ms, None)
        book = Book()
        order = Order(
            client_id=client_id("shadow", proposal.id),
            symbol=basis.symbol,
            side=plan.side,
            amount=plan.amount,
            leverage=plan.leverage,
            stop=plan.stop,
            target=plan.target,
        )
        book.apply(LedgerEntry(kind="deposit", at=basis.snapshot_at, cash=_MONEY))
        for entry in entries_of_order(book, order, exact(basis.price), basis.terms, basis.snapshot_at):
            book.apply(entry)
        for candle in path.walk():
            for entry in entries_of_candle(book, basis.symbol, candle, basis.terms):
                book.apply(entry)
                if entry.kind == "fill" and basis.symbol not in book.held:
                    return ShadowResult(book.equity - _MONEY, entry.reason, entry.at)
        held = book.held.get(basis.symbol)
        unrealised = held.result(path.price) if held is not None else Decimal(0)
        return ShadowResult(book.cash - _MONEY + unrealised, None, path.at)

    async def _follow_shares(self, proposal: Proposal, plan: OrderPlan) -> ShadowResult | None:
        """Follow a buy of shares by the rules of the paper account, splits and dividends included; without a stop and target to the last
        price. None for one that no rule of the market would have taken."""
        basis, quotes = proposal.basis, self._deps.share_quotes(proposal.basis.place)
        assert basis.moment is not None
        begins = await quotes.clock(basis.symbol, basis.moment) if basis.market_clock is None else basis.market_clock
        since_ms, book = int(begins.timestamp() * 1000), Book()
        order = Order(
            client_id=client_id("shadow", proposal.id),
            symbol=basis.symbol,
            side=plan.side,
            amount=plan.amount,
            limit=plan.limit,
            stop=plan.stop,
            target=plan.target,
        )
        placed = replace(await quotes.path(basis.symbol, None, begins), at=begins)
        mark = LedgerEntry(kind="mark", at=begins, symbol=basis.symbol, marked_ms=since_ms, price=placed.price)
        for entry in (LedgerEntry(kind="deposit", at=begins, cash=_MONEY), mark):
            book.apply(entry)
        for entry in entries_of_share_order(book, order, placed, basis.terms):
            book.apply(entry)
        if book.reports[order.client_id].state == "refused":
            return None
        path = await quotes.path(basis.symbol, since_ms, None)
        for session in path.sessions:
            for entry in entries_of_session(book, basis.symbol, session, since_ms, basis.terms):
                book.apply(entry)
            if basis.symbol not in book.held and basis.symbol not in {each.symbol for each in book.resting.values()}:
                ended = book.outcomes.get(order.client_id)
                return ShadowResult(book.cash - _MONEY, ended.ended if ended is not None else None, session.closes)
        held = book.held.get(basis.symbol)
        return ShadowResult(book.cash - _MONEY + (held.value(path.price) if held is not None else Decimal(0)), None, path.at)
