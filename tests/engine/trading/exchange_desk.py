"""An exchange account for tests: its journal, its orders, and questions to the loopback venue. Fixtures: conftest.py."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal

from pydantic import SecretStr

from engine.domain.orders import Order
from engine.trading.exchange import ExchangeBroker
from engine.trading.exchange_records import AccountRecords, SignedLevels
from engine.trading.exchange_sending import Deadlines
from engine.venue.keys import Keys
from tests.servers.exchange_account import API_KEY, SECRET, ExchangeAccount

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
BTC, ETH = "BTC/USDT:USDT", "ETH/USDT:USDT"
ENTRY, ADJUST, EXIT = "tb-entry-0001", "tb-adjust-001", "tb-exit-00001"
THE_ORDER, THE_STOP, THE_TARGET = "POST /fapi/v1/order?", "type=STOP_MARKET", "type=TAKE_PROFIT_MARKET"
QUICK = Deadlines(request_s=0.4, reading_s=2.0, backoff_s=0.01, doubt_s=0.2, filling_s=0.2, silent_s=1.0, protecting_s=0.3)
KEYS = Keys(SecretStr(API_KEY), SecretStr(SECRET))


@dataclass
class Journal:
    """What the broker is told to remember."""

    signed_levels: dict[str, SignedLevels] = field(default_factory=dict)
    opened: dict[str, datetime] = field(default_factory=dict)
    equities: list[tuple[datetime, float]] = field(default_factory=list)
    ordered: list[datetime] = field(default_factory=list)
    trades: list[tuple[datetime, float]] = field(default_factory=list)
    mine: str = "tb-"
    under_way: set[str] = field(default_factory=set)
    sent: dict[str, Order] = field(default_factory=dict)
    unprotected: dict[str, datetime] = field(default_factory=dict)
    alerts: list[str] = field(default_factory=list)
    now: datetime = NOW

    def records(self) -> AccountRecords:
        return AccountRecords(
            ours=lambda client_id: client_id.startswith(self.mine),
            opened=self.opened.get,
            signed_levels=self.signed_levels.get,
            under_way=self.under_way.__contains__,
            sent_entry=self.sent.get,
            history=lambda _: tuple(self.equities),
            record_equity=lambda _, at, equity: self.equities.append((at, equity)),
            positions=lambda *_: (),
            venue_ids=lambda _: frozenset(),
            recent=lambda _, since: ([at for at in self.ordered if at >= since], [each for each in self.trades if each[0] >= since]),
            unprotected_since=lambda: dict(self.unprotected),
            mark=self._mark,
            unmark=lambda symbol, why: self.alerts.append(f"{symbol}: over: {why}") if self.unprotected.pop(symbol, None) else None,
        )

    def _mark(self, symbol: str, why: str) -> None:
        if symbol not in self.unprotected:
            self.unprotected[symbol] = self.now
            self.alerts.append(f"{symbol}: {why}")


Open = Callable[..., ExchangeBroker]


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
