"""The last step of every run that can order: the reader's own."""

from engine.domain.proposal import Proposal
from pages.frame.show import Show
from pages.run.strip import StripStep
from pages.run.view import RunView
from pages.trading.proposal_state import PreviewState, readers_step


def reader(view: RunView, show: Show, proposal: Proposal | None, preview_state: PreviewState, *, still: bool) -> StripStep:
    """Return the state of a run's signature. proposal, preview_state: what the run was filed as, and what it would meet now. still: in a
    file, which has no clock and no buttons."""
    step = readers_step(view, proposal, preview_state, show, still=still)
    return StripStep(show.say("you"), step.state, step.left, step.asks, step.share)
