"""The strip of a question's steps: how each stands, how long it took, who worked when. HTML, without streamlit."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from markupsafe import Markup

from pages.frame import numbers
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.research.research_view import ResearchView
from pages.run.node_state import clock_of, state, unreached
from pages.run.view import NodeState, NodeView

STEP_OF_NODE: Final = {
    "llm_decision": "rs_step_agent",
    "optional_tool": "rs_step_agent",
    "search": "rs_step_search",
    "clean_and_rerank": "rs_step_rerank",
    "download": "rs_step_download",
    "summarize": "rs_step_answer",
}
_SIGNS: Final = {"retry": "↻", "replan": "⟲", "skip": "»"}
_ROOM = 14.0  # px of height that parallel bars share


@dataclass(frozen=True)
class _Step:
    """spans: who worked from when to when. remark: beside its seconds."""

    name: str
    kind: NodeState
    spans: tuple[tuple[datetime, datetime], ...] = ()
    remark: str = ""


def step_strip(view: ResearchView, show: Show, *, still: bool = False) -> Markup:
    """Return the steps in order, each as it stands; the last one is the reader's. still: in a file, where nobody hands anything on."""
    steps = _plan_steps(view, show) if view.is_plan else _agent_steps(view, show)
    shown = joined(_drawn(step, view, show) for step in steps)
    you = Markup() if still else _you(view, show)
    return markup('<div class="tb tb-steps rs" role="list" aria-label="{}">{}{}</div>', show.say("steps"), shown, you)


def _drawn(step: _Step, view: ResearchView, show: Show) -> Markup:
    seconds = [markup('<span class="sec">{}</span>', text) for text in (_spent(step),) if text]
    kind = unreached(view) if step.kind == "waiting" else step.kind
    shown = state(kind, show.say("rs_working" if kind == "running" else kind))
    head = markup('<div class="t">{} {}{}</div>', show.say(step.name), shown, joined(seconds))
    css_class = " now" if step.kind == "running" else ""
    return markup('<div class="tb-step{}" role="listitem">{}{}</div>', css_class, head, _bars(step.spans))


def _you(view: ResearchView, show: Show) -> Markup:
    ready = view.ending is not None and bool(view.statements)
    shown = state("waiting", show.say("rs_your_call")) if ready else state(kind := unreached(view), show.say(kind))
    head = markup('<div class="t">{} {}</div>', show.say("you"), shown)
    return markup('<div class="tb-step{}" role="listitem">{}{}</div>', " now" if ready else "", head, _bars(()))


def _spent(step: _Step) -> str:
    """Return how long a step took, from who began first to who ended last, and what was repaired in it."""
    spent = (max(end for _, end in step.spans) - min(start for start, _ in step.spans)).total_seconds() if step.spans else None
    return " · ".join(part for part in (step.remark, numbers.seconds(spent) if spent is not None else "") if part)


def _bars(spans: Sequence[tuple[datetime, datetime]]) -> Markup:
    """Return a bar for everybody who worked, on the step's own axis of time."""
    if not spans:
        return Markup('<div class="bars" aria-hidden="true"></div>')
    first, last = min(start for start, _ in spans), max(end for _, end in spans)
    whole = (last - first).total_seconds() or 1.0
    apart = min(4.0, _ROOM / len(spans))
    bars = []
    for row, (start, end) in enumerate(spans):
        left, width = 100 * (start - first).total_seconds() / whole, 100 * (end - start).total_seconds() / whole
        width = max(1.5, min(width, 100 - left))
        bars.append(
            markup('<span style="left:{}%;width:{}%;top:{}px"></span>', f"{min(left, 98.5):.1f}", f"{width:.1f}", f"{row * apart + 2:.1f}")
        )
    return markup('<div class="bars" aria-hidden="true">{}</div>', joined(bars))


def _span(start: datetime | None, end: datetime | None, now: datetime | None) -> tuple[tuple[datetime, datetime], ...]:
    until = end or now
    return ((start, max(start, until)),) if start is not None and until is not None else ()


def _rounds(node: NodeView, now: datetime | None) -> tuple[tuple[datetime, datetime], ...]:
    return tuple(span for each in (*node.before, node) for span in _span(each.started_at, each.ended_at, now))


def _agent_steps(view: ResearchView, show: Show) -> list[_Step]:
    now, out = clock_of(view, show), dict[str, _Step]()
    for name, key in STEP_OF_NODE.items():
        node = view.nodes.get(name)
        known = out.get(key)
        if node is None:
            out.setdefault(key, _Step(key, "waiting"))
            continue
        spans = (known.spans if known is not None else ()) + _rounds(node, now)
        out[key] = _Step(key, node.state, tuple(sorted(spans)))
    return list(out.values())


def _plan_steps(view: ResearchView, show: Show) -> list[_Step]:
    now, planner = clock_of(view, show), view.nodes.get("planner")
    planned: NodeState = "done" if view.factors else "running" if view.running else "waiting"
    states = [factor.state for factor in view.factors]
    worked: NodeState = "waiting"
    if states:
        worked = "done" if all(each.startswith("done") for each in states) else "running" if view.ending is None else "stopped"
    answered: NodeState = "done" if view.ending is not None and view.ending.status == "finished" else "waiting"
    spans = tuple(span for factor in view.factors for span in _span(factor.started_at, factor.ended_at, now))
    decided = [task.decision for factor in view.factors for task in factor.tasks if task.decision]
    repairs = " ".join(f"{decided.count(kind)} {sign}" for kind, sign in _SIGNS.items() if kind in decided)
    own = _rounds(planner, now) if planner is not None else ()
    return [_Step("rs_step_plan", planned, own), _Step("rs_step_factors", worked, spans, repairs), _Step("rs_step_answer", answered)]
