"""Putting an account in order after a crash, and every few seconds besides.

    a position of ours without its stop    the stop is placed again; if the price is beyond it already, the position is closed in its place.
                                           A stop that is refused, and read back as missing for `UNPROTECTED_LIMIT_S`: the position is
                                           closed; refused too: again at every maintenance
    an entry that is filled while its      its own stop is placed, under the name that the silent process would give it, once that has
    process is silent (suspended)          been so for `SILENT_LIMIT_S`
    ours is gone, another one is held      written down, with an alert; our stop and target are cancelled, theirs is listed
    ours and a stranger's in one           ours has a stop of its size, and no more than it is ever closed
    no one can say whose it is             listed, with an alert; nothing is placed or closed beyond what surely is ours
    our stop or target, and no position    cancelled
    a stranger's position or order         listed, never touched

Orders are read before positions: a protective order seen first, and no position afterwards, is really left over.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from engine.brokers.ccxt.account import ExchangeAccount
from engine.brokers.ccxt.guard import Guard, ProtectionStatus
from engine.brokers.ccxt.orders import Conditional, Kind, base_of, stopped_at
from engine.brokers.ccxt.ownership_reader import Owned, OwnershipReader
from engine.brokers.ccxt.protect import Protector, UnprotectedPositions
from engine.domain.errors import BrokerError, StoreError
from engine.domain.orders import Order, OrderReport, Position
from engine.domain.text.reason import Reason
from engine.trading.history.ownership import OwnClaim, Ownership, SignedLevels

UNPROTECTED_LIMIT_S: Final = 30.0
"""How long a position of ours may be without a stop, by what was read back, before it is closed."""

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
    """Over an account, its guard and its protector. owner: says whose a position is. gone, under_way: see `AccountRecords`. sent_entry:
    likewise, with what the venue says of that order."""

    def __init__(
        self,
        account: ExchangeAccount,
        guard: Guard,
        protector: Protector,
        unprotected: UnprotectedPositions,
        owner: OwnershipReader,
        gone: Callable[[str, OwnClaim, Ownership], None],
        under_way: Callable[[str], Awaitable[bool]],
        sent_entry: Callable[[str], Awaitable[tuple[Order, OrderReport | None] | None]],
    ) -> None:
        self._account, self._guard, self._protector, self._unprotected = account, guard, protector, unprotected
        self._owner, self._gone, self._under_way, self._sent_entry = owner, gone, under_way, sent_entry
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
        Afterwards `look_again_s` says when an entry of a process that may be suspended has to be looked at again, 0 = none.
        """
        orders, positions, self.look_again_s = found.orders, found.positions, 0.0
        lines = await self._strangers_and_leftovers(found)
        for symbol in sorted(await self._unprotected.symbols() - set(positions)):
            if await self._unprotected.unmark(symbol, "the position is gone"):
                lines.append(Reason("unprotected_position_is_gone", symbol=symbol))
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
        lines: list[str] = []
        for each in found.orders:
            if not await self._guard.is_ours(each.client_id):
                lines.append(Reason("order_is_not_ours", symbol=each.symbol, name=_name(each)))
            elif each.symbol not in found.positions and each.kind is not None:
                lines.append(await self._cancelled(each))
        seen = {each.venue_id for each in found.orders}
        for symbol, client_id, venue_id in found.resting:
            if venue_id not in seen and not await self._guard.is_ours(client_id):
                lines.append(Reason("order_is_not_ours", symbol=symbol, name=client_id or venue_id))
        return lines

    async def _cancelled(self, order: Conditional) -> str:
        try:
            await self._guard.cancel(order)
        except BrokerError as problem:
            return Reason("leftover_was_not_cancelled", symbol=order.symbol, kind=order.kind, name=_name(order), problem=problem)
        level = f"{order.trigger:f}"
        return Reason("leftover_was_cancelled", symbol=order.symbol, kind=order.kind, name=_name(order), level=level)

    async def _place_stops_blindly(self) -> None:
        """Place the signed stops even where open orders cannot be listed: their ids are fixed, so that each is placed once."""
        for each in await self._account.venue_positions():
            owned = await self._owner.read(each.position.symbol, each.position, ())
            if owned.claim is not None and owned.ours is not None and (stop := owned.claim.levels.stop) is not None:
                await self._guard.ensure(owned.ours, "stop", stop, owned.claim.levels.client_id, alone=owned.whose.is_alone)

    async def _maintain(self, position: Position, orders: tuple[Conditional, ...], latest: Mapping[str, str]) -> list[str]:
        symbol = position.symbol
        owned = await self._owner.read(symbol, position, orders)
        claim, whose = owned.claim, owned.whose
        if not whose.is_alone and await self._under_way(symbol):
            return await self._of_silent_process(position, orders)  # a process is between its order and its stop, or it is not known yet
        if claim is None:
            return [*await self._leftovers(symbol, orders), *await self._stranger(position, orders)]
        if whose.gone:
            with suppress(StoreError):  # it is found again at the next look
                await asyncio.to_thread(self._gone, symbol, claim, whose)
            line = Reason("our_position_is_gone", symbol=symbol, size=f"{claim.size:f}", why=whose.gone)
            return [line, *await self._leftovers(symbol, orders), *await self._stranger(position, orders)]
        lines = []
        if owned.ours is not None:
            newer = latest.get(symbol, claim.levels.client_id)
            lines = await self._protected(owned, owned.ours, orders, newer if newer != claim.levels.client_id else None)
        if whose.unknown:
            await self._unprotected.mark(symbol, Reason("owner_is_not_known", why=whose.unknown))
            held = {"symbol": symbol, "side": position.side, "size": f"{position.size:f}"}
            return [*lines, Reason("owner_of_position_is_not_known", why=whose.unknown, **held)]
        if whose.theirs > 0:
            held = {"symbol": symbol, "side": position.side, "size": f"{position.size:f}"}
            lines.append(Reason("part_is_not_ours", theirs=f"{whose.theirs:f}", **held))
        return lines

    async def _leftovers(self, symbol: str, orders: tuple[Conditional, ...]) -> list[str]:
        """Cancel what is left of ours in a market where someone else's position is held."""
        ours = [each for each in orders if each.symbol == symbol and each.kind is not None and await self._guard.is_ours(each.client_id)]
        return [await self._cancelled(each) for each in ours]

    async def _stranger(self, position: Position, orders: tuple[Conditional, ...]) -> list[str]:
        symbol = position.symbol
        theirs = tuple([each for each in orders if not await self._guard.is_ours(each.client_id)])
        if stopped_at(position, theirs) is None and position.stop is None:
            await self._unprotected.mark(symbol, Reason("not_ours"))
        else:
            await self._unprotected.unmark(symbol, "it has a stop")
        return [Reason("position_is_not_ours", symbol=symbol, side=position.side, size=f"{position.size:f}")]

    async def _of_silent_process(self, position: Position, orders: tuple[Conditional, ...]) -> list[str]:
        """Place the stop of an entry under way whose process has left its position without one for `SILENT_LIMIT_S`. The journal has its
        name and its level; when that process goes on, it finds its own stop in place. What is not this entry's is left alone."""
        symbol = position.symbol
        entry, report = await self._sent_entry(symbol) or (None, None)
        if entry is None or report is None:
            return []
        owned = await self._owner.read_sent(entry, report, position, orders)
        claim, entered, alone = owned.claim, owned.ours, owned.whose.is_alone
        ours = [each for each in orders if claim is not None and base_of(each.client_id) in claim.orders and each.kind == "stop"]
        is_protected = entered is not None and any(each.covers(entered) if alone else each.fits(entered, alone=False) for each in ours)
        if claim is None or claim.levels.stop is None or entered is None or is_protected:  # while it is filled, by the stop of all of it
            self._bare_since.pop(symbol, None)
            return []
        left_s = self._bare_since.setdefault(symbol, time.monotonic()) + SILENT_LIMIT_S - time.monotonic()
        if left_s > 0:
            self.look_again_s = max(self.look_again_s, left_s)
            return []
        await self._unprotected.mark(symbol, Reason("sender_placed_no_stop", client_id=entry.client_id))
        return await self._protected(owned, entered, orders, None)

    async def _protected(self, owned: Owned, position: Position, orders: tuple[Conditional, ...], newer_id: str | None) -> list[str]:
        """Keep our part of a position at its levels. Returns what was found, a line each."""
        assert owned.claim is not None
        lines: list[str] = []
        signed, alone = owned.claim.levels, owned.whose.is_alone
        levels: tuple[tuple[Kind, Decimal | None], ...] = (("stop", signed.stop), ("target", signed.target))
        if signed.stop is None and stopped_at(position, orders) is None and position.stop is None:
            return await self._without_stop(owned, position, Reason("no_stop_was_signed"), would_trigger=False)
        for kind, level in levels:
            closing = [each for each in orders if each.symbol == position.symbol and each.kind == kind and each.covers(position)]
            open_orders = [each for each in closing if each.fits(position, alone=alone)]
            if level is None or any(each.trigger == level or base_of(each.client_id) == newer_id for each in open_orders):
                if kind == "stop" and await self._unprotected.unmark(position.symbol, "it has a stop"):
                    lines.append(Reason("stop_is_back", symbol=position.symbol))
                if not alone:
                    await self._cancel_wider(position, closing, open_orders)
                continue
            if open_orders and await self._is_changing(position.symbol, signed, open_orders):
                continue
            before = Reason("level_was_at", level=f"{closing[0].trigger:f}") if closing else Reason("level_was_missing")
            status = await self._guard.ensure(position, kind, level, signed.client_id, alone=alone)
            if status.is_active:
                placed = {"symbol": position.symbol, "kind": kind, "before": before, "level": f"{level:f}"}
                line = Reason("level_was_placed", **placed)
                lines.append(line if alone else Reason("level_was_placed_for_part", size=f"{position.size:f}", **placed))
                if kind == "stop":
                    await self._unprotected.unmark(position.symbol, f"the stop is in place at {level:f}")
            elif kind == "stop" and status.is_unprotected:
                why = _why(level, before, status)
                return [*lines, *await self._without_stop(owned, position, why, would_trigger=status.would_trigger)]
            else:
                missed = {"symbol": position.symbol, "kind": kind, "level": f"{level:f}"}
                lines.append(Reason("level_was_not_placed", before=before, why=status.why, **missed))
        return lines

    async def _cancel_wider(self, position: Position, closing: list[Conditional], fitting: list[Conditional]) -> None:
        """Cancel orders of ours that would close more than our part, where one of its size is in place. Raises BrokerError."""
        for each in closing:
            if each not in fitting and not each.fits(position, alone=False) and await self._guard.is_ours(each.client_id):
                await self._guard.cancel(each)

    async def _is_changing(self, symbol: str, signed: SignedLevels, open_orders: list[Conditional]) -> bool:
        """Return whether another process is changing the levels of a position, all of which an order of ours closes meanwhile: what was
        read may be the new level before it is known, or the old one of what has just been signed."""
        ours = [each for each in open_orders if await self._guard.is_ours(each.client_id)]
        return bool(ours) and (await self._under_way(symbol) or await self._signed(symbol) != signed)

    async def _signed(self, symbol: str) -> SignedLevels | None:
        claim = await self._owner.claim(symbol)
        return claim.levels if claim is not None else None

    async def _without_stop(self, owned: Owned, position: Position, why: str, *, would_trigger: bool) -> list[str]:
        """Close our position that was read back without a stop, once that has lasted `UNPROTECTED_LIMIT_S`.

        would_trigger: it is closed at once. Returns what came of it, a line each.
        """
        assert owned.claim is not None
        base_id = owned.claim.levels.client_id
        age_s = await self._unprotected.mark(position.symbol, why)
        if not would_trigger and age_s < UNPROTECTED_LIMIT_S:
            bare = {"symbol": position.symbol, "age": f"{age_s:.0f}", "limit": f"{UNPROTECTED_LIMIT_S:.0f}"}
            return [Reason("no_stop_for", why=why, **bare)]
        out = await self._protector.close(position, base_id, owned.counted)
        for pause_s in _AGAIN_S:
            if out.flat:
                break
            await asyncio.sleep(pause_s)
            out = await self._protector.close(position.model_copy(update={"size": out.left}), base_id, out.counted)
        return [Reason("unprotected_position_was_closed", symbol=position.symbol, why=why, outcome=out.text)]


def _why(level: Decimal, before: str, status: ProtectionStatus) -> str:
    if status.would_trigger:
        return Reason("price_is_beyond_stop", level=f"{level:f}", before=before)
    return Reason("stop_was_not_placed", level=f"{level:f}", before=before, why=status.why)


def _name(order: Conditional) -> str:
    return order.client_id or order.venue_id
