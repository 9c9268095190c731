"""Protecting a position after a fill, and getting out of one that cannot be protected.

filled -> the stop is placed and read back                    protected
       -> refused, and read back as missing: the position is closed, reduce-only; refused too: stop and close are tried again with growing
          pauses, then left to maintenance (`exchange_reconcile`); since when it has no stop is written down
       -> cannot be read back: not known; nothing is closed on a guess

Changing the levels of a position that is held (`LevelChanger`):

conditional orders can be listed, the position is there, it may still leave
       -> the new stop is placed, read back, then the old one is cancelled; the target likewise
       -> refused: what stood before is untouched
       -> nobody can say which of both stands: OrderUnknown. It is never without a stop; asked again, it is finished.

Sent again a change places nothing twice: protective orders are named after the order that asked for them.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from engine.domain.errors import BrokerError, OrderUnknown, StoreError
from engine.domain.orders import Order, OrderReport, OrderState, Position
from engine.trading.exchange_account import ExchangeAccount
from engine.trading.exchange_guard import Guard, ProtectionStatus
from engine.trading.exchange_orders import Conditional, Kind, Ticket, base_of, closing_side, exact_amount, exact_price
from engine.trading.exchange_records import AccountRecords, SignedLevels
from engine.trading.exchange_sending import Deadlines, Sender
from engine.trading.protocol import PreSendCheck
from engine.venue.signed import SignedWire

_NOTHING_HELD: Final = "there is no position it could protect"
_PAUSE_S: Final = 5.0  # the longest between two attempts of one process
_EXITS: Final = 10  # closing orders of one position that have ids of their own
Levels = dict[Kind, Decimal]


class UnprotectedPositions:
    """Since when positions have no stop. The journal keeps it for every process and over restarts; where it cannot be read or written, what
    this process has seen itself counts."""

    def __init__(self, records: AccountRecords, clock: Callable[[], datetime]) -> None:
        self._records, self._clock = records, clock
        self._own: dict[str, datetime] = {}

    async def mark(self, symbol: str, why: str) -> datetime:
        """Note that a position was read back without a stop, and why. Returns since when that is so, aware UTC."""
        known = {**self._own, **await self._kept()}
        self._own[symbol] = known.get(symbol) or self._clock()
        with suppress(StoreError):
            await asyncio.to_thread(self._records.mark, symbol, why)
        return self._own[symbol]

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
    """What came of closing a position. flat: it is closed. text: a sentence about it."""

    flat: bool
    text: str


class Protector:
    """Over an account, its guard and its sender."""

    def __init__(
        self, wire: SignedWire, state: ExchangeAccount, guard: Guard, sender: Sender, unprotected: UnprotectedPositions, within: Deadlines
    ) -> None:
        self._client, self._state, self._guard, self._sender = wire.client, state, guard, sender
        self._unprotected, self._within = unprotected, within

    async def after_part(self, order: Order, report: OrderReport) -> None:
        """Place the stop of an entry that is filled in part: it closes what is there when it triggers, so it serves the rest as well."""
        if order.stop is None or order.reduce_only:
            return
        with suppress(BrokerError):
            await self._guard.ensure(opened(order, report), "stop", order.stop, order.client_id)

    async def after_fill(
        self, order: Order, report: OrderReport, *, opens: bool, attached: bool, is_late: Callable[[], bool]
    ) -> OrderReport:
        """Place stop and target after a fill and return the report with `protected` and `why` filled in. An entry that is left without any
        stop is closed again. opens: the market was flat. attached: the venue was given both with the entry. is_late: whether the process
        was suspended since the order left: others may have placed the stop, it may have been reached, the position may be another."""
        late = is_late()
        try:
            position = opened(order, report) if opens and not late else await self._left(order, report)
        except BrokerError as problem:
            unsure = None if order.stop is None else False
            return report.model_copy(update={"protected": unsure, "why": f"the state of the position is not known: {problem}"})
        if position is None or (opens and late and closing_side(position) == order.side):
            await self._gone(order.symbol)
            return report
        if opens and late and not is_made_by(position, order, report):
            why = f"the position of {position.size:f} is more than it made; its stop is looked at when the account is put in order"
            return report.model_copy(update={"protected": False, "why": why})
        levels = await self._levels(order, position)
        troubles, protected = [], None if order.stop is None else True
        for kind, level in levels.items():
            status = await self._guard.ensure(position, kind, level, order.client_id, at_first=opens and not (attached or late))
            if status.is_active:
                continue
            troubles.append(f"the {kind} at {level:f} could not be placed ({status.why})")
            if kind != "stop":
                continue
            protected = False
            if status.is_unprotected:
                await self._unprotected.mark(position.symbol, f"the stop at {level:f} was refused: {status.why}")
                if not order.reduce_only:
                    protected, text = await self._stop_or_out(position, level, order.client_id)
                    troubles.append(text)
                    break
        if opens and not late and is_late():  # it was suspended here: what was placed may protect a position that has ended
            return await self.after_fill(order, report, opens=opens, attached=attached, is_late=lambda: True)
        return report.model_copy(update={"protected": protected, "why": "; ".join(troubles) or None})

    async def _stop_or_out(self, position: Position, level: Decimal, base_id: str) -> tuple[bool, str]:
        """Close a position whose stop was refused; where that is refused too, try both again for `protecting_s`. Returns whether its stop
        is in place in the end, and what happened."""
        loop = asyncio.get_running_loop()
        until, pause = loop.time() + self._within.protecting_s, self._within.backoff_s
        while True:
            out = await self.close(position, base_id)
            if out.flat or loop.time() + pause >= until:
                return False, out.text
            await asyncio.sleep(pause)
            pause = min(pause * 2, _PAUSE_S)
            if (await self._guard.ensure(position, "stop", level, base_id)).is_active:
                await self._unprotected.unmark(position.symbol, f"the stop at {level:f} is in place")
                return True, f"it is in place now, after the position could not be closed ({out.text})"

    async def close(self, position: Position, base_id: str) -> CloseOutcome:
        """Close a position that must not stay, whatever is left of it. Reduce-only, under ids of its own: two that do so do it once."""
        text = "it stays"
        for number in range(_EXITS):
            try:
                client_id = f"{base_id}-x{number or ''}"
                known = await self._sender.find(client_id, position.symbol)
                if known is not None and known.state == "open":  # another process is about it
                    await self._sender.followed(known, position.symbol, keep=True)
                elif known is None:
                    text = await self._exit(position, client_id)
                venue_position = await self._state.venue_position(position.symbol)
            except BrokerError as problem:
                return CloseOutcome(flat=False, text=f"IT MAY HAVE NO STOP: closing it again went wrong ({problem})")
            if venue_position is None or venue_position.position.side != position.side:
                await self._gone(position.symbol)
                return CloseOutcome(flat=True, text=text if text.startswith("the position was") else "the position is gone already")
            position = venue_position.position
            if known is None and not text.startswith("the position was"):
                return CloseOutcome(flat=False, text=f"IT HAS NO STOP: it could not be closed again ({text})")
        return CloseOutcome(flat=False, text=f"IT HAS NO STOP: {position.size:f} is left of it after {_EXITS} orders to close it")

    async def _exit(self, position: Position, client_id: str) -> str:
        amount = exact_amount(self._client, position.symbol, position.size)
        params = {"clientOrderId": client_id, "reduceOnly": True}
        report = await self._sender.send(Ticket(position.symbol, "market", closing_side(position), amount, None, params), client_id)
        return f"the position was closed again at {report.price:f}" if report.filled > 0 else report.why or report.state

    async def _gone(self, symbol: str) -> None:
        await self._unprotected.unmark(symbol, "the position is closed")
        with suppress(BrokerError):  # what cannot be cancelled now is cancelled when the account is put in order
            await self._guard.clear(symbol)

    async def _left(self, order: Order, report: OrderReport) -> Position | None:
        """Return the position after a fill, None = flat. An entry whose position cannot be read counts as what was filled, so that it gets
        its stop all the same."""
        try:
            venue_position = await self._state.venue_position(order.symbol)
        except BrokerError:
            if order.reduce_only:
                raise
            return opened(order, report)
        return venue_position.position if venue_position else None

    async def _levels(self, order: Order, position: Position) -> Levels:
        """Return the levels to place, the stop first: what the order asks for; else those of open orders of ours that no longer close all
        of the position."""
        asked: dict[Kind, Decimal | None] = {"stop": order.stop, "target": order.target}
        levels: Levels = {kind: level for kind, level in asked.items() if level is not None}
        open_orders: tuple[Conditional, ...] = ()
        with suppress(BrokerError):  # what is asked for is placed even if what stands cannot be read
            open_orders = await self._guard.open_conditionals(order.symbol) if len(levels) < len(asked) else ()
        for each in open_orders:
            is_short = each.side == closing_side(position) and not each.covers(position)
            if each.kind is not None and each.kind not in levels and is_short and await self._guard.is_ours(each.client_id):
                levels[each.kind] = each.trigger
        return dict(sorted(levels.items()))


def opened(order: Order, report: OrderReport) -> Position:
    """Return the position that a fill opens in a flat market."""
    assert report.price is not None
    return Position(symbol=order.symbol, side="long" if order.side == "buy" else "short", size=report.filled, entry_price=report.price)


def is_made_by(position: Position, order: Order, report: OrderReport) -> bool:
    """Return whether a position can be what a fill opened in a flat market."""
    return closing_side(position) != order.side and position.size <= report.filled


class LevelChanger:
    """Over an account and its guard. signed_levels_of: see `AccountRecords`."""

    def __init__(
        self,
        wire: SignedWire,
        state: ExchangeAccount,
        guard: Guard,
        unprotected: UnprotectedPositions,
        clock: Callable[[], datetime],
        signed_levels_of: Callable[[str], Awaitable[SignedLevels | None]],
    ) -> None:
        self._client, self._state, self._guard, self._unprotected, self._clock = wire.client, state, guard, unprotected, clock
        self._signed_levels_of = signed_levels_of

    async def change(self, order: Order, before_send: PreSendCheck | None) -> OrderReport:
        """Make an order's levels those of its position. Returns a report that says `filled` or `refused`. Raises BrokerError before
        anything was sent, OrderUnknown when it may be done in part."""
        asked: dict[Kind, Decimal | None] = {"stop": order.stop, "target": order.target}  # the stop first
        levels: Levels = {kind: level for kind, level in asked.items() if level is not None}
        for level in levels.values():
            exact_price(self._client, order.symbol, level)  # the venue would not take it: raises before anything is asked
        await self._guard.open_conditionals(order.symbol)  # where they cannot be listed, nobody could say whether a stop stands
        held = await self._state.venue_position(order.symbol)
        if held is None or closing_side(held.position) != order.side:
            return self._report(order, "refused", _NOTHING_HELD)
        if before_send is not None:
            await before_send()
        return await self._placed(order, held.position, levels)

    async def _placed(self, order: Order, position: Position, levels: Levels) -> OrderReport:
        placed: list[Kind] = []
        troubles = []
        for kind, level in levels.items():
            status = await self._guard.ensure(position, kind, level, order.client_id)
            if status.is_active and status.why:
                raise OrderUnknown(f"the {kind} stands at {level:f}, and {status.why}")
            if status.is_active:
                placed.append(kind)
                continue
            trouble = f"the {kind} at {level:f} could not be placed ({status.why})"
            if not placed:
                return await self._not_placed(order, position, kind, trouble, status)
            troubles.append(trouble)
        if "stop" in placed:
            await self._unprotected.unmark(order.symbol, "it has a stop")
        return self._report(order, "filled", "; ".join(troubles), protected=True if "stop" in placed else None)

    async def _not_placed(self, order: Order, position: Position, kind: Kind, trouble: str, status: ProtectionStatus) -> OrderReport:
        """Return a refusal where nothing of the order stands at the venue. Raises OrderUnknown where something does, or may."""
        try:
            left = [each for each in await self._guard.open_conditionals(order.symbol) if base_of(each.client_id) == order.client_id]
        except BrokerError as problem:
            raise OrderUnknown(f"{trouble}, and it cannot be read back: {problem}") from problem
        if left:
            raise OrderUnknown(f"{trouble}, and is done in part")
        if kind == "stop" and status.is_unprotected:  # what stood is gone by another hand: whoever watches places the signed one again
            await self._unprotected.mark(position.symbol, trouble)
        return self._report(order, "refused", f"{trouble}; what stood before stays")

    async def restore(self, symbol: str) -> None:
        """Make the signed levels the only ones of ours. Raises BrokerError when the stop cannot be."""
        signed, held = await self._signed_levels_of(symbol), await self._state.venue_position(symbol)
        if signed is None or held is None:
            return
        asked: dict[Kind, Decimal | None] = {"target": signed.target, "stop": signed.stop}
        for kind, level in asked.items():
            if level is not None:
                status = await self._guard.ensure(held.position, kind, level, signed.client_id)
                if not status.is_active and kind == "stop":
                    raise BrokerError(f"the stop at {level:f} of {symbol} could not be put back: {status.why}")

    def _report(self, order: Order, state: OrderState, why: str, *, protected: bool | None = None) -> OrderReport:
        return OrderReport(client_id=order.client_id, state=state, at=self._clock(), protected=protected, why=why or None)
