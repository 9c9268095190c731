"""What the end of every run has, whatever its flow came to."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.agents.recording import recorded
from engine.domain.ended import Ended
from engine.domain.errors import TribunalError
from engine.domain.events import Event
from engine.domain.opinion import call_metrics, total_cost
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.flows.protocol import Failure, Json, RunContext, RunParts


def finished(
    context: RunContext[Any, Any],
    created_at: str,
    events: Sequence[Event],
    fields: Json,
    headline: str | None,
    *,
    shown: Sequence[str] = (),
    counted: Mapping[str, float] | None = None,
) -> Ended:
    """Return the end of a run. It is valid if there is no error.

    Args:
        created_at: When the run began.
        fields: The flow's own fields of the final state, with its `errors` and `warnings`.
        shown: Fields for the event `run.finished`, those that the state has.
        counted: The flow's own metrics.
    """
    spent = [answer.usage for answer in recorded(events).answers.values()]
    duration_ms = context.since(created_at)
    final: Json = {"flow": context.request.flow, "run_id": context.run_id, "inputs_hash": context.inputs.hash, **fields}
    final |= {"is_valid": not fields["errors"], "created_at": created_at, "completed_at": context.now(), "total_cost": total_cost(spent)}
    final["metrics"] = {**call_metrics(spent), **(counted or {}), "total_duration_ms": duration_ms}
    return Ended(
        state=final,
        headline=headline,
        is_valid=final["is_valid"],
        duration_ms=duration_ms,
        tokens=final["metrics"]["total_tokens"],
        cost=final["total_cost"],
        shown={key: final[key] for key in shown if key in final},
    )


def conclude_answer(state: Mapping[str, Any], parts: RunParts, events: Sequence[Event], failure: Failure | None) -> Ended:
    """Return the end of a flow whose answer is the field `answer` of its state."""
    record, answer = parts.record, state.get("answer")
    context = RunContext(record.run_id, record.request, parts.inputs, parts.access, parts.clock)
    errors = unfinished(context, failure, is_whole=answer is not None)
    return finished(context, record.created_at.isoformat(), events, {**state, "answer": answer, "errors": errors, "warnings": []}, answer)


def unfinished(context: RunContext[Any, Any], failure: Failure | None, *, is_whole: bool) -> list[str]:
    """Return why a run did not finish; nothing if it did. is_whole: its graph gave what it is meant to."""
    if failure is not None:
        return [failure.said_in(context.language)]
    return [] if is_whole else [Reason("run_unfinished").said_in(context.language)]


async def filed(ended: Ended, filing: Awaitable[Ended], language: Language) -> Ended:
    """Return the end with its proposal; if that cannot be filed, the end with a warning."""
    try:
        return await filing
    except (TribunalError, ArithmeticError) as problem:
        warnings = [*ended.state["warnings"], Reason("no_proposal_could_be_filed", problem=problem).said_in(language)]
        return replace(ended, state={**ended.state, "warnings": warnings}, shown={**ended.shown, "warnings": warnings})
