"""Changing the stop and the target of a position at a venue, and taking an unfinished change back.

conditional orders can be listed, the position is there, it may still leave
    -> the new stop is placed, read back, then the old one is cancelled (`exchange_guard`)      -> the target likewise
    -> refused, and what stood is untouched                                                      refused
    -> nobody can say which of both stands: OrderUnknown. It is never without a stop; asked again, it is finished.

Sent again it places nothing twice: protective orders are named after the order that asked for them.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime
from decimal import Decimal
from typing import Final

from engine.domain.errors import BrokerError, OrderUnknown
from engine.domain.orders import Order, OrderReport, OrderState, Position
from engine.trading.exchange_account import ExchangeAccount
from engine.trading.exchange_guard import Guard, ProtectionStatus
from engine.trading.exchange_orders import Kind, base_of, closing_side, exact_price
from engine.trading.exchange_protect import Levels, UnprotectedPositions
from engine.trading.exchange_records import SignedLevels
from engine.trading.protocol import PreSendCheck
from engine.venue.signed import SignedWire

_NO_POSITION: Final = "there is no position it could protect"


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
            return self._report(order, "refused", _NO_POSITION)
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
