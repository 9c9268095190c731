"""The four steps that the machine takes on a decision, as its nodes stand."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, get_args

from pages.decision.decision_view import DecisionView
from pages.run.view import NodeState, NodeView

StageName = Literal["analysis", "debate", "grounding", "executor"]
STAGES: tuple[StageName, ...] = get_args(StageName)
CLOSING_NODE: Mapping[StageName, str] = {"analysis": "aggregator", "debate": "judge", "grounding": "grounding", "executor": "executor"}
"""The node whose end ends the stage."""


@dataclass(frozen=True, slots=True)
class StageView:
    """One of the steps. nodes: those of the stage that have started, in the order of their start."""

    name: StageName
    state: NodeState
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
            found[index] = replace(stage, state="done", ended_at=ended)
    return tuple(found)


def _stage(view: DecisionView, name: StageName) -> StageView:
    nodes = tuple(node for node in view.nodes.values() if node.stage == name and node.started_at is not None)
    if not nodes:
        return StageView(name, "stopped" if view.ending else "waiting", None, None, ())
    started = min(node.started_at for node in nodes if node.started_at is not None)
    ends = [node.ended_at for node in nodes if node.ended_at is not None]
    closing = view.role(CLOSING_NODE[name])
    fatal = any(node.state == "failed" for node in nodes)
    state: NodeState = "running"
    if fatal:
        state = "failed"
    elif closing.ended:
        state = "done"
    elif view.ending is not None:
        state = "stopped"
    over = state != "running"
    return StageView(name, state, started, max(ends, default=None) if over else None, nodes)
