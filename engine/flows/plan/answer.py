"""The answer of a plan: plain statements that code makes of results, each with where it comes from. Pure.

confidence of the answer = the mean confidence of its statements x the share of tasks that gave one.
"""

from collections.abc import Sequence
from typing import Final

from engine.domain.plan.results import FactorExecutionResult, PlanStatement
from engine.domain.text.language import Language
from engine.domain.text.visible import one_line
from engine.flows.plan.registry import ToolRegistry
from engine.prompts.render import Text

_NOTHING: Final[Text] = {"en": "Nothing could be found out about this question.", "zh": "关于这个问题没有得到任何结果。"}
_MISSING: Final[Text] = {"en": "Not known: {tasks}.", "zh": "未能得知：{tasks}。"}


def statements_of(factors: Sequence[FactorExecutionResult], registry: ToolRegistry, language: Language) -> list[PlanStatement]:
    """Return a statement for every result that stayed, in the order of the plan."""
    found: list[PlanStatement] = []
    for factor in factors:
        results = factor.task_results
        last = max((index for index, each in enumerate(results) if each.status == "replanned"), default=-1)
        for each in results[last + 1 :]:
            tool = registry.get(each.tool)
            if each.kind not in ("task", "retry") or each.status != "done" or tool is None or not isinstance(each.output, dict):
                continue
            try:
                text = one_line(tool.sentence(each.output, language))
            except (KeyError, IndexError, TypeError, ValueError):  # a log that was changed: what cannot be read states nothing
                continue
            if text:
                at = found[-1].end + len(_note(found[-1])) + 1 if found else 0
                found.append(
                    PlanStatement(
                        text=text,
                        start=at,
                        end=at + len(text),
                        origin=f"{factor.name}/{each.id}",
                        dated=each.as_of,
                        factor=factor.name,
                        task=each.id,
                        tool=each.tool,
                        source=each.source,
                        as_of=each.as_of,
                        confidence=each.confidence or 0.0,
                    )
                )
    return found


def skipped_tasks(factors: Sequence[FactorExecutionResult]) -> list[str]:
    """Return what was given up, as `factor/task`."""
    return [f"{factor.name}/{each.id}" for factor in factors for each in factor.task_results if each.kind == "skip"]


def answer_text(statements: Sequence[PlanStatement], skipped: Sequence[str], language: Language) -> str:
    """Return the answer as text: a line a statement, and what is not known."""
    lines = [each.text + _note(each) for each in statements]
    if not lines:
        lines = [_NOTHING[language]]
    if skipped:
        lines.append(_MISSING[language].replace("{tasks}", ", ".join(skipped)))
    return "\n".join(lines)


def _note(statement: PlanStatement) -> str:
    """Return what stands behind a statement in the answer: where it comes from, of when it is, how sure."""
    return f" [{one_line(statement.origin)}, {(statement.as_of or '')[:16]}, {statement.confidence:.2f}]"


def confidence_of(statements: Sequence[PlanStatement], skipped: Sequence[str]) -> float:
    """Return the confidence of the whole answer, 0 to 1."""
    if not statements:
        return 0.0
    mean = sum(each.confidence for each in statements) / len(statements)
    return round(mean * len(statements) / (len(statements) + len(skipped)), 4)
