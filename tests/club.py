"""A third broker, as somebody would add one: its name, capabilities, credentials, the broker and its entry. In memory.

It trades contracts and shares at the prices of any feed, travels to no venue in fact, and has the capabilities of one that does.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from pydantic import Field, SecretStr

from engine.brokers.entry import BrokerEntry, BrokerServices
from engine.domain.account_ref import AccountRef
from engine.domain.broker_capabilities import Capabilities
from engine.domain.equity.cash_account import CashAccount, ShareHolding
from engine.domain.errors import BadInput, BrokerError, MarketError
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.orders import AccountView, Order, OrderReport, Outcome, Position
from engine.domain.position_record import PositionRecord
from engine.domain.risk import RiskConfig
from engine.settings import EnvironmentSettings
from engine.trading.figures import market_fill
from engine.trading.history.ownership import Ownership
from engine.trading.protocol import PreSendCheck, Quotes
from engine.trading.sizing import liquidation_price

NAME: Final = "club"
CAPABILITIES: Final = Capabilities(contracts=True, shares=True, any_feed=True, at_venue=True, real_money=False)
CENT: Final = Decimal("0.01")


class ClubSettings(EnvironmentSettings):
    """The credentials of a member."""

    key: SecretStr = Field(default=SecretStr(""), alias="TRIBUNAL_CLUB_KEY")
    deposit: float = Field(default=100_000.0, gt=0, alias="TRIBUNAL_CLUB_DEPOSIT")


class ClubBroker:
    """One member's account. Stops are kept and never reached."""

    name = NAME
    capabilities = CAPABILITIES

    def __init__(self, account: str, quotes: Quotes, clock: Callable[[], datetime], deposit: float) -> None:
        self.account, self._quotes, self._clock = account, quotes, clock
        self._cash = exact(deposit)
        self._held: dict[str, Position] = {}
        self._reports: dict[str, OrderReport] = {}
        self._at: dict[str, datetime] = {}  # where a market's clock stands still
        self._left: list[datetime] = []
        self._known: list[tuple[datetime, float]] = []
        self._lock = asyncio.Lock()

    async def place_order(self, order: Order, at: datetime | None, before_send: PreSendCheck | None = None) -> OrderReport:
        if order.protects:
            raise BrokerError("an order that protects is not a trade")
        async with self._lock:
            if order.client_id not in self._reports:
                terms, price = await self._quotes.terms(order.symbol), await self._price(order.symbol, at)
                most = await before_send() if before_send is not None else None
                amount = order.amount if most is None else min(order.amount, most)
                self._left.append(self._clock())
                if at is not None:
                    self._at[order.symbol] = at
                self._reports[order.client_id] = self._carried_out(order, amount, price, terms, at or self._clock())
            return self._reports[order.client_id]

    def _carried_out(self, order: Order, amount: Decimal, price: Decimal, terms: MarketTerms, at: datetime) -> OrderReport:
        held, buys = self._held.get(order.symbol), order.side == "buy"
        against = held is not None and (held.side == "long") != buys
        if order.reduce_only != against or (order.opens and held is not None) or (order.adds and held is None):
            return OrderReport(client_id=order.client_id, state="refused", at=at, why="the position is another one")
        got, signed = market_fill(price, terms, buys=buys), amount if buys else -amount
        is_shares = terms.shares is not None
        fee = terms.shares.fees.fee(amount, got, buys=buys) if terms.shares is not None else (amount * got * terms.taker_fee).quantize(CENT)
        leverage = exact(order.leverage or (held.leverage if held is not None else 1))
        if not order.reduce_only and amount * got / leverage + fee > self._cash:
            return OrderReport(client_id=order.client_id, state="refused", at=at, why="the account cannot bear it")
        self._cash -= fee
        if is_shares:
            self._cash -= signed * got
        elif held is not None and against:
            self._cash += (got - held.entry_price) * amount * held.sign
        size = amount if held is None else held.size - amount if against else held.size + amount
        if size <= 0:
            del self._held[order.symbol]
        elif held is not None and against:
            self._held[order.symbol] = held.model_copy(update={"size": size})
        else:
            before = held.size * held.entry_price if held is not None else Decimal(0)
            entry = (before + amount * got) / size
            sign = 1 if buys else -1
            self._held[order.symbol] = Position(
                symbol=order.symbol,
                side="long" if buys else "short",
                size=size,
                entry_price=entry,
                leverage=float(leverage),
                opened_at=held.opened_at if held is not None else at,
                stop=order.stop or (held.stop if held is not None else None),
                target=order.target or (held.target if held is not None else None),
                liquidation_price=None if is_shares else liquidation_price(entry, float(leverage), sign, terms.maintenance_margin),
                instrument="shares" if is_shares else "contract",
            )
        return OrderReport(client_id=order.client_id, state="filled", at=at, filled=amount, price=got, fee=fee, protected=True)

    async def _price(self, symbol: str, at: datetime | None) -> Decimal:
        return (await self._quotes.path(symbol, None, at)).price

    async def cancel(self, client_id: str, symbol: str) -> OrderReport | None:
        return self._reports.get(client_id)

    async def get_order(self, client_id: str, symbol: str) -> OrderReport | None:
        return self._reports.get(client_id)

    async def protect(self, order: Order, at: datetime | None, before_send: PreSendCheck | None = None) -> OrderReport:
        async with self._lock:
            held = self._held.get(order.symbol)
            if order.client_id not in self._reports:
                if before_send is not None:
                    await before_send()
                stands = held is not None and (held.side == "long") != (order.side == "buy")
                if stands and held is not None:
                    levels = {"stop": order.stop or held.stop, "target": order.target or held.target}
                    self._held[order.symbol] = held.model_copy(update=levels)
                state: Any = "filled" if stands else "refused"
                self._reports[order.client_id] = OrderReport(
                    client_id=order.client_id, state=state, at=at or self._clock(), protected=stands or None
                )
            return self._reports[order.client_id]

    async def restore_levels(self, symbol: str) -> None:
        pass

    async def reconcile(self) -> tuple[str, ...]:
        return ()

    async def positions(self, at: datetime | None) -> tuple[Position, ...]:
        return tuple(self._held.values())

    async def position(self, symbol: str, at: datetime | None, *, keep: bool = False) -> Position | None:
        return self._held.get(symbol)

    async def whose(self, position: Position) -> Ownership:
        return Ownership(position.size)

    async def instant(self, symbol: str) -> datetime | None:
        return self._at.get(symbol)

    async def view(self, risk: RiskConfig, at: datetime | None) -> AccountView:
        prices = await self._prices(at)
        contracts = {symbol: each for symbol, each in self._held.items() if each.instrument == "contract"}
        notionals = {symbol: float(each.size * prices[symbol]) for symbol, each in self._held.items()}
        return AccountView(
            account=self.account,
            broker=self.name,
            equity=self._equity(prices),
            margins={symbol: notionals[symbol] / each.leverage for symbol, each in contracts.items()},
            notionals=notionals,
            orders_last_hour=sum(self._clock() - each < timedelta(hours=1) for each in self._left),
        )

    async def _prices(self, at: datetime | None) -> dict[str, Decimal]:
        return {symbol: await self._price(symbol, at or self._at.get(symbol)) for symbol in self._held}

    def _equity(self, prices: dict[str, Decimal]) -> float:
        values = (
            each.size * prices[symbol] if each.instrument == "shares" else (prices[symbol] - each.entry_price) * each.size * each.sign
            for symbol, each in self._held.items()
        )
        return float(self._cash + sum(values, Decimal(0)))

    async def cash_account(self, at: datetime | None, day: date, *, equity: float) -> CashAccount:
        prices = await self._prices(at)
        shares = {symbol: each for symbol, each in self._held.items() if each.instrument == "shares"}
        holdings = {
            symbol: ShareHolding(
                quantity=float(each.size),
                average_price=float(each.entry_price),
                market_value=float(each.size * prices[symbol]),
                unrealized_pnl=float(each.size * (prices[symbol] - each.entry_price)),
                sellable=float(each.size),
            )
            for symbol, each in shares.items()
        }
        return CashAccount(account=self.account, cash=float(self._cash), total_value=self._equity(prices), positions=holdings)

    async def outcome(self, client_id: str) -> Outcome | None:
        return None

    async def curve(self) -> Sequence[tuple[datetime, float]]:
        with suppress(MarketError):
            self._known.append((self._clock(), self._equity(await self._prices(None))))
        return self._known

    async def played_on(self, client_id: str) -> PositionRecord | None:
        return None

    async def history(self) -> Sequence[PositionRecord]:
        return ()

    async def warnings(self) -> tuple[str, ...]:
        return ()

    async def wait_until_idle(self) -> None:
        pass

    async def close(self) -> None:
        pass


def _make(ref: AccountRef, own: ClubSettings, services: BrokerServices) -> ClubBroker:
    if not own.key.get_secret_value():
        raise BadInput("TRIBUNAL_CLUB_KEY is not set: the club knows its members by it")
    return ClubBroker(ref.account, services.quotes(ref), services.clock, own.deposit)


CLUB: Final = BrokerEntry(NAME, CAPABILITIES, ClubSettings, _make)
