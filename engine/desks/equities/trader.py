"""The trader: turns the final decision into one order, which code then holds to the account and the decision.

Where no order is possible whatever is argued, none is argued about: the risk debate is left out, and the order is none.
"""

import math
from typing import Any, Final

from langgraph.runtime import Runtime

from engine.agents.ask import NoAnswer, Question, ask
from engine.agents.watch import watch
from engine.desks.equities.answers import TradeAction, claim_spans, prose, read_trade
from engine.desks.equities.checking import check_words, checked_in, corrected, count
from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.debates.research import heading
from engine.desks.equities.debates.risk import account_briefing
from engine.desks.equities.largest_order import shares_for
from engine.desks.equities.orders.order import limit_order
from engine.desks.equities.prompts import room_task, sent_parts, shared_system
from engine.desks.equities.state import FusionState, Json
from engine.domain.events import LimitsChecked, NodeFinished
from engine.domain.text.reason import Reason
from engine.grounding.tables.thresholds import after_penalty
from engine.prompts.render import Text, quoted, render

NODE = "trader"
NO_ORDER: Final = "no_order"
_CHEAPER: Final = 0.9
"""Of the last price: a limit farther below it would hardly be filled."""
_DECIDED: Text = {
    "en": "=== Decided: {action} {quantity} shares, limit {limit}, stop {stop}, target {target}, confidence {confidence} ===",
    "zh": "=== 决策：{action} {quantity} 股，限价 {limit}，止损 {stop}，目标 {target}，置信度 {confidence} ===",
}


async def trader_node(state: FusionState, runtime: Runtime[EquitiesContext]) -> Json:
    """Ask the trader, and hold the order to what is allowed."""
    context = runtime.context
    question = Question(NODE, shared_system(context.language), _briefing(state, context))
    with watch(context.access.emit, NODE, NODE, sent=sent_parts(question.user, context.language)) as watched:
        try:
            spoken = await ask(context.access, question, read_trade)
        except NoAnswer as lost:
            watched.data = NodeFinished(usage=lost.usage)
            watched.failed(str(lost), "safe_action")
            return {"halted": Reason("no_usable_answer", role=NODE, reason=lost).said_in(context.language)}
        claims = check_words(context, NODE, spoken.text, claim_spans(spoken.text))
        checked = {NODE: count(claims)}
        penalty = checked_in({**state, "checked": {**(state.get("checked") or {}), **checked}}).penalty_pct
        stated = {"executor_confidence": spoken.read.confidence, "confidence_penalty": penalty}
        counted = spoken.read.model_copy(update={"confidence": after_penalty(spoken.read.confidence, penalty)})
        limited = limit_order(counted, state.get("risk_summary") or {}, context)
        result = {"wanted": spoken.read.model_dump(mode="json"), **limited.to_json(), "confidence": counted.confidence, **stated}
        if limited.limits:
            context.access.emit(NODE, LimitsChecked(limits=limited.limits, passed=all(check.passed for check in limited.limits)))
        watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage, result=result, claims=claims)
    plan = corrected(context, spoken.text, claims).strip()
    trade = {**limited.to_json(), "confidence": counted.confidence, "executor_confidence": spoken.read.confidence}
    return {"trader_investment_plan": plan, "trade": trade, "checked": checked}


def _briefing(state: FusionState, context: EquitiesContext) -> str:
    ruled: dict[str, Any] = state.get("risk_summary") or {}
    values = {
        "action": str(ruled.get("action")),
        "quantity": f"{ruled.get('quantity') or 0:g}",
        "limit": _price(ruled.get("limit_price"), "MARKET"),
        "stop": _price(ruled.get("stop_price"), "NONE"),
        "target": _price(ruled.get("target_price"), "NONE"),
        "confidence": f"{ruled.get('confidence') or 0:g}",
    }
    decision = quoted("risk judge", prose(str(state.get("final_trade_decision") or "")))
    plan = quoted("research manager", prose(str(state.get("investment_plan") or "")))
    ruled_by = render(_DECIDED[context.language], **values)
    return "\n\n".join([heading(context), account_briefing(context), plan, ruled_by, decision, room_task(NODE, context.language)])


def _price(price: float | None, without: str) -> str:
    return f"{price:g}" if price is not None else without


def why_no_order(context: EquitiesContext) -> str | None:
    """Return why nothing can be ordered: not one lot may be bought, and nothing may be sold. None where something can, and in a run whose
    risk debate was held already."""
    listing, price, bounds = context.snapshot.listing, context.snapshot.current_price, context.bounds
    if not listing.is_tradable or _was_argued(context):
        return None
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
    why = why_no_order(context) or ""
    sure = (state.get("research_summary") or {}).get("confidence")
    ruling = {"action": TradeAction.HOLD.value, "quantity": 0.0, "limit_price": None, "stop_price": None, "target_price": None}
    with watch(context.access.emit, NO_ORDER, NO_ORDER) as watched:
        watched.data = NodeFinished(result={"action": TradeAction.HOLD.value, "reason": why})
    return {
        "final_trade_decision": why,
        "risk_summary": {**ruling, "confidence": sure, "rounds": 0, **context.bounds.ruling()},
        "trader_investment_plan": why,
        "trade": {"action": TradeAction.HOLD.value, "order": None, "errors": [], "warnings": [why], "limits": [], "confidence": sure},
    }
