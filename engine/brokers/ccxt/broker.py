"""The exchange broker: real orders, through ccxt, at any exchange with perpetuals in one-way mode; made for Binance's.

    is this id known already?  ->  margin mode, leverage, conditional orders can be listed  ->  THE ORDER, once
    ->  followed until it has ended  ->  stop, target, read back

What may have arrived and is not found is OrderUnknown (`sending`). Before an entry it is read back that conditional orders can be
listed; one whose stop cannot be placed is closed again (`protect`). Every request has a deadline; keys go to https addresses and
to this machine only, and are in no message.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from engine.brokers.ccxt.account import ExchangeAccount
from engine.brokers.ccxt.closing_fills import ClosingFills
from engine.brokers.ccxt.equity import adjusted, cooldown_left_min, day_loss_pct, drawdown_pct
from engine.brokers.ccxt.guard import Guard
from engine.brokers.ccxt.orders import Conditional, base_of, is_binance, market_of, stopped_at, ticket_of
from engine.brokers.ccxt.ownership_reader import OwnershipReader
from engine.brokers.ccxt.protect import LevelChanger, Protector, UnprotectedPositions
from engine.brokers.ccxt.reconcile import SILENT_LIMIT_S, Reconciler
from engine.brokers.ccxt.records import AccountRecords
from engine.brokers.ccxt.sending import Deadlines, Sender
from engine.brokers.ccxt.settings import CAPABILITIES, NAME
from engine.domain.errors import BrokerError, BrokerRefused, BrokerUnreachable, StoreError
from engine.domain.orders import AccountView, BrokerName, Order, OrderReport, Outcome, Position
from engine.domain.position_record import PositionRecord
from engine.domain.risk import RiskConfig
from engine.domain.text.reason import Reason
from engine.trading.history.ownership import Ownership
from engine.trading.protocol import PreSendCheck
from engine.venue.keys import Keys
from engine.venue.signed import SignedWire

_PRESENT: Final = timedelta(seconds=60)  # an instant this close to now is the present
Result = TypeVar("Result")


class ExchangeBroker:
    """One account at one exchange. One owner: all calls come from one event loop.

    url: replaces scheme and host of every REST address, the sandbox's too. settle: the currency that equity is counted in. Raises BadInput
    for an exchange, an address or keys that cannot work.
    """

    name: BrokerName = NAME
    capabilities = CAPABILITIES

    def __init__(
        self,
        exchange_id: str,
        url: str | None,
        keys: Keys,
        clock: Callable[[], datetime],
        *,
        sandbox: bool,
        records: AccountRecords,
        deadlines: Deadlines | None = None,
        settle: str = "USDT",
    ) -> None:
        within = deadlines or Deadlines()
        times = {"timeout_s": within.request_s, "deadline_s": within.reading_s, "backoff_s": within.backoff_s}
        self._account = f"{NAME}:{exchange_id}" + (":sandbox" if sandbox else "")
        self._clock, self._records = clock, records
        self._wire = SignedWire(exchange_id, url, keys, sandbox=sandbox, **times)
        self._state = ExchangeAccount(self._wire, settle)
        self._sender = Sender(self._wire, clock, within)
        self._guard = Guard(self._wire, self._is_ours, within.backoff_s)
        unprotected = UnprotectedPositions(records, clock)
        self._owner = OwnershipReader(self._wire, self._state, self._sender, records.claim)
        self._protector = Protector(self._wire, self._state, self._guard, self._sender, unprotected, within, records, self._owner)
        self._reconciler = Reconciler(
            self._state, self._guard, self._protector, unprotected, self._owner, records.gone, self._is_under_way, self._sent_entry
        )
        self._changer = LevelChanger(self._wire, self._state, self._guard, unprotected, clock, self._owner)
        self._closings = ClosingFills(self._wire, clock)
        self._recorded_at: datetime | None = None
        self._known: set[str] = set()
        self._latest: dict[str, str] = {}  # by market: the last order that set levels
        self._working: set[asyncio.Future[Any]] = set()
        self._lock = asyncio.Lock()  # an order and its protection are one: nothing is put in order in between

    @property
    def account(self) -> str:
        """The account's name."""
        return self._account

    async def place_order(self, order: Order, at: datetime | None, before_send: PreSendCheck | None = None) -> OrderReport:
        """See the protocol. protected: whether the stop was read back; why: what went wrong with it."""
        self._require_present(at)
        if order.protects:
            raise BrokerError(Reason("order_that_protects_is_no_trade"))
        return await self._to_its_end(self._place_order(order, before_send))

    async def protect(self, order: Order, at: datetime | None, before_send: PreSendCheck | None = None) -> OrderReport:
        """See the protocol and `protect`."""
        self._require_present(at)
        return await self._to_its_end(self._protect(order, before_send))

    async def _protect(self, order: Order, before_send: PreSendCheck | None) -> OrderReport:
        async with self._lock:
            await self._state.ready()
            self._known.add(order.client_id)
            report = await self._changer.change(order, before_send)
            if report.state == "filled":
                self._latest[order.symbol] = order.client_id
            return report

    async def restore_levels(self, symbol: str) -> None:
        async with self._lock:
            await self._state.ready()
            await self._to_its_end(self._changer.restore(symbol))

    async def _to_its_end(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run to the end even when the caller is cancelled: no order is left behind without its stop."""
        task = asyncio.ensure_future(work)
        self._working.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    def _done(self, task: asyncio.Future[Any]) -> None:
        self._working.discard(task)
        if not task.cancelled():
            task.exception()  # its caller may be gone; an order is found by its id

    async def _place_order(self, order: Order, before_send: PreSendCheck | None) -> OrderReport:
        async with self._lock:
            await self._state.ready()
            ticket = ticket_of(self._wire.client, order)
            known = await self._sender.find(order.client_id, order.symbol)
            if known is not None:  # a venue refuses an id only as long as its order is open: one that is filled would be filled twice
                return known
            await self._state.one_way()
            venue_position = None
            if not order.reduce_only:
                venue_position = await self._state.venue_position(order.symbol)
                if (order.opens and venue_position is not None) or (order.adds and venue_position is None):
                    why = Reason("position_is_open_in_this_market_already" if order.opens else "position_it_adds_to_is_closed")
                    return OrderReport(client_id=order.client_id, state="refused", at=self._clock(), why=why)
                await self._state.prepare(order, venue_position.position if venue_position else None)
                await self._guard.open_conditionals(order.symbol)  # if they cannot be listed, its stop could not be checked
            most = await before_send() if before_send is not None else None
            cut = most is not None and most < order.amount
            if cut:
                ticket = ticket_of(self._wire.client, order.model_copy(update={"amount": most}))
            self._known.add(order.client_id)
            if order.stop is not None or order.target is not None:
                self._latest[order.symbol] = order.client_id
            opens, attached = venue_position is None and not order.reduce_only, "stopLoss" in ticket.params
            left_at, parts = (time.monotonic(), self._clock()), list[OrderReport]()

            async def on_part(part: OrderReport) -> None:
                parts.append(part)
                await self._protector.after_part(order, part)

            in_parts = opens and not attached and is_binance(self._wire.client)
            report = await self._sender.send(ticket, order.client_id, on_part if in_parts else None)
            if report.filled > 0:

                def is_late() -> bool:
                    return bool(parts) or self._is_late(left_at)  # the stop of a part may have been reached

                report = await self._protector.after_fill(order, report, opens=opens, attached=attached, is_late=is_late)
            if cut:
                only = Reason("part_of_signed_size_is_ours", most=f"{most:f}", amount=f"{order.amount:f}")
                report = report.model_copy(update={"why": Reason.listed([only, report.why] if report.why else [only])})
            return await self._sender.with_fee(report, order.symbol)

    def _is_late(self, left_at: tuple[float, datetime]) -> bool:
        """Return whether so much time has gone by since an order left, by either clock, that others may have taken care of its position:
        this process, or its machine, was suspended."""
        ages = time.monotonic() - left_at[0], (self._clock() - left_at[1]).total_seconds()
        return not all(0 <= age < SILENT_LIMIT_S for age in ages)

    async def get_order(self, client_id: str, symbol: str) -> OrderReport | None:
        """See the protocol. By client id only. None when the venue knows no such order; BrokerUnreachable when it cannot be said."""
        await self._state.ready()
        market_of(self._wire.client, symbol)
        try:
            return await self._sender.find(client_id, symbol)
        except BrokerRefused as problem:
            words = str(problem)
        raise BrokerUnreachable(words)

    async def cancel(self, client_id: str, symbol: str) -> OrderReport | None:
        """See the protocol. Does not wait for an order that this process is still placing."""
        await self._state.ready()
        market_of(self._wire.client, symbol)
        return await self._sender.cancel(client_id, symbol)

    async def outcome(self, client_id: str) -> Outcome | None:
        """Return None: the venue reports changes of the balance, not which order they come from."""
        return None

    async def positions(self, at: datetime | None) -> tuple[Position, ...]:
        """See the protocol. Positions that this program did not open are among them."""
        self._require_present(at)
        venue_positions = await self._state.venue_positions()
        orders = await self._guard.open_conditionals() if venue_positions else ()
        return tuple([await self._with_levels(each.position, orders, each.reported_at) for each in venue_positions])

    async def position(self, symbol: str, at: datetime | None, *, keep: bool = False) -> Position | None:
        self._require_present(at)
        venue_position = await self._state.venue_position(symbol)
        if venue_position is None:
            return None
        return await self._with_levels(venue_position.position, await self._guard.open_conditionals(symbol), venue_position.reported_at)

    async def whose(self, position: Position) -> Ownership:
        """See the protocol. Where conditional orders cannot be listed, each of ours is asked for by its id."""
        await self._state.ready()
        orders: tuple[Conditional, ...] = ()
        with suppress(BrokerError):
            orders = await self._guard.open_conditionals(position.symbol)
        return (await self._owner.read(position.symbol, position, orders)).whose

    async def view(self, risk: RiskConfig, at: datetime | None) -> AccountView:
        """See the protocol. Losses are measured from what is known of the past: `equity`."""
        self._require_present(at)
        now = self._clock()
        equity, venue_positions = await self._state.equity(), await self._state.venue_positions()
        history = await asyncio.to_thread(self._records.history, self._account)
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        cooling = now - timedelta(minutes=max(risk.cooldown_minutes, 60.0))
        changes = await self._state.changes(min(midnight, cooling), min((seen for seen, _ in history), default=now), now)
        ordered, trades = await asyncio.to_thread(self._records.recent, self._account, cooling)
        past = adjusted(history, changes)
        await asyncio.to_thread(self._records.record_equity, self._account, now, equity)
        return AccountView(
            account=self._account,
            broker=self.name,
            equity=equity,
            margins={each.position.symbol: each.margin for each in venue_positions},
            notionals={each.position.symbol: each.notional for each in venue_positions},
            day_loss_pct=day_loss_pct(past, changes, equity, now),
            drawdown_pct=drawdown_pct(past, equity),
            cooldown_left_min=cooldown_left_min(trades, changes, risk, equity, now),
            orders_last_hour=sum(now - each < timedelta(hours=1) for each in ordered),
        )

    async def curve(self) -> Sequence[tuple[datetime, float]]:
        """See the protocol: the equities that were recorded when the account was read, and that of now."""
        points = list(await asyncio.to_thread(self._records.history, self._account))
        with suppress(BrokerError):  # a venue that does not answer: it ends where it was last known
            points.append((max([self._clock(), *(at for at, _ in points[-1:])]), await self._state.equity()))
        return points

    async def played_on(self, client_id: str) -> PositionRecord | None:
        """See the protocol: a venue's clock does not stand still."""
        return next((each for each in reversed(await self.history()) if client_id in each.orders), None)

    async def history(self) -> Sequence[PositionRecord]:
        """See the protocol: out of the orders of ours, and the venue's fills of those that it has ended; what they brought is without
        funding."""
        records = await asyncio.to_thread(self._records.positions, self._account, {})
        if not any(each.ended == "venue" for each in records):
            return records
        with suppress(BrokerError):
            await self._state.ready()
            ours = await asyncio.to_thread(self._records.venue_ids, self._account)
            if closings := await self._closings.of(records, ours):
                return await asyncio.to_thread(self._records.positions, self._account, closings)
        return records

    async def instant(self, symbol: str) -> datetime | None:
        """Return None: an exchange has a present of its own."""
        return None

    async def reconcile(self) -> tuple[str, ...]:
        """See the protocol and `reconcile`. An entry whose process may be suspended is looked at twice; orders of this process
        may come in between."""
        lines = await self._put_in_order()
        if (wait_s := self._reconciler.look_again_s) > 0:
            await asyncio.sleep(wait_s)
            lines += await self._put_in_order()
        return tuple(dict.fromkeys(lines))

    async def _put_in_order(self) -> tuple[str, ...]:
        async with self._lock:
            await self._state.ready()
            await self._record_equity()
            found = await self._reconciler.read()
            return await self._to_its_end(self._reconciler.put_in_order(found, self._latest))

    async def _record_equity(self) -> None:
        """Write the equity down once a minute: what is lost today is measured against it."""
        now = self._clock()
        if self._recorded_at is None or now - self._recorded_at >= timedelta(minutes=1):
            with suppress(BrokerError, StoreError):  # looking after positions does not wait for it
                await asyncio.to_thread(self._records.record_equity, self._account, now, await self._state.equity())
                self._recorded_at = now

    async def warnings(self) -> tuple[str, ...]:
        """Return what needs attention about the key; nothing where the venue does not say."""
        may = await self._state.may_withdraw()
        return ("the exchange key may withdraw: make one that may only trade",) if may else ()

    async def wait_until_idle(self) -> None:
        while self._working:
            await asyncio.wait(tuple(self._working))

    async def close(self) -> None:
        """Close the connections, after an order that is under way: the process stays until it has ended and its position is protected."""
        await self.wait_until_idle()
        await self._wire.close()

    async def _with_levels(self, position: Position, orders: tuple[Conditional, ...], reported_at: datetime | None) -> Position:
        """Return the position with its stop, target and opening time, which the venue does not report with it. reported_at: the venue's
        time of it, taken where the opening is not known."""
        own, stop, target = [each for each in orders if each.symbol == position.symbol], None, None
        for each in own:
            fits = each.kind is not None and each.covers(position)
            if fits and each.kind == "stop" and (stop is None or await self._is_ours(each.client_id)):
                stop = each.trigger
            if fits and each.kind == "target" and (target is None or await self._is_ours(each.client_id)):
                target = each.trigger
        levels = {"stop": stop or stopped_at(position, orders) or position.stop, "target": target or position.target}
        opened = await asyncio.to_thread(self._records.opened, position.symbol)
        return position.model_copy(update={**levels, "opened_at": opened or reported_at})

    async def _is_ours(self, client_id: str) -> bool:
        """Return whether the journal holds the order of this id, or the one that it protects."""
        base = base_of(client_id)
        if base and base not in self._known and await asyncio.to_thread(self._records.ours, base):
            self._known.add(base)
        return base in self._known

    async def _is_under_way(self, symbol: str) -> bool:
        return await asyncio.to_thread(self._records.under_way, symbol)

    async def _sent_entry(self, symbol: str) -> tuple[Order, OrderReport | None] | None:
        """Return the entry that has left and whose end is not known, with what the venue says of it."""
        order = await asyncio.to_thread(self._records.sent_entry, symbol)
        return (order, await self._sender.find(order.client_id, symbol)) if order is not None else None

    def _require_present(self, at: datetime | None) -> None:
        if at is not None and abs(at - self._clock()) > _PRESENT:
            raise BrokerError(Reason("trades_in_present_only", account=self._account, at=f"{at:%Y-%m-%d %H:%M}"))
