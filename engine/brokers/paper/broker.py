"""The paper broker: real prices of whatever market it is given, money of its own, and a ledger that outlives the process.

An account is followed to an instant before anything is asked of it: every candle since it was last read is played through
(`contract_fills`), settlements included; of shares every session (`share_fills`), splits and dividends included. An order and what it does
are one write, so that after a crash an order either is in the ledger or was never there; sending it again with the same client id gives
the report that is there.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from engine.brokers.paper.settings import CAPABILITIES, NAME
from engine.brokers.paper.share_account import cash_account_of
from engine.domain.broker_capabilities import Capabilities
from engine.domain.equity.cash_account import CashAccount
from engine.domain.errors import BrokerError, MarketError, PastAccount, StoreError
from engine.domain.ledger import LedgerEntry
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.orders import AccountView, BrokerName, Order, OrderReport, Outcome, Position
from engine.domain.position_record import PositionRecord
from engine.domain.risk import RiskConfig
from engine.domain.text.reason import Reason
from engine.instruments.kinds import instrument_of
from engine.instruments.market_play import entries_of_path, mark
from engine.trading.book import Book
from engine.trading.history.ownership import Ownership
from engine.trading.history.position_history import PositionHistory
from engine.trading.levels import entry_of_levels
from engine.trading.protocol import Ledger, MarketPath, PreSendCheck, Quotes

_MARK_EVERY_MS = 15 * 60_000  # how often it is written down that nothing happened
_ATTEMPTS = 20
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Followed:
    """An account that has been taken to an instant. price, path: of the market that was asked for. played: what the way there did."""

    book: Book
    price: Decimal
    path: MarketPath
    terms: MarketTerms
    pinned: bool
    played: Sequence[LedgerEntry] = ()

    @property
    def at(self) -> datetime:
        """The market's instant."""
        return self.path.at


class PaperBroker:
    """One paper account. equity: what it begins with when its first order is placed. entry: as what it is registered.

    An account that was taken to an instant someone named (a decision about the past, a recording) stays there until it is taken further.
    While the ledger cannot be written, the account is read as the market has left it, in memory only, and an order raises StoreError.
    """

    def __init__(
        self,
        account: str,
        quotes: Quotes,
        ledger: Ledger,
        clock: Callable[[], datetime],
        equity: float,
        entry: tuple[BrokerName, Capabilities] = (NAME, CAPABILITIES),
    ) -> None:
        self.name, self.capabilities = entry
        self._account, self._quotes, self._ledger, self._clock = account, quotes, ledger, clock
        self._deposit = exact(equity)
        self._book = Book()
        self._history, self._taken = PositionHistory(account), 0  # of what is written down
        self._writes, self._must_write, self._is_ahead = True, False, False
        self._lock = asyncio.Lock()

    @property
    def account(self) -> str:
        """The account's name."""
        return self._account

    async def place_order(self, order: Order, at: datetime | None, before_send: PreSendCheck | None = None) -> OrderReport:
        """See the protocol. A refusal is written down like a fill."""
        return await self._once(order, at, before_send, self._of_order)

    async def protect(self, order: Order, at: datetime | None, before_send: PreSendCheck | None = None) -> OrderReport:
        """See the protocol. Both levels change in one write."""
        return await self._once(order, at, before_send, self._of_levels)

    async def restore_levels(self, symbol: str) -> None:
        """Do nothing: levels change in one write, or not at all."""

    async def _once(
        self,
        order: Order,
        at: datetime | None,
        before_send: PreSendCheck | None,
        entries_of: Callable[[Order, _Followed], list[LedgerEntry]],
    ) -> OrderReport:
        """Follow the market, apply what the order does there, and write it down; what is in the ledger already is not done again."""
        async with self._lock, self._recorded():
            for _ in range(_ATTEMPTS):
                await self._catch_up()
                if order.client_id in self._book.reports:
                    return self._book.reports[order.client_id]
                followed = await self._follow(order.symbol, at or (self._stays_at(order.symbol) if order.reduce_only else None))
                if order.decided_at is not None and at is not None:  # the market's clock is paused: its price is the one of the decision
                    followed = replace(followed, price=order.decided_at)
                if before_send is not None:
                    await before_send()
                if await self._write(entries_of(order, followed)):
                    return self._book.reports[order.client_id]
        raise BrokerError(Reason("paper_account_is_too_busy", account=self._account))

    async def get_order(self, client_id: str, symbol: str) -> OrderReport | None:
        async with self._lock:
            await self._catch_up()
            report = self._book.reports.get(client_id)
            if report is not None and report.state == "open" and self._stays_at(symbol) is None:
                await self._follow(symbol, None)
                return self._book.reports.get(client_id)
            return report

    async def cancel(self, client_id: str, symbol: str) -> OrderReport | None:
        """See the protocol. What was filled stays; what rests is over."""
        async with self._lock, self._recorded():
            for _ in range(_ATTEMPTS):
                await self._catch_up()
                if client_id not in self._book.resting:
                    return self._book.reports.get(client_id)
                at = max(self._book.reports[client_id].at, self._stays_at(symbol) or self._clock())
                entry = LedgerEntry(kind="cancelled", at=at, symbol=symbol, client_id=client_id, why=Reason("it_was_cancelled"))
                self._book.apply(entry)
                if await self._write([entry]):
                    return self._book.reports[client_id]
        raise BrokerError(Reason("paper_account_is_too_busy", account=self._account))

    async def outcome(self, client_id: str) -> Outcome | None:
        """See the protocol. An open position is followed to the present first."""
        async with self._lock:
            await self._catch_up()
            symbol = self._book.opened_market(client_id)
            if symbol is not None and self._stays_at(symbol) is None:
                with suppress(MarketError):  # without a price of now: as it was when the market was last read
                    await self._follow(symbol, None)
            return self._book.outcome(client_id)

    async def positions(self, at: datetime | None) -> tuple[Position, ...]:
        """See the protocol. Markets that have come further than `at` already are given as they are."""
        async with self._lock, self._peek(write=at is None):
            await self._follow_all(at)
            found = [self._book.position(symbol, await self._quotes.terms(symbol)) for symbol in sorted(self._book.held)]
            return tuple(position for position in found if position is not None)

    async def position(self, symbol: str, at: datetime | None, *, keep: bool = False) -> Position | None:
        async with self._lock, self._peek(write=keep or at is None):
            await self._catch_up()
            if symbol not in self._book.held and not self._waits(symbol):
                return None
            followed = await self._follow(symbol, at)
            return followed.book.position(symbol, followed.terms)

    async def whose(self, position: Position) -> Ownership:
        """Return that all of it is ours: no one else trades on a paper account."""
        return Ownership(position.size)

    async def view(self, risk: RiskConfig, at: datetime | None) -> AccountView:
        """See the protocol. An account without an order has the equity of the risk configuration, and begins with it."""
        async with self._lock, self._peek(write=at is None):
            await self._follow_all(at)
            book = self._book
            if not book.deposits:
                self._deposit = exact(risk.equity)
            equity = book.equity if book.deposits else self._deposit
            if equity <= 0:
                raise BrokerError(Reason("paper_account_has_lost_everything", account=self._account))
            now = at or self._present()
            held, worth = book.held.items(), book.worth()
            return AccountView(
                account=self._account,
                broker=self.name,
                equity=float(equity),
                margins={symbol: float(each.margin) for symbol, each in held},
                notionals=book.notionals(),
                day_loss_pct=_loss_pct(_at_midnight(worth, now) or book.deposits or book.equity, equity),
                drawdown_pct=_loss_pct(max((each for _, each in worth if each > 0), default=equity), equity),
                cooldown_left_min=_cooldown_left(book, risk, now),
                orders_last_hour=sum(timedelta(0) <= now - each < timedelta(hours=1) for each in book.ordered),
            )

    async def cash_account(self, at: datetime | None, day: date, *, equity: float) -> CashAccount:
        """See the protocol. Raises PastAccount for an instant before the one that a share of it has come to."""
        async with self._lock, self._peek(write=at is None):
            await self._follow_all(at)
            held = [symbol for symbol, each in self._book.held.items() if each.paid_in_full]
            ahead = sorted(symbol for symbol in held if at is not None and self._book.marks[symbol][0] > _ms(at))
            if ahead and at is not None:
                come = Reason(
                    "paper_account_has_come_further_than_utc", account=self._account, at=f"{at:%Y-%m-%d %H:%M}", ahead=", ".join(ahead)
                )
                raise PastAccount(Reason("how_it_stood_then_is_past", come=come))
            return cash_account_of(self._book, self._account, day, equity)

    @asynccontextmanager
    async def _peek(self, *, write: bool) -> AsyncIterator[None]:
        """Read the account. Without `write` it is followed in memory only, and is restored afterwards."""
        if write:
            yield
            return
        await self._catch_up()
        before, self._writes = self._book, False
        self._book = before.copy()
        try:
            yield
        finally:
            self._book, self._writes = before, True

    @asynccontextmanager
    async def _recorded(self) -> AsyncIterator[None]:
        """Do nothing that cannot be written down."""
        self._must_write = True
        try:
            yield
        finally:
            self._must_write = False

    async def curve(self) -> Sequence[tuple[datetime, float]]:
        """See the protocol: after every entry of the ledger, and at the present. Without a price of now it ends where it was last known."""
        async with self._lock:
            come: list[datetime] | None = None
            with suppress(MarketError):
                come = await self._follow_all(None)
            points = [(at, float(equity)) for at, equity in self._book.worth()]
            if not points or come is None:
                return points
            now = (max([points[-1][0], *(come or [self._present()])]), float(self._book.equity))
            return points if now == points[-1] else [*points, now]

    async def history(self) -> Sequence[PositionRecord]:
        async with self._lock:
            return (await self._written()).records()

    async def played_on(self, client_id: str) -> PositionRecord | None:
        """See the protocol. Nothing is written."""
        async with self._lock:
            known = (await self._written()).record_with(client_id)
            if known is None or known.closed_at is not None:
                return known
            async with self._peek(write=False):
                followed = await self._follow(known.symbol, None, pinned=False)
            later = self._history.copy()
            later.take(followed.played)
            return later.record_with(client_id)

    async def _written(self) -> PositionHistory:
        """Return the positions as they stand in the ledger."""
        entries = await asyncio.to_thread(self._ledger.entries, self._account, self._taken)
        self._history.take(entries)
        self._taken += len(entries)
        return self._history

    async def instant(self, symbol: str) -> datetime | None:
        async with self._lock:
            await self._catch_up()
            return self._stays_at(symbol)

    async def reconcile(self) -> tuple[str, ...]:
        """Return nothing: order and position are one write, so that nothing can be left half done."""
        return ()

    async def warnings(self) -> tuple[str, ...]:
        """Return nothing: paper money needs no warning."""
        return ()

    async def start_over(self) -> datetime:
        """Empty the account: no position, no order, no result; what was ordered before keeps its report. Raises StoreError."""
        async with self._lock, self._recorded():
            for _ in range(_ATTEMPTS):
                await self._catch_up()
                entry = LedgerEntry(kind="emptied", at=self._clock())
                self._book.apply(entry)
                if await self._write([entry]):
                    return entry.at
        raise BrokerError(Reason("paper_account_is_too_busy", account=self._account))

    async def wait_until_idle(self) -> None:
        """Return at once: a paper order is one write."""

    async def close(self) -> None:
        """Do nothing: no connection is open."""

    def _of_levels(self, order: Order, followed: _Followed) -> list[LedgerEntry]:
        entries = [
            mark(order.symbol, followed.at, followed.price, pinned=followed.pinned),
            entry_of_levels(self._book, order, followed.path),
        ]
        for entry in entries:
            self._book.apply(entry)
        return entries

    def _of_order(self, order: Order, followed: _Followed) -> list[LedgerEntry]:
        if order.protects:
            raise BrokerError(Reason("order_that_protects_is_no_trade"))
        first = [] if self._book.deposits else [LedgerEntry(kind="deposit", at=followed.at, cash=self._deposit)]
        for entry in first:
            self._book.apply(entry)
        fills = instrument_of(followed.terms.instrument).entries_of_order
        entries = fills(self._book, order, followed.path, followed.price, followed.terms)
        marked = mark(order.symbol, followed.at, followed.price, pinned=followed.pinned)
        for entry in (marked, *entries):
            self._book.apply(entry)
        return [*first, marked, *entries]

    async def _catch_up(self) -> None:
        """Read what other processes have written."""
        if not self._writes:
            return
        if self._is_ahead:
            self._book, self._is_ahead = Book(), False
        for entry in await asyncio.to_thread(self._ledger.entries, self._account, self._book.seq):
            self._book.apply(entry)

    async def _write(self, applied: Sequence[LedgerEntry]) -> bool:
        """Write down what has been applied already. False, with the account as the ledger has it, when another process was quicker."""
        if not self._writes or self._is_ahead:
            return True
        book, self._book = self._book, Book()  # until it is known what is there, nothing is
        try:
            is_written = await asyncio.to_thread(self._ledger.append, self._account, book.seq - len(applied), applied)
        except StoreError as problem:
            if self._must_write:
                raise
            _log.warning("%s: the paper account is read without writing down what the market did", problem)
            is_written = self._is_ahead = True
        if is_written:
            self._book = book
            return True
        await self._catch_up()
        return False

    def _waits(self, symbol: str) -> bool:
        return any(order.symbol == symbol for order in self._book.resting.values())

    def _stays_at(self, symbol: str) -> datetime | None:
        """Return the instant a market was taken to by name; None where it goes on by itself."""
        if not self._book.pinned.get(symbol):
            return None
        return datetime.fromtimestamp(self._book.marks[symbol][0] / 1000, UTC)

    def _present(self) -> datetime:
        """Return the present of the account: the instant it was set to, when that is so of all its markets; else now."""
        stays = [self._stays_at(symbol) for symbol in self._book.marks]
        known = [each for each in stays if each is not None]
        return max(known) if known and len(known) == len(stays) else self._clock()

    async def _follow_all(self, at: datetime | None) -> list[datetime]:
        """Follow every market of the account to `at`, and return the instants they have come to."""
        await self._catch_up()
        come = []
        for symbol in sorted({*self._book.held, *(order.symbol for order in self._book.resting.values())}):
            stays = self._stays_at(symbol) if at is None else None
            if stays is not None:
                come.append(stays)
            elif at is None or _ms(at) > self._book.marks[symbol][0]:
                come.append((await self._follow(symbol, at, pinned=self._book.pinned.get(symbol, False))).at)
        return come

    async def _follow(self, symbol: str, at: datetime | None, *, pinned: bool | None = None) -> _Followed:
        """Play through what the market did since it was last read. Writes what came of it. pinned: whether it stays there; None = when
        the instant was named."""
        stays = at is not None if pinned is None else pinned
        terms = await self._quotes.terms(symbol)
        for _ in range(_ATTEMPTS):
            involved = symbol in self._book.held or self._waits(symbol)
            since = self._book.marks[symbol][0] if involved else None
            if since is not None and at is not None and _ms(at) < since:
                come = datetime.fromtimestamp(since / 1000, UTC)
                raise PastAccount(
                    Reason(
                        "paper_account_has_come_to_utc_in",
                        account=self._account,
                        come=f"{come:%Y-%m-%d %H:%M}",
                        symbol=symbol,
                        at=f"{at:%Y-%m-%d %H:%M}",
                    )
                )
            path = (await self._quotes.path(symbol, since, at)).not_before(since)
            applied = await self._played(symbol, since, path, terms, pinned=stays) if since is not None else []
            if not applied or await self._write(applied):
                return _Followed(self._book, path.price, path, terms, stays, applied)
        raise BrokerError(Reason("paper_account_is_too_busy", account=self._account))

    async def _played(self, symbol: str, since: int, path: MarketPath, terms: MarketTerms, *, pinned: bool) -> list[LedgerEntry]:
        """Apply candles and settlements in the order of time. Gives what must be written: nothing when nothing happened for a short
        while."""
        book, done = self._book, list[LedgerEntry]()

        def apply(entry: LedgerEntry) -> None:
            book.apply(entry)
            done.append(entry)

        settlements = await self._quotes.funding(symbol, since, _ms(path.at))
        for entry in entries_of_path(book, symbol, since, path, settlements, terms, pinned=pinned):
            apply(entry)
        if not done and _ms(path.at) - since < _MARK_EVERY_MS and pinned == book.pinned.get(symbol, False):
            book.marks[symbol] = (since, path.price)
            return []
        apply(mark(symbol, path.at, path.price, pinned=pinned))
        return done


def _at_midnight(worth: Sequence[tuple[datetime, Decimal]], now: datetime) -> Decimal | None:
    """Return equity at the last 00:00 UTC; None where nothing is older. worth: equity over time, oldest first."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    before = [equity for at, equity in worth if at <= midnight]
    return before[-1] if before else None


def _loss_pct(before: Decimal, now: Decimal) -> float:
    return max(0.0, float((before - now) / before * 100)) if before > 0 else 0.0


def _cooldown_left(book: Book, risk: RiskConfig, now: datetime) -> float:
    """Return minutes until a new position may be opened after the last trade that lost enough to count."""
    least = -exact(risk.cooldown_loss_pct) / 100 * (book.deposits or book.equity)
    lost = [trade.at for trade in book.trades if trade.net <= least and trade.at <= now]
    return max(0.0, risk.cooldown_minutes - (now - max(lost)).total_seconds() / 60) if lost else 0.0


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)
