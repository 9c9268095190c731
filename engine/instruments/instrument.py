"""What an instrument is to the rest of the engine: sizing, limits, fills, live conditions and progress behind one protocol.

Code outside this room asks the instrument, or `NATURES` of `engine/domain/holding.py` for what holds of a whole kind, and never branches on
the kind.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, Protocol

from engine.domain.account_ref import AccountRef
from engine.domain.equity.cash_account import CashAccount
from engine.domain.invalidation import InvalidationCheck, Thesis
from engine.domain.ledger import LedgerEntry
from engine.domain.market.candles import Candle, Candles
from engine.domain.market.terms import MarketTerms
from engine.domain.orders import Order, Position
from engine.domain.position_record import PositionRecord
from engine.domain.proposal import Basis, OrderPlan, Proposal
from engine.domain.risk import LimitCheck, RiskConfig
from engine.instruments.conditions import LiveConditions
from engine.journal.store import Journal
from engine.market.protocol import Feed
from engine.trading.book import Book
from engine.trading.protocol import Broker, MarketPath, ShareBroker, ShareQuotes

Amount = float | Literal["ours", "all"] | None
"""How much of a position is closed: base units, what is ours of it, or all of it; None = all of it, which must be ours."""
Recall = Callable[[], tuple[Proposal | None, Thesis | None]]
"""Reads the proposal that opened a position and why it was entered. Blocking. Raises StoreError."""


class MarketAccess(Protocol):
    """Where an instrument reads markets and accounts. Each raises BadInput where it cannot be made."""

    @property
    def broker(self) -> Callable[[AccountRef], Broker]:
        """The broker of an account."""
        ...

    @property
    def feed(self) -> Callable[[AccountRef], Feed]:
        """The prices of markets."""
        ...

    @property
    def share_quotes(self) -> Callable[[AccountRef], ShareQuotes]:
        """The prices of companies."""
        ...

    @property
    def share_broker(self) -> Callable[[AccountRef], ShareBroker]:
        """The broker of an account that holds shares."""
        ...

    @property
    def clock(self) -> Callable[[], datetime]:
        """Aware UTC now."""
        ...


@dataclass(frozen=True)
class LivePrice:
    """The price of now. price: quote units. price_gap_pct: against the last closed candle, percent. at: the market's instant. day: the date
    of its session. session_prices: lowest and highest price that the session allows; None without sessions or bounds."""

    price: float
    price_gap_pct: float
    at: datetime
    day: date | None = None
    session_prices: tuple[Decimal, Decimal] | None = None


@dataclass(frozen=True)
class Progress:
    """How a position has gone; the fields of `HeldPosition` that depend on the instrument. price: None where it could not be measured, and
    `why` says so. terms: of its market, None where they are not known."""

    facts: dict[str, float | None]
    price: Decimal | None = None
    at: datetime | None = None
    thesis: Thesis | None = None
    checked: tuple[InvalidationCheck, ...] = ()
    why: str = ""
    currency: str = ""
    candles: Candles | None = None
    forming: Candle | None = None
    series: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    terms: MarketTerms | None = None

    def fields(self) -> dict[str, Any]:
        """Return the fields of a `HeldPosition`, by name."""
        return {name: value for name, value in vars(self).items() if name != "terms"}


@dataclass(frozen=True)
class Followed:
    """An order that was never sent, followed on paper. record: the position it would have opened, None where it was not filled; is_expired:
    and never will be. paths: what the market did since the decision, as far as it was followed."""

    record: PositionRecord | None
    paths: tuple[MarketPath, ...]
    is_expired: bool = False


class Instrument(Protocol):
    """One kind of what is traded. judged_as_decided: whether, while the drift is within its bound, ratios that any move of the price
    changes are judged at the price of the decision."""

    judged_as_decided: bool

    def limits(self, price: float, plan: OrderPlan, basis: Basis, conditions: LiveConditions) -> tuple[LimitCheck, ...]:
        """Measure every hard limit of an order at a price, quote units. Empty for what takes risk away."""
        ...

    def unfit(self, plan: OrderPlan, basis: Basis, conditions: LiveConditions) -> str:
        """Return why a plan is no order in its market; "" when it is one."""
        ...

    def changed_size(self, size: Decimal, plan: OrderPlan, basis: Basis) -> Decimal:
        """Return a changed size that can be ordered: in whole steps or lots, never more than is held where it takes risk away. Raises
        BadInput."""
        ...

    def changed_leverage(self, leverage: int, terms: MarketTerms) -> int:
        """Return a changed leverage, x. Raises BadInput."""
        ...

    def changed_limit(self, entry: float | None, terms: MarketTerms, *, at_market: bool) -> Decimal | None:
        """Return a changed limit price on the market's grid, None for at market. Raises BadInput."""
        ...

    def collar(self, plan: OrderPlan, basis: Basis, risk: RiskConfig) -> Decimal | None:
        """Return the worst price that an order which adds risk may be filled at: as far from the decision as the price may drift. None
        for one that takes risk away, which must not fail for its price."""
        ...

    def decided_at(self, basis: Basis) -> Decimal | None:
        """Return the price that an order is filled at where its market's clock is paused; None = the last price."""
        ...

    def entries_of_order(self, book: Book, order: Order, path: MarketPath, price: Decimal, terms: MarketTerms) -> list[LedgerEntry]:
        """Return what an order does to a paper account at once. path: of its market, up to the instant it is placed at. price: the last
        one, quote units."""
        ...

    async def follow(self, access: MarketAccess, plan: OrderPlan, basis: Basis, order_id: str) -> Followed | None:
        """Return what an order that was never sent would have come to; None where it cannot be followed. Raises MarketError."""
        ...

    async def read_price(self, access: MarketAccess, basis: Basis) -> LivePrice:
        """Return the price of now; of a market whose clock is paused, at that clock. Raises MarketError."""
        ...

    async def last_price(self, access: MarketAccess, basis: Basis) -> float:
        """Return the last price, quote units; the quickest way to it. Raises MarketError."""
        ...

    async def read_cash(self, access: MarketAccess, basis: Basis, found: LivePrice, risk: RiskConfig) -> CashAccount | None:
        """Return the cash account that an order is paid from; None for what is not paid in full. Raises MarketError and BrokerError."""
        ...

    def newer_run(self, journal: Journal, basis: Basis) -> str | None:
        """Return the id of a finished run that has decided about the same market since, or None. Blocking. Raises
        StoreError."""
        ...

    async def progress(self, access: MarketAccess, ref: AccountRef, position: Position, recall: Recall) -> Progress:
        """Measure a position since its entry. Raises MarketError and BrokerError."""
        ...

    async def size_to_close(self, access: MarketAccess, ref: AccountRef, position: Position, amount: Amount) -> Decimal:
        """Return how much of a position is sold or bought back. Raises NotOnlyOurs where a part of it is not ours and it was not said how
        much, NotAllowed where nothing may be closed yet, BadInput for less than the market takes."""
        ...
