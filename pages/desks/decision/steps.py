"""The steps of a decision: the state of each, how long it took, how many false numbers it found."""

from dataclasses import replace
from typing import Final

from markupsafe import Markup

from engine.domain.proposal import Proposal
from pages.desks.decision.decision_view import DecisionView
from pages.frame.show import Show
from pages.run.strip import RunStage, stage_of, stage_step, strip
from pages.trading.proposal_state import NOT_PREVIEWED, PreviewState, reader

CLOSING_NODE: Final = {"analysis": "aggregator", "debate": "judge", "grounding": "grounding", "executor": "executor"}
"""Step -> the node whose end ends it."""


def stages(view: DecisionView) -> list[RunStage]:
    """Return the steps the machine takes, in order. One that a later step has followed is over."""
    found: list[RunStage] = []
    for name, last in reversed(CLOSING_NODE.items()):
        nodes = [node for node in view.nodes.values() if node.stage == name and node.started_at is not None]
        workers = [node for node in nodes if node.name != "aggregator"] or nodes
        closing, followed = view.role(last), any(later.nodes for later in found)
        stage = stage_of(name, nodes, view, closed=closing.ended or (bool(nodes) and followed), workers=workers)
        if closing.state == "failed":
            stage = replace(stage, state="failed")
        if name == "grounding" and view.checked is not None and view.checked.gate_closed:
            stage = replace(stage, state="gate_closed")
        found.insert(0, stage)
    return found


def step_strip(
    view: DecisionView, show: Show, proposal: Proposal | None = None, preview_state: PreviewState = NOT_PREVIEWED, *, still: bool = False
) -> Markup:
    """Return the five steps, in order; the last one is the reader's.

    proposal, preview_state: what the run was filed as, and what it would meet now.
    still: in a saved file, which has no clock and no buttons."""
    false = {"grounding": view.false_said.grounding, "executor": view.false_said.executor}
    steps = [
        stage_step(
            stage,
            show.say(f"stage_{stage.name}"),
            view,
            show,
            busy="checking" if stage.name == "grounding" else "writing",
            false=false.get(stage.name, 0),
        )
        for stage in stages(view)
    ]
    return strip([*steps, reader(view, show, proposal, preview_state, still=still)], view, show)
