"""How a decision ends: every field of the state, strict JSON; and what its reasoning rested on, once that is over.

Whatever did not end as a sound decision ends here in the path's safe action, with `is_valid: false` and a reason in `errors`.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, get_type_hints

from engine.agents.attached import EVIDENCE_FIELDS, evidence_fields
from engine.agents.recording import claim_tallies, planted_values
from engine.desks.decision.annotations import annotations
from engine.desks.decision.briefing import entry_thesis
from engine.desks.decision.context import DecisionContext
from engine.desks.decision.paths import GROUNDING_RESULT, PATHS, Path, role_at
from engine.desks.decision.prepare import measured
from engine.desks.decision.state import Json, TradingDecisionState
from engine.domain.claims import Claim
from engine.domain.decision import DEBATE_SIDES, ExecutionMetrics, Signal
from engine.domain.ended import Ended
from engine.domain.errors import TribunalError
from engine.domain.events import Event
from engine.domain.holding import Holding
from engine.domain.invalidation import InvalidationCheck, Thesis
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.domain.model_faults import model_faults
from engine.domain.opinion import Direction, Usage, call_metrics, token_usage, total_cost, usages
from engine.domain.orders import OrderSide
from engine.domain.proposal import Planned
from engine.domain.run import DecideRequest, RunRecord
from engine.domain.stability import RepeatedAnswer
from engine.domain.text.reason import Reason, holds
from engine.facts.likeness import features_of
from engine.facts.sheet import build_sheet
from engine.facts.thesis import check_thesis, invalidations_of
from engine.flows.ending import filed
from engine.flows.protocol import Approvals, Failure, Review, RunDeps
from engine.grounding.tables.thresholds import closes_gate
from engine.market.snapshot import take_snapshot
from engine.outcomes.expected import expected_outcome

_FIELDS = tuple(get_type_hints(TradingDecisionState))
_INTERNAL = ("halted", "lost_usage")
_NO_ORDER = (None, Signal.WAIT.value, Signal.HOLD.value)
_ENTRIES = (Signal.ENTRY_LONG.value, Signal.ENTRY_SHORT.value)
_SHOWN = ("final_action", "is_valid", "errors", "warnings", "metrics")


def ended(state: Mapping[str, Any], context: DecisionContext, events: Sequence[Event], failure: Failure | None) -> Ended:
    """Return how a decision ended. state: what the graph left. events: of the run, for the lies that were told in it."""
    why = None
    if failure is not None and failure.kind == "deadline":
        cut = {key: value for private in failure.inside.values() for key, value in private.items()}  # no two stages share a field
        state = {**cut, **{key: value for key, value in state.items() if value is not None}}
        why = Reason("deadline", seconds=failure.detail).said_in(context.language)
    elif failure is not None:
        why = Reason("decision_broke", reason=failure.detail).said_in(context.language)
    final, faults = conclude(state, context, why), model_faults(events)
    if faults.refused and not faults.answered:
        final["errors"] = [faults.refused, *(each for each in final["errors"] if not holds(each, faults.refused))]
    if faults.ignored:
        final["warnings"].append(Reason("model_ignored_form", n=faults.ignored, of=faults.asked).said_in(context.language))
    checked = _checked_claims(final)
    verdicts = [claim.when_said for claim in checked]
    final["planted"] = planted_lies(events, final, checked)
    if given := context.snapshot.evidence:
        final |= evidence_fields(events, given)
    return Ended(
        state=final,
        headline=final["final_action"],
        is_valid=final["is_valid"],
        duration_ms=final["total_duration_ms"],
        tokens=final["total_token_usage"]["total"],
        cost=final["total_cost"],
        shown={key: final[key] for key in (*_SHOWN, *EVIDENCE_FIELDS) if key in final},
        confidence=final["final_confidence"] if final["is_valid"] else None,
        claims=sum(verdict in ("true", "false") for verdict in verdicts) if final["total_claims"] is not None else None,
        false_claims=verdicts.count("false") if final["false_claims"] is not None else None,
        tallies=claim_tallies(checked, events),
        at=context.snapshot.at,
        features=features_of(context.sheet) if final["final_action"] in _ENTRIES else {},
    )


def conclude(state: Mapping[str, Any], context: DecisionContext, failure: str | None = None) -> Json:
    """Return the final state. state: what the graph left. failure: why the graph itself broke, when it did."""
    path = context.path
    errors = [*state.get("errors", ()), *([failure] if failure else [])]
    sound = bool(state.get("is_valid")) and failure is None
    final: Json = {field: state.get(field) for field in _FIELDS if field not in _INTERNAL}
    final |= {f"{key}_report": report for key, report in (state.get("reports") or {}).items()}
    final |= {"errors": errors or ([] if sound else [Reason("decision_did_not_finish")]), "warnings": list(state.get("warnings", ()))}
    final |= {"nodes_executed": list(state.get("nodes_executed", ())), "limits": list(state.get("limits") or ())}
    final |= {"is_valid": sound, "grounding_verified": bool(final["grounding_verified"])}
    final["consensus_confidence"] = final["consensus_confidence"] or 0.0
    if not sound:
        final |= _safe(path)
    spent, total_ms = _spent(path, state), context.since(str(state["created_at"]))
    final |= {
        "completed_at": context.now(),
        "total_duration_ms": total_ms,
        "total_token_usage": token_usage(spent),
        "total_cost": total_cost(spent),
        "execution_result": _execution_result(final),
        "metrics": _metrics(path, final, spent, total_ms).model_dump(mode="json"),
        "chart_annotations": annotations(final, path, context),
        "expected_outcome": _expected(final, context),
    }
    return final


async def file(ended: Ended, context: DecisionContext, request: DecideRequest, deps: RunDeps) -> Ended:
    """Return the end with the decision's proposal when that was asked for. What cannot be filed is said; the decision stays what it is."""
    return await filed(ended, _proposed(ended, context, deps), context.language) if request.propose else ended


async def _proposed(ended: Ended, context: DecisionContext, deps: RunDeps) -> Ended:
    final = dict(ended.state)
    thesis = entry_thesis(str(final.get("executor_reasoning") or ""), context.sheet, context.request.language)
    filing = await deps.approvals.prepare(final, context.request, context.snapshot, context.sheet, thesis)
    if filing is None:
        return ended
    final["proposal_id"] = filing.proposal.id if final["is_valid"] else None  # of what the limits refused there is nothing to answer
    return replace(ended, state=final, filing=filing)


async def planned(record: RunRecord, inputs: Snapshot, approvals: Approvals) -> Planned:
    """Return the entry as it would be ordered, out of the snapshot."""
    assert isinstance(record.request, DecideRequest)
    final = record.result or {}
    if final.get("final_action") in _NO_ORDER:  # what is not ordered needs no facts
        return Planned(decided_at=inputs.at)
    return await approvals.plan(final, record.request, inputs, measured(inputs))


async def review(record: RunRecord, inputs: Snapshot, events: Sequence[Event], ended_at: datetime, deps: RunDeps) -> Review:
    """Return the reasons of an entry and its conditions. A market that does not answer leaves the conditions unchecked."""
    final = record.result or {}
    request = record.request
    assert isinstance(request, DecideRequest)
    sheet = await asyncio.to_thread(measured, inputs)
    sign = -1 if final.get("final_action") == Signal.ENTRY_SHORT.value else 1
    thesis = Thesis(run_id=record.run_id, at=inputs.at, invalidations=invalidations_of(sheet, sign))
    try:
        checks = await _checked(thesis, request, inputs, sign, ended_at, deps)
    except TribunalError:
        checks = ()
    words = "\n".join(filter(None, (final.get("executor_reasoning"), *(final.get("executor_key_factors") or ()))))
    return Review(claims=_reasons(final, sign), words=words, checks=checks, features=features_of(sheet))


def _reasons(final: dict[str, Any], sign: int) -> tuple[Claim, ...]:
    """Return what the executor stated; where nothing of that could be checked, what the judge and the side it followed did."""
    own = tuple(Claim.model_validate(each) for each in final.get("executor_claims") or ())
    if any(claim.when_said in {"true", "false"} for claim in own):
        return own
    followed = {"judge", "bull" if sign > 0 else "bear"}
    results = (final.get(path.key(GROUNDING_RESULT)) for path in PATHS)
    claims = (Claim.model_validate(each) for result in results if result for each in result["claims"])
    return tuple(claim for claim in claims if role_at(claim.source) in followed)


async def _checked(
    thesis: Thesis, request: DecideRequest, inputs: Snapshot, sign: int, ended_at: datetime, deps: RunDeps
) -> tuple[InvalidationCheck, ...]:
    held = Holding(side="long" if sign > 0 else "short", entry_price=inputs.price, size=1.0, opened_at=inputs.at)
    later = await take_snapshot(
        deps.feed(request),
        symbol=request.symbol,
        timeframe=Timeframe.parse(request.timeframe),
        htf=Timeframe.parse(request.timeframe_htf) if request.timeframe_htf else None,
        at=ended_at,
        holding=held,
    )
    return check_thesis(thesis, await asyncio.to_thread(build_sheet, later))


def repeated(final: Mapping[str, Any], context: DecisionContext) -> RepeatedAnswer:
    """Return what a final state came to: its action, or that it gave no answer. A closed gate is an answer, as every limit is."""
    scores = (final.get("hallucination_score"), final.get("analysis_hallucination_score"))
    if final.get("executor_text") is None and not any(score is not None and closes_gate(score) for score in scores):
        return RepeatedAnswer(action=None, lost=Reason.listed(final["errors"]))
    enters = final["final_action"] in _ENTRIES
    return RepeatedAnswer(
        action=final["final_action"],
        is_valid=final["is_valid"],
        confidence=final["final_confidence"],
        entry=context.snapshot.price if enters else None,
        stop=final["stop_loss_price"],
        target=final["take_profit_price"],
        atr=context.sheet.number("atr_14"),
    )


def _expected(final: Json, context: DecisionContext) -> str | None:
    """Return what the plan is expected to come to; None where it has no levels or the market's terms are not known."""
    if final["final_action"] not in _ENTRIES:
        return None
    side: OrderSide = "sell" if final["final_action"] == Signal.ENTRY_SHORT.value else "buy"
    ordered = context.ordered(side, final["stop_loss_price"], final["take_profit_price"])
    if ordered is None:
        return None
    return expected_outcome(*ordered, final["final_confidence"], context.request.calibration, context.language)


def _safe(path: Path) -> Json:
    """Return the safe action, with nothing of a decision that was not made."""
    empty = ("final_leverage", "stop_loss_price", "take_profit_price", "stop_loss_pct", "take_profit_pct", "risk_reward_ratio")
    return dict.fromkeys((*empty, "adjustment_pct", "adjustment_type")) | {
        "final_action": path.safe.signal.value,
        "final_confidence": 0.0,
        "final_direction": Direction.NEUTRAL.value,
    }


def _execution_result(final: Json) -> Json:
    return {
        "action": final["final_action"],
        "confidence": final["final_confidence"],
        "leverage": final["final_leverage"],
        "stop_loss": final["stop_loss_price"],
        "take_profit": final["take_profit_price"],
        "adjustment_pct": final["adjustment_pct"],
        "reasoning": final["executor_reasoning"] or Reason.listed(final["errors"]),
    }


def _spent(path: Path, state: Mapping[str, Any]) -> list[Usage]:
    """Usage of every role that was asked, the failed ones too."""
    debate = [state.get(field) for field in path.records]
    lost = {"usage": state.get("lost_usage")}
    return usages(
        [*(state.get("reports") or {}).values(), *debate, lost, state.get("confirmation"), {"usage": state.get("executor_usage")}]
    )


def _metrics(path: Path, final: Json, spent: list[Usage], total_ms: float) -> ExecutionMetrics:
    calls = call_metrics(spent)
    stages = ("analysis_duration_ms", "debate_duration_ms", "grounding_duration_ms", "executor_duration_ms")
    counted = {"successful_llm_calls": calls["llm_calls_count"] - calls["failed_llm_calls"], "nodes_executed": final["nodes_executed"]}
    took = {"total_duration_ms": total_ms, **{stage: final[stage] or 0.0 for stage in stages}}
    return ExecutionMetrics.model_validate({**calls, **counted, **took, "execution_path": path.name})


def planted_lies(events: Iterable[Event], final: Mapping[str, Any], claims: Iterable[Claim]) -> list[Json]:
    """Return `{"role","key","stated","true","caught"}` for every planted value of a run, role by role, in the order each told them.

    caught: a claim of that role about that fact was false when it was said. claims: all that were checked; a role whose text was never
    checked (a run that ended before) caught nothing.
    """
    false = {(role_at(claim.source), claim.key) for claim in claims if claim.when_said == "false"}
    order = [*(final.get("reports") or ()), *DEBATE_SIDES, "executor"]  # analysts speak at once: who was first is chance
    lies = [lie.to_json() for lie in planted_values(events)]
    lies.sort(key=lambda lie: order.index(side) if (side := role_at(str(lie["role"]))) in order else len(order))
    return [lie | {"caught": (role_at(str(lie["role"])), lie["key"]) in false} for lie in lies]


def _checked_claims(final: Mapping[str, Any]) -> list[Claim]:
    """Return what was read in the words of every role, the executor's at last."""
    results = (final.get(path.key(GROUNDING_RESULT)) for path in PATHS)
    said = [claim for result in results if result for claim in result["claims"]]
    return [Claim.model_validate(each) for each in (*said, *(final.get("executor_claims") or ()))]
