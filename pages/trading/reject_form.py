"""Rejecting a proposal: one tap on a reason, or a line of one's own."""

import streamlit as st

from engine.domain.proposal import Proposal
from engine.domain.text.reason import Reason
from pages.frame.show import Show
from pages.trading.answering import AnswerRequest, answer_button, ask_for, on_its_way

_OTHER = "other"
_ONE_TAP = ("rejected_level", "rejected_late", "rejected_large", "rejected_weak", "rejected_news")


def opened_key(proposal: Proposal) -> str:
    """Return whether the line for a reason of one's own is open."""
    return f"other-reason-{proposal.id}"


def reject_reasons(proposal: Proposal, who: str, show: Show) -> None:
    """Draw the reasons as pills; `other` opens a line of text."""
    say, reasons = show.say, {key: Reason(key) for key in _ONE_TAP}
    key = f"reject-{proposal.id}"

    def tapped() -> None:
        reason = st.session_state.get(key)
        if reason in reasons:
            ask_for(AnswerRequest(proposal.id, proposal.hash, who, why=reasons[reason]))
        elif reason == _OTHER:
            st.session_state[opened_key(proposal)] = True
        st.session_state[key] = None

    busy = on_its_way(proposal.id)
    names = {key: show.translated(reason) for key, reason in reasons.items()} | {_OTHER: say("reason_other")}
    st.pills(say("reject_because"), list(names), format_func=names.__getitem__, key=key, on_change=tapped, disabled=busy)
    if st.session_state.get(opened_key(proposal)):
        with st.container(key="own-reason", horizontal=True, vertical_alignment="bottom"):
            text = st.text_input(say("reason_text"), key=f"reason-{proposal.id}", max_chars=300)
            why = " ".join(text.split())
            answer = AnswerRequest(proposal.id, proposal.hash, who, why=why)
            answer_button(say("reject_with"), answer, "reject-own", disabled=busy or not why)
