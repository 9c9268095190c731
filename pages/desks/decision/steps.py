"""The five steps of a decision: the state of each, how long it took, how many false numbers it found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, get_args

from markupsafe import Markup

from engine.domain.proposal import Proposal
from pages.desks.decision.decision_view import DecisionView
from pages.frame import numbers
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.live_seat import running_seconds
from pages.run.node_state import clock_of, stage_state, stage_word, state
from pages.run.state_signs import StepState
from pages.run.strip import StripStep, strip
from pages.run.view import Turn
from pages.trading.proposal_state import NOT_PREVIEWED, PreviewState, reader

StageName = Literal["analysis", "debate", "grounding", "executor"]
STAGES: tuple[StageName, ...] = get_args(StageName)
CLOSING_NODE: Mapping[StageName, str] = {"analysis": "aggregator", "debate": "judge", "grounding": "grounding", "executor": "executor"}
"""The node whose end ends the stage."""


@dataclass(frozen=True, slots=True)
class StageView:
    """One of the steps. nodes: those of the stage that have started, in the order of their start."""

    name: StageName
    state: StepState
    started_at: datetime | None
    ended_at: datetime | None
    nodes: tuple[Turn, ...]

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


def _workers(nodes: Sequence[Turn]) -> tuple[Turn, ...]:
    return tuple(node for node in nodes if node.name != "aggregator")


def step_strip(
    view: DecisionView, show: Show, proposal: Proposal | None = None, preview_state: PreviewState = NOT_PREVIEWED, *, still: bool = False
) -> Markup:
    """Return the five steps, in order; the last one is the reader's.

    proposal, preview_state: what the run was filed as, and what it would meet now.
    still: in a saved file, which has no clock and no buttons."""
    now = clock_of(view, show)
    steps = [_step(stage, view, show, now) for stage in stages(view)]
    return strip([*steps, reader(view, show, proposal, preview_state, still=still)], view, show)


def _step(stage: StageView, view: DecisionView, show: Show, now: datetime | None) -> StripStep:
    say = show.say
    words = stage_word(stage.state, _workers(stage.nodes), say, busy="checking" if stage.name == "grounding" else "writing")
    spent: Markup | str = ""
    if stage.started_at:
        spent = running_seconds(stage.seconds(now), show) if stage.state == "running" else numbers.seconds(stage.seconds(now))
    false = {"grounding": view.false_said.grounding, "executor": view.false_said.executor}.get(stage.name, 0)
    if false:
        spent = markup('<span class="tb-false">{} ✕</span> {}', false, spent)
    return StripStep(say(f"stage_{stage.name}"), state(stage.state, words), spent, stage.state == "running")
