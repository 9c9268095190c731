"""What a broker is to the rest of the engine, and what a paper broker needs to know of markets and to write things down.

Failure contract of a broker: `place_order` gives a report, which may be a refusal; it raises BrokerUnreachable when nothing can have left,
and OrderUnknown when the order may have arrived. Everything else raises a BrokerError or MarketError. "There is no position" is an answer;
not being able to say is an error, never an empty answer.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Protocol

from engine.domain.equity.cash_account import CashAccount
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.ledger import LedgerEntry
from engine.domain.market.candles import Candle, Candles
from engine.domain.market.terms import MarketTerms
from engine.domain.orders import AccountView, BrokerName, Order, OrderReport, Outcome, Position
from engine.domain.position_record import PositionRecord
from engine.domain.risk import RiskConfig
from engine.trading.history.ownership import Ownership

PreSendCheck = Callable[[], Awaitable[Decimal | None]]
"""Raises what keeps an order from leaving. Returns the most that may leave of it, base units; None = all of it."""


class Broker(Protocol):
    """One account at one broker. at: the market's instant; None = its present."""

    @property
    def name(self) -> BrokerName:
        """Which kind of broker this is."""
        ...

    @property
    def account(self) -> str:
        """The account's name, unique in this installation."""
        ...

    async def place_order(self, order: Order, at: datetime | None, before_send: PreSendCheck | None = None) -> OrderReport:
        """Send an order. One whose client id this account knows already is not sent again; what became of it is returned.

        at: the market's instant, None = its present. before_send: awaited directly before the order leaves, after everything that takes
        time; what it raises is raised, and nothing is sent; an exchange sends no more than it returns, and the report says so. Raises
        BrokerUnreachable, OrderUnknown, BrokerError.
        """
        ...

    async def protect(self, order: Order, at: datetime | None, before_send: PreSendCheck | None = None) -> OrderReport:
        """Make an order's stop and target those of the position that is held. The new stop stands before the old one goes; a level that is
        None stays as it is. Sent again, it is not done twice. at, before_send: as of `place_order`.

        The report says `filled` when they stand, `refused` when they could not be set and what stood before still does. Raises
        BrokerUnreachable, OrderUnknown (call it again, or `restore_levels`), BrokerError.
        """
        ...

    async def restore_levels(self, symbol: str) -> None:
        """Make the levels that were signed last the only ones of a position again, after a change that may not go on. Raises
        BrokerError."""
        ...

    async def cancel(self, client_id: str, symbol: str) -> OrderReport | None:
        """Cancel what has not been filled of an order, and say what became of it; None when the broker has none of that id. Raises
        BrokerError when it cannot be said."""
        ...

    async def get_order(self, client_id: str, symbol: str) -> OrderReport | None:
        """Return what became of an order, None when the broker has none of that id."""
        ...

    async def outcome(self, client_id: str) -> Outcome | None:
        """Return what the position that an order opened, or what it closed, has come to after fees, funding and dividends: an open one at
        the last price. None for an order that did neither, and where the broker does not report it."""
        ...

    async def positions(self, at: datetime | None) -> tuple[Position, ...]:
        """Return every open position of the account."""
        ...

    async def position(self, symbol: str, at: datetime | None, *, keep: bool = False) -> Position | None:
        """Return the position in one market, followed to `at`; None = flat. keep: an account whose clock can be set stays at `at`; else
        reading it at another instant leaves it where it is. Raises PastAccount when it has come further than `at` already."""
        ...

    async def whose(self, position: Position) -> Ownership:
        """Return how much of a position our own orders made. Raises StoreError where the journal cannot say what we ordered."""
        ...

    async def view(self, risk: RiskConfig, at: datetime | None) -> AccountView:
        """Return what the account allows now, but for the kill switch, which is not the broker's. Leaves it where it is."""
        ...

    async def curve(self) -> Sequence[tuple[datetime, float]]:
        """Return equity over time, oldest first: (instant, quote units). The last point is of the account's present, unrealised results at
        the last price included; where that cannot be read now, of the last time it could."""
        ...

    async def history(self) -> Sequence[PositionRecord]:
        """Return every position from its first fill on, open ones too, the first opened first: as far as the account has been followed, and
        as it is known here."""
        ...

    async def instant(self, symbol: str) -> datetime | None:
        """Return how far the account has come in a market whose present stands still (a recording); None = the market's own present."""
        ...

    async def reconcile(self) -> tuple[str, ...]:
        """Put in order what a crash may have left (a position without its stop, a stop without its position). Returns what was found, a
        line each. Orders that are not ours are listed and not touched."""
        ...

    async def warnings(self) -> tuple[str, ...]:
        """Return what somebody should know of the account before trading on it, a line each (a key that may withdraw)."""
        ...

    async def wait_until_idle(self) -> None:
        """Wait until no order of this process is in flight any more, and every position it made has its stop."""
        ...

    async def close(self) -> None:
        """Release connections, once no order is in flight. May be called more than once."""
        ...


@dataclass(frozen=True, eq=False)
class MarketPath:
    """What a market did in a span of time: closed candles, oldest first, without gaps, and the open one where it is known. price, at: the
    last price and its instant. Shares have no candles here but `sessions`, and `day`: the date of the session their instant belongs to,
    and `previous_close`: what that session's price limits count from, in shares of that day, None where it is not known."""

    candles: Candles | None
    forming: Candle | None
    price: Decimal
    at: datetime
    sessions: tuple["ShareSession", ...] = ()
    day: date | None = None
    previous_close: Decimal | None = None

    def not_before(self, since_ms: int | None) -> "MarketPath":
        """Return the path; where it ends before `since_ms`, as after a clock was put back, its price right after that instant and no
        candle: what was before has been played through already."""
        if since_ms is None or self.at.timestamp() * 1000 >= since_ms:
            return self
        return replace(self, candles=None, forming=None, sessions=(), at=datetime.fromtimestamp((since_ms + 1) / 1000, UTC))

    def walk(self) -> Iterator[Candle]:
        """Yield every candle in the order of time, the open one last."""
        if self.candles is not None:
            yield from (self.candles[index] for index in range(len(self.candles)))
        if self.forming is not None:
            yield self.forming


@dataclass(frozen=True)
class ShareSession:
    """One session of a share, or its morning only. opens, closes: aware UTC. candle: its prices in shares of that day, None where it was
    not traded, or is not over. ratio: new shares for one old one that the morning brings, None without a split. dividend: currency a share,
    in shares of that day, 0 without one; the morning makes it cash. previous_close: in shares of that day, None where it is not known."""

    day: date
    opens: datetime
    closes: datetime
    candle: Candle | None
    ratio: Decimal | None = None
    dividend: Decimal = Decimal(0)
    previous_close: Decimal | None = None


class Quotes(Protocol):
    """What a paper broker needs to know of markets. Raises MarketError."""

    async def terms(self, symbol: str) -> MarketTerms:
        """Return how the market is traded."""
        ...

    async def path(self, symbol: str, since_ms: int | None, at: datetime | None) -> MarketPath:
        """Return everything from the candle that holds `since_ms` (None: only the last price) to `at` (None: the market's present).

        Of shares: the sessions whose morning or close is after `since_ms` and not after `at`; nothing that was known later than `at`.
        """
        ...

    async def funding(self, symbol: str, since_ms: int, until_ms: int) -> Sequence[tuple[int, float]]:
        """Return the settlements after `since_ms`, up to `until_ms`: (milliseconds, rate as a fraction of the notional, paid by the long
        side)."""
        ...


class ShareQuotes(Quotes, Protocol):
    """What answering for orders of shares needs to know beside. Raises MarketError, and BadInput for a symbol or date that is none."""

    async def clock(self, symbol: str, moment: TradingMoment) -> datetime:
        """Return the instant at which an account stands that is taken to a moment: its session's open or close, aware UTC."""
        ...

    async def answer_until(self, symbol: str, moment: TradingMoment) -> datetime:
        """Return until when a decision of that moment may be answered: the session's close for one before it opened, the open of the next
        session for one after its close. Aware UTC."""
        ...


class ShareBroker(Broker, Protocol):
    """A broker whose account holds shares too."""

    async def cash_account(self, at: datetime | None, day: date, *, equity: float) -> CashAccount:
        """Return how the account stands for shares, but for the kill switch. day: the session's date, which decides what may be sold.
        equity: what an account begins with that nothing was ordered on. Leaves the account where it is."""
        ...


class Ledger(Protocol):
    """Where the entries of paper accounts are kept. Blocking. Raises StoreError."""

    def entries(self, account: str, after: int) -> Sequence[LedgerEntry]:
        """Return entries of an account from number `after` + 1 on."""
        ...

    def append(self, account: str, after: int, entries: Sequence[LedgerEntry]) -> bool:
        """Write all of them behind entry number `after`, or none: False when others were written there in the meantime."""
        ...

    def accounts(self) -> Sequence[str]:
        """Return every account that has entries."""
        ...
