"""Shares: paid in cash, held long only, traded in sessions and in whole lots."""

from decimal import Decimal
from typing import Final

from engine.domain.account_ref import AccountRef
from engine.domain.errors import BadInput, NotAllowed
from engine.domain.ledger import LedgerEntry
from engine.domain.market.share_terms import lots_at_least, whole_lots
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.orders import Order, Position
from engine.domain.proposal import Basis, OrderPlan
from engine.domain.risk import LimitCheck, RiskConfig
from engine.domain.text.reason import Reason
from engine.instruments.conditions import LiveConditions, drift_collar
from engine.instruments.given_values import above_zero
from engine.instruments.instrument import Amount, MarketAccess
from engine.instruments.shadow import follow_shares
from engine.instruments.share_conditions import last_share_price, newer_share_run, read_share_cash, read_share_price
from engine.instruments.share_fills import entries_of_share_order
from engine.instruments.share_limits import check_share_limits
from engine.instruments.share_progress import progress_of_shares
from engine.trading.book import Book
from engine.trading.protocol import MarketPath


async def sale_of(access: MarketAccess, ref: AccountRef, position: Position, amount: Amount) -> Decimal:
    """Return the shares to sell of a position. amount: as many as someone asks for; anything else = all that may be sold in the
    session.

    Raises NotAllowed when none may be sold yet, BadInput for a part below a lot.
    """
    broker, quotes = access.share_broker(ref), access.share_quotes(ref)
    at = await broker.instant(position.symbol)
    day = (await quotes.path(position.symbol, None, at)).day
    assert day is not None
    account = await broker.cash_account(at, day, equity=RiskConfig().equity)
    holding = account.held(position.symbol)
    sellable = exact(holding.sellable) if holding is not None else Decimal(0)
    if sellable <= 0:
        raise NotAllowed(Reason("no_shares_of_may_be_sold", symbol=position.symbol, day=day))
    if amount is None or isinstance(amount, str) or amount >= float(sellable):
        return sellable
    lot = (await quotes.terms(position.symbol)).amount_step
    part = whole_lots(exact(amount), lot) if amount > 0 else Decimal(0)  # what is no number is not above 0 either
    if part <= 0:
        raise BadInput(Reason("size_is_below_one_lot_of", amount=f"{amount:g}", symbol=position.symbol, lot=f"{lot:f}"))
    return part


class Shares:
    """Implements `Instrument`."""

    judged_as_decided = False
    follow = staticmethod(follow_shares)
    read_price = staticmethod(read_share_price)
    last_price = staticmethod(last_share_price)
    read_cash = staticmethod(read_share_cash)
    newer_run = staticmethod(newer_share_run)
    progress = staticmethod(progress_of_shares)
    size_to_close = staticmethod(sale_of)

    def limits(self, price: float, plan: OrderPlan, basis: Basis, conditions: LiveConditions) -> tuple[LimitCheck, ...]:
        if conditions.cash is None:
            raise ValueError("an order for shares is measured on a cash account")
        return check_share_limits(
            plan,
            symbol=basis.symbol,
            price=price,
            confidence=basis.confidence,
            terms=basis.terms,
            risk=conditions.limits(basis),
            account=conditions.account,
            cash=conditions.cash,
            reversal_facts=basis.reversal_facts,
        )

    def unfit(self, plan: OrderPlan, basis: Basis, conditions: LiveConditions) -> str:
        """See the protocol: a sale of what may not be sold, a buy without a stop, no whole lots."""
        if plan.protects:
            return ""
        if plan.side == "buy":
            return _unfit_buy(plan, basis)
        lot = basis.terms.amount_step
        holding = conditions.cash.held(basis.symbol) if conditions.cash is not None else None
        sellable = exact(holding.sellable) if holding is not None else Decimal(0)
        if plan.amount > sellable:
            return Reason("shares_of_cannot_be_sold", amount=f"{plan.amount:f}", symbol=basis.symbol, sellable=f"{sellable:f}")
        rest = exact(holding.quantity) % lot if holding is not None else Decimal(0)
        if plan.amount % lot not in {Decimal(0), rest}:
            return Reason("shares_are_no_sale_of", amount=f"{plan.amount:f}", symbol=basis.symbol, lot=f"{lot:f}")
        return ""

    def changed_size(self, size: Decimal, plan: OrderPlan, basis: Basis) -> Decimal:
        """See the protocol. In whole lots; all that is held where a sale asks for that or more."""
        amount = _whole_size(size, plan, basis)
        if amount > 0:
            return amount
        raise BadInput(
            Reason(
                "size_is_no_order_here",
                size=f"{size:f}",
                amount_step=f"{basis.terms.amount_step:f}",
                min_amount=f"{basis.terms.min_amount:f}",
            )
        )

    def changed_leverage(self, leverage: int, terms: MarketTerms) -> int:
        """Raise BadInput: there is none."""
        raise BadInput(Reason("shares_are_paid_for_in_cash"))

    def changed_limit(self, entry: float | None, terms: MarketTerms, *, at_market: bool) -> Decimal | None:
        """See the protocol. A price between two steps is refused: no one's price is moved unasked."""
        if entry is None:
            return None
        if at_market:
            raise BadInput(Reason("order_is_at_market_or_has_limit"))
        asked, step = above_zero("entry", entry), terms.price_step
        found = terms.price(asked)
        if found != asked or found <= 0:
            raise BadInput(Reason("limit_is_between_two_prices", asked=f"{asked:f}", step=f"{step:f}", found=f"{found:f}"))
        return found

    def collar(self, plan: OrderPlan, basis: Basis, risk: RiskConfig) -> Decimal | None:
        """See the protocol. None where the ATR is not known."""
        return drift_collar(plan, basis, risk) if basis.atr is not None else None

    def decided_at(self, basis: Basis) -> None:
        """Return None: shares are filled at the price of their own clock."""

    def entries_of_order(self, book: Book, order: Order, path: MarketPath, price: Decimal, terms: MarketTerms) -> list[LedgerEntry]:
        return entries_of_share_order(book, order, path, terms)


def _unfit_buy(plan: OrderPlan, basis: Basis) -> str:
    lot, least = basis.terms.amount_step, basis.terms.min_amount
    if plan.stop is None:
        return Reason("buy_of_needs_stop", symbol=basis.symbol)
    if basis.listing is not None and basis.listing.lot_assumed:
        return Reason("lot_of_is_not_known", symbol=basis.symbol)
    fits = plan.amount % lot == 0 and plan.amount >= least
    return (
        "" if fits else Reason("shares_are_no_order_of", amount=f"{plan.amount:f}", symbol=basis.symbol, lot=f"{lot:f}", least=f"{least:f}")
    )


def _whole_size(size: Decimal, plan: OrderPlan, basis: Basis) -> Decimal:
    """Return a changed size in shares that can be ordered: cut to whole lots, all that is held where a sale asks for that or more."""
    lot = basis.terms.amount_step
    if plan.side == "sell" and basis.holding is not None and size >= exact(basis.holding.size):
        return exact(basis.holding.size)
    least = lots_at_least(basis.terms.min_amount, lot) if plan.side == "buy" else lot
    whole = whole_lots(size, lot)
    return whole if whole >= least else Decimal(0)


SHARES: Final = Shares()
