"""The trader: turns the final decision into one order, which code then holds to the account and the decision."""

from typing import Any

from langgraph.runtime import Runtime

from engine.agents.ask import NoAnswer, Question, ask
from engine.agents.watch import watch
from engine.domain.events import LimitsChecked, NodeFinished
from engine.flows.fusion.answers import claim_spans, prose, read_trade
from engine.flows.fusion.checking import check_words, corrected
from engine.flows.fusion.context import FusionContext
from engine.flows.fusion.debates.research import heading
from engine.flows.fusion.debates.risk import account_briefing
from engine.flows.fusion.orders.order import limit_order
from engine.flows.fusion.prompts import room_task, shared_system
from engine.flows.fusion.reasons import reason
from engine.flows.fusion.state import FusionState, Json
from engine.prompts.render import Text, quoted, render

NODE = "trader"
_DECIDED: Text = {
    "en": "=== Decided: {action} {quantity} shares, limit {limit}, stop {stop}, target {target}, confidence {confidence} ===",
    "zh": "=== 决策：{action} {quantity} 股，限价 {limit}，止损 {stop}，目标 {target}，置信度 {confidence} ===",
}


async def trader_node(state: FusionState, runtime: Runtime[FusionContext]) -> Json:
    """Ask the trader, and hold the order to what is allowed."""
    context = runtime.context
    with watch(context.access.emit, NODE, NODE) as watched:
        try:
            spoken = await ask(
                context.access, Question(NODE, shared_system(context.language), _briefing(state, context), states_facts=True), read_trade
            )
        except NoAnswer as lost:
            watched.data = NodeFinished(usage=lost.usage)
            watched.failed(str(lost), "safe_action")
            return {"halted": reason("no_answer", context.language, role=NODE, reason=lost)}
        limited = limit_order(spoken.read, state.get("risk_summary") or {}, context)
        result = {"wanted": spoken.read.model_dump(mode="json"), **limited.to_json()}
        if limited.limits:
            context.access.emit(NODE, LimitsChecked(limits=limited.limits, passed=all(check.passed for check in limited.limits)))
        claims = check_words(context, NODE, spoken.text, claim_spans(spoken.text))
        watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage, result=result, claims=claims)
    plan = corrected(context, spoken.text, claims).strip()
    return {"trader_investment_plan": plan, "trade": {**limited.to_json(), "confidence": spoken.read.confidence}}


def _briefing(state: FusionState, context: FusionContext) -> str:
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
