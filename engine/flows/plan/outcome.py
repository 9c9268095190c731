"""How a plan's run ends: what the specification prints, the fields that every flow has, and the answer. Strict JSON. Pure.

    {"question", "factors": [{"name", "status", "context", "replanned", "task_results": [...], "warnings"}],
     "answer", "statements": [{"text", "start", "end", "origin", "dated", "status", "factor", "task", "tool", "source", "as_of",
     "confidence"}], "confidence", "language" (of the answer), "skipped",
     "plan", "planning": {"by", "text", "warnings"}, "at", "symbol", "feed", "flow", "run_id", "is_valid", "errors", "warnings",
     "metrics", ...}

It is valid when at least one task gave a result; a run that ended without one says why in `errors`.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from engine.agents.recording import planted_values, recorded
from engine.domain.ended import Ended
from engine.domain.events import Event
from engine.domain.opinion import Usage
from engine.domain.plan.events import PlanTaskFinished
from engine.domain.plan.results import FactorExecutionResult
from engine.flows.plan.answer import answer_text, confidence_of, skipped_tasks, statements_of
from engine.flows.plan.context import PlanContext
from engine.flows.plan.planning.by_words import language_of
from engine.flows.plan.registry import ToolRegistry
from engine.flows.protocol import Failure, Json
from engine.prompts.render import Text, render

_SHOWN = ("is_valid", "errors", "warnings", "metrics", "confidence", "statements")
_DEADLINE: Text = {"en": "the run's deadline of {seconds} s passed", "zh": "运行超过了 {seconds} 秒的期限"}
_BROKE: Text = {"en": "the plan broke off: {reason}", "zh": "计划中断：{reason}"}
_EMPTY: Text = {"en": "no task gave a result", "zh": "没有任务得到结果"}
_HEADLINE: Text = {"en": "{n} statements, confidence {percent} %", "zh": "{n} 条结论，置信度 {percent}%"}


def ended(state: Mapping[str, Any], context: PlanContext, events: Sequence[Event], failure: Failure | None) -> Ended:
    """Return how a run ended. state: what the graph left. events: of the run."""
    language, inputs = language_of(context.inputs.question), context.inputs
    results = sorted(state.get("results") or (), key=lambda each: each["place"])
    factors = [FactorExecutionResult.model_validate(each["factor"]) for each in results]
    statements, skipped = statements_of(factors, ToolRegistry(), language), skipped_tasks(factors)
    errors = _errors(state, failure, context)
    if not errors and not statements:
        errors = [_EMPTY[context.language]]
    spent = [answer.usage for answer in recorded(events).answers.values()]
    planning = dict(state.get("planning") or {"by": None, "text": "", "warnings": []})
    confidence = confidence_of(statements, skipped)
    final: Json = {
        "flow": "plan",
        "run_id": context.run_id,
        "question": inputs.question,
        "symbol": inputs.symbol,
        "feed": inputs.feed,
        "at": inputs.at.isoformat(),
        "threshold": inputs.threshold,
        "max_retries": inputs.max_retries,
        "plan": state.get("plan"),
        "planning": planning,
        "factors": [each.model_dump(mode="json") for each in factors],
        "statements": [each.model_dump(mode="json") for each in statements],
        "answer": answer_text(statements, skipped, language),
        "language": language,
        "confidence": confidence,
        "skipped": skipped,
        "planted": [lie.to_json() for lie in planted_values(events)],
        "is_valid": not errors,
        "errors": errors,
        "warnings": [*planning["warnings"], *(f"{each.name}: {warning}" for each in factors for warning in each.warnings)],
        "inputs_hash": inputs.hash,
        "created_at": state["created_at"],
        "completed_at": context.now(),
        "total_cost": _cost(spent),
    }
    total_ms = (context.clock() - datetime.fromisoformat(str(state["created_at"]))).total_seconds() * 1000
    final["metrics"] = _metrics(spent, events, round(total_ms, 3))
    headline = render(_HEADLINE[context.language], n=str(len(statements)), percent=str(round(100 * confidence)))
    return Ended(
        state=final,
        headline=headline if statements else errors[0][:200],
        is_valid=not errors,
        duration_ms=final["metrics"]["total_duration_ms"],
        tokens=final["metrics"]["total_tokens"],
        cost=final["total_cost"],
        shown={key: final[key] for key in _SHOWN},
    )


def _errors(state: Mapping[str, Any], failure: Failure | None, context: PlanContext) -> list[str]:
    if failure is not None and failure.kind == "deadline":
        return [render(_DEADLINE[context.language], seconds=failure.detail)]
    if failure is not None:
        return [render(_BROKE[context.language], reason=failure.detail)]
    return [str(state["halted"])] if state.get("halted") else []


def _metrics(spent: Sequence[Usage], events: Sequence[Event], duration_ms: float) -> Json:
    called = [event for event in events if isinstance(event.data, PlanTaskFinished)]
    return {
        "llm_calls_count": sum(usage.requests for usage in spent),
        "failed_llm_calls": sum(usage.failed for usage in spent),
        "tool_calls_count": len(called),
        "total_duration_ms": duration_ms,
        "total_tokens": sum(usage.prompt_tokens + usage.completion_tokens for usage in spent),
        "prompt_tokens": sum(usage.prompt_tokens for usage in spent),
        "completion_tokens": sum(usage.completion_tokens for usage in spent),
    }


def _cost(spent: Sequence[Usage]) -> float | None:
    """Return what the run cost in money; None when a model that was asked has no price."""
    costs = [usage.cost for usage in spent]
    return None if None in costs else round(sum(cost for cost in costs if cost is not None), 6)
