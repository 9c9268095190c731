"""The steps of a question: the state of each, how long it took, what was repaired in it."""

from datetime import datetime
from typing import Final

from markupsafe import Markup

from pages.desks.research.research_view import ResearchView
from pages.frame import numbers
from pages.frame.show import Show
from pages.run.states import clock_of, state, unreached
from pages.run.strip import StripStep, strip
from pages.run.view import NodeState

STEP_OF_NODE: Final = {
    "llm_decision": "rs_step_agent",
    "optional_tool": "rs_step_agent",
    "search": "rs_step_search",
    "clean_and_rerank": "rs_step_rerank",
    "download": "rs_step_download",
    "summarize": "rs_step_answer",
}
_SIGNS: Final = {"retry": "↻", "replan": "⟲", "skip": "»"}

Spans = tuple[tuple[datetime, datetime], ...]
"""Who worked from when to when."""


def step_strip(view: ResearchView, show: Show, *, still: bool = False) -> Markup:
    """Return the steps in order; the last one is the reader's. still: in a saved file, where nothing can be handed on."""
    steps = _plan_steps(view, show) if view.is_plan else _agent_steps(view, show)
    return strip(steps if still else [*steps, _you(view, show)], view, show)


def _step(name: str, kind: NodeState, view: ResearchView, show: Show, spans: Spans = (), remark: str = "") -> StripStep:
    """remark: beside its seconds."""
    shown = unreached(view) if kind == "waiting" else kind
    words = show.say("rs_working" if shown == "running" else shown)
    return StripStep(show.say(name), state(shown, words), _spent(spans, remark), kind == "running")


def _you(view: ResearchView, show: Show) -> StripStep:
    ready = view.ending is not None and bool(view.statements)
    kind = unreached(view)
    return StripStep(show.say("you"), state("waiting", show.say("rs_your_call")) if ready else state(kind, show.say(kind)), on=ready)


def _spent(spans: Spans, remark: str) -> str:
    """Return how long a step took, from who began first to who ended last, and what was repaired in it."""
    spent = (max(end for _, end in spans) - min(start for start, _ in spans)).total_seconds() if spans else None
    return " · ".join(part for part in (remark, numbers.seconds(spent) if spent is not None else "") if part)


def _span(start: datetime | None, end: datetime | None, now: datetime | None) -> Spans:
    until = end or now
    return ((start, max(start, until)),) if start is not None and until is not None else ()


def _rounds(view: ResearchView, node: str, now: datetime | None) -> Spans:
    return tuple(span for each in view.said_by(node) for span in _span(each.started_at, each.ended_at, now))


def _agent_steps(view: ResearchView, show: Show) -> list[StripStep]:
    now, out = clock_of(view, show), dict[str, tuple[NodeState, Spans]]()
    for name, key in STEP_OF_NODE.items():
        node = view.nodes.get(name)
        known = out.get(key)
        if node is None:
            out.setdefault(key, ("waiting", ()))
            continue
        spans = (known[1] if known is not None else ()) + _rounds(view, name, now)
        out[key] = node.state, tuple(sorted(spans))
    return [_step(key, kind, view, show, spans) for key, (kind, spans) in out.items()]


def _plan_steps(view: ResearchView, show: Show) -> list[StripStep]:
    now = clock_of(view, show)
    planned: NodeState = "done" if view.factors else "running" if view.running else "waiting"
    states = [factor.state for factor in view.factors]
    worked: NodeState = "waiting"
    if states:
        worked = "done" if all(each.startswith("done") for each in states) else "running" if view.ending is None else "stopped"
    ended: NodeState = "done" if view.ending is not None and view.ending.status == "finished" else "waiting"
    answered = view.nodes["synthesiser"].state if "synthesiser" in view.nodes else ended
    spans = tuple(span for factor in view.factors for span in _span(factor.started_at, factor.ended_at, now))
    decided = [each.decision for factor in view.factors for task in factor.tasks for each in task.attempts if each.decision]
    repairs = " ".join(f"{decided.count(kind)} {sign}" for kind, sign in _SIGNS.items() if kind in decided)
    return [
        _step("rs_step_plan", planned, view, show, _rounds(view, "planner", now)),
        _step("rs_step_factors", worked, view, show, spans, repairs),
        _step("rs_step_answer", answered, view, show, _rounds(view, "synthesiser", now)),
    ]
