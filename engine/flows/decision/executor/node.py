"""The executor node: asks for the decision on the corrected record, checks the answer, then the hard limits.

Anything but a sound decision within every limit leaves the path's safe action to `outcome.py`, with the reason in `errors`.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from langgraph.runtime import Runtime
from pydantic import JsonValue

from engine.agents.ask import NoAnswer, Question, Spoken, ask
from engine.agents.watch import Watched, watch
from engine.domain.claims import Claim, GroundingResult
from engine.domain.decision import Action, ExecutorDecision
from engine.domain.events import LimitsChecked, NodeFinished
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.terms import exact
from engine.domain.opinion import Direction, Usage
from engine.domain.proposal import Figures, OrderPlan
from engine.domain.risk import LimitCheck
from engine.flows.decision.context import DecisionContext
from engine.flows.decision.executor.brief import make_brief
from engine.flows.decision.executor.check import Refused, check_answer, read_on
from engine.flows.decision.executor.prompt import (
    BUDGET,
    ExecutorBrief,
    executor_system,
    executor_user,
)
from engine.flows.decision.grounding import correction_data
from engine.flows.decision.paths import GROUNDING_RESULT, HALLUCINATION_SCORE, Path
from engine.flows.decision.reading.answers import ExecutorBlock
from engine.flows.decision.reading.spans import claim_spans
from engine.flows.decision.reasons import reason
from engine.flows.decision.stakes import held, horizon
from engine.flows.decision.state import TradingDecisionState
from engine.grounding.reading import read_claims
from engine.grounding.reuse import CorrectionUse, uses_of
from engine.grounding.tables.crypto import CRYPTO
from engine.prompts.tokens import count_tokens
from engine.trading.figures import figures_of
from engine.trading.limits import Circumstances, breach_text, check_limits

ROLE = "executor"


async def executor_node(state: TradingDecisionState, runtime: Runtime[DecisionContext]) -> dict[str, Any]:
    """Return the executor of either path."""
    return await decide_on(make_brief(runtime.context.path, state, runtime.context), state, runtime.context)


async def decide_on(brief: ExecutorBrief, state: TradingDecisionState, context: DecisionContext) -> dict[str, Any]:
    """Ask, check, apply the limits: the fields of the state that change. state: everything before the executor."""
    path = context.path
    ahead, side = horizon(context.snapshot.timeframe, context.language), held(context.snapshot.holding, context.language)
    system = executor_system(path, context.risk, ahead, side, context.language)
    user = executor_user(brief, path, context.language, BUDGET - count_tokens(system))
    with watch(context.access.emit, ROLE, "executor") as watched:
        try:
            spoken = await ask(context.access, Question(ROLE, system, user, states_facts=True), read_on(path))
        except NoAnswer as lost:
            watched.data = NodeFinished(usage=lost.usage)
            watched.failed(str(lost), "safe_action")
            return _ended(state, context, lost.usage) | {"errors": [reason("no_answer", context.language, role=ROLE, reason=lost)]}
        update = _decide(path, state, context, spoken, watched)
    return _ended(state, context, spoken.usage) | {"executor_text": spoken.text} | update


def _decide(
    path: Path, state: TradingDecisionState, context: DecisionContext, spoken: Spoken[ExecutorBlock], watched: Watched
) -> dict[str, Any]:
    price, holding = context.snapshot.price, context.snapshot.holding
    claims = read_claims(spoken.text, context.sheet, ROLE, claim_spans(spoken.text, ROLE), table=CRYPTO, tags=spoken.tags)
    for claim in claims:
        if claim.verdict == "false":
            context.access.emit(ROLE, correction_data(claim))
    said: dict[str, Any] = {
        "executor_reasoning": spoken.read.reasoning,
        "executor_key_factors": list(spoken.read.key_factors),
        "executor_risk_assessment": spoken.read.risk_assessment,
        "executor_confidence_breakdown": breakdown(path, state),
        "executor_claims": [claim.model_dump(mode="json") for claim in claims],
        "corrections_used": [use.model_dump(mode="json") for use in _uses(path, state, claims)],
    }
    used = said["corrections_used"]
    watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage, claims=claims, corrections_used=used)
    try:
        action, decision = check_answer(spoken.read, path, price, holding, breakdown(path, state), spoken.usage)
    except Refused as refusal:
        watched.data = watched.data.plus(result=said | {"executor_claims": None}, is_valid=False, errors=[str(refusal)])
        return said | {"errors": [str(refusal)]}
    checks = check_limits(
        action,
        confidence=decision.confidence,
        leverage=_leverage(decision, context),
        price=price,
        stop=decision.stop_loss_price,
        target=decision.take_profit_price,
        adjustment_pct=decision.adjustment_pct,
        holding=holding,
        risk=context.risk,
        figures=_figures(action, decision, context),
        around=_circumstances(context.snapshot),
    )
    return said | _limited(context, action, decision, checks, watched)


def _figures(action: Action, decision: ExecutorDecision, context: DecisionContext) -> Figures | None:
    """Return the figures of a plan as it would be ordered, of one unit; None where it has no levels or the market's terms are not known."""
    snapshot, stop, target = context.snapshot, decision.stop_loss_price, decision.take_profit_price
    if snapshot.terms is None or not action.adds_risk or stop is None or target is None:
        return None
    levels = {name: snapshot.terms.price(exact(level)) for name, level in (("stop", stop), ("target", target))}
    return figures_of(
        OrderPlan(side="sell" if decision.direction is Direction.SHORT else "buy", amount=Decimal(1), **levels),
        snapshot.price,
        snapshot.terms,
        atr=context.sheet.number("atr_14"),
        bar_s=snapshot.timeframe.ms / 1000,
        funding_rate=snapshot.surroundings.funding_rate,
    )


def _circumstances(snapshot: Snapshot) -> Circumstances | None:
    """Return the account the decision would be ordered on; None where there is none."""
    if snapshot.account is None:
        return None
    return Circumstances(snapshot.market.symbol, snapshot.account, snapshot.price_gap_pct)


def _uses(path: Path, state: TradingDecisionState, claims: Sequence[Claim]) -> Sequence[CorrectionUse]:
    """Return what the executor made of the debate's corrections."""
    records: Mapping[str, Any] = state
    result = GroundingResult.model_validate(records[path.key(GROUNDING_RESULT)])
    return uses_of((claim for claim in result.claims if claim.source in path.debaters), claims)


def _limited(
    context: DecisionContext, action: Action, decision: ExecutorDecision, checks: Sequence[LimitCheck], watched: Watched
) -> dict[str, Any]:
    """Return the decision when every limit passes, else its reasons."""
    limits: list[JsonValue] = [check.model_dump(mode="json") for check in checks]
    breaches = [breach_text(check, context.language) for check in checks if not check.passed]
    context.access.emit(ROLE, LimitsChecked(limits=checks, passed=not breaches))
    errors = [reason("limit", context.language, reason=text) for text in breaches]
    watched.data = watched.data.plus(result=decision.model_dump(mode="json"), wanted=action.word, is_valid=not breaches, errors=errors)
    if breaches:
        return {"limits": limits, "errors": errors, "refused_decision": decision.model_dump(mode="json")}
    return {"limits": limits, "is_valid": True} | _final(decision)


def _final(decision: ExecutorDecision) -> dict[str, Any]:
    dumped = decision.model_dump(mode="json")
    same = ("stop_loss_price", "take_profit_price", "stop_loss_pct", "take_profit_pct", "risk_reward_ratio", "adjustment_pct")
    return {key: dumped[key] for key in (*same, "adjustment_type")} | {
        "final_action": dumped["action"],
        "final_confidence": dumped["confidence"],
        "final_direction": dumped["direction"],
        "final_leverage": dumped["leverage"],
    }


def _leverage(decision: ExecutorDecision, context: DecisionContext) -> float:
    """Return the leverage that would stand: the stated one, else the holding's."""
    if decision.leverage is not None:
        return decision.leverage
    return context.snapshot.holding.leverage if context.snapshot.holding else float("nan")


def breakdown(path: Path, state: TradingDecisionState) -> dict[str, float]:
    """Measured, not said: the consensus, the judge's confidence, and 100 minus the hallucination score."""
    records: Mapping[str, Any] = state
    return {
        "analysis": state["consensus_confidence"],
        "debate": records[path.record("judge")]["confidence"],
        "grounding": round(100 - float(state[HALLUCINATION_SCORE] or 0.0), 1),
    }


def _ended(state: TradingDecisionState, context: DecisionContext, usage: Usage) -> dict[str, Any]:
    tokens = {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
    return {
        "executor_timestamp": context.now(),
        "executor_duration_ms": context.since(str(state["grounding_timestamp"])),
        "executor_token_usage": tokens | {"total": usage.prompt_tokens + usage.completion_tokens},
        "executor_model": usage.model,
        "executor_usage": usage.model_dump(mode="json"),
        "nodes_executed": [ROLE],
    }
