"""The exchange broker: real orders, through ccxt, at any exchange with perpetuals in one-way mode; made for Binance's.

    is this id known already?  ->  margin mode, leverage  ->  THE ORDER, once  ->  what became of it  ->  stop, target, read back

What may have arrived and is not found is OrderUnknown (`exchange_sending`). A filled entry whose stop cannot be placed is closed again
(`exchange_guard`). Every request has a deadline; keys go to https addresses and to this machine only, and stand in no message.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final, Literal

from engine.domain.errors import BrokerError, BrokerRefused, BrokerUnreachable
from engine.domain.orders import AccountView, Order, OrderReport, Outcome, Position
from engine.domain.risk import RiskConfig
from engine.trading.exchange_account import Account
from engine.trading.exchange_equity import adjusted, cooldown_left_min, day_loss_pct, drawdown_pct
from engine.trading.exchange_guard import Guard
from engine.trading.exchange_memory import Memory, Wanted
from engine.trading.exchange_orders import Conditional, Kind, Ticket, base_of, closing_side, exact_amount, market_of, ticket_of
from engine.trading.exchange_reconcile import put_in_order
from engine.trading.exchange_sending import Deadlines, Sender
from engine.trading.protocol import LastLook
from engine.venue.keys import Keys
from engine.venue.signed import SignedWire

_PRESENT: Final = timedelta(seconds=60)  # an instant this close to now is the present
_LAST_ORDER_S: Final = 30.0
Levels = dict[Kind, Decimal]


class ExchangeBroker:
    """One account at one exchange. One owner: all calls come from one event loop.

    url: replaces scheme and host of every REST address, the sandbox's too. settle: the currency that equity is counted in. Raises BadInput
    for an exchange, an address or keys that cannot work.
    """

    name: Literal["exchange"] = "exchange"

    def __init__(
        self,
        exchange_id: str,
        url: str | None,
        keys: Keys,
        clock: Callable[[], datetime],
        *,
        sandbox: bool,
        memory: Memory,
        deadlines: Deadlines | None = None,
        settle: str = "USDT",
    ) -> None:
        within = deadlines or Deadlines()
        times = {"timeout_s": within.request_s, "deadline_s": within.reading_s, "backoff_s": within.backoff_s}
        self._account = f"exchange:{exchange_id}" + (":sandbox" if sandbox else "")
        self._clock, self._memory = clock, memory
        self._wire = SignedWire(exchange_id, url, keys, sandbox=sandbox, **times)
        self._state = Account(self._wire, settle)
        self._sender = Sender(self._wire, clock, within)
        self._guard = Guard(self._wire, self._is_ours, within.backoff_s)
        self._known: set[str] = set()
        self._latest: dict[str, str] = {}  # by market: the last order that set levels
        self._under_way: set[asyncio.Future[OrderReport]] = set()
        self._lock = asyncio.Lock()  # an order and its protection are one: nothing is put in order in between

    @property
    def account(self) -> str:
        """The account's name."""
        return self._account

    async def place(self, order: Order, at: datetime | None, last_look: LastLook | None = None) -> OrderReport:
        """See the protocol. protected: whether the stop was read back; why: what went wrong with it."""
        self._only_now(at)
        work = asyncio.ensure_future(self._place(order, last_look))
        self._under_way.add(work)
        work.add_done_callback(self._done)
        return await asyncio.shield(work)  # a caller that goes away leaves no order behind without its stop

    def _done(self, work: asyncio.Future[OrderReport]) -> None:
        self._under_way.discard(work)
        if not work.cancelled():
            work.exception()  # its caller may be gone; the order is found by its id

    async def _place(self, order: Order, last_look: LastLook | None) -> OrderReport:
        async with self._lock:
            await self._state.ready()
            ticket = ticket_of(self._wire.client, order)
            known = await self._sender.find(order.client_id, order.symbol)
            if known is not None:  # a venue refuses an id only as long as its order is open: one that is filled would be filled twice
                return known
            await self._state.one_way()
            stand = None
            if not order.reduce_only:
                stand = await self._state.stand(order.symbol)
                if order.opens and stand is not None:
                    why = "a position stands in this market already"
                    return OrderReport(client_id=order.client_id, state="refused", at=self._clock(), why=why)
                await self._state.prepare(order, stand.position if stand else None)
            if last_look is not None:
                await last_look()
            self._known.add(order.client_id)
            if order.stop is not None or order.target is not None:
                self._latest[order.symbol] = order.client_id
            report = await self._sender.send(ticket, order.client_id)
            if report.filled > 0:
                report = await self._protected(order, report, opens=stand is None and not order.reduce_only)
            return await self._sender.with_fee(report, order.symbol)

    async def look(self, client_id: str, symbol: str) -> OrderReport | None:
        """See the protocol. By client id only. None when the venue says that there is none; BrokerUnreachable when it cannot be said."""
        await self._state.ready()
        market_of(self._wire.client, symbol)
        try:
            return await self._sender.find(client_id, symbol)
        except BrokerRefused as problem:
            words = str(problem)
        raise BrokerUnreachable(words)

    async def cancel(self, client_id: str, symbol: str) -> OrderReport | None:
        """See the protocol. Does not wait for an order that is under way here."""
        await self._state.ready()
        market_of(self._wire.client, symbol)
        return await self._sender.cancel(client_id, symbol)

    async def outcome(self, client_id: str) -> Outcome | None:
        """See the protocol. The venue tells of changes of the balance, not of which order they come from."""
        return None

    async def positions(self, at: datetime | None) -> tuple[Position, ...]:
        """See the protocol. Strangers' too."""
        self._only_now(at)
        stands = await self._state.stands()
        orders = await self._guard.standing() if stands else ()
        return tuple([await self._told(stand.position, orders, stand.told_at) for stand in stands])

    async def position(self, symbol: str, at: datetime | None, *, keep: bool = False) -> Position | None:
        """See the protocol."""
        self._only_now(at)
        stand = await self._state.stand(symbol)
        if stand is None:
            return None
        return await self._told(stand.position, await self._guard.standing(symbol), stand.told_at)

    async def view(self, risk: RiskConfig, at: datetime | None) -> AccountView:
        """See the protocol. Losses are as true as what is known of the past: `exchange_equity`."""
        self._only_now(at)
        now = self._clock()
        equity, stands = await self._state.equity(), await self._state.stands()
        history = await asyncio.to_thread(self._memory.history, self._account)
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        cooling = now - timedelta(minutes=max(risk.cooldown_minutes, 60.0))
        changes = await self._state.changes(min(midnight, cooling), min((seen for seen, _ in history), default=now), now)
        ordered, trades = await asyncio.to_thread(self._memory.recent, self._account, cooling)
        past = adjusted(history, changes)
        await asyncio.to_thread(self._memory.remember, self._account, now, equity)
        return AccountView(
            account=self._account,
            broker="exchange",
            equity=equity,
            margins={stand.position.symbol: stand.margin for stand in stands},
            notionals={stand.position.symbol: stand.notional for stand in stands},
            day_loss_pct=day_loss_pct(past, changes, equity, now),
            drawdown_pct=drawdown_pct(past, equity),
            cooldown_left_min=cooldown_left_min(trades, changes, risk, equity, now),
            orders_last_hour=sum(timedelta(0) <= now - each < timedelta(hours=1) for each in ordered),
        )

    async def curve(self) -> Sequence[tuple[datetime, float]]:
        """See the protocol: what was seen when the account was looked at."""
        return await asyncio.to_thread(self._memory.history, self._account)

    async def instant(self, symbol: str) -> datetime | None:
        """An exchange has a present of its own."""
        return None

    async def reconcile(self) -> tuple[str, ...]:
        """See the protocol and `exchange_reconcile`."""
        async with self._lock:
            await self._state.ready()
            return await put_in_order(self._state, self._guard, self._wanted, self._is_ours, self._close_again, self._latest)

    async def warnings(self) -> tuple[str, ...]:
        """What somebody should know of the key; nothing where the venue does not tell."""
        may = await self._state.may_withdraw()
        return ("the exchange key may withdraw: make one that may only trade",) if may else ()

    async def close(self) -> None:
        """Close the connections, after an order that is under way."""
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=_LAST_ORDER_S)
        await self._wire.close()

    async def _protected(self, order: Order, report: OrderReport, *, opens: bool) -> OrderReport:
        """A fill with its stop and target in place. An entry that is left without any stop is closed again. opens: the market was flat."""
        try:
            position = _opened(order, report) if opens else await self._left(order, report)
        except BrokerError as problem:
            unsure = None if order.stop is None else False
            return report.model_copy(update={"protected": unsure, "why": f"not known how the position stands: {problem}"})
        if position is None:
            with suppress(BrokerError):  # what cannot be cancelled now is cancelled when the account is put in order
                await self._guard.clear(order.symbol)
            return report
        levels = await self._levels(order, position)
        troubles, protected = [], None if order.stop is None else True
        for kind, level in levels.items():
            stood = await self._guard.ensure(position, kind, level, order.client_id, at_first=opens)
            if stood.stands:
                continue
            troubles.append(f"the {kind} at {level:f} could not be placed ({stood.why})")
            if kind == "stop" and order.stop is not None:
                protected = False
                if stood.bare and not order.reduce_only:
                    troubles.append(await self._close_again(position, order.client_id))
                    break
        return report.model_copy(update={"protected": protected, "why": "; ".join(troubles) or None})

    async def _left(self, order: Order, report: OrderReport) -> Position | None:
        """The position after a fill. An entry whose position cannot be read gets its stop all the same, for what was filled."""
        try:
            stand = await self._state.stand(order.symbol)
        except BrokerError:
            if order.reduce_only:
                raise
            return _opened(order, report)
        return stand.position if stand else None

    async def _levels(self, order: Order, position: Position) -> Levels:
        """What must stand, the stop first: what the order asks for; else what stands and no longer closes all of it."""
        asked: dict[Kind, Decimal | None] = {"stop": order.stop, "target": order.target}
        levels: Levels = {kind: level for kind, level in asked.items() if level is not None}
        standing: tuple[Conditional, ...] = ()
        with suppress(BrokerError):  # what is asked for is placed even if what stands cannot be read
            standing = await self._guard.standing(order.symbol) if len(levels) < len(asked) else ()
        for each in standing:
            is_short = each.side == closing_side(position) and not each.covers(position)
            if each.kind is not None and each.kind not in levels and is_short and await self._is_ours(each.client_id):
                levels[each.kind] = each.trigger
        return dict(sorted(levels.items()))

    async def _close_again(self, position: Position, base_id: str) -> str:
        """Close a position that must not stay; says what came of it."""
        client_id = f"{base_id}-x"
        try:
            amount = exact_amount(self._wire.client, position.symbol, position.size)
            params = {"clientOrderId": client_id, "reduceOnly": True}
            report = await self._sender.send(Ticket(position.symbol, "market", closing_side(position), amount, None, params), client_id)
            if report.filled == 0 and await self._state.stand(position.symbol) is None:
                return "the position is gone already"
            if report.filled == 0:
                return f"IT STANDS WITHOUT A STOP: it could not be closed again ({report.why or report.state})"
            await self._guard.clear(position.symbol)
        except BrokerError as problem:
            return f"IT MAY STAND WITHOUT A STOP: closing it again went wrong ({problem})"
        return f"the position was closed again at {report.price:f}"

    async def _told(self, position: Position, orders: tuple[Conditional, ...], told_at: datetime | None) -> Position:
        """With what the venue does not tell with the position itself."""
        found: Levels = {}
        for each in orders:
            closes = each.symbol == position.symbol and each.side == closing_side(position)
            if closes and each.kind is not None and (each.kind not in found or await self._is_ours(each.client_id)):
                found[each.kind] = each.trigger
        opened = await asyncio.to_thread(self._memory.opened, position.symbol)
        levels = {kind: found.get(kind, getattr(position, kind)) for kind in ("stop", "target")}
        return position.model_copy(update={**levels, "opened_at": opened or told_at})

    async def _is_ours(self, client_id: str) -> bool:
        """Whether the journal holds the order of this id, or the one that it protects."""
        base = base_of(client_id)
        if base and base not in self._known and await asyncio.to_thread(self._memory.ours, base):
            self._known.add(base)
        return base in self._known

    async def _wanted(self, symbol: str) -> Wanted | None:
        return await asyncio.to_thread(self._memory.wanted, symbol)

    def _only_now(self, at: datetime | None) -> None:
        if at is not None and abs(at - self._clock()) > _PRESENT:
            raise BrokerError(f"{self._account} trades in the present only, not at {at:%Y-%m-%d %H:%M} UTC")


def _opened(order: Order, report: OrderReport) -> Position:
    """The position that a fill makes of none."""
    assert report.price is not None
    return Position(symbol=order.symbol, side="long" if order.side == "buy" else "short", size=report.filled, entry_price=report.price)
