"""The strip of the five steps: state, seconds, and who worked when, as bars on the step's own time axis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, get_args

from markupsafe import Markup

from engine.domain.proposal import Proposal
from pages.decision.decision_view import DecisionView
from pages.frame import numbers
from pages.frame.cards import share, tint
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.run.node_state import clock_of, stage_state, stage_word, state
from pages.run.state_signs import StepState
from pages.run.view import NodeView
from pages.trading.proposal_state import NOT_PREVIEWED, PreviewState, readers_step

StageName = Literal["analysis", "debate", "grounding", "executor"]
STAGES: tuple[StageName, ...] = get_args(StageName)
CLOSING_NODE: Mapping[StageName, str] = {"analysis": "aggregator", "debate": "judge", "grounding": "grounding", "executor": "executor"}
"""The node whose end ends the stage."""
_ROOM = 12.0  # px of height that parallel bars share


@dataclass(frozen=True, slots=True)
class StageView:
    """One of the steps. nodes: those of the stage that have started, in the order of their start."""

    name: StageName
    state: StepState
    started_at: datetime | None
    ended_at: datetime | None
    nodes: tuple[NodeView, ...]

    def seconds(self, now: datetime | None) -> float | None:
        """Return seconds since the start, to the end or to `now`."""
        end = self.ended_at or now
        return max(0.0, (end - self.started_at).total_seconds()) if self.started_at and end else None


def stages(view: DecisionView) -> tuple[StageView, ...]:
    """Return the four steps the machine takes, in order."""
    found = [_stage(view, name) for name in STAGES]
    begun = [index for index, stage in enumerate(found) if stage.started_at is not None]
    for index, stage in enumerate(found):
        if stage.state == "running" and begun and begun[-1] > index:  # a later step runs: this one is over
            ended = stage.ended_at or found[begun[-1]].started_at
            found[index] = replace(stage, state=stage_state(_workers(stage.nodes), view, closed=True), ended_at=ended)
    return tuple(found)


def _stage(view: DecisionView, name: StageName) -> StageView:
    nodes = tuple(node for node in view.nodes.values() if node.stage == name and node.started_at is not None)
    closing = view.role(CLOSING_NODE[name])
    kind = stage_state(_workers(nodes) or nodes, view, closed=closing.ended)
    if closing.state == "failed":
        kind = "failed"
    if name == "grounding" and view.checked is not None and view.checked.gate_closed:
        kind = "gate_closed"
    started = min((node.started_at for node in nodes if node.started_at is not None), default=None)
    ends = [node.ended_at for node in nodes if node.ended_at is not None]
    return StageView(name, kind, started, max(ends, default=None) if kind != "running" else None, nodes)


def _workers(nodes: Sequence[NodeView]) -> tuple[NodeView, ...]:
    return tuple(node for node in nodes if node.name != "aggregator")


def step_strip(
    view: DecisionView, show: Show, proposal: Proposal | None = None, preview_state: PreviewState = NOT_PREVIEWED, *, still: bool = False
) -> Markup:
    """Return the five steps, in order; the last one is the reader's.

    proposal, preview_state: what the run was filed as, and what it would meet now.
    still: in a file, where nobody signs and no clock runs."""
    now = clock_of(view, show)
    steps = [_step(stage, view, show, now) for stage in stages(view)]
    you = _you(view, proposal, preview_state, show, still=still)
    return markup('<div class="tb tb-steps" role="list" aria-label="{}">{}{}</div>', show.say("steps"), joined(steps), you)


def _step(stage: StageView, view: DecisionView, show: Show, now: datetime | None) -> Markup:
    say = show.say
    words = stage_word(stage.state, _workers(stage.nodes), say, busy="checking" if stage.name == "grounding" else "writing")
    spent = numbers.seconds(stage.seconds(now)) if stage.started_at else ""
    if stage.name == "grounding" and (false := view.false_said.grounding):
        spent = f"{false} ✕ · {spent}"
    if stage.name == "executor" and (false := view.false_said.executor):
        spent = markup('<span class="x">{} ✕ · </span>{}', false, spent)
    shown = state(stage.state, words)
    return _html(say(f"stage_{stage.name}"), shown, spent, _bars(stage, now), now_on=stage.state == "running")


def _you(view: DecisionView, proposal: Proposal | None, preview_state: PreviewState, show: Show, *, still: bool) -> Markup:
    step = readers_step(view, proposal, preview_state, show, still=still)
    left = markup('<span class="human" style="left:0%;width:{}%;top:0px"></span>', share(step.share)) if step.share else ""
    return _html(show.say("you"), step.state, step.left, left, now_on=step.asks)


def _html(name: str, shown: Markup, spent: str, bars: str, *, now_on: bool) -> Markup:
    title = markup('<div class="t">{} {}<span class="sec">{}</span></div>', name, shown, spent)
    css_class = " now" if now_on else ""
    current = Markup(' aria-current="step"') if now_on else ""
    return markup(
        '<div class="tb-step{}" role="listitem"{}>{}<div class="bars" aria-hidden="true">{}</div></div>', css_class, current, title, bars
    )


def _bars(stage: StageView, now: datetime | None) -> Markup:
    end = stage.ended_at or now
    if stage.started_at is None or end is None:
        return Markup()
    span = max((end - stage.started_at).total_seconds(), 1e-3)
    workers = _workers(stage.nodes)
    gap = _ROOM / max(len(workers), 2)
    return joined(_bar(node, stage.started_at, span, end, row * gap) for row, node in enumerate(workers))


def _bar(node: NodeView, start: datetime, span: float, end: datetime, top: float) -> Markup:
    if node.started_at is None:
        return Markup()
    tone = "grounding" if node.name.endswith("grounding") else tint(node.side)
    parts, at = [], node.started_at
    for retry in node.retries:
        parts.append(_piece(tone, at, retry.at, start, span, top))
        at = min(end, datetime.fromtimestamp(retry.at.timestamp() + retry.wait_s, tz=retry.at.tzinfo))
        parts.append(_piece(f"{tone} retry", retry.at, at, start, span, top))
    css_class = f"{tone} bad" if node.state in ("failed", "abstained") else tone
    parts.append(_piece(css_class, at, node.ended_at or end, start, span, top))
    return joined(parts)


def _piece(css_class: str, begin: datetime, end: datetime, start: datetime, span: float, top: float) -> Markup:
    left = 100 * (begin - start).total_seconds() / span
    width = max(100 * (end - begin).total_seconds() / span, 1.5)
    return markup(
        '<span class="{}" style="left:{}%;width:{}%;top:{:g}px"></span>', css_class, share(left), share(min(width, 100 - left)), top
    )
