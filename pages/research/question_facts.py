"""What is to be known of a question's run beside what every run has: its tasks and repairs, its cost, what was quoted as data."""

from markupsafe import Markup

from pages.frame import json_fields as read
from pages.frame import numbers
from pages.frame.show import Show
from pages.research.research_view import ResearchView
from pages.run.messages import run_facts_panel

_REPAIRS = ("retry", "replan", "skip")
_PLANNERS = ("given", "model", "heuristic")


def facts_panel(view: ResearchView, show: Show) -> Markup:
    """Return the facts of the run, its own ones among them; nothing before a run."""
    return run_facts_panel(view, show, _own(view, show))


def _own(view: ResearchView, show: Show) -> list[tuple[str, str]]:
    say, rows = show.say, list[tuple[str, str]]()
    tasks = [task for factor in view.factors for task in factor.tasks]
    if tasks:
        old, new = sum(task.old for task in tasks), sum(not task.old for task in tasks)
        rows.append((say("rs_tasks"), say("rs_tasks_replaced", n=new, old=old) if old else numbers.number(new)))
    decided = [task.decision for task in tasks if task.decision]
    if decided:
        counts = (f"{decided.count(kind)} {say(f'rs_decided_{kind}')}" for kind in _REPAIRS if kind in decided)
        rows.append((say("rs_repairs"), " · ".join(counts)))
    if view.planned_by:
        rows.append((say("rs_planned_by"), say(f"rs_by_{view.planned_by}") if view.planned_by in _PLANNERS else view.planned_by))
    cost = read.number(view.ended_with, "total_cost")
    if cost:
        rows.append((say("col_money"), numbers.number(cost, 4)))
    if view.quoted:
        rows.append((say("rs_quoted"), say("rs_quoted_n", n=len(view.quoted))))
    return rows
