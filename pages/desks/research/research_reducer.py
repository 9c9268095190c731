"""Given the events of a run of a plan or of research, gives its view. What every run has is reduced by `pages.run.reducer`.

It never raises for a prefix of a log: whatever is missing in an event is missing in the view.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from engine.domain.events import Event, InstructionsSeen, RunStarted, ToolAnswered, ToolCalled
from engine.domain.plan.events import (
    PlanDecided,
    PlanFactorFinished,
    PlanReady,
    PlanReplanned,
    PlanTaskFinished,
    PlanTaskSkipped,
    PlanTaskStarted,
)
from engine.domain.research.events import (
    AnswerChecked,
    DocumentDownloaded,
    DocumentsReranked,
    ResearchObserved,
    ResearchThought,
    SourceSearched,
    ToolsListed,
)
from engine.domain.text.visible import shortened
from pages.desks.research.research_view import AgentStep, FactorTrace, ResearchView, SourceAnswer, TaskTrace
from pages.frame import json_fields as read
from pages.run.reducer import ViewReducer

_LONGEST = 240


def _started(view: ResearchView, event: Event, data: RunStarted) -> ResearchView:
    fields = data.to_json()
    request = read.inner(fields, "request")
    question = read.words(request, "question") or read.words(read.inner(request, "plan"), "question") or ""
    at = read.words(fields, "at") or read.words(request, "at") or ""
    return replace(view, question=question, at=at, threshold=read.number(request, "threshold") or view.threshold)


def _step(view: ResearchView, step: AgentStep) -> ResearchView:
    return replace(view, steps=(*view.steps, step))


def _thought(view: ResearchView, event: Event, data: ResearchThought) -> ResearchView:
    return _step(view, AgentStep("thought", data.turn, data.text))


def _called(view: ResearchView, event: Event, data: ToolCalled) -> ResearchView:
    arguments = data.arguments
    words = ", ".join(str(value) for value in arguments.values()) if isinstance(arguments, dict) else str(arguments or "")
    return _step(view, AgentStep("call", data.n, data.tool, shortened(words, _LONGEST)))


def _answered(view: ResearchView, event: Event, data: ToolAnswered) -> ResearchView:
    if data.repeat:
        return _step(view, AgentStep("repeat", 0, data.tool))
    steps = list(view.steps)
    for place in range(len(steps) - 1, -1, -1):
        if steps[place].kind == "call" and steps[place].ms is None:
            steps[place] = replace(steps[place], ms=data.ms or 0.0, bad=data.error is not None)
            break
    else:
        steps.append(AgentStep("call", 0, data.tool, "", 0.0, data.error is not None))
    view = replace(view, steps=tuple(steps))
    return view if data.error is None else _step(view, AgentStep("observation", 0, data.error, bad=True))


def _observed(view: ResearchView, event: Event, data: ResearchObserved) -> ResearchView:
    if view.steps and view.steps[-1].kind == "observation" and view.steps[-1].bad:
        view = replace(view, steps=view.steps[:-1])  # the agent reads why, in its own words
    return _step(view, AgentStep("observation", 0, data.text, bad=data.text.startswith("✗")))


def _listed(view: ResearchView, event: Event, data: ToolsListed) -> ResearchView:
    return replace(view, missing={**view.missing, **data.missing})


def _searched(view: ResearchView, event: Event, data: SourceSearched) -> ResearchView:
    answer = SourceAnswer(data.source, data.found, data.ms, data.error, optional=event.node != "search", ended_at=event.at)
    return replace(view, searches=(*view.searches, answer))


def _reranked(view: ResearchView, event: Event, data: DocumentsReranked) -> ResearchView:
    return replace(view, rerank=data)


def _downloaded(view: ResearchView, event: Event, data: DocumentDownloaded) -> ResearchView:
    return replace(view, saved=(*view.saved, data.document))


def _checked(view: ResearchView, event: Event, data: AnswerChecked) -> ResearchView:
    return replace(view, statements=data.statements, confidence=data.confidence, confidence_parts=data.confidence_parts)


def _quoted(view: ResearchView, event: Event, data: InstructionsSeen) -> ResearchView:
    return replace(view, quoted=(*view.quoted, *data.where))


def _plan_ready(view: ResearchView, event: Event, data: PlanReady) -> ResearchView:
    plan = data.plan or {}
    factors = tuple(
        FactorTrace(read.words(each, "name") or "", read.words(each, "description") or "", planned=read.rows(each, "tasks"))
        for each in read.rows(plan, "factors")
    )
    return replace(view, factors=factors, question=view.question or read.words(plan, "question") or "", planned_by=data.by)


def _of_factor(view: ResearchView, name: str, change: Callable[[FactorTrace], FactorTrace]) -> ResearchView:
    """Return the view with one factor changed; one that the plan does not name comes after the others."""
    if not any(factor.name == name for factor in view.factors):
        view = replace(view, factors=(*view.factors, FactorTrace(name)))
    return replace(view, factors=tuple(change(each) if each.name == name else each for each in view.factors))


def _task_started(view: ResearchView, event: Event, data: PlanTaskStarted) -> ResearchView:
    def begin(factor: FactorTrace) -> FactorTrace:
        known = {read.words(each, "id"): read.words(each, "output_key") or "" for each in factor.planned}
        before = next((each.attempts for each in factor.tasks if each.id == data.task and not each.old), ())
        task = TaskTrace(
            factor.name, data.task, data.tool, "running", data.attempt, data.arguments, known.get(data.task, ""), earlier=before
        )
        tasks = tuple(each for each in factor.tasks if each.old or each.id != data.task)
        began = factor.started_at or event.at
        return replace(factor, tasks=(*tasks, task), state="running", started_at=began)

    return _of_factor(view, data.factor, begin)


def _task(view: ResearchView, factor: str, task: str, was_replanned: bool = False, **changes: Any) -> ResearchView:
    """Return the view with the newest attempt at a task changed. was_replanned: it may be one that the new plan leaves out."""

    def change(each: FactorTrace) -> FactorTrace:
        places = [place for place, trace in enumerate(each.tasks) if trace.id == task and (was_replanned or not trace.old)]
        if not places:
            return each
        tasks = list(each.tasks)
        tasks[places[-1]] = replace(tasks[places[-1]], **changes)
        return replace(each, tasks=tuple(tasks))

    return _of_factor(view, factor, change)


def _task_finished(view: ResearchView, event: Event, data: PlanTaskFinished) -> ResearchView:
    low = data.error is not None or (data.confidence is not None and data.confidence < view.threshold)
    return _task(
        view,
        data.factor,
        data.task,
        state="error" if low else "done",
        result=data.output if isinstance(data.output, dict) else {},
        confidence=data.confidence,
        checks={check.name: check.score for check in data.checks},
        reasons={check.name: check.reason for check in data.checks},
        as_of=data.as_of or "",
        source=data.source,
        error=data.error,
        ms=data.ms,
    )


def _decided(view: ResearchView, event: Event, data: PlanDecided) -> ResearchView:
    return _task(view, data.factor, data.task, decision=data.decision, reason=data.reason)


def _replanned(view: ResearchView, event: Event, data: PlanReplanned) -> ResearchView:
    if data.error is not None:
        return _task(view, data.factor, data.task, reason=data.error)

    def anew(factor: FactorTrace) -> FactorTrace:
        done = {task.id for task in factor.tasks}
        left = [each for each in factor.planned if read.words(each, "id") not in done]
        never = tuple(TaskTrace(factor.name, read.words(each, "id") or "", read.words(each, "tool") or "", "waiting") for each in left)
        old = tuple(replace(each, old=True) for each in (*factor.tasks, *never))
        return replace(factor, tasks=old, planned=data.tasks, replanned=True)

    return _of_factor(view, data.factor, anew)


def _skipped(view: ResearchView, event: Event, data: PlanTaskSkipped) -> ResearchView:
    return _task(view, data.factor, data.task, was_replanned=True, state="skipped", reason=data.reason)


def _factor_finished(view: ResearchView, event: Event, data: PlanFactorFinished) -> ResearchView:
    return _of_factor(view, data.factor, lambda factor: replace(factor, state=data.status, ended_at=event.at, replanned=data.replanned))


RESEARCH: Final = ViewReducer(
    ResearchView(),
    {
        RunStarted: _started,
        ToolCalled: _called,
        ToolAnswered: _answered,
        PlanReady: _plan_ready,
        PlanTaskStarted: _task_started,
        PlanTaskFinished: _task_finished,
        PlanDecided: _decided,
        PlanReplanned: _replanned,
        PlanTaskSkipped: _skipped,
        PlanFactorFinished: _factor_finished,
        ResearchThought: _thought,
        ResearchObserved: _observed,
        ToolsListed: _listed,
        SourceSearched: _searched,
        DocumentsReranked: _reranked,
        DocumentDownloaded: _downloaded,
        AnswerChecked: _checked,
        InstructionsSeen: _quoted,
    },
)
"""How the log of a plan or of research is read."""
