"""How many shares a sale by hand sells: all that may be sold, or a part of it in whole lots."""

from decimal import Decimal

from engine.approvals.deps import ApprovalDeps
from engine.domain.account_ref import AccountRef
from engine.domain.errors import BadInput, NotAllowed
from engine.domain.market.share_terms import whole_lots
from engine.domain.market.terms import exact
from engine.domain.orders import Position
from engine.domain.risk import RiskConfig


async def sale_of(deps: ApprovalDeps, ref: AccountRef, position: Position, amount: float | None) -> Decimal:
    """Return the shares to sell of a position. amount: as many as somebody asks for, None = all that may be sold in the session.

    Raises NotAllowed when none may be sold yet, BadInput for a part below a lot.
    """
    broker, quotes = deps.share_broker(ref), deps.share_quotes(ref)
    at = await broker.instant(position.symbol)
    day = (await quotes.path(position.symbol, None, at)).day
    assert day is not None
    account = await broker.cash_account(at, day, equity=RiskConfig().equity)
    holding = account.held(position.symbol)
    sellable = exact(holding.sellable) if holding is not None else Decimal(0)
    if sellable <= 0:
        raise NotAllowed(f"no shares of {position.symbol} may be sold in the session of {day}: they were bought in it")
    if amount is None or amount >= float(sellable):
        return sellable
    lot = (await quotes.terms(position.symbol)).amount_step
    part = whole_lots(exact(amount), lot) if amount > 0 else Decimal(0)  # what is no number is not above 0 either
    if part <= 0:
        raise BadInput(f"size {amount:g} is below one lot of {position.symbol}, {lot:f} shares")
    return part
