"""Positions out of what happened to an account, in the order it happened; and the price at which one comes out even. Pure.

A position begins with the first fill in a flat market and ends with the fill that makes it flat again. Everything in between belongs to it:
what enlarges it, parts that are closed, fees, funding, dividends and splits.
"""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal

from engine.domain.ledger import LedgerEntry
from engine.domain.market.terms import MarketTerms
from engine.domain.orders import Position
from engine.domain.position_record import PositionRecord

_ROUNDS = 6  # of the search for a price whose own fee it covers


class PositionHistory:
    """The positions of one account, as far as entries were taken in."""

    def __init__(self, account: str) -> None:
        self._account = account
        self._open: dict[str, PositionRecord] = {}
        self._closed: list[PositionRecord] = []

    def records(self) -> list[PositionRecord]:
        """Return every position, the first that was opened first; open ones too."""
        return sorted((*self._closed, *self._open.values()), key=lambda each: each.opened_at)

    def open_record(self, symbol: str) -> PositionRecord | None:
        """Return the open position of a market; None when it is flat."""
        return self._open.get(symbol)

    def record_with(self, client_id: str) -> PositionRecord | None:
        """Return the newest position that an order of ours opened or changed; None where it was filled in none."""
        newest = (*self._open.values(), *reversed(self._closed))
        return next((each for each in newest if client_id in each.orders), None)

    def copy(self) -> "PositionHistory":
        """Return an independent copy."""
        own = PositionHistory(self._account)
        own._open, own._closed = self._open.copy(), self._closed.copy()
        return own

    def take(self, entries: Iterable[LedgerEntry]) -> None:
        """Take entries in, in order."""
        for entry in entries:
            held = self._open.get(entry.symbol)
            match entry.kind:
                case "fill" if held is None:
                    self._open[entry.symbol] = _opened(self._account, entry)
                case "fill" if held is not None:
                    self._filled(held, entry)
                case "funding" if held is not None:
                    self._open[entry.symbol] = _paid(held, entry, funding=_sum(held.funding, entry.cash))
                case "dividend" if held is not None:
                    self._open[entry.symbol] = _paid(held, entry, dividends=held.dividends + entry.cash)
                case "split" if held is not None:
                    self._split(held, entry)
                case "emptied":
                    self._open.clear()
                    self._closed.clear()
                case _:
                    pass

    def end(self, symbol: str, at: datetime) -> None:
        """End the position of a market that is seen to be gone, no one knows how."""
        if (held := self._open.pop(symbol, None)) is not None:
            self._closed.append(held.model_copy(update={"closed_at": at, "ended": "venue", "cash": None}))

    def _filled(self, held: PositionRecord, entry: LedgerEntry) -> None:
        assert entry.amount is not None
        assert entry.price is not None
        paid = _paid(held, entry, fees=held.fees + entry.fee)
        if entry.client_id is not None:
            paid = paid.model_copy(update={"orders": (*held.orders, entry.client_id)})
        if (entry.side == "buy") == (held.sign > 0):
            size = held.size + entry.amount
            average = (held.size * held.entry_price + entry.amount * entry.price) / size
            self._open[entry.symbol] = paid.model_copy(update={"size": size, "entry_price": average})
            return
        closed = held.closed_size + entry.amount
        got = ((held.exit_price or Decimal(0)) * held.closed_size + entry.amount * entry.price) / closed
        paid = paid.model_copy(update={"closed_size": closed, "exit_price": got})
        if closed < held.size:
            self._open[entry.symbol] = paid
            return
        del self._open[entry.symbol]
        self._closed.append(paid.model_copy(update={"closed_at": entry.at, "ended": entry.reason or "order", "closed_by": entry.client_id}))

    def _split(self, held: PositionRecord, entry: LedgerEntry) -> None:
        """Count in other shares from now on. What is no whole share was paid out, as if it had been sold."""
        assert entry.ratio is not None
        assert entry.amount is not None
        ratio = entry.ratio
        update = {name: getattr(held, name) * ratio for name in ("size", "first_size", "closed_size")}
        update |= {
            name: level / ratio for name in ("entry_price", "first_price", "first_stop", "exit_price") if (level := getattr(held, name))
        }
        made = _paid(held, entry).model_copy(update=update)
        if (left := made.size - made.closed_size - entry.amount) > 0:
            made = made.model_copy(update={"closed_size": made.closed_size + left, "exit_price": made.exit_price or entry.price})
        if entry.amount > 0:
            self._open[entry.symbol] = made
            return
        del self._open[entry.symbol]
        self._closed.append(made.model_copy(update={"closed_at": entry.at, "ended": "split"}))


def _opened(account: str, entry: LedgerEntry) -> PositionRecord:
    assert entry.amount is not None
    assert entry.price is not None
    return PositionRecord(
        account=account,
        symbol=entry.symbol,
        side="long" if entry.side == "buy" else "short",
        instrument=entry.instrument,
        opened_at=entry.at,
        opened_by=entry.client_id,
        orders=(entry.client_id,) if entry.client_id is not None else (),
        size=entry.amount,
        entry_price=entry.price,
        first_size=entry.amount,
        first_price=entry.price,
        first_stop=entry.stop,
        fees=entry.fee,
        cash=entry.cash,
    )


def _paid(held: PositionRecord, entry: LedgerEntry, **changed: Decimal | None) -> PositionRecord:
    return held.model_copy(update={"cash": _sum(held.cash, entry.cash), **changed})


def _sum(known: Decimal | None, more: Decimal) -> Decimal | None:
    return known + more if known is not None else None


def break_even(position: Position, record: PositionRecord, terms: MarketTerms) -> Decimal | None:
    """Return the price at which closing what is left at market makes the whole position come out even, after every fee, funding, dividend
    and part that was closed; None where that is not known, or no price does. In steps of the market, never on the losing side of it."""
    if record.cash is None:
        return None
    size, sign = position.size, position.sign
    if terms.shares is None:
        price = (size * position.entry_price * sign - record.cash) / (size * (sign - terms.taker_fee))
    else:
        price = -record.cash / size
        for _ in range(_ROUNDS):
            price = (terms.shares.fees.fee(size, max(price, Decimal(0)), buys=False) - record.cash) / size
    return terms.price_towards(price, sign) if price > 0 else None
