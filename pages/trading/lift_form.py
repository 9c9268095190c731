"""Lifting a lock that doubts a decision, with a reason of one's own."""

import streamlit as st

from engine.domain.proposal import Proposal
from pages.frame.show import Show
from pages.trading.answering import AnswerRequest, answer_button, on_its_way
from pages.trading.proposal_state import PreviewState


def lift_form(proposal: Proposal, preview_state: PreviewState, show: Show, who: str) -> None:
    """Draw the line for a reason and its button; nothing where no lock can be lifted."""
    preview = preview_state.preview
    if not proposal.is_waiting or preview is None or not preview.liftable or preview_state.halted:
        return
    with st.container(key="lift", horizontal=True, vertical_alignment="bottom"):
        text = st.text_input(show.say("lift_why"), key=f"lift-{proposal.id}", max_chars=300)
        why, busy = " ".join(text.split()), on_its_way(proposal.id)
        answer = AnswerRequest(proposal.id, proposal.hash, who, why=why, lifts=True)
        answer_button(show.say("lift_lock"), answer, "lift-lock", disabled=busy or not why)
