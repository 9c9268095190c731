"""What an account's positions come to together, now and once an order is signed. Pure.

The margin and the notional of what is held are the account's own (`AccountView`, which the limits are measured on), and what an order adds
is in its `Figures`. What a position brings at its stop is measured by `protection_figures`, as a change of its levels is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Self

from engine.domain.market.terms import MarketTerms, exact
from engine.domain.orders import AccountView, Position
from engine.domain.proposal import Figures, OrderPlan
from engine.trading.figures import protection_figures


@dataclass(frozen=True)
class Stake:
    """One position, or several together, quote units. at_stop: what it brings if it is stopped, against its average entry and after the
    costs of the way out; None where it has no stop, or that cannot be measured."""

    margin: Decimal = Decimal(0)
    notional: Decimal = Decimal(0)
    at_stop: Decimal | None = Decimal(0)

    def part(self, share: Decimal) -> Self:
        """Return what is left of it. share: 0 to 1."""
        stopped = self.at_stop * share if self.at_stop is not None else None
        return type(self)(self.margin * share, self.notional * share, stopped)


@dataclass(frozen=True)
class BookTotals:
    """An account's positions together. open_positions: how many there are. total: of all of them. unstopped: markets whose position has no
    stop, or one that cannot be measured."""

    open_positions: int
    total: Stake
    unstopped: tuple[str, ...]


@dataclass(frozen=True)
class SignedBook:
    """An account before an order and after it. equity: quote units."""

    now: BookTotals
    after: BookTotals
    equity: Decimal


def signed_book(
    held: Sequence[Position], terms: Mapping[str, MarketTerms], account: AccountView, symbol: str, plan: OrderPlan, figures: Figures
) -> SignedBook:
    """Return what an account's positions come to before and after an order. held: its positions. terms: of their markets, as far as they
    are known. symbol, plan, figures: the order, and what it comes to at the price of now, with the position that it enlarges."""
    stakes = {each.symbol: _stake(each, terms.get(each.symbol), account) for each in held}
    before = next((each for each in held if each.symbol == symbol), None)
    after = {key: each for key, each in stakes.items() if key != symbol} | _after(stakes.get(symbol), before, symbol, plan, figures)
    return SignedBook(_totals(stakes), _totals(after), exact(account.equity))


def stopped_result(position: Position, price: float, terms: MarketTerms) -> Decimal | None:
    """Return what a position brings if it is stopped, against its average entry and after the costs of the way out, quote units. price: of
    now. None without a stop, with one on the wrong side of the price, or where it is not known since when it is held."""
    holding = position.holding()
    if holding is None or position.stop is None:
        return None
    side = "buy" if position.side == "long" else "sell"
    plan = OrderPlan(side=side, amount=position.size, stop=position.stop, target=position.target, protects=True)
    loss = protection_figures(plan, price, terms, holding).loss_at_stop
    return -loss if loss is not None else None


def _stake(position: Position, terms: MarketTerms | None, account: AccountView) -> Stake:
    symbol = position.symbol
    notional = exact(account.notionals.get(symbol, float(position.size * position.entry_price)))
    stopped = stopped_result(position, float(notional / position.size), terms) if terms is not None else None
    return Stake(exact(account.margins.get(symbol, 0.0)), notional, stopped)


def _after(stake: Stake | None, held: Position | None, symbol: str, plan: OrderPlan, figures: Figures) -> dict[str, Stake]:
    """Return what there is of a market after an order, by its symbol; nothing where it closes all there was."""
    stopped = -figures.loss_at_stop if figures.loss_at_stop is not None else None
    if plan.reduce_only:
        left = held.size - plan.amount if held is not None else Decimal(0)
        return {symbol: stake.part(left / held.size)} if stake is not None and held is not None and left > 0 else {}
    if plan.protects:
        return {symbol: Stake(stake.margin, stake.notional, stopped)} if stake is not None else {}
    had = stake or Stake()
    return {symbol: Stake(had.margin + figures.margin, had.notional + figures.notional, stopped)}


def _totals(stakes: Mapping[str, Stake]) -> BookTotals:
    unstopped = tuple(symbol for symbol, each in stakes.items() if each.at_stop is None)
    stopped = sum((each.at_stop for each in stakes.values() if each.at_stop is not None), Decimal(0))
    margin = sum((each.margin for each in stakes.values()), Decimal(0))
    notional = sum((each.notional for each in stakes.values()), Decimal(0))
    return BookTotals(len(stakes), Stake(margin, notional, stopped), unstopped)
