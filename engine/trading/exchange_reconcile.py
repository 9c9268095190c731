"""Putting an account in order after a crash, and every minute besides.

    a position of ours without its stop    the stop is placed again; if the price is beyond it already, the position is closed in its place
    our stop or target, and no position    cancelled
    a stranger's position or order         told of, never touched

Orders are read before positions: a protective order seen first, and no position afterwards, is really left over.
"""

from collections.abc import Awaitable, Callable, Mapping
from decimal import Decimal

from engine.domain.errors import BrokerError
from engine.domain.orders import Position
from engine.trading.exchange_account import Account
from engine.trading.exchange_guard import Guard
from engine.trading.exchange_memory import Wanted
from engine.trading.exchange_orders import Conditional, Kind, base_of

CloseAgain = Callable[[Position, str], Awaitable[str]]
WantedOf = Callable[[str], Awaitable[Wanted | None]]


async def put_in_order(
    account: Account,
    guard: Guard,
    wanted_of: WantedOf,
    is_ours: Callable[[str], Awaitable[bool]],
    close_again: CloseAgain,
    latest: Mapping[str, str],
) -> tuple[str, ...]:
    """What was found, a line each; nothing when all is in order. Raises BrokerError when the account cannot be read.

    latest: by market, the last order of this process that set levels. Where the journal does not know of it yet, its levels stay.
    """
    orders = await guard.standing()
    positions = {stand.position.symbol: stand.position for stand in await account.stands()}
    lines = []
    for each in orders:
        if not await is_ours(each.client_id):
            lines.append(f"{each.symbol}: conditional order {_name(each)} is not ours: left alone")
        elif each.symbol not in positions and each.kind is not None:
            lines.append(await _cancelled(guard, each))
    seen = {each.venue_id for each in orders}
    for symbol, client_id, venue_id in await account.resting():
        if venue_id not in seen and not await is_ours(client_id):
            lines.append(f"{symbol}: order {client_id or venue_id} is not ours: left alone")
    for position in positions.values():
        wanted = await wanted_of(position.symbol)
        if wanted is None:
            lines.append(f"{position.symbol}: a {position.side} position of {position.size:f} is not ours: left alone")
        else:
            newer = latest.get(position.symbol, wanted.client_id)
            settled = newer if newer != wanted.client_id else None
            lines += await _protected(guard, position, wanted, orders, close_again, settled)
    return tuple(lines)


async def _cancelled(guard: Guard, order: Conditional) -> str:
    try:
        await guard.cancel(order)
    except BrokerError as problem:
        return f"{order.symbol}: {order.kind} {_name(order)} has no position and could not be cancelled: {problem}"
    return f"{order.symbol}: {order.kind} {_name(order)} at {order.trigger:f} had no position: cancelled"


async def _protected(
    guard: Guard, position: Position, wanted: Wanted, orders: tuple[Conditional, ...], close_again: CloseAgain, settled: str | None
) -> list[str]:
    lines = []
    levels: tuple[tuple[Kind, Decimal | None], ...] = (("stop", wanted.stop), ("target", wanted.target))
    for kind, level in levels:
        standing = [each for each in orders if each.symbol == position.symbol and each.kind == kind and each.covers(position)]
        if level is None or any(each.trigger == level or base_of(each.client_id) == settled for each in standing):
            continue
        before = f"stood at {standing[0].trigger:f}" if standing else "was missing"
        stood = await guard.ensure(position, kind, level, wanted.client_id)
        if stood.stands:
            lines.append(f"{position.symbol}: the {kind} {before}: placed at {level:f}")
        elif kind == "stop" and stood.bare and stood.at_once:
            told = await close_again(position, wanted.client_id)
            lines.append(f"{position.symbol}: the price is beyond the stop {level:f}, which {before}: {told}")
            break
        else:
            lines.append(f"{position.symbol}: the {kind} {before} and could not be placed at {level:f}: {stood.why}")
    return lines


def _name(order: Conditional) -> str:
    return order.client_id or order.venue_id
