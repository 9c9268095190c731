"""What a plan's run tells beside what every run tells. `factor` is the factor's name, the event's node `factor_N` its place, from 1.

Each number occurs once in a log, also in that of a run that was interrupted: so lanes of time can be drawn from it.
"""

from typing import ClassVar

from pydantic import Field, JsonValue

from engine.domain.events import EventKind, Observation
from engine.domain.plan.results import QualityCheck
from engine.domain.text.reason import Said
from engine.domain.text.wire import Flag, Number, Texts

_Fields = dict[str, JsonValue]


class PlanReady(Observation):
    """The plan that is worked through, told by `planner`. by: `given`, `model` or `heuristic`. plan: the fields of a `DecompositionPlan`.
    warnings: why no model's plan is used, for example."""

    kind: ClassVar[EventKind] = "plan.ready"
    by: str = ""
    plan: _Fields | None = None
    warnings: Texts = ()


class PlanTaskStarted(Observation):
    """An attempt begins. result_kind: `task` or `retry`. arguments: what the tool is asked with, references filled in."""

    kind: ClassVar[EventKind] = "plan.task_started"
    factor: str = ""
    task: str = ""
    tool: str = ""
    description: str = ""
    result_kind: str = ""
    attempt: int = 1
    arguments: _Fields = Field(default_factory=dict)


class PlanTaskFinished(Observation):
    """What an attempt gave: recalled like an answer, so that no tool is asked twice. output: None with an error. checks: what confidence is
    made of. as_of: ISO 8601 UTC, up to which the data go. ms: milliseconds. permanent: another attempt would fail in the same way."""

    kind: ClassVar[EventKind] = "plan.task_finished"
    factor: str = ""
    task: str = ""
    tool: str = ""
    attempt: int = 1
    output: JsonValue = None
    confidence: Number | None = None
    checks: tuple[QualityCheck, ...] = ()
    as_of: str | None = None
    source: str = ""
    error: Said | None = None
    permanent: Flag = False
    ms: Number = 0.0


class PlanDecided(Observation):
    """What is done about an error. decision: `retry`, `replan` or `skip`. by: `heuristic` or `model`."""

    kind: ClassVar[EventKind] = "plan.decided"
    factor: str = ""
    task: str = ""
    decision: str = ""
    reason: Said = ""
    confidence: Number | None = None
    by: str = ""


class PlanReplanned(Observation):
    """A factor was planned anew. tasks: the new ones, fields of `TaskItem`; error: why the old ones stay."""

    kind: ClassVar[EventKind] = "plan.replanned"
    factor: str = ""
    task: str = ""
    tasks: tuple[_Fields, ...] = ()
    error: Said | None = None


class PlanTaskSkipped(Observation):
    """A task was given up; its output says so."""

    kind: ClassVar[EventKind] = "plan.task_skipped"
    factor: str = ""
    task: str = ""
    reason: Said = ""


class PlanFactorFinished(Observation):
    """A factor has ended. status: `done` or `done_with_errors`."""

    kind: ClassVar[EventKind] = "plan.factor_finished"
    factor: str = ""
    status: str = ""
    replanned: Flag = False
