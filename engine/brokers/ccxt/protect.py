"""Protecting a position after a fill, and getting out of one that cannot be protected.

filled -> the stop is placed and read back                    protected
       -> refused, and read back as missing: the position is closed, reduce-only; refused too: stop and close are tried again with growing
          pauses, then left to maintenance (`reconcile`); since when it has no stop is written down
       -> cannot be read back: not known; nothing is closed on a guess

Changing the levels of a position that is held (`LevelChanger`):

conditional orders can be listed, the position is there, it may still leave
       -> the new stop is placed, read back, then the old one is cancelled; the target likewise
       -> refused: what was in place before is untouched
       -> it is not known which of the two is in place: OrderUnknown. It is never without a stop; asked again, it is finished.

Sent again a change places nothing twice: protective orders are named after the order that asked for them.
"""

import asyncio
import time
from collections.abc import Callable, Set
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from engine.brokers.ccxt.account import ExchangeAccount
from engine.brokers.ccxt.guard import Guard, ProtectionStatus
from engine.brokers.ccxt.orders import Conditional, Kind, Ticket, base_of, closing_side, exact_amount, exact_price
from engine.brokers.ccxt.ownership_reader import OwnershipReader
from engine.brokers.ccxt.records import AccountRecords
from engine.brokers.ccxt.sending import Deadlines, Sender
from engine.domain.errors import BrokerError, OrderUnknown, StoreError
from engine.domain.orders import Order, OrderReport, OrderState, Position
from engine.domain.text.reason import Reason
from engine.trading.protocol import PreSendCheck
from engine.venue.signed import SignedWire

_NOTHING_HELD: Final = Reason("there_is_no_position_it_could_protect")
_PAUSE_S: Final = 5.0  # the longest between two attempts of one process
_EXITS: Final = 10  # closing orders of one position that have ids of their own
Levels = dict[Kind, Decimal]


class UnprotectedPositions:
    """Since when positions have no stop. The journal keeps it for every process and over restarts; where it cannot be read or written, what
    this process has seen itself counts. The wall clock is asked once, at the first sight of what another process has written; from then on
    the process's own monotonic clock counts, and a clock that was put back makes nothing younger than it was."""

    def __init__(self, records: AccountRecords, clock: Callable[[], datetime]) -> None:
        self._records, self._clock = records, clock
        self._own: dict[str, float] = {}

    async def mark(self, symbol: str, why: str) -> float:
        """Note that a position was read back without a stop, and why. Returns for how long that has been so, seconds."""
        if symbol not in self._own:
            since = (await self._kept()).get(symbol)
            age_s = (self._clock() - since).total_seconds() if since is not None else 0.0
            self._own[symbol] = time.monotonic() - max(0.0, age_s)
        with suppress(StoreError):
            await asyncio.to_thread(self._records.mark, symbol, why)
        return time.monotonic() - self._own[symbol]

    async def unmark(self, symbol: str, why: str) -> bool:
        """Note that a position has its stop again or is closed, and why. Returns whether it was unprotected before."""
        was = symbol in self._own or symbol in await self._kept()
        if was:
            with suppress(StoreError):
                await asyncio.to_thread(self._records.unmark, symbol, why)
            self._own.pop(symbol, None)
        return was

    async def symbols(self) -> set[str]:
        """Return the markets whose position had no stop when it was last read."""
        return {*self._own, *await self._kept()}

    async def _kept(self) -> dict[str, datetime]:
        try:
            return dict(await asyncio.to_thread(self._records.unprotected_since))
        except StoreError:
            return {}


@dataclass(frozen=True)
class CloseOutcome:
    """What came of closing a position. left: what of it is still ours, base units. counted: the closing orders whose fills it is without.
    text: a sentence about it."""

    left: Decimal
    counted: Set[str]
    text: str

    @property
    def flat(self) -> bool:
        """Whether nothing of it is left."""
        return self.left == 0


class Protector:
    """Over an account, its guard and its sender. records: see `AccountRecords`. owner: says whose a position is."""

    def __init__(
        self,
        wire: SignedWire,
        state: ExchangeAccount,
        guard: Guard,
        sender: Sender,
        unprotected: UnprotectedPositions,
        within: Deadlines,
        records: AccountRecords,
        owner: OwnershipReader,
    ) -> None:
        self._client, self._state, self._guard, self._sender = wire.client, state, guard, sender
        self._unprotected, self._within, self._records, self._owner = unprotected, within, records, owner

    async def after_part(self, order: Order, report: OrderReport) -> None:
        """Place the stop of an entry that is filled in part: with the size of all of it, so that it serves the rest as well."""
        if order.stop is None or order.reduce_only:
            return
        with suppress(BrokerError):
            whole = opened(order, report).model_copy(update={"size": order.amount})
            await self._guard.ensure(whole, "stop", order.stop, order.client_id)

    async def after_fill(
        self, order: Order, report: OrderReport, *, opens: bool, attached: bool, is_late: Callable[[], bool]
    ) -> OrderReport:
        """Place stop and target after a fill and return the report with `protected` and `why` filled in. An entry that is left without any
        stop is closed again. opens: the market was flat. attached: the venue was given both with the entry. is_late: whether a part was
        protected before, or the process was suspended since the order left: others may have placed the stop, it may have been reached,
        the position may be another. The same is so where another process has written down the end of an entry, which comes before it
        closes what was filled."""
        late = is_late()
        position: Position | None
        try:
            position, alone = (opened(order, report), True) if opens and not late else await self._left(order, report)
        except BrokerError as problem:
            unsure = None if order.stop is None else False
            return report.model_copy(update={"protected": unsure, "why": Reason("state_of_position_is_not_known", problem=problem)})
        if position is None:
            return await self._over(order, report)
        at_first = opens and not (attached or late)

        def may_close() -> bool:
            return order.reduce_only or late or not is_late()

        protected, why = await self._levels_placed(order, report, position, may_close, alone=alone, at_first=at_first)
        has_ended = not order.reduce_only and await self._has_ended(order)
        if not (order.reduce_only or late) and (has_ended or is_late()):  # what was placed may protect a position that has ended
            return await self.after_fill(order, report, opens=opens, attached=attached, is_late=lambda: True)
        if has_ended and await self._is_over(order, report):  # closed meanwhile: closing it cancels what is in place by then
            return await self._over(order, report)
        return report.model_copy(update={"protected": protected, "why": why})

    async def _levels_placed(
        self, order: Order, report: OrderReport, position: Position, may_close: Callable[[], bool], *, alone: bool, at_first: bool
    ) -> tuple[bool | None, str | None]:
        """Place what `_levels` says. Returns whether the stop is in place (None if missing), and what went wrong. may_close: whether
        `position` was read recently enough to be closed where its stop is refused."""
        levels = await self._levels(order, position, alone=alone)
        troubles: list[str] = []
        protected = None if order.stop is None else True
        for kind, level in levels.items():
            status = await self._guard.ensure(position, kind, level, order.client_id, at_first=at_first, alone=alone)
            if status.is_active:
                continue
            troubles.append(Reason("level_could_not_be_placed", kind=kind, level=f"{level:f}", why=status.why))
            if kind != "stop":
                continue
            protected = False
            if not may_close():  # the process was suspended: ours may have ended, and what is held may be another's
                break
            if status.is_unprotected:
                await self._unprotected.mark(position.symbol, Reason("stop_was_refused", level=f"{level:f}", why=status.why))
                if not order.reduce_only:
                    protected, text = await self._stop_or_out(order, report, position, level, alone=alone)
                    troubles.append(text)
                    break
        return protected, Reason.listed(troubles) or None

    async def _is_over(self, order: Order, report: OrderReport) -> bool:
        """Return whether nothing is left of what an entry has opened; False where that cannot be said."""
        try:
            return (await self._left(order, report))[0] is None
        except BrokerError:
            return False

    async def _over(self, order: Order, report: OrderReport) -> OrderReport:
        """Cancel the levels of a position of which nothing is left, and return the report."""
        if not order.reduce_only or await self._sent_entry(order.symbol) is None:  # what an entry fills behind a close keeps its stop
            await self._gone(order.symbol)
        return report if order.reduce_only else report.model_copy(update={"why": Reason("its_position_is_gone_already")})

    async def _sent_entry(self, symbol: str) -> Order | None:
        with suppress(StoreError):
            return await asyncio.to_thread(self._records.sent_entry, symbol)
        return None

    async def _has_ended(self, order: Order) -> bool:
        """Return whether another process has written down the end of an order."""
        with suppress(StoreError):
            return await asyncio.to_thread(self._records.has_ended, order.client_id)
        return False

    async def _stop_or_out(self, order: Order, report: OrderReport, position: Position, level: Decimal, *, alone: bool) -> tuple[bool, str]:
        """Close what an entry has filled, since its stop was refused; what was held before keeps its own. Where that is refused too, try
        both again for `protecting_s`. Returns whether its stop is in place in the end, and what happened."""
        loop = asyncio.get_running_loop()
        until, pause = loop.time() + self._within.protecting_s, self._within.backoff_s
        counted: Set[str] = frozenset()
        before = max(Decimal(0), position.size - report.filled)
        while True:
            added = position.model_copy(update={"size": position.size - before})
            out = await self.close(added, order.client_id, counted, keeps=before > 0)
            if out.flat or loop.time() + pause >= until:
                return False, out.text
            await asyncio.sleep(pause)
            pause = min(pause * 2, _PAUSE_S)
            position, counted = position.model_copy(update={"size": before + out.left}), out.counted
            if (await self._guard.ensure(position, "stop", level, order.client_id, alone=alone)).is_active:
                await self._unprotected.unmark(position.symbol, f"the stop at {level:f} is in place")
                return True, Reason("stop_is_in_place_after_all", outcome=out.text)

    async def close(self, position: Position, base_id: str, counted: Set[str] = frozenset(), *, keeps: bool = False) -> CloseOutcome:
        """Close our position, which must not stay: never more than its size. Reduce-only, under ids of its own, each written down before it
        is sent: two that do so do it once. counted: closing orders whose fills `position.size` is without already. keeps: it is a part of
        ours, and the rest keeps its stop and target."""
        left, closed, seen = position.size, Reason("position_is_gone_already"), set(counted)
        for number in range(_EXITS):
            client_id = f"{base_id}-x{number or ''}"
            if client_id in seen:
                continue
            try:
                report = await self._exit(position, client_id, min(left, await self._held(position)))
                held = await self._held(position)
            except BrokerError as problem:
                return CloseOutcome(left, frozenset(seen), Reason("closing_it_went_wrong", problem=problem))
            if report is not None and report.filled > 0:
                left, closed = left - report.filled, Reason("position_was_closed_again", price=f"{report.price:f}")
            if report is not None and report.state != "open":
                seen.add(client_id)
            if held == 0 or left <= 0:
                await self._gone(position.symbol, clear=held == 0 or not keeps)
                return CloseOutcome(Decimal(0), frozenset(seen), closed)
            if report is not None and (report.filled == 0 or report.state == "open"):
                return CloseOutcome(left, frozenset(seen), Reason("it_could_not_be_closed", why=report.why or report.state))
        return CloseOutcome(left, frozenset(seen), Reason("part_could_not_be_closed", left=f"{left:f}", orders=_EXITS))

    async def _held(self, position: Position) -> Decimal:
        """Return how much the venue holds on the side of a position. Raises BrokerError."""
        found = await self._state.venue_position(position.symbol)
        return found.position.size if found is not None and found.position.side == position.side else Decimal(0)

    async def _exit(self, position: Position, client_id: str, size: Decimal) -> OrderReport | None:
        """Send an order to close, or follow the one that another process has sent under this id; None where there is nothing to close, or
        where that process died before it sent it. Raises BrokerError."""
        symbol = position.symbol
        report = await self._sender.find(client_id, symbol)
        if report is None and size <= 0:
            return None
        if report is None:
            order = Order(client_id=client_id, symbol=symbol, side=closing_side(position), amount=size, reduce_only=True)
            amount = exact_amount(self._client, symbol, size)
            if await self._is_written(order):
                params = {"clientOrderId": client_id, "reduceOnly": True}
                report = await self._sender.send(Ticket(symbol, "market", order.side, amount, None, params), client_id)
            elif (report := await self._sender.awaited(client_id, symbol)) is None:
                return None
        if report.state == "open":
            report = await self._sender.followed(report, symbol, keep=True)
        with suppress(StoreError):  # the next look asks the venue for it
            await asyncio.to_thread(self._records.reported, report)
        return report

    async def _is_written(self, order: Order) -> bool:
        """Write an order to close down. Returns False where another process has; True where nothing can be written."""
        try:
            return await asyncio.to_thread(self._records.exit, order)
        except StoreError:
            return True

    async def _gone(self, symbol: str, *, clear: bool = True) -> None:
        await self._unprotected.unmark(symbol, "the position is closed")
        if not clear:
            return
        with suppress(BrokerError):  # what cannot be cancelled now is cancelled when the account is put in order
            await self._guard.clear(symbol)

    async def _left(self, order: Order, report: OrderReport) -> tuple[Position | None, bool]:
        """Return our position after a fill (None = nothing), and whether the venue holds nothing beside it. An entry whose position cannot
        be read counts as what was filled, so that it gets its stop all the same. Raises BrokerError where it cannot be said whose it is,
        or what a close has left of ours."""
        try:
            found = await self._state.venue_position(order.symbol)
            orders = await self._guard.open_conditionals(order.symbol) if found is not None else ()
        except BrokerError:
            if order.reduce_only:
                raise
            return opened(order, report), True
        held = found.position if found is not None else None
        try:
            is_known = order.reduce_only or await self._has_ended(order)  # then the journal knows as well what has closed it since
            owned = await (self._owner.read(order.symbol, held, orders) if is_known else self._owner.read_sent(order, report, held, orders))
        except StoreError:
            return held, True
        if owned.claim is None or not owned.whose.unknown:
            return owned.ours, owned.whose.is_alone
        if order.reduce_only or order.opens or held is None:
            raise BrokerError(owned.whose.unknown)
        ours = min(held.size, owned.claim.size)
        return held.model_copy(update={"size": ours}), ours == held.size

    async def _levels(self, order: Order, position: Position, *, alone: bool) -> Levels:
        """Return the levels to place, the stop first: what the order asks for; else those of open orders of ours that no longer close our
        position, all of it and nothing else."""
        asked: dict[Kind, Decimal | None] = {"stop": order.stop, "target": order.target}
        levels: Levels = {kind: level for kind, level in asked.items() if level is not None}
        open_orders: tuple[Conditional, ...] = ()
        with suppress(BrokerError):  # what is asked for is placed even if what is in place cannot be read
            open_orders = await self._guard.open_conditionals(order.symbol) if len(levels) < len(asked) else ()
        for each in open_orders:
            is_off = each.side == closing_side(position) and not each.fits(position, alone=alone)
            if each.kind is not None and each.kind not in levels and is_off and await self._guard.is_ours(each.client_id):
                levels[each.kind] = each.trigger
        return dict(sorted(levels.items()))


def opened(order: Order, report: OrderReport) -> Position:
    """Return the position that a fill opens in a flat market."""
    assert report.price is not None
    return Position(symbol=order.symbol, side="long" if order.side == "buy" else "short", size=report.filled, entry_price=report.price)


class LevelChanger:
    """Over an account and its guard. owner: says whose a position is."""

    def __init__(
        self,
        wire: SignedWire,
        state: ExchangeAccount,
        guard: Guard,
        unprotected: UnprotectedPositions,
        clock: Callable[[], datetime],
        owner: OwnershipReader,
    ) -> None:
        self._client, self._state, self._guard, self._unprotected, self._clock = wire.client, state, guard, unprotected, clock
        self._owner = owner

    async def change(self, order: Order, before_send: PreSendCheck | None) -> OrderReport:
        """Make an order's levels those of its position. Returns a report that says `filled` or `refused`. Raises BrokerError before
        anything was sent, OrderUnknown when it may be done in part."""
        asked: dict[Kind, Decimal | None] = {"stop": order.stop, "target": order.target}  # the stop first
        levels: Levels = {kind: level for kind, level in asked.items() if level is not None}
        for level in levels.values():
            exact_price(self._client, order.symbol, level)  # the venue would not take it: raises before anything is asked
        open_orders = await self._guard.open_conditionals(
            order.symbol
        )  # where they cannot be listed, no one could say whether a stop is in place
        held = await self._state.venue_position(order.symbol)
        if held is None or closing_side(held.position) != order.side:
            return self._report(order, "refused", _NOTHING_HELD)
        owned = await self._owner.read(order.symbol, held.position, open_orders)
        if owned.ours is None:
            return self._report(order, "refused", owned.whose.gone or owned.whose.unknown or "the position is not ours")
        if before_send is not None:
            await before_send()
        report = await self._placed(order, owned.ours, levels, alone=owned.whose.is_alone)
        if report.state == "filled" and await self._has_ended(order):
            with suppress(BrokerError):  # what cannot be cancelled now is cancelled when the account is put in order
                await self._guard.clear(order.symbol)
            return self._report(order, "refused", Reason("its_position_is_gone_already"))
        return report

    async def _has_ended(self, order: Order) -> bool:
        """Return whether our position is known to have ended by the time its levels are in place: the process may have been suspended
        meanwhile, and what they would close is another's. False where that cannot be read: they stay, until the account is put in order."""
        try:
            held = await self._state.venue_position(order.symbol)
            if held is None or closing_side(held.position) != order.side:
                return True
            open_orders = await self._guard.open_conditionals(order.symbol)
            return bool((await self._owner.read(order.symbol, held.position, open_orders)).whose.gone)
        except (BrokerError, StoreError):
            return False

    async def _placed(self, order: Order, position: Position, levels: Levels, *, alone: bool) -> OrderReport:
        placed: list[Kind] = []
        troubles = []
        for kind, level in levels.items():
            status = await self._guard.ensure(position, kind, level, order.client_id, alone=alone)
            if status.is_active and status.why:
                raise OrderUnknown(Reason("level_stands_and", kind=kind, level=f"{level:f}", why=status.why))
            if status.is_active:
                placed.append(kind)
                continue
            trouble = Reason("level_could_not_be_placed", kind=kind, level=f"{level:f}", why=status.why)
            if not placed:
                return await self._not_placed(order, position, kind, trouble, status)
            troubles.append(trouble)
        if "stop" in placed:
            await self._unprotected.unmark(order.symbol, "it has a stop")
        return self._report(order, "filled", Reason.listed(troubles), protected=True if "stop" in placed else None)

    async def _not_placed(self, order: Order, position: Position, kind: Kind, trouble: str, status: ProtectionStatus) -> OrderReport:
        """Return a refusal where nothing of the order is at the venue. Raises OrderUnknown where something does, or may."""
        try:
            left = [each for each in await self._guard.open_conditionals(order.symbol) if base_of(each.client_id) == order.client_id]
        except BrokerError as problem:
            raise OrderUnknown(Reason("order_cannot_be_read_back", trouble=trouble, problem=problem)) from problem
        if left:
            raise OrderUnknown(Reason("done_in_part", trouble=trouble))
        if kind == "stop" and status.is_unprotected:  # the old one was removed by someone else: maintenance places the signed one again
            await self._unprotected.mark(position.symbol, trouble)
        return self._report(order, "refused", Reason.listed([trouble, Reason("levels_before_stay")]))

    async def restore(self, symbol: str) -> None:
        """Make the signed levels the only ones of ours. Raises BrokerError when the stop cannot be."""
        held = await self._state.venue_position(symbol)
        if held is None:
            return
        owned = await self._owner.read(symbol, held.position, await self._guard.open_conditionals(symbol))
        if owned.claim is None or owned.ours is None:
            return
        signed = owned.claim.levels
        asked: dict[Kind, Decimal | None] = {"target": signed.target, "stop": signed.stop}
        for kind, level in asked.items():
            if level is not None:
                status = await self._guard.ensure(owned.ours, kind, level, signed.client_id, alone=owned.whose.is_alone)
                if not status.is_active and kind == "stop":
                    raise BrokerError(Reason("stop_at_of_could_not_be_put", level=f"{level:f}", symbol=symbol, why=status.why))

    def _report(self, order: Order, state: OrderState, why: str, *, protected: bool | None = None) -> OrderReport:
        return OrderReport(client_id=order.client_id, state=state, at=self._clock(), protected=protected, why=why or None)
