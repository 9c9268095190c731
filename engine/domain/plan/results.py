"""The outcome of a plan: every attempt and every decision of a factor, and the statements that can be made of it."""

from typing import Final, Literal

from pydantic import Field, JsonValue

from engine.domain.frozen_model import FrozenModel
from engine.domain.text.reason import Reason, Said

ResultKind = Literal["task", "retry", "replan", "skip", "reasoning"]
ResultStatus = Literal["done", "error", "skipped", "replanned"]
FactorStatus = Literal["done", "done_with_errors"]
NextStep = Literal["retry", "replan", "skip"]
CheckName = Literal["freshness", "coverage", "agreement", "shape"]
DecidedBy = Literal["heuristic", "model"]
LEFT_OUT: Final = Reason("new_plan_of_factor_leaves_this_task")
"""Why a task is skipped that a new plan does not have, and that had not failed."""


class QualityCheck(FrozenModel):
    """One check of a result. score: 0 to 1. reason: what was measured, for a reader."""

    name: CheckName
    score: float = Field(ge=0, le=1)
    reason: Said


class TaskExecutionResult(FrozenModel):
    """One entry of what was done in a factor, in order.

    id: of the task; of a `replan` the task that it was made for. kind: `task` = the first attempt, `retry` = a later one, `reasoning` =
    what to do about an error, `replan`, `skip`. output: what the tool gave; of a
    replan the new tasks' ids. confidence: 0 to 1, the product of
    the checks; of a reasoning how sure it is. error: why it is no result. decision: of a reasoning. attempt: from 1. ms: milliseconds.
    checks: what confidence comes of. as_of: the instant up to which the data go, ISO 8601 UTC. source: who gave them. reason: of a
    decision. by: who decided. permanent: another attempt would fail in the same way.
    """

    id: str
    kind: ResultKind
    tool: str = ""
    status: ResultStatus
    output: JsonValue = None
    confidence: float | None = Field(default=None, ge=0, le=1)
    error: Said | None = None
    decision: NextStep | None = None
    attempt: int = Field(default=1, ge=1)
    ms: float = 0.0
    checks: tuple[QualityCheck, ...] = ()
    as_of: str | None = None
    source: str = ""
    reason: Said = ""
    by: DecidedBy | None = None
    permanent: bool = False


class FactorExecutionResult(FrozenModel):
    """How a factor ended. context: placeholders, global assumptions, under each `output_key` what its task gave or `{"error": ...}`."""

    name: str
    status: FactorStatus
    context: dict[str, JsonValue]
    replanned: bool = False
    task_results: tuple[TaskExecutionResult, ...] = ()
    warnings: tuple[Said, ...] = ()


class PlanStatement(FrozenModel):
    """One plain sentence that code made of a result.

    factor, task, tool: where it comes from; origin: `factor/task`. source: who gave the data. as_of, dated: the instant up to which they
    go, ISO 8601 UTC. confidence: of the result, 0 to 1. start, end: its range in the answer. status: `supported`, since its numbers are
    the result's.
    """

    text: str
    start: int = Field(default=0, ge=0)
    end: int = Field(default=0, ge=0)
    origin: str = ""
    dated: str | None = None
    status: Literal["supported"] = "supported"
    factor: str
    task: str
    tool: str
    source: str = ""
    as_of: str | None = None
    confidence: float = Field(ge=0, le=1)


class PlanExecutionResult(FrozenModel):
    """What `run_plan` gives: every factor in the order of the plan."""

    question: str
    factors: tuple[FactorExecutionResult, ...]
    warnings: tuple[Said, ...] = ()
