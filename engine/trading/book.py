"""The state of a paper account: the sum of its ledger entries, and nothing else.

    cash = deposits + realised - fees + funding + dividends - cost of the shares that are held
    equity = cash + unrealised result of contracts + market value of shares

Margin is isolated and not taken out of cash: it is what a contract may lose at most. Shares are paid for in cash and only held long. One
position a market; no hedging. Contracts and shares are one account with one equity; every quote currency counts as its money.
"""

from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from engine.domain.holding import NATURES, InstrumentKind
from engine.domain.ledger import LedgerEntry
from engine.domain.market.terms import MarketTerms
from engine.domain.orders import Order, OrderReport, Outcome, Position
from engine.trading.sizing import liquidation_price

ZERO = Decimal(0)


@dataclass(frozen=True)
class MovedLevels:
    """When a position got its levels, and what the candle of then had seen: what it did before must not reach them. low, high: of that
    candle up to then, None where that is not known. stop_before: the one that stood until then."""

    at: datetime
    low: Decimal | None
    high: Decimal | None
    stop_before: Decimal | None


@dataclass(frozen=True)
class PaperPosition:
    """An open position. size: signed base units, or shares. entry: average price. fill_at: of the last fill that enlarged it. locked:
    shares of it that were bought in the session `locked_on` and may be sold after it only. moved: the last change of its levels that was
    no fill."""

    size: Decimal
    entry: Decimal
    leverage: int
    opened_at: datetime
    fill_at: datetime
    stop: Decimal | None = None
    target: Decimal | None = None
    instrument: InstrumentKind = "contract"
    locked: Decimal = ZERO
    locked_on: date | None = None
    moved: MovedLevels | None = None

    @property
    def paid_in_full(self) -> bool:
        """Whether its whole value was paid in cash, as that of shares."""
        return NATURES[self.instrument].paid_in_full

    @property
    def sign(self) -> int:
        """+1 long, -1 short."""
        return 1 if self.size > 0 else -1

    @property
    def margin(self) -> Decimal:
        """What it may lose at most beside what was paid: 0 for shares, which are paid for."""
        return ZERO if self.paid_in_full else abs(self.size) * self.entry / self.leverage

    def result(self, price: Decimal) -> Decimal:
        """Unrealised result at a price."""
        return self.size * (price - self.entry)

    def value(self, price: Decimal) -> Decimal:
        """Return what it adds to cash at a price: the market value of shares, the unrealised result of a contract."""
        return self.size * price if self.paid_in_full else self.result(price)

    def sellable(self, on: date) -> Decimal:
        """Return how much of it may be sold in the session of a date."""
        return self.size - self.locked if self.locked_on is not None and on <= self.locked_on else self.size

    def liquidation(self, terms: MarketTerms) -> Decimal | None:
        """Return the price at which it is liquidated."""
        return liquidation_price(self.entry, self.leverage, self.sign, terms.maintenance_margin)


@dataclass(frozen=True)
class Trade:
    """A closing fill. result: realised, before the fee. net: after it."""

    at: datetime
    symbol: str
    result: Decimal
    net: Decimal


@dataclass
class Book:
    """Grows by `apply`. marks: symbol -> (followed to, last price). pinned: whether that instant was asked for. openers: symbol -> client
    id of the order that opened its position. outcomes: client id -> what the position it opened, or what it closed, has brought in cash.
    reserved: client id -> cash that a resting order keeps for itself. moves: (instant, symbol, change of cash, value of the symbol's
    position after it) of every entry, as they were written."""

    seq: int = 0
    cash: Decimal = ZERO
    deposits: Decimal = ZERO
    realised: Decimal = ZERO
    fees: Decimal = ZERO
    funding: Decimal = ZERO
    dividends: Decimal = ZERO
    held: dict[str, PaperPosition] = field(default_factory=dict)
    resting: dict[str, Order] = field(default_factory=dict)
    reports: dict[str, OrderReport] = field(default_factory=dict)
    marks: dict[str, tuple[int, Decimal]] = field(default_factory=dict)
    pinned: dict[str, bool] = field(default_factory=dict)
    trades: list[Trade] = field(default_factory=list)
    ordered: list[datetime] = field(default_factory=list)
    openers: dict[str, str] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    reserved: dict[str, Decimal] = field(default_factory=dict)
    moves: list[tuple[datetime, str, Decimal, Decimal]] = field(default_factory=list)

    @property
    def equity(self) -> Decimal:
        """Cash and the value of the open positions."""
        return self.cash + sum((held.value(self.price(symbol)) for symbol, held in self.held.items()), ZERO)

    @property
    def free(self) -> Decimal:
        """What no open position may lose, is not in shares, and no resting order keeps for itself."""
        contracts = [(symbol, held) for symbol, held in self.held.items() if not held.paid_in_full]
        results = sum((held.result(self.price(symbol)) - held.margin for symbol, held in contracts), ZERO)
        return self.cash + results - sum(self.reserved.values(), ZERO)

    @property
    def spendable(self) -> Decimal:
        """Cash that shares may be bought with: no gain of an open contract is in it. May be below 0."""
        contracts = [(symbol, held) for symbol, held in self.held.items() if not held.paid_in_full]
        margins = sum((max(held.margin, -held.result(self.price(symbol))) for symbol, held in contracts), ZERO)
        return self.cash - margins - sum(self.reserved.values(), ZERO)

    def price(self, symbol: str) -> Decimal:
        """Return the last price the account knows of a market it holds."""
        return self.marks[symbol][1] if symbol in self.marks else self.held[symbol].entry

    def notionals(self) -> dict[str, float]:
        """Return what every position is worth, and what orders that rest may make of it: they are filled without being measured again."""
        found = {symbol: float(abs(each.size) * self.price(symbol)) for symbol, each in self.held.items()}
        for client_id, cash in self.reserved.items():
            symbol = self.resting[client_id].symbol
            found[symbol] = found.get(symbol, 0.0) + float(cash)
        return found

    def position(self, symbol: str, terms: MarketTerms) -> Position | None:
        """Return the position in a market as others see it."""
        held = self.held.get(symbol)
        if held is None:
            return None
        liquidation = held.liquidation(terms)
        return Position(
            symbol=symbol,
            side="long" if held.sign > 0 else "short",
            size=abs(held.size),
            entry_price=held.entry,
            leverage=held.leverage,
            opened_at=held.opened_at,
            stop=held.stop,
            target=held.target,
            liquidation_price=terms.price(liquidation) if liquidation is not None else None,
            instrument=held.instrument,
        )

    def opened_market(self, client_id: str) -> str | None:
        """Return the market of the open position that an order opened; None when it opened none that is still open."""
        return next((symbol for symbol, opener in self.openers.items() if opener == client_id), None)

    def outcome(self, client_id: str) -> Outcome | None:
        """Return the outcome of an order; None for one that opened and closed nothing."""
        found = self.outcomes.get(client_id)
        symbol = self.opened_market(client_id)
        if found is None or symbol is None:
            return found
        return found.model_copy(update={"result": found.result + self.held[symbol].value(self.price(symbol))})

    def copy(self) -> "Book":
        """Return an independent copy."""
        own: dict[str, Any] = {name: value.copy() for name, value in vars(self).items() if isinstance(value, dict | list)}
        return replace(self, **own)

    def apply(self, entry: LedgerEntry) -> None:  # noqa: C901 - a line a kind
        """Apply one more entry."""
        self.seq += 1
        self.cash += entry.cash
        match entry.kind:
            case "deposit":
                self.deposits += entry.cash
            case "accepted":
                self._rest(entry)
            case "fill":
                self._fill(entry)
            case "emptied":
                self._empty()
            case "refused" | "cancelled":
                self._end(entry)
            case "levels" if entry.symbol in self.held:
                self._move_levels(entry, self.held[entry.symbol])
            case "funding":
                self.funding += entry.cash
                self._bring(entry)
            case "dividend":
                self._dividend(entry)
            case "split":
                self._split(entry)
            case "mark":
                self._mark(entry)
        held = self.held.get(entry.symbol)
        self.moves.append((entry.at, entry.symbol, entry.cash, held.value(self.price(entry.symbol)) if held is not None else ZERO))

    def worth(self) -> list[tuple[datetime, Decimal]]:
        """Return equity over time in the order of the market's instants, oldest first, a point an entry: of several positions that
        were followed one after the other, what they were worth together."""
        cash, values, points = ZERO, dict[str, Decimal](), list[tuple[datetime, Decimal]]()
        for at, symbol, change, value in sorted(self.moves, key=lambda move: move[0]):
            cash += change
            values[symbol] = value
            points.append((at, cash + sum(values.values(), ZERO)))
        return points

    def _empty(self) -> None:
        """Begin anew. Reports and outcomes are kept, so that the outcome of an earlier order can still be read."""
        for name, value in vars(Book(seq=self.seq, reports=self.reports, outcomes=self.outcomes)).items():
            setattr(self, name, value)

    def _rest(self, entry: LedgerEntry) -> None:
        assert entry.client_id is not None
        assert entry.side is not None
        assert entry.amount is not None
        self.resting[entry.client_id] = Order(
            client_id=entry.client_id,
            symbol=entry.symbol,
            side=entry.side,
            amount=entry.amount,
            limit=entry.price,
            collar=entry.collar,
            reduce_only=entry.reduce_only,
            leverage=entry.leverage,
            stop=entry.stop,
            target=entry.target,
        )
        if entry.reserved:
            self.reserved[entry.client_id] = entry.reserved
        self.reports[entry.client_id] = OrderReport(client_id=entry.client_id, state="open", at=entry.at)
        self.ordered.append(entry.at)

    def _move_levels(self, entry: LedgerEntry, held: PaperPosition) -> None:
        moved = MovedLevels(entry.at, entry.low, entry.high, held.stop)
        self.held[entry.symbol] = replace(held, stop=entry.stop, target=entry.target, moved=moved)
        if entry.client_id is not None:
            protected = self._is_protected(entry)
            self.reports[entry.client_id] = OrderReport(client_id=entry.client_id, state="filled", at=entry.at, protected=protected)

    def _end(self, entry: LedgerEntry) -> None:
        assert entry.client_id is not None
        self.resting.pop(entry.client_id, None)
        self.reserved.pop(entry.client_id, None)
        state = "refused" if entry.kind == "refused" else "cancelled"
        self.reports[entry.client_id] = OrderReport(client_id=entry.client_id, state=state, at=entry.at, why=entry.why)

    def _fill(self, entry: LedgerEntry) -> None:
        assert entry.side is not None
        assert entry.amount is not None
        assert entry.price is not None
        self.fees += entry.fee
        signed = entry.amount if entry.side == "buy" else -entry.amount
        held = self.held.get(entry.symbol)
        closes = held is not None and held.size * signed < 0
        net: Decimal | None = None
        if held is not None and closes:
            net = self._reduce(entry, held, signed)
        else:
            self._enlarge(entry, held, signed)
        self._bring(entry, net)
        if entry.client_id is not None:
            known = entry.client_id in self.resting
            self.resting.pop(entry.client_id, None)
            self.reserved.pop(entry.client_id, None)
            if not known:
                self.ordered.append(entry.at)
            self.reports[entry.client_id] = OrderReport(
                client_id=entry.client_id,
                state="filled",
                at=entry.at,
                filled=entry.amount,
                price=entry.price,
                fee=entry.fee,
                protected=self._is_protected(entry),
            )

    def _is_protected(self, entry: LedgerEntry) -> bool | None:
        """Return whether the position has its stop; None where there is no position."""
        held = self.held.get(entry.symbol)
        return held.stop is not None if held is not None else None

    def _enlarge(self, entry: LedgerEntry, held: PaperPosition | None, signed: Decimal) -> None:
        assert entry.price is not None
        if held is None:
            made = PaperPosition(
                signed, entry.price, entry.leverage or 1, entry.at, entry.at, entry.stop, entry.target, instrument=entry.instrument
            )
        else:
            size = held.size + signed
            average = (held.size * held.entry + signed * entry.price) / size
            stop, target = entry.stop or held.stop, entry.target or held.target
            leverage = entry.leverage or held.leverage
            made = replace(held, size=size, entry=average, leverage=leverage, fill_at=entry.at, stop=stop, target=target)
        if entry.sellable_after is not None:
            before = made.locked if made.locked_on == entry.sellable_after else ZERO
            made = replace(made, locked=before + signed, locked_on=entry.sellable_after)
        self.held[entry.symbol] = made

    def _mark(self, entry: LedgerEntry) -> None:
        assert entry.marked_ms is not None
        assert entry.price is not None
        self.marks[entry.symbol] = (entry.marked_ms, entry.price)
        self.pinned[entry.symbol] = entry.pinned

    def _dividend(self, entry: LedgerEntry) -> None:
        """Take in a dividend: what is paid out is in the price no more."""
        assert entry.price is not None
        self.dividends += entry.cash
        since, price = self.marks.get(entry.symbol, (0, ZERO))
        if price > entry.price:
            self.marks[entry.symbol] = (since, price - entry.price)
        self._bring(entry)

    def _split(self, entry: LedgerEntry) -> None:
        """Make other shares of those that are held. What is no whole share is sold at the entry's price, without a fee."""
        assert entry.ratio is not None
        assert entry.amount is not None
        assert entry.price is not None
        held = self.held[entry.symbol]
        average = held.entry / entry.ratio
        self.realised += entry.cash - (held.size * entry.ratio - entry.amount) * average
        if entry.symbol in self.marks:
            self.marks[entry.symbol] = (self.marks[entry.symbol][0], entry.price)
        if entry.amount == 0:
            del self.held[entry.symbol]
        else:
            locked = min(held.locked * entry.ratio, entry.amount)
            made = replace(held, size=entry.amount, entry=average, locked=locked)
            self.held[entry.symbol] = replace(made, stop=entry.stop, target=entry.target, moved=None)
        self._bring(entry)

    def _reduce(self, entry: LedgerEntry, held: PaperPosition, signed: Decimal) -> Decimal:
        """Make a position smaller, and return what that brought after the fee."""
        result = entry.cash + entry.fee
        if held.paid_in_full:  # cash is all that was paid for them
            result += signed * held.entry
        self.realised += result
        self.trades.append(Trade(entry.at, entry.symbol, result, result - entry.fee))
        size = held.size + signed
        if size == 0:
            del self.held[entry.symbol]
        else:
            self.held[entry.symbol] = replace(held, size=size)
        return result - entry.fee

    def _bring(self, entry: LedgerEntry, net: Decimal | None = None) -> None:
        """Add what an entry brought to the outcomes: of the order that opened the position, and of the one that closed something of it.
        net: what closing brought after the fee, None for what closed nothing."""
        opener = self.openers.setdefault(entry.symbol, entry.client_id or "")
        before = self.outcomes.get(opener, Outcome(result=ZERO))
        ended = (entry.reason or entry.kind) if entry.symbol not in self.held else None
        self.outcomes[opener] = Outcome(result=before.result + entry.cash, ended=ended)
        if ended is not None:
            del self.openers[entry.symbol]
        if net is not None and entry.client_id is not None:
            self.outcomes[entry.client_id] = Outcome(result=net, ended=entry.reason)
