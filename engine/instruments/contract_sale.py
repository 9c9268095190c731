"""How much of a contract's position a person closes: a part of it may not be ours."""

import logging
from decimal import Decimal

from engine.domain.account_ref import AccountRef
from engine.domain.errors import BadInput, NotOnlyOurs, StoreError
from engine.domain.market.terms import exact
from engine.domain.orders import Position
from engine.domain.text.reason import Reason
from engine.instruments.instrument import Amount, MarketAccess
from engine.market.protocol import Feed
from engine.trading.history.ownership import Ownership
from engine.trading.protocol import Broker

_log = logging.getLogger(__name__)


async def whose_of(broker: Broker, position: Position) -> Ownership | None:
    """Return how much of a position is ours; None where the journal cannot be read, which alone knows what we ordered."""
    try:
        return await broker.whose(position)
    except StoreError as problem:
        _log.warning("how much of the position in %s is ours is not known: %s", position.symbol, problem)
        return None


async def size_to_close(access: MarketAccess, ref: AccountRef, position: Position, amount: Amount) -> Decimal:
    """Return how much of a contract's position is to be closed. Raises NotOnlyOurs where a part of it is not ours and it was not said how
    much.

    While the journal cannot be read, it cannot be said what is ours: all of it is closed, as the person has asked."""
    symbol, size = position.symbol, position.size
    if amount == "all":
        return size
    if isinstance(amount, float | int):
        return await _part(access.feed(ref), symbol, size, amount)
    whose = await whose_of(access.broker(ref), position)
    if whose is None or whose.ours == size:
        return size
    ours = whose.ours
    if amount == "ours" and ours > 0:
        return ours
    of_it = (
        Reason("part_of_position_is_ours", ours=f"{ours:f}", size=f"{size:f}", symbol=symbol)
        if ours > 0
        else Reason("none_of_position_is_ours", size=f"{size:f}", symbol=symbol)
    )
    why = f" ({whose.unknown or whose.gone})" if whose.unknown or whose.gone else ""
    raise NotOnlyOurs(Reason("say_how_much_to_close", of_it=of_it, why=why), ours, size)


async def _part(feed: Feed, symbol: str, size: Decimal, amount: float) -> Decimal:
    """Return a part of a position in whole steps of the market; all of it when what would be left is none."""
    terms = await feed.terms(await feed.market(symbol))
    part = terms.amount(min(size, exact(amount))) if amount > 0 else Decimal(0)  # what is no number is not above 0 either
    if part <= 0:
        raise BadInput(Reason("size_is_below_one_step_of", amount=f"{amount:g}", symbol=symbol, amount_step=f"{terms.amount_step:f}"))
    return size if size - part < terms.amount_step else part
