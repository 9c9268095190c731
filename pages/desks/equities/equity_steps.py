"""The steps of the desk: the state of each, how long it took, how many false numbers were found in it."""

from collections.abc import Sequence

from markupsafe import Markup

from engine.domain.proposal import Proposal
from pages.desks.equities.equity_view import ADVISOR, AGAIN, ROOMS, EquityView, role_of_node
from pages.frame.show import Show
from pages.run.states import state, unreached
from pages.run.strip import RunStage, StripStep, stage_of, stage_step, strip
from pages.run.view import RunView, Turn
from pages.trading.proposal_state import NOT_PREVIEWED, PreviewState, reader

STEPS = ("analysts", "memory", "fusion", "research", "risk", "trader")


def step_names(view: EquityView) -> tuple[str, ...]:
    """Return the steps that the machine takes, in order."""
    return ("analysts", "memory", "fusion", *view.rooms, "strategy") if view.is_index else STEPS


def begun_step(view: EquityView) -> int:
    """Return the number of the newest step that has begun, from 1."""
    return max((index for index, name in enumerate(step_names(view), 1) if _nodes(view, name)), default=1)


def step_strip(
    view: RunView, show: Show, proposal: Proposal | None = None, preview_state: PreviewState = NOT_PREVIEWED, *, still: bool = False
) -> Markup:
    """Return the steps, in order; the last one is the reader's. proposal, preview_state: what the run was filed as, and what it would
    meet now. still: in a saved file, which has no clock and no buttons."""
    run = view if isinstance(view, EquityView) else EquityView()
    names = step_names(run)
    steps = [_step(run, name, names[index + 1 :], show) for index, name in enumerate(names)]
    return strip([*steps, reader(run, show, proposal, preview_state, still=still)], run, show, role_of_node)


def _nodes(view: EquityView, step: str) -> list[Turn]:
    """Return the nodes of a step that have started."""
    started = [node for node in view.nodes.values() if node.started_at is not None]
    if step == "analysts":
        return [node for node in started if node.stage == "analysis" and role_of_node(node.name) != ADVISOR]
    if step == "strategy":
        return [node for node in started if node.stage == "analysis" and role_of_node(node.name) == ADVISOR]
    return [node for node in started if node.stage == step]


def _closed(view: EquityView, step: str, nodes: Sequence[Turn], later: Sequence[str]) -> bool:
    """Return whether a step has ended: its last node has, or a later step has begun. Memory runs in parallel with later steps, so only its
    own nodes count."""
    if step != "memory" and any(_nodes(view, name) for name in later if name != "memory"):
        return True
    if step in ROOMS:
        return view.ending is not None if view.is_index else view.turn(ROOMS[step][-1]).ended
    return all(node.ended for node in nodes) and (step != "analysts" or view.ending is not None or _nodes(view, "fusion") != [])


def _step(view: EquityView, name: str, later: Sequence[str], show: Show) -> StripStep:
    nodes, title = _nodes(view, name), show.say(f"eq_step_{name}")
    if not nodes:
        if name == "memory" and any(_nodes(view, each) for each in later if each != "fusion"):  # nothing has begun beside the debate
            return StripStep(title, state("skipped", show.say("eq_kept")))
        return stage_step(RunStage(name, unreached(view)), title, view, show)
    workers = list({node.name.removesuffix(AGAIN): node for node in nodes}.values())  # of those that tried again the second try
    stage = stage_of(name, nodes, view, closed=_closed(view, name, nodes, later), workers=workers)
    false = sum(claim.verdict == "false" for speech in view.said_by(*ROOMS.get(name, ())) for claim in speech.claims)
    return stage_step(stage, title, view, show, false=false)
