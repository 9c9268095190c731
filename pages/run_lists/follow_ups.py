"""What became of the decisions in a list of runs: who signed what, and what came of the order."""

import time
from collections.abc import Mapping
from typing import Final

from markupsafe import Markup

from engine.api import Engine
from engine.domain.proposal import Proposal
from pages.frame import numbers
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.run_list import RunFollowUp
from pages.trading.answered import answered_by, result_text
from pages.trading.previews import outcome_of
from pages.trading.proposal_state import PreviewState, chip_of

WITHIN_S: Final = 2.0
"""How long brokers are asked what came of orders; what they have not said by then is said when the page is drawn again."""


def follow_ups_of(proposals: Mapping[str, Proposal], results: Mapping[str, str], show: Show) -> dict[str, RunFollowUp]:
    """Return run -> what became of it. proposals, results: by run."""
    return {run_id: RunFollowUp(_signature(each, show), results.get(run_id, "")) for run_id, each in proposals.items()}


def _signature(proposal: Proposal, show: Show) -> Markup:
    chip, who = chip_of(proposal, PreviewState(), show.say).html(), answered_by(proposal)
    return chip if proposal.is_waiting or who == numbers.DASH else markup("{} {}", chip, who)


def results_of(engine: Engine, proposals: Mapping[str, Proposal], show: Show) -> dict[str, str]:
    """Return run -> what its order has come to, as `−10.84 USDT Stop`, of those whose order was filled. It asks the brokers."""
    found, until = {}, time.monotonic() + WITHIN_S
    for run_id, proposal in proposals.items():
        if proposal.state == "filled" and time.monotonic() < until and (outcome := outcome_of(engine, proposal.id)) is not None:
            found[run_id] = result_text(outcome, proposal, show)
    return found
