"""Putting an account in order after a crash, and every few seconds besides.

    a position of ours without its stop    the stop is placed again; if the price is beyond it already, the position is closed in its place.
                                           A stop that is refused, and read back as missing for `BARE_S`: the position is closed; refused
                                           too: again at every look
    our stop or target, and no position    cancelled
    a stranger's position or order         told of, never touched

Orders are read before positions: a protective order seen first, and no position afterwards, is really left over.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from engine.domain.errors import BrokerError
from engine.domain.orders import Position
from engine.trading.exchange_account import Account
from engine.trading.exchange_guard import Guard, ProtectionStatus
from engine.trading.exchange_memory import Wanted
from engine.trading.exchange_orders import Conditional, Kind, base_of, stopped_at
from engine.trading.exchange_protect import Bare, Protector

BARE_S: Final = 30.0
"""How long a position of ours may stand without a stop, by what was read back, before it is closed."""


_AGAIN_S: Final = (1.0, 2.0)  # within one look a refused closing order is sent again after so long; then the next look comes


@dataclass(frozen=True)
class Found:
    """An account as it was read. positions: by market. resting: orders that are not conditional, see `Account.resting`."""

    orders: tuple[Conditional, ...]
    positions: Mapping[str, Position]
    resting: tuple[tuple[str, str, str], ...]


class Reconciler:
    """Over an account, its guard and its protector. wanted_of, under_way: see `Memory`."""

    def __init__(
        self,
        account: Account,
        guard: Guard,
        protector: Protector,
        bare: Bare,
        clock: Callable[[], datetime],
        wanted_of: Callable[[str], Awaitable[Wanted | None]],
        under_way: Callable[[str], Awaitable[bool]],
    ) -> None:
        self._account, self._guard, self._protector, self._bare, self._clock = account, guard, protector, bare, clock
        self._wanted_of, self._under_way = wanted_of, under_way

    async def read(self) -> Found:
        """Return how the account stands; nothing is changed by it, but where conditional orders cannot be listed. Raises BrokerError."""
        try:
            orders = await self._guard.standing()
        except BrokerError:
            await self._blindly()
            raise
        positions = {stand.position.symbol: stand.position for stand in await self._account.stands()}
        return Found(orders, positions, await self._account.resting())

    async def put_in_order(self, found: Found, latest: Mapping[str, str]) -> tuple[str, ...]:
        """Return what was found, a line each; nothing when all is in order. Raises BrokerError and StoreError.

        latest: by market, the last order of this process that set levels. Where the journal does not know of it yet, its levels stay.
        """
        orders, positions = found.orders, found.positions
        lines = await self._strangers_and_leftovers(found)
        for symbol in sorted(await self._bare.symbols() - set(positions)):
            if await self._bare.over(symbol, "the position is gone"):
                lines.append(f"{symbol}: the position that stood without a stop is gone")
        for position in positions.values():
            lines += await self._look_after(position, orders, latest)
        return tuple(lines)

    async def _strangers_and_leftovers(self, found: Found) -> list[str]:
        lines = []
        for each in found.orders:
            if not await self._guard.is_ours(each.client_id):
                lines.append(f"{each.symbol}: conditional order {_name(each)} is not ours: left alone")
            elif each.symbol not in found.positions and each.kind is not None:
                lines.append(await self._cancelled(each))
        seen = {each.venue_id for each in found.orders}
        for symbol, client_id, venue_id in found.resting:
            if venue_id not in seen and not await self._guard.is_ours(client_id):
                lines.append(f"{symbol}: order {client_id or venue_id} is not ours: left alone")
        return lines

    async def _cancelled(self, order: Conditional) -> str:
        try:
            await self._guard.cancel(order)
        except BrokerError as problem:
            return f"{order.symbol}: {order.kind} {_name(order)} has no position and could not be cancelled: {problem}"
        return f"{order.symbol}: {order.kind} {_name(order)} at {order.trigger:f} had no position: cancelled"

    async def _blindly(self) -> None:
        """Stops of ours are placed even where nobody can say which ones stand: their ids are fixed, so that they stand once."""
        for stand in await self._account.stands():
            wanted = await self._wanted_of(stand.position.symbol)
            if wanted is not None and wanted.stop is not None:
                await self._guard.ensure(stand.position, "stop", wanted.stop, wanted.client_id)

    async def _look_after(self, position: Position, orders: tuple[Conditional, ...], latest: Mapping[str, str]) -> list[str]:
        symbol, wanted = position.symbol, await self._wanted_of(position.symbol)
        if wanted is not None:
            newer = latest.get(symbol, wanted.client_id)
            return await self._protected(position, wanted, orders, newer if newer != wanted.client_id else None)
        if await self._under_way(symbol):  # a process that lives is between its order and its stop, or nobody knows yet whose it is
            return []
        if stopped_at(position, orders) is None and position.stop is None:
            await self._bare.seen(symbol, "a position that is not ours: left alone")
        else:
            await self._bare.over(symbol, "it has a stop")
        return [f"{symbol}: a {position.side} position of {position.size:f} is not ours: left alone"]

    async def _protected(self, position: Position, wanted: Wanted, orders: tuple[Conditional, ...], settled: str | None) -> list[str]:
        lines = []
        levels: tuple[tuple[Kind, Decimal | None], ...] = (("stop", wanted.stop), ("target", wanted.target))
        if wanted.stop is None and stopped_at(position, orders) is None and position.stop is None:
            return await self._without(position, wanted, "no stop was ever signed for it", at_once=False)
        for kind, level in levels:
            standing = [each for each in orders if each.symbol == position.symbol and each.kind == kind and each.covers(position)]
            if level is None or any(each.trigger == level or base_of(each.client_id) == settled for each in standing):
                if kind == "stop" and await self._bare.over(position.symbol, "it has a stop"):
                    lines.append(f"{position.symbol}: the stop stands again")
                continue
            before = f"stood at {standing[0].trigger:f}" if standing else "was missing"
            stood = await self._guard.ensure(position, kind, level, wanted.client_id)
            if stood.stands:
                lines.append(f"{position.symbol}: the {kind} {before}: placed at {level:f}")
                if kind == "stop":
                    await self._bare.over(position.symbol, f"the stop stands at {level:f}")
            elif kind == "stop" and stood.bare:
                return [*lines, *await self._without(position, wanted, _why(level, before, stood), at_once=stood.at_once)]
            else:
                lines.append(f"{position.symbol}: the {kind} {before} and could not be placed at {level:f}: {stood.why}")
        return lines

    async def _without(self, position: Position, wanted: Wanted, why: str, *, at_once: bool) -> list[str]:
        """Return a position of ours that has no stop, by what was read back: it may stand so for `BARE_S`, and then not any longer."""
        since = await self._bare.seen(position.symbol, why)
        age = self._clock() - since
        if not at_once and age < timedelta(seconds=BARE_S):
            return [f"{position.symbol}: NO STOP for {age.total_seconds():.0f} s: {why}; closed after {BARE_S:.0f} s"]
        out = await self._protector.close(position, wanted.client_id)
        for pause_s in _AGAIN_S:
            if out.flat:
                break
            await asyncio.sleep(pause_s)
            out = await self._protector.close(position, wanted.client_id)
        return [f"{position.symbol}: {why}: {out.words}"]


def _why(level: Decimal, before: str, stood: ProtectionStatus) -> str:
    if stood.at_once:
        return f"the price is beyond the stop {level:f}, which {before}"
    return f"the stop {before} and could not be placed at {level:f}: {stood.why}"


def _name(order: Conditional) -> str:
    return order.client_id or order.venue_id
