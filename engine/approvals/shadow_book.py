"""The shadow book: what refused proposals would have come to, followed on paper with the rules of the paper broker and written nowhere.

For people who judge their refusals afterwards; nothing in a prompt comes from here. Entries with a stop and a target are followed,
from the decision's instant to the end of what the market is known for, or to a recording's end.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from engine.approvals.deps import ApprovalDeps, client_id
from engine.approvals.quotes import FeedQuotes
from engine.domain.ledger import LedgerEntry
from engine.domain.market.terms import exact
from engine.domain.orders import Order
from engine.domain.proposal import REFUSED, Proposal
from engine.trading.paper_book import Book
from engine.trading.paper_fills import entries_of_candle, entries_of_order

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
        if not (is_changed or proposal.state in REFUSED) or plan.reduce_only or plan.stop is None:
            return None
        quotes = FeedQuotes(self._deps.feed(basis.place), self._deps.clock)
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
