"""What the trader may do: the order that the account, the limits and the decision allow, whatever was written. Pure."""

import math
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from engine.domain.frozen_model import FrozenModel
from engine.domain.market.terms import exact
from engine.domain.proposal import OrderPlan
from engine.domain.risk import LimitCheck
from engine.flows.fusion.answers import TradeAction, TradeBlock
from engine.flows.fusion.context import FusionContext
from engine.flows.fusion.orders.largest_order import OrderBounds, assumed_stop_pct, order_bounds, shares_for
from engine.flows.fusion.reasons import reason
from engine.trading.limits import breach_text
from engine.trading.share_limits import check_share_limits
from engine.trading.share_terms import share_terms

_FURTHEST = 100.0
"""How many times the last price any price of an order may be."""


class ShareOrder(FrozenModel):
    """An order for shares. quantity: whole shares, > 0. price: limit, or the last price for one at market, in the listing's currency.
    limit_price: None = at market. value: quantity times price."""

    side: str
    quantity: int
    price: float
    value: float
    limit_price: float | None = None
    stop_price: float | None = None
    target_price: float | None = None


@dataclass
class LimitedOrder:
    """What became of a trade. action: what is done. order: None with hold. errors: why a buy or sale is no valid one. limits: as the order
    was measured against them; none for sales, which take risk away. One that is breached blocks the proposal, not the decision."""

    action: TradeAction
    order: ShareOrder | None = None
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    limits: tuple[LimitCheck, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        order = self.order.model_dump(mode="json") if self.order is not None else None
        limits = [check.model_dump(mode="json") for check in self.limits]
        return {"action": self.action.value, "order": order, "errors": self.errors, "warnings": self.warnings, "limits": limits}


def limit_order(trade: TradeBlock, decided: dict[str, Any], context: FusionContext) -> LimitedOrder:
    """Return what may be done of a trade. decided: the risk judge's ruling, which the trader may make smaller and never larger."""
    language, hold = context.language, TradeAction.HOLD
    if trade.action is hold:
        return LimitedOrder(hold)
    if decided.get("action") != trade.action.value:
        said = reason("other_side", language, asked=trade.action.value, decided=decided.get("action"))
        return LimitedOrder(hold, errors=[said])
    if problem := _forbidden(trade, context) or _far_price(trade, context):
        return LimitedOrder(hold, errors=[problem])
    warnings: list[str] = []
    asked = trade.quantity
    ruled = float(decided.get("quantity") or 0.0)
    if asked > ruled:
        warnings.append(reason("judge_cut", language, asked=_plain(asked), allowed=_plain(ruled)))
        asked = ruled
    price = _stepped(trade.limit_price, context) or context.snapshot.current_price
    if trade.action is TradeAction.SELL:
        return _sale(trade, asked, price, warnings, context)
    return _buy(trade, asked, price, warnings, context)


def _forbidden(trade: TradeBlock, context: FusionContext) -> str | None:
    """Return why nothing may be ordered, None where something may."""
    listing, language, risk = context.snapshot.listing, context.language, context.request.risk
    if not listing.is_tradable:
        return reason("not_tradable", language, symbol=listing.symbol)
    if context.account.halted:
        return reason("halted", language)
    if listing.lot_assumed and trade.action is TradeAction.BUY:
        return reason("lot_unknown", language, symbol=listing.symbol)
    if trade.confidence < risk.min_confidence and trade.action is TradeAction.BUY:
        return reason("low_confidence", language, confidence=f"{trade.confidence:g}", bound=f"{risk.min_confidence:g}")
    return None


def _far_price(trade: TradeBlock, context: FusionContext) -> str | None:
    """Return why one of the prices cannot be meant, None where all can: what the grid makes 0 of would be an order at market."""
    current, buys = context.snapshot.current_price, trade.action is TradeAction.BUY
    levels = {"limit_price": trade.limit_price} | ({"stop_price": trade.stop_price, "target_price": trade.target_price} if buys else {})
    for name, level in levels.items():
        if level is not None and not (level <= current * _FURTHEST and (_stepped(level, context) or 0.0) > 0.0):
            return reason("no_price", context.language, what=name, level=f"{level:g}", price=f"{current:g}")
    return None


def _buy(trade: TradeBlock, asked: float, price: float, warnings: list[str], context: FusionContext) -> LimitedOrder:
    language, listing = context.language, context.snapshot.listing
    stop, target = _stepped(trade.stop_price, context), _stepped(trade.target_price, context)
    if stop is not None and stop >= price:
        return LimitedOrder(
            TradeAction.HOLD, errors=[reason("stop_side", language, stop=f"{stop:g}", price=f"{price:g}")], warnings=warnings
        )
    if target is not None and target <= price:
        return LimitedOrder(
            TradeAction.HOLD, errors=[reason("target_side", language, target=f"{target:g}", price=f"{price:g}")], warnings=warnings
        )
    bounds = buy_bounds(price, stop, context)
    allowed, whole = shares_for(bounds.value, price, listing), _lots(asked, listing.lot, listing.min_order)
    bound_values = {"largest": f"{bounds.value:.2f}", "bound": bounds.binding}
    if asked > 0 and allowed == 0:
        return LimitedOrder(TradeAction.HOLD, warnings=[*warnings, reason("nothing_allowed", language, **bound_values)])
    if whole > allowed:
        warnings.append(reason("cut", language, asked=_plain(asked), allowed=allowed, **bound_values))
    elif whole == 0 and asked >= listing.lot:
        warnings.append(reason("below_least", language, asked=_plain(asked), least=listing.min_order))
    elif whole != asked:
        warnings.append(reason("rounded", language, asked=_plain(asked), allowed=whole, lot=listing.lot))
    quantity = min(whole, allowed)
    if quantity <= 0:
        return LimitedOrder(TradeAction.HOLD, warnings=warnings)
    order = _order("buy", quantity, price, trade, (stop, target))
    limits = _measured(order, trade, context)
    breached = [breach_text(check, language) for check in limits if not check.passed]
    warnings += [reason("breached", language, reason=each) for each in breached]
    return LimitedOrder(TradeAction.BUY, order, warnings=warnings, limits=limits)


def _measured(order: ShareOrder, trade: TradeBlock, context: FusionContext) -> tuple[LimitCheck, ...]:
    """Return a buy measured against every limit that needs nothing but the order and the account as it stood."""
    limit, stop, target = (
        exact(level) if level is not None else None for level in (order.limit_price, order.stop_price, order.target_price)
    )
    listing = context.snapshot.listing
    return check_share_limits(
        OrderPlan(side="buy", amount=Decimal(order.quantity), limit=limit, stop=stop, target=target),
        symbol=listing.symbol,
        price=context.snapshot.current_price,
        confidence=trade.confidence,
        terms=share_terms(listing),
        risk=context.request.risk,
        account=None,
        cash=context.account,
    )


def buy_bounds(price: float, stop: float | None, context: FusionContext) -> OrderBounds:
    """Return the bounds of a buy at a price: those of before the debate, or tighter ones where its stop is further away."""
    risk, symbol = context.request.risk, context.snapshot.listing.symbol
    distance = (price - stop) / price * 100.0 if stop is not None else 0.0
    return order_bounds(context.account, symbol, risk, max(distance, assumed_stop_pct(risk)))


def _sale(trade: TradeBlock, asked: float, price: float, warnings: list[str], context: FusionContext) -> LimitedOrder:
    language, listing = context.language, context.snapshot.listing
    holding = context.account.held(listing.symbol)
    sellable = math.floor(holding.sellable) if holding is not None else 0
    if sellable <= 0:
        return LimitedOrder(TradeAction.HOLD, warnings=[*warnings, reason("nothing_held", language)])
    if asked > sellable:
        warnings.append(reason("cut_held", language, asked=_plain(asked), allowed=sellable))
        asked = float(sellable)
    if listing.lot_assumed and asked < sellable:
        return LimitedOrder(TradeAction.HOLD, errors=[reason("lot_unknown", language, symbol=listing.symbol)], warnings=warnings)
    quantity = sellable if asked >= sellable else math.floor(asked / listing.lot) * listing.lot  # a rest below a lot goes as a whole
    if 0 < quantity < min(sellable, listing.min_order):
        return LimitedOrder(
            TradeAction.HOLD, warnings=[*warnings, reason("below_least", language, asked=_plain(asked), least=listing.min_order)]
        )
    if quantity != asked:
        warnings.append(reason("rounded", language, asked=_plain(asked), allowed=quantity, lot=listing.lot))
    if quantity <= 0:
        return LimitedOrder(TradeAction.HOLD, warnings=warnings)
    return LimitedOrder(TradeAction.SELL, _order("sell", quantity, price, trade, (None, None)), warnings=warnings)


def _order(side: str, quantity: int, price: float, trade: TradeBlock, levels: tuple[float | None, float | None]) -> ShareOrder:
    limit = price if trade.limit_price is not None else None
    value = round(quantity * price, 2)
    return ShareOrder(
        side=side, quantity=quantity, price=price, value=value, limit_price=limit, stop_price=levels[0], target_price=levels[1]
    )


def _lots(shares: float, lot: int, least: int) -> int:
    whole = math.floor(shares / lot + 1e-9) * lot
    return whole if whole >= least else 0


def _stepped(price: float | None, context: FusionContext) -> float | None:
    """Return a price on the market's grid."""
    step = context.snapshot.listing.price_step
    if price is None or step is None:
        return price
    return float((Decimal(str(price)) / step).quantize(Decimal(1), ROUND_HALF_EVEN) * step)


def _plain(shares: float) -> str:
    return f"{shares:.0f}" if 1e6 <= shares < 1e15 else f"{shares:g}"
