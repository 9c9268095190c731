"""Where no order is possible whatever is argued, none is argued about: the risk debate is left out, and the order is none."""

import math
from typing import Any, Final

from langgraph.runtime import Runtime

from engine.agents.watch import watch
from engine.desks.equities.answers import TradeAction
from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.orders.largest_order import assumed_stop_pct, order_bounds, shares_for
from engine.desks.equities.state import FusionState, Json
from engine.domain.events import NodeFinished
from engine.domain.text.reason import Reason

NODE: Final = "no_order"
_CHEAPER: Final = 0.9
"""Of the last price: a limit farther below it would hardly be filled."""


def why_no_order(context: EquitiesContext) -> str | None:
    """Return why nothing can be ordered: not one lot may be bought, and nothing may be sold. None where something can, and in a run whose
    risk debate was held already."""
    listing, price, risk = context.snapshot.listing, context.snapshot.current_price, context.request.risk
    if not listing.is_tradable or _was_argued(context):
        return None
    bounds = order_bounds(context.account, listing.symbol, risk, assumed_stop_pct(risk))
    holding = context.account.held(listing.symbol)
    if shares_for(bounds.value, price * _CHEAPER, listing) > 0 or (holding is not None and math.floor(holding.sellable) > 0):
        return None
    least = max(listing.lot, listing.min_order)
    cost = f"{least * price:.2f} {listing.currency}"
    largest = f"{bounds.value:.2f} {listing.currency}"
    return Reason("no_order_is_possible", least=least, cost=cost, largest=largest, bound=bounds.binding).said_in(context.language)


def _was_argued(context: EquitiesContext) -> bool:
    known = context.access.recall.answer("risky", 1)
    return known is not None and (known.lost is None or known.usage.requests > 0)


async def no_order_node(state: FusionState, runtime: Runtime[EquitiesContext]) -> Json:
    """End the run with an order of nothing, and the reason."""
    context = runtime.context
    why, risk = why_no_order(context) or "", context.request.risk
    bounds = order_bounds(context.account, context.snapshot.listing.symbol, risk, assumed_stop_pct(risk))
    sure = (state.get("research_summary") or {}).get("confidence")
    ruling: dict[str, Any] = {"action": TradeAction.HOLD.value, "quantity": 0.0, "limit_price": None, "stop_price": None}
    ruling |= {"target_price": None, "confidence": sure, "rounds": 0, "largest_allowed_order": bounds.value}
    with watch(context.access.emit, NODE, NODE) as watched:
        watched.data = NodeFinished(result={"action": TradeAction.HOLD.value, "reason": why})
    return {
        "final_trade_decision": why,
        "risk_summary": {**ruling, "bounds": bounds.to_json(), "binding": bounds.binding},
        "trader_investment_plan": why,
        "trade": {"action": TradeAction.HOLD.value, "order": None, "errors": [], "warnings": [why], "limits": [], "confidence": sure},
    }
