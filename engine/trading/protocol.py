"""What a broker is to the rest of the engine, by role, and what a paper broker needs to know of markets and to write things down."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Protocol

from engine.domain.broker_capabilities import Capabilities
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
"""Runs right before an order is sent. Returns the most of it that may be sent, in base units; None for all of it. Raises to stop it."""


class Orders(Protocol):
    """Sends orders and finds their outcome.

    Failures: BrokerUnreachable means that nothing was sent; OrderUnknown, that the order may have arrived and has to be looked up by its
    client id. A refusal is a report. None from `cancel` and `get_order` means that the broker has no such order, never that it is unknown.
    """

    async def place_order(self, order: Order, at: datetime | None, before_send: PreSendCheck | None = None) -> OrderReport:
        """Send an order, unless this account already knows its client id.

        Args:
            at: Instant of the market; None for its present.
            before_send: Awaited right before the order is sent, after everything that takes time. If it raises, nothing is sent. An
                exchange sends no more than it returns, and the report says so.

        Returns:
            The outcome of the order; of the earlier one with the same client id, if there was one.

        Raises:
            BrokerUnreachable: Nothing was sent.
            OrderUnknown: The order may have arrived.
            BrokerError: Anything else.
        """
        ...

    async def cancel(self, client_id: str, symbol: str) -> OrderReport | None:
        """Cancel the unfilled part of an order.

        Returns:
            The outcome of the order; None if the broker does not know the client id.

        Raises:
            BrokerError: The outcome could not be read.
        """
        ...

    async def get_order(self, client_id: str, symbol: str) -> OrderReport | None:
        """Return the outcome of an order; None if the broker does not know the client id. Raises BrokerError."""
        ...


class Protection(Protocol):
    """Keeps a position at the stop and target that were signed for it.

    Failures: a change that may be partly done raises OrderUnknown, and has to be repeated or undone. The old stop stays in place while a
    change is under way.
    """

    async def protect(self, order: Order, at: datetime | None, before_send: PreSendCheck | None = None) -> OrderReport:
        """Set the stop and target of the open position to those of an order. A level that is None is not changed.

        The new stop is in place before the old one is cancelled. A second call with the same order changes nothing.

        Args:
            at, before_send: See `place_order`.

        Returns:
            A report: `filled` once the levels are in place, `refused` if they could not be set and the old ones are kept.

        Raises:
            BrokerUnreachable: Nothing was sent.
            OrderUnknown: The change may be partly done: call it again, or `restore_levels`.
            BrokerError: Anything else.
        """
        ...

    async def restore_levels(self, symbol: str) -> None:
        """Undo an unfinished change: make the levels that were signed last the only ones of a position. Raises BrokerError."""
        ...

    async def reconcile(self) -> tuple[str, ...]:
        """Repair what a crash may have left: a position without its stop, a stop without its position.

        Returns:
            What was found, a line each. Orders that are not ours are listed and not touched.
        """
        ...


class Positions(Protocol):
    """What the account holds and allows.

    Failures: raises BrokerError or MarketError if the account could not be read. An empty answer always means flat.
    """

    async def positions(self, at: datetime | None) -> tuple[Position, ...]:
        """Return every open position of the account."""
        ...

    async def position(self, symbol: str, at: datetime | None, *, keep: bool = False) -> Position | None:
        """Return the position in one market.

        Args:
            at: Instant to follow the account to; None for the market's present.
            keep: Leave the clock of a paper account at `at`. Otherwise reading does not move it.

        Returns:
            The position; None if flat.

        Raises:
            PastAccount: The account is already past `at`.
        """
        ...

    async def whose(self, position: Position) -> Ownership:
        """Return how much of a position our own orders opened. Raises StoreError if the journal of our orders cannot be read."""
        ...

    async def view(self, risk: RiskConfig, at: datetime | None) -> AccountView:
        """Return what the account allows now, without the kill switch. Does not move the account's clock."""
        ...

    async def instant(self, symbol: str) -> datetime | None:
        """Return the account's clock in a recorded market; None for a market with a present of its own."""
        ...


class History(Protocol):
    """Results of the account.

    Failures: nothing is ordered from these, so what cannot be read now ends where it was last known. Raises StoreError if the journal
    cannot be read.
    """

    async def outcome(self, client_id: str) -> Outcome | None:
        """Return the result of the position that an order opened or closed, after fees, funding and dividends.

        An open position is valued at the last price. None for an order that did neither, or if the broker does not report it.
        """
        ...

    async def curve(self) -> Sequence[tuple[datetime, float]]:
        """Return equity over time, oldest first, as (instant, quote units).

        The last point is the present, with unrealised results at the last price; if that cannot be read, the last time it could.
        """
        ...

    async def played_on(self, client_id: str) -> PositionRecord | None:
        """Return the position that an order of ours opened or changed, as far as its market is known: where the account's clock stands
        still, played on beyond it, and the account stays where it is. None for an order that was filled in no position, and where the
        broker does not report it. Raises MarketError."""
        ...

    async def history(self) -> Sequence[PositionRecord]:
        """Return every position since the first fill, open ones too, in order of opening, as far as they are known here."""
        ...


class Broker(Orders, Protection, Positions, History, Protocol):
    """One account at one broker. at: the market's instant; None = its present."""

    @property
    def name(self) -> BrokerName:
        """The broker's name in the registry."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        ...

    @property
    def account(self) -> str:
        """The account's name, unique in this installation."""
        ...

    async def warnings(self) -> tuple[str, ...]:
        """Return what needs attention about the account before trading on it, a line each (a key that may withdraw)."""
        ...

    async def wait_until_idle(self) -> None:
        """Wait until this process has no order in flight and every position it opened has its stop."""
        ...

    async def close(self) -> None:
        """Release connections, once no order is in flight. May be called more than once."""
        ...


@dataclass(frozen=True, eq=False)
class MarketPath:
    """What a market did in a span of time: closed candles, oldest first, without gaps, and the open one where it is known. price, at: the
    last price and its instant. Shares have no candles here but `sessions`, and `day`: the date of the session their instant belongs to,
    and `previous_close`: what that session's price limits count from, in shares of that day, None where it is not known. orders_wait:
    whether an order for shares waits for the next session instead of being filled at the last price."""

    candles: Candles | None
    forming: Candle | None
    price: Decimal
    at: datetime
    sessions: tuple["ShareSession", ...] = ()
    day: date | None = None
    previous_close: Decimal | None = None
    orders_wait: bool = False

    def not_before(self, since_ms: int | None) -> "MarketPath":
        """Return the path, or only its price right after `since_ms` if it ends earlier (the clock was set back): the rest was already
        applied."""
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
        """Return settlements after `since_ms` up to `until_ms`, as (UTC milliseconds, rate).

        A rate is a fraction of the notional, positive if the long side pays.
        """
        ...


class ShareQuotes(Quotes, Protocol):
    """What orders of shares need to know in addition. Raises MarketError, and BadInput for an invalid symbol or date."""

    async def clock(self, symbol: str, moment: TradingMoment) -> datetime:
        """Return the instant of a moment: its session's open or close, aware UTC."""
        ...

    async def answer_until(self, symbol: str, moment: TradingMoment) -> datetime:
        """Return until when a decision of that moment may be answered, aware UTC.

        That is the session's close for one made before the open, and the next session's open for one made after the close.
        """
        ...


class PracticeBroker(Broker, Protocol):
    """A broker with the capability `starts_over`."""

    async def start_over(self) -> datetime:
        """Empty the account: no position, no order that works, no result. Reports of earlier orders stay. Returns when that was. Raises
        StoreError."""
        ...


class ShareBroker(Broker, Protocol):
    """A broker with the capability `shares`: its account holds shares too."""

    async def cash_account(self, at: datetime | None, day: date, *, equity: float) -> CashAccount:
        """Return the account for shares, without the kill switch. Does not move its clock.

        Args:
            day: Date of the session, which decides what may be sold.
            equity: What a new account starts with, in its currency.
        """
        ...


class Ledger(Protocol):
    """Where the entries of paper accounts are kept. Blocking. Raises StoreError."""

    def entries(self, account: str, after: int) -> Sequence[LedgerEntry]:
        """Return entries of an account from number `after` + 1 on."""
        ...

    def append(self, account: str, after: int, entries: Sequence[LedgerEntry]) -> bool:
        """Write all entries after number `after`. Returns False, and writes nothing, if others were written there meanwhile."""
        ...

    def accounts(self) -> Sequence[str]:
        """Return every account that has entries."""
        ...
