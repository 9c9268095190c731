"""The risk debate: risky, safe and neutral over as many rounds as were asked for, then the judge. It sees the plan that research decided,
the account and the dated evidence of the run; it is sealed from reports and from the research talk."""

from collections.abc import Mapping
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from engine.agents.attached import evidence_block
from engine.agents.debate import Schemas
from engine.flows.fusion.answers import TradeBlock, prose, read_trade
from engine.flows.fusion.context import FusionContext
from engine.flows.fusion.debates.research import heading
from engine.flows.fusion.debates.room import Room, build_room
from engine.flows.fusion.orders.largest_order import assumed_stop_pct, order_bounds, shares_for
from engine.flows.fusion.sheet import account_lines, market_lines
from engine.flows.fusion.state import Json, RiskDebateInput, RiskDebateOutput, RiskDebateState
from engine.prompts.paragraphs import FACTS
from engine.prompts.render import Text, quoted, render

_PLAN: Text = {
    "en": "=== The plan of research: {action}, confidence {confidence} ===",
    "zh": "=== 研究计划：{action}，置信度 {confidence} ===",
}
_RULES: Text = {
    "en": (
        "The account is long only and pays in cash. largest_allowed_order is computed in code (the smallest of: cash keeping a reserve "
        "{cash}, one name {one_name}, loss at the stop {loss_at_stop}, share of the drawdown that is left {drawdown}); no text can raise "
        "it. Lot: {lot}. "
        "Shares that may be sold: {sellable}. "
        "Code checks every buy: confidence at least {confidence}; reward to risk at least {ratio}, {after_costs} after costs; stop at most "
        "{stop} % below the price."
    ),
    "zh": (
        "账户只做多、以现金支付。largest_allowed_order 由程序计算（取最小值：保留储备后的现金 {cash}、单一标的 {one_name}、"
        "止损亏损 {loss_at_stop}、剩余回撤额度 {drawdown}），不可上调。每手 {lot} 股。可卖 {sellable} 股。"
        "程序核验每笔买入：置信度不低于 {confidence}；盈亏比不低于 {ratio}，计成本后不低于 {after_costs}；止损距价格不超过 {stop}%。"
    ),
}


def build_risk(rounds: int, *, together: bool) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the risk debate."""
    return build_room(RISK, rounds, together=together)


def account_rules(context: FusionContext) -> str:
    """Return what code allows, in figures, as the risk debate and the trader read it."""
    listing, risk = context.snapshot.listing, context.request.risk
    bounds = order_bounds(context.account, listing.symbol, risk, assumed_stop_pct(risk)).to_json()
    holding = context.account.held(listing.symbol)
    return render(
        _RULES[context.language],
        **{name: f"{value:.2f}" for name, value in bounds.items()},
        lot=str(listing.lot),
        sellable=f"{holding.sellable if holding is not None else 0:g}",
        confidence=f"{risk.min_confidence:g}",
        ratio=f"{risk.min_risk_reward_ratio:g}",
        after_costs=f"{risk.min_risk_reward_after_costs:g}",
        stop=f"{risk.max_stop_distance_pct:g}",
    )


def account_briefing(context: FusionContext) -> str:
    """Return the market's and the account's measured lines, the largest order in shares and lots, and its rules."""
    listing, price = context.snapshot.listing, context.snapshot.current_price
    shares = shares_for(context.sheet.number("largest_allowed_order") or 0.0, price, listing)
    order = [f"largest_allowed_shares = {shares}"]
    if listing.lot > 1:
        order += [
            f"largest_allowed_lots = {shares // listing.lot}",
            f"one_lot = {listing.lot * price:.2f} {listing.currency} ({listing.lot} shares)",
        ]
    lines = [market_lines(context.sheet, context.snapshot), account_lines(context.sheet, listing.currency), *order]
    return "\n".join([FACTS[context.language], *lines, "", account_rules(context)])


def _briefing(state: Mapping[str, Any], context: FusionContext) -> str:
    summary = state.get("research_summary") or {}
    about = {"action": str(summary.get("action")), "confidence": f"{summary.get('confidence', 0):g}"}
    plan = render(_PLAN[context.language], **about)
    evidence = evidence_block(context.inputs.evidence, context.language)
    ruled = quoted("research manager", prose(str(state.get("investment_plan") or "")))
    return "\n\n".join(filter(None, [heading(context), account_briefing(context), evidence, plan, ruled]))


def _outcome(ruling: TradeBlock, text: str, state: Mapping[str, Any], context: FusionContext) -> Json:
    risk = context.request.risk
    bounds = order_bounds(context.account, context.snapshot.listing.symbol, risk, assumed_stop_pct(risk))
    summary = {**ruling.model_dump(mode="json"), "rounds": state.get("turn", 0) // 3, "largest_allowed_order": bounds.value}
    return {"final_trade_decision": text, "risk_summary": {**summary, "bounds": bounds.to_json(), "binding": bounds.binding}}


RISK = Room(
    name="risk",
    schemas=Schemas(RiskDebateState, RiskDebateInput, RiskDebateOutput, FusionContext),
    speakers=("risky", "safe", "neutral"),
    judge="risk_judge",
    briefing=_briefing,
    read=read_trade,
    outcome=_outcome,
)
