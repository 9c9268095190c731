"""How a plan's run ends: what the specification prints, the fields that every flow has, and the answer. Strict JSON. Pure.

    {"question", "factors": [{"name", "status", "context", "replanned", "task_results": [...], "warnings"}],
     "answer", "verdict": "yes|no|partly|unknown|open", "confidence", "language" (of the answer), "skipped",
     "synthesis": {"text", "by": "model|script|rule", "statements": [a sentence, its citations, its numbers and the results that hold them],
     "confidence_parts": {"supported", "known", "measured", "stated"},
     "headline": {"words", "n", "figure", "value", "percentile"} or null, "against": a checked sentence or null},
     "statements": [{"text", "start", "end", "origin", "dated", "status", "factor", "task", "tool", "source", "as_of", "confidence"}],
     "plan", "planning": {"by", "text", "warnings"}, "at", "symbol", "feed", "flow", "run_id", "is_valid", "errors", "warnings",
     "metrics", ...}

It is valid when at least one task gave a result; a run that ended without one says why in `errors`.

    confidence = the least of: what the answer says of itself, the share of its sentences that the results hold, the share of tasks that
    gave a result, and the least sure result it cites
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from engine.agents.recording import planted_values
from engine.agents.stated_headline import held_against
from engine.desks.plan.answering.by_rule import answer_by_rule
from engine.desks.plan.answering.measured import StayedResult, stayed_results
from engine.desks.plan.answering.synthesis import Synthesis, held_headline
from engine.desks.plan.by_words import language_of
from engine.desks.plan.context import PlanContext
from engine.desks.plan.graph import factors_of
from engine.desks.plan.registry import ToolRegistry
from engine.desks.plan.words import say
from engine.domain.ended import Ended
from engine.domain.events import Event
from engine.domain.plan.events import PlanTaskFinished
from engine.domain.plan.results import LEFT_OUT, FactorExecutionResult, PlanStatement
from engine.domain.research.dossier import DossierStatement
from engine.domain.text.reason import Reason
from engine.domain.text.visible import one_line
from engine.flows.ending import finished, unfinished
from engine.flows.protocol import Failure, Json
from engine.grounding.cited.statements import check_answer

_SHOWN = ("is_valid", "errors", "warnings", "metrics", "confidence", "statements", "verdict")


def ended(state: Mapping[str, Any], context: PlanContext, events: Sequence[Event], failure: Failure | None) -> Ended:
    """Return how a run ended. state: what the graph left. events: of the run."""
    inputs, factors, language = context.inputs, factors_of(state), context.language
    answer, unanswered = _answer(state, factors, context)
    statements = answer["statements"]
    errors = unfinished(context, failure, is_whole=True) or ([str(state["halted"])] if state.get("halted") else [])
    if not errors and not statements:
        errors = [Reason("no_task_gave_result").said_in(language)]
    planning = dict(state.get("planning") or {"by": None, "text": "", "warnings": []})
    fields: Json = {
        "question": inputs.question,
        "symbol": inputs.symbol,
        "feed": inputs.feed,
        "at": inputs.at.isoformat(),
        "threshold": inputs.threshold,
        "max_retries": inputs.max_retries,
        "plan": state.get("plan"),
        "planning": planning,
        "factors": [each.model_dump(mode="json") for each in factors],
        **answer,
        "planted": [lie.to_json() for lie in planted_values(events)],
        "errors": errors,
        "warnings": [
            *planning["warnings"],
            *(Reason("about", who=each.name, what=warning) for each in factors for warning in each.warnings),
            *unanswered,
        ],
    }
    headline = say("headline", language, n=len(statements), percent=round(100 * answer["confidence"]))
    calls = {"tool_calls_count": sum(isinstance(event.data, PlanTaskFinished) for event in events)}
    began = str(state["created_at"])
    return finished(context, began, events, fields, headline if statements else errors[0][:200], shown=_SHOWN, counted=calls)


def _answer(state: Mapping[str, Any], factors: Sequence[FactorExecutionResult], context: PlanContext) -> tuple[Json, list[str]]:
    """Return the fields of the answer, checked against the results, and what is wrong with it. A run that broke off is answered by rule."""
    language = language_of(context.inputs.question)
    results = stayed_results(factors, ToolRegistry(), language)
    skipped = [f"{factor.name}/{each.id}" for factor in factors for each in factor.task_results if each.kind == "skip"]
    given = state.get("synthesis")
    synthesis = Synthesis(**given) if given is not None else answer_by_rule(context.inputs.question, results)
    headline, documents = held_headline(synthesis, results), [each.document for each in results]
    lead = synthesis.text if synthesis.by == "model" else f"{synthesis.text}\n{say('no_model', language)}"
    checked = check_answer(synthesis.text, documents)
    lines, statements = _stated(lead, results)
    gone = [f"{factor.name}/{each.id}" for factor in factors for each in factor.task_results if each.error == LEFT_OUT]
    lost = [each for each in skipped if each not in gone]
    lines += [say(key, language, tasks=", ".join(names)) for key, names in (("missing", lost), ("left_out", gone)) if names]
    parts = _confidence_parts(synthesis, checked, results, skipped)
    fields: Json = {
        "answer": "\n".join(lines),
        "verdict": synthesis.verdict,
        "synthesis": {
            "text": synthesis.text,
            "by": synthesis.by,
            "statements": [each.model_dump(mode="json") for each in checked],
            "confidence_parts": dict(parts),
            "headline": asdict(headline) if headline is not None else None,
            "against": held_against(synthesis.against, documents),
        },
        "statements": [each.model_dump(mode="json") for each in statements],
        "language": language,
        "confidence": min(parts.values()),
        "skipped": skipped,
    }
    warnings: list[str] = [Reason("question_answered_by_rule", reason=synthesis.reason)] if synthesis.reason else []
    if unsupported := sum(each.status == "unsupported" for each in checked):
        warnings.append(Reason("answer_sentences_unsupported", count=unsupported, all=len(checked)).said_in(context.language))
    return fields, warnings


def _stated(lead: str, results: Sequence[StayedResult]) -> tuple[list[str], list[PlanStatement]]:
    """Return the lines of an answer, one behind its lead for every result that comes to a sentence, and the statements in them."""
    lines, statements = [lead], list[PlanStatement]()
    for each in results:
        if not each.sentence:
            continue
        number, result, origin = f"[{each.n}] ", each.result, f"{each.factor}/{each.result.id}"
        start, sure = sum(len(line) + 1 for line in lines) + len(number), result.confidence or 0.0
        lines.append(f"{number}{each.sentence} [{one_line(origin)}, {(result.as_of or '')[:16]}, {sure:.2f}]")
        statements.append(
            PlanStatement(
                text=each.sentence,
                start=start,
                end=start + len(each.sentence),
                origin=origin,
                dated=result.as_of,
                factor=each.factor,
                task=result.id,
                tool=result.tool,
                source=result.source,
                as_of=result.as_of,
                confidence=sure,
            )
        )
    return lines, statements


def _confidence_parts(
    synthesis: Synthesis, checked: Sequence[DossierStatement], results: Sequence[StayedResult], skipped: Sequence[str]
) -> Mapping[str, float]:
    """Return what the confidence of an answer is the least of, each 0 to 1."""
    cited = {n for each in checked for n in each.citations}
    sure = [each.result.confidence or 0.0 for each in results if not cited or each.n in cited]
    parts = {
        "supported": sum(each.status != "unsupported" for each in checked) / len(checked) if checked else 0.0,
        "known": len(results) / (len(results) + len(skipped)) if results else 0.0,
        "measured": min(sure, default=0.0),
        "stated": synthesis.sure,
    }
    return {name: round(part, 4) for name, part in parts.items()}
