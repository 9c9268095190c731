"""The queue of proposals on the page: cards that can be chosen, and a way out for those that are locked."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import streamlit as st

from engine.api import Engine
from engine.domain.errors import TribunalError
from engine.domain.proposal import Proposal
from pages.frame.html import draw_html
from pages.frame.page_style import say_error
from pages.frame.show import Show
from pages.trading.answering import forget_answer_result
from pages.trading.proposal_state import PreviewState, action_of, lock_lines
from pages.trading.proposals import proposal_card

_ASKED = "proposal"


def selected(found: Sequence[Proposal], queue: Sequence[Proposal]) -> Proposal | None:
    """Return the proposal the address names, answered or not, else the first of the queue."""
    wanted = st.query_params.get(_ASKED)
    return next((each for each in found if each.id == wanted), queue[0] if queue else None)


def draw_queue(
    engine: Engine,
    queue: Sequence[Proposal],
    chosen: Proposal | None,
    preview_states: Mapping[str, PreviewState],
    show: Show,
    now: datetime,
) -> None:
    """One card a proposal; the whole of it chooses it."""
    for proposal in queue:
        preview_state, is_chosen = preview_states.get(proposal.id, PreviewState()), chosen is not None and proposal.id == chosen.id
        with st.container(key=f"card-{proposal.id}{'-chosen' if is_chosen else ''}"):
            draw_html(proposal_card(proposal, preview_state, show, now, chosen=is_chosen))
            what = f"{proposal.basis.symbol} {action_of(proposal, show.say)[1]}"
            st.button(show.say("show_it", what=what), key=f"choose-{proposal.id}", on_click=_choose, args=(proposal.id,), type="tertiary")
            stuck = preview_state.refused is not None or lock_lines(proposal, preview_state, show)
            if proposal.is_waiting and proposal.is_of_run and not preview_state.halted and stuck:
                refresh_button(engine, proposal, show)


def refresh_button(engine: Engine, proposal: Proposal, show: Show) -> None:
    """Offer the way out of a lock: a new snapshot, checked and decided again, in a run of its own."""
    if st.button(show.say("refresh"), key=f"refresh-{proposal.id}"):
        try:
            run_id = engine.fork(proposal.basis.run_id, "executor", fresh=True)
        except TribunalError as problem:
            say_error(problem)
            return
        st.switch_page("views/desk.py", query_params={"run": run_id, "lang": show.language})


def _choose(proposal_id: str) -> None:
    st.query_params[_ASKED] = proposal_id
    forget_answer_result()
