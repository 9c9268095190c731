"""The panels of a question in their one order, of the page and of the saved file. Each gives safe HTML, "" while it says nothing."""

from typing import Final

from markupsafe import Markup

from pages.desks.research.answer import answer_panel, confidence_bar, statements_panel
from pages.desks.research.plan import plan_panel
from pages.desks.research.research_view import AgentStep, ResearchView
from pages.desks.research.searches import funnel_panel, sources_panel
from pages.desks.research.sources import documents_panel
from pages.frame import numbers
from pages.frame.cards import card, head, heading, label
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.flow_page import Panel
from pages.run.messages import messages_panel, run_facts_panel
from pages.run.timeline import timeline_panel

_WORDS = {"thought": "rs_thought", "call": "rs_action", "observation": "rs_observation", "repeat": "rs_action"}
_REPAIRS = ("retry", "replan", "skip")
_PLANNERS = ("given", "model", "heuristic")
_BASE, _AGREEMENT, _FRESHNESS, _UNANSWERED = 0.6, 0.25, 0.15, 0.3
_NEAR: Final = 0.001
_PARTS: Final = ("supported", "agreement", "freshness", "answered")
_OF_PLAN: Final = ("stated", "supported", "known", "measured")


def trust_panel(view: ResearchView, show: Show) -> Markup:
    """Return the confidence with its parts; nothing before it is known."""
    rows, formula = _of_plan(view, show) if view.is_plan else _of_search(view, show)
    if view.confidence is None or not rows:
        return Markup()
    title = show.say("rs_trust")
    lines = joined(
        markup("<span>{}</span>{}", name, confidence_bar(value, view.threshold if view.is_plan else None)) for name, value in rows
    )
    sure = label(show.say("confidence"), numbers.share(view.confidence))
    foot = markup('<p class="tb-lab">{}</p>', formula) if formula else Markup()
    return card(head(heading(title), sure), markup('<div class="tb-parts">{}</div>', lines), foot, label=title)


def _of_search(view: ResearchView, show: Show) -> tuple[list[tuple[str, float]], str]:
    parts = view.confidence_parts
    rows = [(show.say(f"rs_part_{name}"), parts[name]) for name in _PARTS if name in parts]
    if len(rows) < len(_PARTS) or view.confidence is None:
        return rows, ""
    supported, agreement, freshness, answered = (parts[name] for name in _PARTS)
    found = supported * (_BASE + _AGREEMENT * agreement + _FRESHNESS * freshness) * (1 - _UNANSWERED + _UNANSWERED * answered)
    if abs(found - view.confidence) > _NEAR:
        return rows, ""
    values = {name: numbers.share(parts[name]) for name in _PARTS}
    return rows, show.say("rs_formula_search", **values, confidence=numbers.share(view.confidence))


def _of_plan(view: ResearchView, show: Show) -> tuple[list[tuple[str, float]], str]:
    parts = view.confidence_parts
    least = min(parts.values(), default=None)
    rows = [(show.say(f"rs_part_plan_{name}"), parts[name]) for name in _OF_PLAN if name in parts]
    if least is None or view.confidence is None or abs(least - view.confidence) > _NEAR:
        return rows, ""
    return rows, show.say("rs_formula_plan", confidence=numbers.share(view.confidence))


def facts_panel(view: ResearchView, show: Show) -> Markup:
    """Return the facts of the run, its own ones among them; nothing before a run."""
    return run_facts_panel(view, show, _own(view, show))


def _own(view: ResearchView, show: Show) -> list[tuple[str, str]]:
    say, rows = show.say, list[tuple[str, str]]()
    tasks = [task for factor in view.factors for task in factor.tasks]
    if tasks:
        old, new = sum(task.old for task in tasks), sum(not task.old for task in tasks)
        rows.append((say("rs_tasks"), say("rs_tasks_replaced", n=new, old=old) if old else numbers.number(new)))
    decided = [each.decision for task in tasks for each in task.attempts if each.decision]
    if decided:
        counts = (f"{decided.count(kind)} {say(f'rs_decided_{kind}')}" for kind in _REPAIRS if kind in decided)
        rows.append((say("rs_repairs"), " · ".join(counts)))
    if view.planned_by:
        rows.append((say("rs_planned_by"), say(f"rs_by_{view.planned_by}") if view.planned_by in _PLANNERS else view.planned_by))
    if view.quoted:
        rows.append((say("rs_quoted"), say("rs_quoted_n", n=len(view.quoted))))
    return rows


def agent_panel(view: ResearchView, show: Show) -> Markup:
    """Return the loop step by step; nothing before it begins."""
    if not view.steps:
        return Markup()
    say = show.say
    calls = sum(step.kind == "call" for step in view.steps)
    title = say("rs_agent")
    goes_on = not view.searches or all(each.optional for each in view.searches)
    count = label(say("rs_calls" if goes_on else "rs_calls_then_search", n=calls))
    pips = markup('<span class="tb-pips" aria-hidden="true">{}</span>', Markup('<span class="c"></span>') * calls) if calls else Markup()
    return card(
        head(heading(title), pips, count),
        markup('<div class="tb-tao">{}</div>', joined(_step(each, show) for each in view.steps)),
        label=title,
    )


def _step(step: AgentStep, show: Show) -> Markup:
    word = show.say(_WORDS.get(step.kind, "rs_observation"))
    numbered = f"{word} {step.turn}" if step.kind == "thought" and step.turn else word
    spent = numbers.seconds(step.ms / 1000) if step.ms is not None else ""
    if step.kind == "call":
        said = markup('<div class="{}"><b>{}</b> {}</div>', "tb-bad" if step.bad else "", step.text, step.detail)
    elif step.kind == "repeat":
        said = markup('<div><b>{}</b> <span class="tb-muted">= {}</span></div>', step.text, show.say("rs_repeat"))
    elif step.kind == "observation":
        said = markup('<div class="tb-quote{}">{}</div>', " bad" if step.bad else "", step.text)
    else:
        said = markup("<div>{}</div>", step.text or numbers.DASH)
    return markup('<div class="k">{}</div>{}<div class="ms">{}</div>', numbered, said, spent)


PANELS: Final = (
    Panel("rs_answer", answer_panel, "main"),
    Panel("rs_step_plan", plan_panel, "main"),
    Panel("rs_statements", statements_panel, "main"),
    Panel("rs_documents_word", documents_panel, "main"),
    Panel("rs_trust", trust_panel, "side"),
    Panel("rs_sources", sources_panel, "side"),
    Panel("rs_funnel", funnel_panel, "side"),
    Panel("rs_agent", agent_panel, "side"),
    Panel("this_run", facts_panel, "side"),
    Panel("part_messages", messages_panel, "side"),
    Panel("timeline", timeline_panel, "foot"),
)
