"""An exchange account for tests: its journal, its orders, and questions to the loopback venue. Fixtures: conftest.py."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from engine.brokers.ccxt.broker import ExchangeBroker
from engine.brokers.ccxt.records import AccountRecords
from engine.brokers.ccxt.sending import Deadlines
from engine.domain.holding import Side
from engine.domain.orders import Order, OrderReport
from engine.trading.history.ownership import OwnClaim, SignedLevels
from engine.trading.protocol import PreSendCheck
from engine.venue.keys import Keys
from tests.servers.exchange import LoopbackExchange
from tests.servers.exchange_account import API_KEY, SECRET, ExchangeAccount

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
BTC, ETH = "BTC/USDT:USDT", "ETH/USDT:USDT"
ENTRY, ADJUST, EXIT = "tb-entry-0001", "tb-adjust-001", "tb-exit-00001"
THE_ORDER, THE_STOP = "POST /fapi/v1/order?", "type=STOP_MARKET"
PATIENT = Deadlines(reading_s=60.0, backoff_s=0.01, doubt_s=30.0, filling_s=60.0)
HASTY = replace(PATIENT, doubt_s=0.3, filling_s=0.3, protecting_s=0.3)
"""Where what is waited for never comes. Everything else may take its time on a busy machine."""
HANGS_S = 0.4  # how long an answer that never comes is waited for
KEYS = Keys(SecretStr(API_KEY), SecretStr(SECRET))


@dataclass
class Journal:
    """What the broker is told to remember."""

    signed_levels: dict[str, SignedLevels] = field(default_factory=dict)
    orders: dict[str, Order] = field(default_factory=dict)
    exits: set[str] = field(default_factory=set)
    reports: dict[str, OrderReport] = field(default_factory=dict)
    opened: dict[str, datetime] = field(default_factory=dict)
    equities: list[tuple[datetime, float]] = field(default_factory=list)
    ordered: list[datetime] = field(default_factory=list)
    under_way: set[str] = field(default_factory=set)
    sent: dict[str, Order] = field(default_factory=dict)
    unprotected: dict[str, datetime] = field(default_factory=dict)
    alerts: list[str] = field(default_factory=list)

    def records(self) -> AccountRecords:
        return AccountRecords(
            ours=lambda client_id: client_id.startswith("tb-"),
            opened=self.opened.get,
            claim=self._claim,
            gone=lambda *_: None,
            exit=self._exit,
            reported=lambda report: self.reports.update({report.client_id: report}),
            has_ended=self.reports.__contains__,
            under_way=self.under_way.__contains__,
            sent_entry=self.sent.get,
            history=lambda _: tuple(self.equities),
            record_equity=lambda _, at, equity: self.equities.append((at, equity)),
            positions=lambda *_: (),
            venue_ids=lambda _: frozenset(),
            recent=lambda _, since: ([at for at in self.ordered if at >= since], []),
            unprotected_since=lambda: dict(self.unprotected),
            mark=self._mark,
            unmark=lambda symbol, why: self.alerts.append(f"{symbol}: over: {why}") if self.unprotected.pop(symbol, None) else None,
        )

    def took(self, order: Order, report: OrderReport) -> None:
        """What approvals write down of an order."""
        self.orders[order.client_id] = order
        self.reports[order.client_id] = report

    def _claim(self, symbol: str) -> OwnClaim | None:
        """What the orders that were taken down leave; a long of 0.1 where only levels are known."""
        taken = [order for order in self.orders.values() if order.symbol == symbol]
        signed = [order for order in taken if order.stop is not None or order.target is not None]
        levels = self.signed_levels.get(symbol) or (
            SignedLevels(signed[-1].client_id, signed[-1].stop, signed[-1].target) if signed else None
        )
        if levels is None:
            return None
        entries = [order for order in taken if not order.reduce_only]
        size = sum((self.reports[order.client_id].filled for order in entries), Decimal(0)) or Decimal("0.1")
        closes = self.reports.keys() - {order.client_id for order in entries}
        size -= sum((self.reports[client_id].filled for client_id in closes), Decimal(0))
        names = dict.fromkeys([ENTRY, *(order.client_id for order in signed), levels.client_id])
        side: Side = "short" if entries and entries[0].side == "sell" else "long"
        return OwnClaim(side, size, levels, tuple(names), 1, NOW, closes=frozenset(closes)) if size > 0 else None

    def _exit(self, order: Order) -> bool:
        is_new = order.client_id not in self.exits
        self.exits.add(order.client_id)
        return is_new

    def _mark(self, symbol: str, why: str) -> None:
        if symbol not in self.unprotected:
            self.unprotected[symbol] = NOW
            self.alerts.append(f"{symbol}: {why}")


class Desk(ExchangeBroker):
    """The broker, with a journal that is told of what it was given."""

    journal: Journal

    async def place_order(self, order: Order, at: datetime | None, before_send: PreSendCheck | None = None) -> OrderReport:
        report = await super().place_order(order, at, before_send)
        self.journal.took(order, report)
        return report

    async def protect(self, order: Order, at: datetime | None, before_send: PreSendCheck | None = None) -> OrderReport:
        report = await super().protect(order, at, before_send)
        if report.state == "filled":
            self.journal.took(order, report)
        return report


Open = Callable[..., ExchangeBroker]


def give_up_on_what_hangs(client: Any, venue: LoopbackExchange) -> None:
    """Let a client wait only for a moment for what the venue never answers, and as long as it was told for everything else."""
    fetch, timeout = client.fetch, client.timeout

    async def fetch_until_it_hangs(url: str, method: str = "GET", headers: Any = None, body: str | None = None) -> Any:
        parts = urlsplit(url)
        hangs = venue.hangs(f"{method} {parts.path}?{parts.query or body or ''}")
        client.timeout = HANGS_S * 1000 if hangs else timeout  # read before the first await
        return await fetch(url, method, headers, body)

    client.fetch = fetch_until_it_hangs


def entry(client_id: str = ENTRY, amount: str = "0.1", **changed: object) -> Order:
    given = {"side": "buy", "leverage": 5, "stop": Decimal(59_000), "target": Decimal(63_000), **changed}
    return Order(client_id=client_id, symbol=BTC, amount=Decimal(amount), **given)


def leave(amount: str, client_id: str = EXIT, **changed: object) -> Order:
    return Order(client_id=client_id, symbol=BTC, side="sell", amount=Decimal(amount), reduce_only=True, **changed)


def waiting(held: ExchangeAccount, kind: str = "STOP_MARKET") -> list[tuple[str, Decimal, bool]]:
    """Conditional orders of a kind that wait: client id, trigger, whether they close the whole position."""
    return [(a["clientAlgoId"], Decimal(a["triggerPrice"]), a["closePosition"]) for a in held.open_algos() if a["orderType"] == kind]


def never_unprotected(held: ExchangeAccount) -> bool:
    """Whether the position, once it had a stop, had one after every request."""
    return all(held.least_stops[held.least_stops.index(1) :])


def always_covered(held: ExchangeAccount, amount: str) -> bool:
    """Whether so much of the position, once it had a stop, was covered by one after every request."""
    began = held.least_covered.index(Decimal(amount))
    return min(held.least_covered[began:]) >= Decimal(amount)


class Sleep:
    """One request of a process that is suspended there until somebody wakes it."""

    def __init__(self, venue: LoopbackExchange, part: str, *, answer: bool) -> None:
        self._reached, self._woken = threading.Event(), threading.Event()
        venue.slow(part, self._sleep, answer=answer)

    def _sleep(self) -> float:
        if not self._reached.is_set():
            self._reached.set()
            self._woken.wait(60)
        return 0.0

    async def begins(self) -> None:
        assert await asyncio.to_thread(self._reached.wait, 60)

    def ends(self) -> None:
        self._woken.set()
