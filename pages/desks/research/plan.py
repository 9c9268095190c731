"""The plan: a lane a factor, a card a task, confidence against the threshold, and what was decided where one failed."""

from collections.abc import Mapping

from markupsafe import Markup

from pages.desks.research.answer import confidence_bar
from pages.desks.research.research_view import FactorTrace, ResearchView, TaskTrace
from pages.desks.research.task_words import asked_words, failure_words, found_words, restated, tool_name
from pages.frame import json_fields as read
from pages.frame import numbers
from pages.frame.cards import card, head, heading, label
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.states import StepState, clock_of, state, unreached

_CHECKS = ("freshness", "coverage", "agreement", "shape")
_PASSES = 0.6
_STATES: Mapping[str, StepState] = {"running": "running", "done": "done", "error": "failed", "skipped": "skipped", "replanned": "retrying"}
_DECISIONS = {"retry": "↻", "replan": "⟲", "skip": "»"}


def plan_panel(view: ResearchView, show: Show) -> Markup:
    """Return the lanes; nothing for a question that has no plan."""
    if not view.factors:
        return Markup()
    say = show.say
    title = say("rs_plan", n=len(view.factors))
    letters = joined(markup("<i>{}</i>", _letter(name, show)) for name in _CHECKS)
    words = " · ".join(say(f"rs_check_{name}") for name in _CHECKS)
    key = markup(
        '<div class="tb-key">{}<span><span class="tb-chk" aria-hidden="true">{}</span> {}</span></div>', _least(view, show), letters, words
    )
    return card(head(heading(title), key), joined(_lane(factor, view, show) for factor in view.factors), label=title)


def _least(view: ResearchView, show: Show) -> Markup:
    return markup("<span><b>{}</b> {}</span>", numbers.share(view.threshold), show.say("rs_least"))


def _lane(factor: FactorTrace, view: ResearchView, show: Show) -> Markup:
    say = show.say
    kind: StepState = "running" if factor.state == "running" else unreached(view) if factor.state == "waiting" else "done"
    kind = "partly" if factor.state == "done_with_errors" else kind
    end = factor.ended_at or (clock_of(view, show) if factor.state == "running" else None)
    spent = numbers.seconds((end - factor.started_at).total_seconds()) if end and factor.started_at else ""
    word = say("rs_done_with_errors") if kind == "partly" else say(kind).lower()
    about = [
        markup("<h3>{}</h3>", factor.title),
        state(kind, f"{word} {spent}".strip()),
    ]
    if factor.confidence is not None:
        about.append(markup("<div>{}</div>", label(say("confidence"), numbers.share(factor.confidence))))
    old, new = [task for task in factor.tasks if task.old], [task for task in factor.tasks if not task.old]
    begun = {task.id for task in new}
    for planned in factor.planned:
        if (name := read.words(planned, "id") or "") not in begun and factor.ended_at is None:
            output = read.words(planned, "output_key") or ""
            new.append(TaskTrace(factor.name, name, read.words(planned, "tool") or "", "waiting", output_key=output))
    parts = [_tasks(old, view, show), _why(old, view, show, say("rs_replanned") if factor.replanned else "")] if old else []
    parts += [_tasks(new, view, show), _why(new, view, show)]
    return markup('<div class="tb-lane"><div>{}</div><div>{}</div></div>', joined(about), joined(parts))


def _tasks(tasks: list[TaskTrace], view: ResearchView, show: Show) -> Markup:
    return markup('<div class="tb-tasks">{}</div>', joined(_card(task, view, show) for task in tasks)) if tasks else Markup()


def _card(task: TaskTrace, view: ResearchView, show: Show) -> Markup:
    say = show.say
    kind = _STATES.get(task.state, "waiting")
    after = say("rs_attempt", n=task.attempt) if task.attempt > 1 else ""
    spent = numbers.seconds(task.ms / 1000) if task.ms is not None else ""
    word = (
        say("rs_skipped")
        if task.state == "skipped"
        else say("rs_too_low")
        if task.state == "error" and task.error is None
        else spent or say(task.state if task.state in ("waiting", "running") else "rs_error")
    )
    words = " · ".join(part for part in (word, after) if part)
    css_class = " old" if task.old else " low" if task.state in ("error", "skipped") else ""
    name = markup('<b title="{}">{}</b>', task.tool, tool_name(task.tool, show))
    lines = [markup('<div class="h">{}{}</div>', name, state(kind, words))]
    if asked := asked_words(task, show):
        lines.append(markup('<div class="io" title="{}">{}</div>', asked, asked))
    lines.append(_came_of_it(task, view, show))
    if task.confidence is not None:
        boxes = joined(_box(name, task, show) for name in _CHECKS) if task.checks else Markup()
        checks = markup('<span class="tb-chk" role="img" aria-label="{}">{}</span>', _checks_text(task, show), boxes) if task.checks else ""
        lines.append(markup('<div class="meter">{}{}</div>', checks, confidence_bar(task.confidence, view.threshold)))
    return markup('<div class="tb-task{}">{}</div>', css_class, joined(lines))


def _came_of_it(task: TaskTrace, view: ResearchView, show: Show) -> Markup:
    """Return what a task found, or in place of it why there is nothing."""
    failure = failure_words(task, view.threshold, show) if task.error is not None else ""
    found = found_words(task, show)
    if failure or not found:
        return markup('<div class="io out tb-warn" title="{}">{}</div>', failure, failure) if failure else Markup()
    cut = f"{task.output_key}{show.say('colon')}{found}" if task.output_key else found
    return markup('<div class="io out" title="{}">{}</div>', cut, found)


def _box(name: str, task: TaskTrace, show: Show) -> Markup:
    score = task.checks.get(name)
    css_class = "none" if score is None else "f" if score < _PASSES else ""
    return markup('<i class="{}" title="{}">{}</i>', css_class, _scored(name, task, show), _letter(name, show))


def _letter(name: str, show: Show) -> str:
    return show.say(f"rs_check_{name}")[:1].upper()


def _scored(name: str, task: TaskTrace, show: Show) -> str:
    why = restated(task.reasons.get(name, ""), show)
    return f"{show.say(f'rs_check_{name}')} {numbers.number(task.checks.get(name), 2)}{': ' if why else ''}{why}"


def _checks_text(task: TaskTrace, show: Show) -> str:
    return "; ".join(_scored(name, task, show) for name in _CHECKS if name in task.checks)


def _why(tasks: list[TaskTrace], view: ResearchView, show: Show, replanned: str = "") -> Markup:
    """Return what was decided about failures and why, a line each."""
    lines = []
    for task in (attempt for each in tasks for attempt in each.attempts):
        if not task.decision:
            continue
        word = (
            replanned
            if replanned and task.decision == "replan"
            else show.say(f"rs_decided_{task.decision}")
            if task.decision in _DECISIONS
            else task.decision
        )
        colon, stop = ("：", "。") if show.language == "zh" else (": ", ". ")
        why = restated(task.reason or task.error or "", show)
        words = [failure_words(task, view.threshold, show), why[:1].upper() + why[1:]]
        words += [show.say("rs_rests_on_nothing")] if task.state == "skipped" else []
        said = stop.join(each.rstrip(".。 ") for each in dict.fromkeys(words) if each)
        name = tool_name(task.tool, show)
        sign = _DECISIONS.get(task.decision, "")
        lines.append(markup('<div class="tb-redone"><b>{} {}</b><span>{}{}{}{}</span></div>', sign, word, name, colon, said, stop.strip()))
    return joined(lines)
