"""The executor node: asks for the decision on the corrected record, checks the answer, then the hard limits.

Anything but a sound decision within every limit leaves the path's safe action to `outcome.py`, with the reason in `errors`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from langgraph.runtime import Runtime
from pydantic import JsonValue

from engine.agents.ask import NoAnswer, Question, Spoken, ask
from engine.agents.attached import without_quoted
from engine.agents.claim_reader import emit_corrections
from engine.agents.watch import Watched, watch
from engine.desks.decision.context import DecisionContext
from engine.desks.decision.executor.brief import make_brief
from engine.desks.decision.executor.check import Refused, check_answer, read_on
from engine.desks.decision.executor.prompt import (
    ASKED,
    BUDGET,
    BUDGET_ALONE,
    ExecutorBrief,
    executor_system,
    executor_user,
)
from engine.desks.decision.paths import GROUNDING_RESULT, Path
from engine.desks.decision.reading.answers import ExecutorBlock
from engine.desks.decision.reading.spans import claim_spans
from engine.desks.decision.stakes import held, horizon
from engine.desks.decision.state import TradingDecisionState
from engine.domain.change_of_mind import SincePrevious, stance_of
from engine.domain.claims import GroundingResult
from engine.domain.decision import Action, ExecutorDecision
from engine.domain.events import LimitsChecked, NodeFinished
from engine.domain.holding import Holding
from engine.domain.market.snapshot import Snapshot
from engine.domain.opinion import Direction, Usage, token_usage
from engine.domain.orders import OrderSide
from engine.domain.risk import LimitCheck
from engine.domain.text.reason import Reason
from engine.grounding.reading import read_claims
from engine.grounding.result import uses_of
from engine.grounding.tables.markets import CRYPTO
from engine.grounding.tables.thresholds import after_penalty
from engine.instruments.limits import Circumstances, breach_reason, check_limits
from engine.prompts.tokens import count_tokens
from engine.trading.sizing import sized_by

ROLE = "executor"
_PLAN = (
    "stop_loss_price", "take_profit_price", "stop_loss_pct", "take_profit_pct", "risk_reward_ratio", "adjustment_pct", "adjustment_type",
)  # fmt: skip


async def executor_node(state: TradingDecisionState, runtime: Runtime[DecisionContext]) -> dict[str, Any]:
    return await decide_on(make_brief(runtime.context.path, state, runtime.context), state, runtime.context)


async def decide_on(brief: ExecutorBrief, state: TradingDecisionState, context: DecisionContext) -> dict[str, Any]:
    """Ask, check, apply the limits: the fields of the state that change. state: everything before the executor."""
    path = context.path
    ahead, side = horizon(context.snapshot.timeframe, context.language), held(context.snapshot.holding, context.language)
    around = _circumstances(context.snapshot)
    system = executor_system(path, context.risk, ahead, side, context.language, around, context.since_previous)
    if brief.is_alone:
        system = f"{system}\n\n{ASKED['alone'][context.language]}"
    user = executor_user(brief, path, context.language, (BUDGET_ALONE if brief.is_alone else BUDGET) - count_tokens(system))
    with watch(context.access.emit, ROLE, "executor") as watched:
        try:
            spoken = await ask(context.access, Question(ROLE, system, user), read_on(path))
        except NoAnswer as lost:
            watched.data = NodeFinished(usage=lost.usage)
            watched.failed(str(lost), "safe_action")
            return _ended(state, context, lost.usage) | {
                "errors": [Reason("no_usable_answer", role=ROLE, reason=lost).said_in(context.language)]
            }
        update = _decide(path, state, context, spoken, watched, brief.penalty_pct)
    return _ended(state, context, spoken.usage) | {"executor_text": spoken.text} | update


def _decide(
    path: Path,
    state: TradingDecisionState,
    context: DecisionContext,
    spoken: Spoken[ExecutorBlock],
    watched: Watched,
    penalty_pct: float,
) -> dict[str, Any]:
    """Return what an answer is worth. penalty_pct: taken off the confidence that it states, before the limits see it."""
    price, holding, records = context.snapshot.price, context.snapshot.holding, cast(Mapping[str, Any], state)
    spans = without_quoted(claim_spans(spoken.text, ROLE), spoken.text, context.citable)
    claims = read_claims(spoken.text, context.sheet, ROLE, spans, table=CRYPTO)
    emit_corrections(context.access.emit, ROLE, claims)
    debate = GroundingResult.model_validate(records[path.key(GROUNDING_RESULT)]).claims
    uses = uses_of((claim for claim in debate if claim.source in path.debaters), claims)
    used, shares = [use.model_dump(mode="json") for use in uses], breakdown(path, state)
    said: dict[str, Any] = {
        "executor_reasoning": spoken.read.reasoning,
        "executor_key_factors": list(spoken.read.key_factors),
        "executor_risk_assessment": spoken.read.risk_assessment,
        "executor_confidence": spoken.read.confidence,
        "confidence_penalty": penalty_pct,
        "executor_confidence_breakdown": shares,
        "executor_claims": [claim.model_dump(mode="json") for claim in claims],
        "corrections_used": used,
    }
    watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage, claims=claims, corrections_used=used)
    try:
        action, decision = check_answer(spoken.read, path, price, holding, shares, spoken.usage)
    except Refused as refusal:
        watched.data = watched.data.plus(result=said | {"executor_claims": None}, is_valid=False, errors=[str(refusal)])
        return said | {"errors": [str(refusal)]}
    decision = decision.model_copy(update={"confidence": after_penalty(decision.confidence, penalty_pct)})
    calibrated = _calibrated(action, decision, context)
    said["calibrated_confidence"] = calibrated
    side: OrderSide = "sell" if decision.direction is Direction.SHORT else "buy"
    ordered = context.ordered(side, decision.stop_loss_price, decision.take_profit_price) if action.adds_risk else None
    checks = check_limits(
        action,
        confidence=decision.confidence,
        leverage=decision.leverage if decision.leverage is not None else holding.leverage if holding is not None else math.nan,
        price=price,
        stop=decision.stop_loss_price,
        target=decision.take_profit_price,
        adjustment_pct=decision.adjustment_pct,
        holding=holding,
        risk=sized_by(context.risk, decision.confidence, calibrated),
        figures=ordered[1] if ordered is not None else None,
        around=_circumstances(context.snapshot),
        reversal_facts=reversal_facts(context.since_previous, decision, holding),
    )
    stated = {key: said[key] for key in ("executor_confidence", "confidence_penalty")}
    stated |= {"calibrated_confidence": calibrated} if calibrated is not None else {}
    return said | _limited(context, action, decision, stated, checks, watched)


def reversal_facts(since: SincePrevious | None, decision: ExecutorDecision, holding: Holding | None) -> int | None:
    """Return how many facts moved since the decision before, where this one points the other way; else None."""
    if since is None:
        return None
    final = {"final_action": decision.action.value, "adjustment_pct": decision.adjustment_pct}
    return since.facts_for(stance_of(final | {"position_side": holding.side if holding is not None else None}))


def _calibrated(action: Action, decision: ExecutorDecision, context: DecisionContext) -> float | None:
    """Return how often decisions of that confidence gained, percent, where an entry is to be sized by it; None where it is not, and where
    there are too few."""
    if not context.risk.calibrated_sizing or not action.needs_levels or context.request.calibration is None:
        return None
    return context.request.calibration.calibrated(decision.confidence)


def _circumstances(snapshot: Snapshot) -> Circumstances | None:
    """Return the account the decision would be ordered on, or None."""
    if snapshot.account is None:
        return None
    return Circumstances(snapshot.market.symbol, snapshot.account, snapshot.price_gap_pct)


def _limited(
    context: DecisionContext,
    action: Action,
    decision: ExecutorDecision,
    stated: Mapping[str, float],
    checks: Sequence[LimitCheck],
    watched: Watched,
) -> dict[str, Any]:
    """Return the decision when every limit passes, else its reasons. stated: the confidence before the penalty, and the penalty."""
    limits: list[JsonValue] = [check.model_dump(mode="json") for check in checks]
    breaches = [breach_reason(check) for check in checks if not check.passed]
    context.access.emit(ROLE, LimitsChecked(limits=checks, passed=not breaches))
    errors = [Reason("limit_breached", reason=text).said_in(context.language) for text in breaches]
    dumped = decision.model_dump(mode="json")
    watched.data = watched.data.plus(result={**dumped, **stated}, wanted=action.word, is_valid=not breaches, errors=errors)
    if breaches:
        return {"limits": limits, "errors": errors, "refused_decision": dumped}
    final = {f"final_{key}": dumped[key] for key in ("action", "confidence", "direction", "leverage")}
    return {"limits": limits, "is_valid": True, **final, **{key: dumped[key] for key in _PLAN}}


def breakdown(path: Path, state: TradingDecisionState) -> dict[str, float | None]:
    """Measured, not said: the consensus, the judge's confidence, and 100 minus the hallucination score, None where nothing was checked."""
    records: Mapping[str, Any] = state
    score = state["hallucination_score"]
    return {
        "analysis": state["consensus_confidence"],
        "debate": records[path.record("judge")]["confidence"],
        "grounding": None if score is None else round(100 - score, 1),
    }


def _ended(state: TradingDecisionState, context: DecisionContext, usage: Usage) -> dict[str, Any]:
    return {
        "executor_timestamp": context.now(),
        "executor_duration_ms": context.since(str(state["grounding_timestamp"])),
        "executor_token_usage": token_usage([usage]),
        "executor_model": usage.model,
        "executor_usage": usage.model_dump(mode="json"),
        "nodes_executed": [ROLE],
    }
