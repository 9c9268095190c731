"""What the trader may do: the order that the account, the limits and the decision allow, whatever was written. Pure."""

import math
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from engine.desks.equities.answers import TradeAction, TradeBlock
from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.largest_order import OrderBounds, order_bounds, shares_for
from engine.domain.frozen_model import FrozenModel
from engine.domain.market.terms import exact
from engine.domain.proposal import OrderPlan
from engine.domain.risk import LimitCheck, RiskConfig
from engine.domain.text.reason import Reason
from engine.instruments.limits import breach_reason
from engine.instruments.share_limits import check_share_limits
from engine.trading.share_terms import share_terms
from engine.trading.sizing import sized_by

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
    """The outcome of a trade. action: what is done. order: None with hold. errors: why a buy or sale is no valid one. limits: as the order
    was measured against them; none for sales, which take risk away. One that is breached blocks the proposal, not the decision. calibrated:
    the confidence that a buy is sized by (`sized_by`), None where that is not asked for."""

    action: TradeAction = TradeAction.HOLD
    order: ShareOrder | None = None
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    limits: tuple[LimitCheck, ...] = ()
    calibrated: float | None = None

    def to_json(self) -> dict[str, Any]:
        order = self.order.model_dump(mode="json") if self.order is not None else None
        limits = [check.model_dump(mode="json") for check in self.limits]
        found = {"action": self.action.value, "order": order, "errors": self.errors, "warnings": self.warnings, "limits": limits}
        return found | ({"calibrated_confidence": self.calibrated} if self.calibrated is not None else {})


def limit_order(trade: TradeBlock, decided: dict[str, Any], context: EquitiesContext) -> LimitedOrder:
    """Return what may be done of a trade. decided: the risk judge's ruling, which the trader may make smaller and never larger."""
    language = context.language
    if trade.action is TradeAction.HOLD:
        return LimitedOrder()
    if decided.get("action") != trade.action.value:
        said = Reason("not_what_was_decided", asked=trade.action.value, decided=decided.get("action")).said_in(language)
        return LimitedOrder(errors=[said])
    if problem := _forbidden(trade, context) or _far_price(trade, context):
        return LimitedOrder(errors=[problem])
    warnings: list[str] = []
    asked = trade.quantity
    ruled = float(decided.get("quantity") or 0.0)
    if asked > ruled:
        warnings.append(Reason("more_than_was_decided", asked=_plain(asked), allowed=_plain(ruled)).said_in(language))
        asked = ruled
    price = _stepped(trade.limit_price, context) or context.snapshot.current_price
    if trade.action is TradeAction.SELL:
        return _sale(trade, asked, price, warnings, context)
    return _buy(trade, asked, price, warnings, context)


def _forbidden(trade: TradeBlock, context: EquitiesContext) -> str | None:
    """Return why nothing may be ordered, None where something may."""
    listing, language, risk = context.snapshot.listing, context.language, context.request.risk
    if not listing.is_tradable:
        return Reason("index_cannot_be_ordered", symbol=listing.symbol).said_in(language)
    if context.account.halted:
        return Reason("trading_is_halted").said_in(language)
    if listing.lot_assumed and trade.action is TradeAction.BUY:
        return Reason("lot_unknown", symbol=listing.symbol).said_in(language)
    if trade.confidence < risk.min_confidence and trade.action is TradeAction.BUY:
        return Reason("confidence_too_low", confidence=f"{trade.confidence:g}", bound=f"{risk.min_confidence:g}").said_in(language)
    return None


def _far_price(trade: TradeBlock, context: EquitiesContext) -> str | None:
    """Return why one of the prices cannot be meant, None where all can: what the grid makes 0 of would be an order at market."""
    current, buys = context.snapshot.current_price, trade.action is TradeAction.BUY
    levels = {"limit_price": trade.limit_price} | ({"stop_price": trade.stop_price, "target_price": trade.target_price} if buys else {})
    for name, level in levels.items():
        if level is not None and not (level <= current * _FURTHEST and (_stepped(level, context) or 0.0) > 0.0):
            return Reason("level_is_no_price", what=name, level=f"{level:g}", price=f"{current:g}").said_in(context.language)
    return None


def _buy(trade: TradeBlock, asked: float, price: float, warnings: list[str], context: EquitiesContext) -> LimitedOrder:
    language, listing = context.language, context.snapshot.listing
    stop, target = _stepped(trade.stop_price, context), _stepped(trade.target_price, context)
    if stop is not None and stop >= price:
        problem = Reason("stop_not_below_buy", stop=f"{stop:g}", price=f"{price:g}").said_in(language)
        return LimitedOrder(errors=[problem], warnings=warnings)
    if target is not None and target <= price:
        problem = Reason("target_not_above_buy", target=f"{target:g}", price=f"{price:g}").said_in(language)
        return LimitedOrder(errors=[problem], warnings=warnings)
    calibration = context.request.calibration if context.request.risk.calibrated_sizing else None
    calibrated = calibration.calibrated(trade.confidence) if calibration is not None else None
    bounds = buy_bounds(price, stop, context)
    allowed, whole = shares_for(bounds.value, price, listing), shares_for(asked, 1.0, listing)
    bound_values = {"largest": f"{bounds.value:.2f}", "bound": bounds.binding}
    if asked > 0 and allowed == 0:
        return LimitedOrder(warnings=[*warnings, Reason("nothing_can_be_bought", **bound_values).said_in(language)])
    if whole > allowed:
        warnings.append(Reason("order_was_cut", asked=_plain(asked), allowed=allowed, **bound_values).said_in(language))
    elif whole == 0 and asked >= listing.lot:
        warnings.append(Reason("shares_below_smallest_order", asked=_plain(asked), least=listing.min_order).said_in(language))
    elif whole != asked:
        warnings.append(Reason("shares_rounded_to_lots", asked=_plain(asked), allowed=whole, lot=listing.lot).said_in(language))
    risk = sized_by(context.request.risk, trade.confidence, calibrated)
    quantity = min(whole, allowed, shares_for(buy_bounds(price, stop, context, risk).value, price, listing))
    if quantity < min(whole, allowed):
        about = {"asked": min(whole, allowed), "allowed": quantity, "calibrated": f"{calibrated:.0f}", "stated": f"{trade.confidence:.0f}"}
        warnings.append(Reason("order_sized_down", **about, risk=f"{risk.risk_per_trade_pct:.2g}").said_in(language))
    if quantity <= 0:
        return LimitedOrder(warnings=warnings, calibrated=calibrated)
    order = _order("buy", quantity, price, trade, (stop, target))
    limits = _measured(order, trade, context, risk)
    breached = [breach_reason(check) for check in limits if not check.passed]
    warnings += [Reason("order_breaches_limit", reason=each).said_in(language) for each in breached]
    return LimitedOrder(TradeAction.BUY, order, warnings=warnings, limits=limits, calibrated=calibrated)


def _measured(order: ShareOrder, trade: TradeBlock, context: EquitiesContext, risk: RiskConfig) -> tuple[LimitCheck, ...]:
    """Return a buy measured against every limit that needs nothing but the order and the account as it stood. risk: that it was sized
    by."""
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
        risk=risk,
        account=None,
        cash=context.account,
        reversal_facts=context.reversal_facts("buy"),
    )


def buy_bounds(price: float, stop: float | None, context: EquitiesContext, risk: RiskConfig | None = None) -> OrderBounds:
    """Return the bounds of a buy at a price: those of before the debate, or tighter ones where its stop is further away. risk: None = the
    request's."""
    risk, symbol = risk or context.request.risk, context.snapshot.listing.symbol
    distance = (price - stop) / price * 100.0 if stop is not None else 0.0
    return order_bounds(context.account, symbol, risk, max(distance, risk.max_stop_distance_pct))


def _sale(trade: TradeBlock, asked: float, price: float, warnings: list[str], context: EquitiesContext) -> LimitedOrder:
    language, listing = context.language, context.snapshot.listing
    holding = context.account.held(listing.symbol)
    sellable = math.floor(holding.sellable) if holding is not None else 0
    if sellable <= 0:
        return LimitedOrder(warnings=[*warnings, Reason("nothing_can_be_sold").said_in(language)])
    if asked > sellable:
        warnings.append(Reason("sale_was_cut", asked=_plain(asked), allowed=sellable).said_in(language))
        asked = float(sellable)
    if listing.lot_assumed and asked < sellable:
        return LimitedOrder(errors=[Reason("lot_unknown", symbol=listing.symbol).said_in(language)], warnings=warnings)
    quantity = sellable if asked >= sellable else math.floor(asked / listing.lot) * listing.lot  # a rest below a lot goes as a whole
    if 0 < quantity < min(sellable, listing.min_order):
        warnings.append(Reason("shares_below_smallest_order", asked=_plain(asked), least=listing.min_order).said_in(language))
        return LimitedOrder(warnings=warnings)
    if quantity != asked:
        warnings.append(Reason("shares_rounded_to_lots", asked=_plain(asked), allowed=quantity, lot=listing.lot).said_in(language))
    if quantity <= 0:
        return LimitedOrder(warnings=warnings)
    return LimitedOrder(TradeAction.SELL, _order("sell", quantity, price, trade, (None, None)), warnings=warnings)


def _order(side: str, quantity: int, price: float, trade: TradeBlock, levels: tuple[float | None, float | None]) -> ShareOrder:
    limit = price if trade.limit_price is not None else None
    value = round(quantity * price, 2)
    return ShareOrder(
        side=side, quantity=quantity, price=price, value=value, limit_price=limit, stop_price=levels[0], target_price=levels[1]
    )


def _stepped(price: float | None, context: EquitiesContext) -> float | None:
    step = context.snapshot.listing.price_step
    if price is None or step is None:
        return price
    return float((Decimal(str(price)) / step).quantize(Decimal(1), ROUND_HALF_EVEN) * step)


def _plain(shares: float) -> str:
    return f"{shares:.0f}" if 1e6 <= shares < 1e15 else f"{shares:g}"
