"""The outcome of the runs in a list: how each is shown, who answered, and what came of the order."""

import time
from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from engine.api import Engine
from engine.domain.clock import utc_now
from engine.domain.proposal import Proposal
from engine.domain.run import RunSummary
from engine.domain.shown_state import state_of_run
from pages.frame import numbers
from pages.frame.page_frame import SEEN_LOCKED, SHOWN_HALTED
from pages.frame.show import Show
from pages.run.run_list import RunFollowUp
from pages.trading.answered import answered_by, result_text
from pages.trading.previews import outcome_of

WITHIN_S: Final = 2.0
"""How long brokers are asked what came of orders; what they have not said by then is said when the page is drawn again."""


def proposals_of(engine: Engine, runs: Sequence[RunSummary]) -> dict[str, Proposal]:
    """Return run -> what it was filed as, as it is now."""
    now, filed = utc_now(), [run.run_id for run in runs if run.proposal is not None]
    return {run_id: proposal.as_at(now) for run_id, proposal in engine.trading.proposals_of(filed).items()} if filed else {}


def follow_ups_of(runs: Sequence[RunSummary], proposals: Mapping[str, Proposal], results: Mapping[str, str]) -> dict[str, RunFollowUp]:
    """Return run -> its outcome. proposals, results: by run. What is locked is what this visitor's pages have last seen locked."""
    halted = bool(st.session_state.get(SHOWN_HALTED))
    locked: frozenset[str] = st.session_state.get(SEEN_LOCKED, frozenset())
    found = {}
    for run in runs:
        proposal = proposals.get(run.run_id)
        is_locked = proposal is not None and proposal.id in locked
        state = state_of_run(run.status, proposal, is_valid=run.is_valid, halted=halted, locked=is_locked)
        who = answered_by(proposal) if proposal is not None and not proposal.is_waiting else ""
        found[run.run_id] = RunFollowUp(state, who if who != numbers.DASH else "", results.get(run.run_id, ""))
    return found


def results_of(engine: Engine, proposals: Mapping[str, Proposal], show: Show) -> dict[str, str]:
    """Return run -> what its order has come to, as `−10.84 USDT Stop`, of those whose order was filled. It asks the brokers."""
    found, until = {}, time.monotonic() + WITHIN_S
    for run_id, proposal in proposals.items():
        if proposal.state == "filled" and time.monotonic() < until and (outcome := outcome_of(engine, proposal.id)) is not None:
            found[run_id] = result_text(outcome, proposal, show)
    return found
