"""Putting an account in order after a crash, and every few seconds besides.

    a position of ours without its stop    the stop is placed again; if the price is beyond it already, the position is closed in its place.
                                           A stop that is refused, and read back as missing for `UNPROTECTED_LIMIT_S`: the position is
                                           closed; refused too: again at every maintenance
    an entry that is filled while its      its own stop is placed, under the name that the silent process would give it, once that has
    process is silent (suspended)          been so for `SILENT_LIMIT_S`
    our stop or target, and no position    cancelled
    a stranger's position or order         listed, never touched

Orders are read before positions: a protective order seen first, and no position afterwards, is really left over.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from engine.domain.errors import BrokerError, StoreError
from engine.domain.orders import Order, OrderReport, Position
from engine.trading.exchange_account import ExchangeAccount
from engine.trading.exchange_guard import Guard, ProtectionStatus
from engine.trading.exchange_orders import Conditional, Kind, base_of, stopped_at
from engine.trading.exchange_protect import Protector, UnprotectedPositions, is_made_by
from engine.trading.exchange_records import SignedLevels

UNPROTECTED_LIMIT_S: Final = 30.0
"""How long a position of ours may stand without a stop, by what was read back, before it is closed."""

SILENT_LIMIT_S: Final = 5.0
"""How long the process of an entry may leave the position without a stop before it counts as suspended."""

_AGAIN_S: Final = (1.0, 2.0)  # within one round a refused closing order is sent again after so long; then the next round comes


@dataclass(frozen=True)
class AccountScan:
    """An account as it was read. orders: conditional ones. positions: by market. resting: orders that are not conditional, see
    `ExchangeAccount.resting`."""

    orders: tuple[Conditional, ...]
    positions: Mapping[str, Position]
    resting: tuple[tuple[str, str, str], ...]


class Reconciler:
    """Over an account, its guard and its protector. signed_levels_of, under_way: see `AccountRecords`. sent_entry: likewise, with what the
    venue says of that order."""

    def __init__(
        self,
        account: ExchangeAccount,
        guard: Guard,
        protector: Protector,
        unprotected: UnprotectedPositions,
        clock: Callable[[], datetime],
        signed_levels_of: Callable[[str], Awaitable[SignedLevels | None]],
        under_way: Callable[[str], Awaitable[bool]],
        sent_entry: Callable[[str], Awaitable[tuple[Order, OrderReport | None] | None]],
    ) -> None:
        self._account, self._guard, self._protector, self._unprotected, self._clock = account, guard, protector, unprotected, clock
        self._signed_levels_of, self._under_way, self._sent_entry = signed_levels_of, under_way, sent_entry
        self._bare_since: dict[str, float] = {}  # by market: when the position of an entry under way was first read without a stop
        self.look_again_s = 0.0

    async def read(self) -> AccountScan:
        """Return the orders and positions of the account. Where conditional orders cannot be listed, signed stops are placed and the
        BrokerError is raised."""
        try:
            orders = await self._guard.open_conditionals()
        except BrokerError:
            await self._place_stops_blindly()
            raise
        positions = {each.position.symbol: each.position for each in await self._account.venue_positions()}
        return AccountScan(orders, positions, await self._account.resting())

    async def put_in_order(self, found: AccountScan, latest: Mapping[str, str]) -> tuple[str, ...]:
        """Return what was found, a line each; nothing when all is in order. Raises BrokerError and StoreError.

        latest: by market, the last order of this process that set levels. Where the journal does not know of it yet, its levels stay.
        Afterwards `look_again_s` says when an entry of a process that may be suspended has to be looked at again, 0 = there is none.
        """
        orders, positions, self.look_again_s = found.orders, found.positions, 0.0
        lines = await self._strangers_and_leftovers(found)
        for symbol in sorted(await self._unprotected.symbols() - set(positions)):
            if await self._unprotected.unmark(symbol, "the position is gone"):
                lines.append(f"{symbol}: the position without a stop is gone")
        problems: list[BrokerError | StoreError] = []
        for position in positions.values():
            try:
                lines += await self._maintain(position, orders, latest)
            except (BrokerError, StoreError) as problem:  # every position has its turn
                problems.append(problem)
        if problems:
            raise problems[0]
        return tuple(lines)

    async def _strangers_and_leftovers(self, found: AccountScan) -> list[str]:
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

    async def _place_stops_blindly(self) -> None:
        """Place the signed stops even where open orders cannot be listed: their ids are fixed, so that each is placed once."""
        for each in await self._account.venue_positions():
            signed = await self._signed_levels_of(each.position.symbol)
            if signed is not None and signed.stop is not None:
                await self._guard.ensure(each.position, "stop", signed.stop, signed.client_id)

    async def _maintain(self, position: Position, orders: tuple[Conditional, ...], latest: Mapping[str, str]) -> list[str]:
        symbol, signed = position.symbol, await self._signed_levels_of(position.symbol)
        if signed is not None:
            newer = latest.get(symbol, signed.client_id)
            return await self._protected(position, signed, orders, newer if newer != signed.client_id else None)
        if await self._under_way(symbol):  # a process is between its order and its stop, or it is not known yet whose position it is
            return await self._of_silent_process(position, orders)
        if stopped_at(position, orders) is None and position.stop is None:
            await self._unprotected.mark(symbol, "a position that is not ours: left alone")
        else:
            await self._unprotected.unmark(symbol, "it has a stop")
        return [f"{symbol}: a {position.side} position of {position.size:f} is not ours: left alone"]

    async def _of_silent_process(self, position: Position, orders: tuple[Conditional, ...]) -> list[str]:
        """Place the stop of an entry under way whose process has left its position without one for `SILENT_LIMIT_S`. The journal has its
        name and its level; when that process goes on, it finds its own stop in place. What need not be this entry's is left alone."""
        symbol, sent = position.symbol, await self._sent_entry(position.symbol)
        if sent is None or sent[0].stop is None or not sent[0].opens or stopped_at(position, orders) is not None:
            self._bare_since.pop(symbol, None)
            return []
        left_s = self._bare_since.setdefault(symbol, time.monotonic()) + SILENT_LIMIT_S - time.monotonic()
        if left_s > 0:
            self.look_again_s = max(self.look_again_s, left_s)
            return []
        order, report = sent
        await self._unprotected.mark(symbol, f"order {order.client_id} is filled, and the process that sent it has placed no stop")
        if report is None or not is_made_by(position, order, report):
            return [f"{symbol}: NO STOP: a {position.side} position of {position.size:f} is not what {order.client_id} made: left alone"]
        return await self._protected(position, SignedLevels(order.client_id, order.stop, None), orders, None)

    async def _protected(
        self, position: Position, signed: SignedLevels, orders: tuple[Conditional, ...], newer_id: str | None
    ) -> list[str]:
        lines = []
        levels: tuple[tuple[Kind, Decimal | None], ...] = (("stop", signed.stop), ("target", signed.target))
        if signed.stop is None and stopped_at(position, orders) is None and position.stop is None:
            return await self._without_stop(position, signed, "no stop was ever signed for it", would_trigger=False)
        for kind, level in levels:
            open_orders = [each for each in orders if each.symbol == position.symbol and each.kind == kind and each.covers(position)]
            if level is None or any(each.trigger == level or base_of(each.client_id) == newer_id for each in open_orders):
                if kind == "stop" and await self._unprotected.unmark(position.symbol, "it has a stop"):
                    lines.append(f"{position.symbol}: the stop is in place again")
                continue
            if open_orders and await self._is_changing(position.symbol, signed, open_orders):
                continue
            before = f"was at {open_orders[0].trigger:f}" if open_orders else "was missing"
            status = await self._guard.ensure(position, kind, level, signed.client_id)
            if status.is_active:
                lines.append(f"{position.symbol}: the {kind} {before}: placed at {level:f}")
                if kind == "stop":
                    await self._unprotected.unmark(position.symbol, f"the stop is in place at {level:f}")
            elif kind == "stop" and status.is_unprotected:
                return [
                    *lines,
                    *await self._without_stop(position, signed, _why(level, before, status), would_trigger=status.would_trigger),
                ]
            else:
                lines.append(f"{position.symbol}: the {kind} {before} and could not be placed at {level:f}: {status.why}")
        return lines

    async def _is_changing(self, symbol: str, signed: SignedLevels, open_orders: list[Conditional]) -> bool:
        """Return whether another process is changing the levels of a position, all of which an order of ours closes meanwhile: what was
        read may be the new level before it is known, or the old one of what has just been signed."""
        ours = [each for each in open_orders if await self._guard.is_ours(each.client_id)]
        return bool(ours) and (await self._under_way(symbol) or await self._signed_levels_of(symbol) != signed)

    async def _without_stop(self, position: Position, signed: SignedLevels, why: str, *, would_trigger: bool) -> list[str]:
        """Close a position of ours that was read back without a stop, once that has lasted `UNPROTECTED_LIMIT_S`.

        would_trigger: it is closed at once. Returns what came of it, a line each.
        """
        since = await self._unprotected.mark(position.symbol, why)
        age = self._clock() - since
        if not would_trigger and age < timedelta(seconds=UNPROTECTED_LIMIT_S):
            return [f"{position.symbol}: NO STOP for {age.total_seconds():.0f} s: {why}; closed after {UNPROTECTED_LIMIT_S:.0f} s"]
        out = await self._protector.close(position, signed.client_id)
        for pause_s in _AGAIN_S:
            if out.flat:
                break
            await asyncio.sleep(pause_s)
            out = await self._protector.close(position, signed.client_id)
        return [f"{position.symbol}: {why}: {out.text}"]


def _why(level: Decimal, before: str, status: ProtectionStatus) -> str:
    if status.would_trigger:
        return f"the price is beyond the stop {level:f}, which {before}"
    return f"the stop {before} and could not be placed at {level:f}: {status.why}"


def _name(order: Conditional) -> str:
    return order.client_id or order.venue_id
