"""The answer of a plan as it is printed: the synthesiser's words first, then a plain statement for every result, then what is not known.

    confidence = the least of: what the answer says of itself, the share of its sentences that the results hold, the share of tasks that
    gave a result, and the least sure result it cites

Pure.
"""

from collections.abc import Mapping, Sequence

from engine.desks.plan.answering.measured import StayedResult
from engine.desks.plan.answering.synthesis import Synthesis
from engine.desks.plan.words import say
from engine.domain.plan.results import LEFT_OUT, FactorExecutionResult, PlanStatement
from engine.domain.research.dossier import DossierStatement
from engine.domain.text.language import Language
from engine.domain.text.visible import one_line


def statements_of(results: Sequence[StayedResult], at: int) -> list[PlanStatement]:
    """Return a statement for every result that comes to a sentence, in the order of the plan. at: where the first of their lines begins."""
    found: list[PlanStatement] = []
    for each in results:
        text, result = each.sentence, each.result
        if text:
            at = (found[-1].end + len(_note(found[-1])) + 1 if found else at) + len(f"[{each.n}] ")
            found.append(
                PlanStatement(
                    text=text,
                    start=at,
                    end=at + len(text),
                    origin=f"{each.factor}/{result.id}",
                    dated=result.as_of,
                    factor=each.factor,
                    task=result.id,
                    tool=result.tool,
                    source=result.source,
                    as_of=result.as_of,
                    confidence=result.confidence or 0.0,
                )
            )
    return found


def skipped_tasks(factors: Sequence[FactorExecutionResult]) -> list[str]:
    """Return what was given up, as `factor/task`."""
    return [f"{factor.name}/{each.id}" for factor in factors for each in factor.task_results if each.kind == "skip"]


def lead_text(synthesis: Synthesis, language: Language) -> str:
    """Return what is before the statements: the answer itself, and that no model gave it."""
    return synthesis.text if synthesis.by == "model" else f"{synthesis.text}\n{say('no_model', language)}"


def answer_text(
    lead: str,
    results: Sequence[StayedResult],
    statements: Sequence[PlanStatement],
    factors: Sequence[FactorExecutionResult],
    language: Language,
) -> str:
    """Return the whole answer as text: its lead, a line a statement under the number that it is cited by, what is not known, and what a new
    plan does not ask any more."""
    stated = (each for each in results if each.sentence)
    lines = [lead, *(f"[{each.n}] {statement.text}{_note(statement)}" for each, statement in zip(stated, statements, strict=True))]
    gone = [f"{factor.name}/{each.id}" for factor in factors for each in factor.task_results if each.error == LEFT_OUT]
    lost = [each for each in skipped_tasks(factors) if each not in gone]
    lines += [say(key, language, tasks=", ".join(names)) for key, names in (("missing", lost), ("left_out", gone)) if names]
    return "\n".join(lines)


def _note(statement: PlanStatement) -> str:
    """Return what is behind a statement in the answer: where it comes from, of when it is, how sure."""
    return f" [{one_line(statement.origin)}, {(statement.as_of or '')[:16]}, {statement.confidence:.2f}]"


def confidence_parts(
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
