"""The trader: turns the final decision into one order, which code then holds to the account and the decision."""

from typing import Any

from langgraph.runtime import Runtime

from engine.agents.ask import NoAnswer, Question, ask
from engine.agents.watch import watch
from engine.desks.equities.answers import claim_spans, prose, read_trade
from engine.desks.equities.checked import checked_in, count
from engine.desks.equities.checking import check_words, corrected
from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.debates.research import heading
from engine.desks.equities.debates.risk import account_briefing
from engine.desks.equities.orders.order import limit_order
from engine.desks.equities.prompts import room_task, sent_parts, shared_system
from engine.desks.equities.state import FusionState, Json
from engine.domain.events import LimitsChecked, NodeFinished
from engine.domain.text.reason import Reason
from engine.grounding.tables.thresholds import after_penalty
from engine.prompts.render import Text, quoted, render

NODE = "trader"
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
