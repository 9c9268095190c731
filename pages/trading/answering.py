"""Giving an answer to a proposal: pressed once, shown as being given, then given, then its result shown.

A press only notes what was asked; the next drawing of the page shows it as on its way, and gives it when it has been drawn. A second press
meanwhile changes nothing, and the engine would refuse it: an approval carries the hash of what was shown.
"""

from dataclasses import dataclass
from time import monotonic

import streamlit as st

from engine.api import Change, Engine
from engine.domain.errors import TribunalError
from engine.domain.proposal import IN_FLIGHT, Proposal
from engine.domain.text.reason import Reason
from pages.frame import numbers
from pages.frame.cards import message
from pages.frame.escape import markup
from pages.frame.html import draw_html
from pages.frame.show import Show
from pages.trading.answered import answered_by
from pages.trading.levels import opened
from pages.trading.previews import AS_IT_IS, forget_refusal, note_refusal
from pages.trading.proposal_state import NOT_PREVIEWED, PreviewState, action_of, chip_of

_ASKED, _RESULT, _GIVEN, _SHOWN = "answer-asked", "answer-result", "answers-given", "approve-stands"
PAUSE_S = 0.7
"""How long a button that signs is shown before it can be pressed: a click meant for something else does not sign."""
_GAP_S = 10.0  # without a drawing, after which it begins anew
_MINE = (*IN_FLIGHT, "filled")
_OTHER = "other"
_ONE_TAP = ("rejected_level", "rejected_late", "rejected_large", "rejected_weak", "rejected_news")


@dataclass(frozen=True)
class AnswerRequest:
    """shown: the hash of what stood on the page. change: what is to be changed before it is approved. why: of a rejection, or of a lock
    that is lifted (lifts); empty for an approval."""

    proposal_id: str
    shown: str
    who: str
    change: Change = AS_IT_IS
    why: str = ""
    lifts: bool = False


@dataclass(frozen=True)
class ProposalTicket:
    """A proposal in front of one person. seen: what it would meet now. who: whose answer it waits for."""

    engine: Engine
    proposal: Proposal
    seen: PreviewState
    show: Show
    who: str

    def answer(self, change: Change = AS_IT_IS, why: str = "", *, lifts: bool = False) -> AnswerRequest:
        """Return an answer to what is shown; see `AnswerRequest`."""
        return AnswerRequest(self.proposal.id, self.proposal.hash, self.who, change, why, lifts)


def ask_for(answer: AnswerRequest) -> None:
    """Note what was pressed. One at a time: what is on its way is not changed by a hasty hand."""
    st.session_state.setdefault(_ASKED, answer)


def is_armed(shown: str) -> bool:
    """Return whether a button that signs this has stood long enough; called whenever it is drawn. shown: hash of what would be signed."""
    now = monotonic()
    known, since, last = st.session_state.get(_SHOWN, ("", now, now))
    if known != shown or now - last > _GAP_S:
        since = now
    st.session_state[_SHOWN] = shown, since, now
    return bool(now - since >= PAUSE_S)


def on_its_way(proposal_id: str) -> bool:
    """Return whether an answer to it has been pressed and not been given yet."""
    asked = st.session_state.get(_ASKED)
    return asked is not None and asked.proposal_id == proposal_id


def give_answer(engine: Engine, show: Show) -> None:
    """Give the answer that was pressed, if one was, and draw the page anew. Called when the page has been drawn."""
    answer: AnswerRequest | None = st.session_state.get(_ASKED)
    if answer is None:
        return
    given: set[tuple[str, str, bool, str]] = st.session_state.setdefault(_GIVEN, set())
    pressed = answer.proposal_id, answer.shown, bool(answer.why), answer.why if answer.lifts else ""
    try:
        if pressed not in given:
            text = _named(engine, answer, _given(engine, answer, show), show)
            forget_refusal(answer.proposal_id)
            given.add(pressed)
            st.session_state[_RESULT] = answer.proposal_id, text, False
    except TribunalError as problem:
        text, bad = _refused(engine, answer, show.translated(str(problem)), show)
        st.session_state[_RESULT] = answer.proposal_id, _named(engine, answer, text, show), bad
    finally:
        st.session_state.pop(_ASKED, None)
    st.rerun()


def _given(engine: Engine, answer: AnswerRequest, show: Show) -> str:
    trading = engine.trading
    if answer.lifts:
        trading.lift(answer.proposal_id, answer.who, answer.why, answer.shown)
        return show.say("done_lifted")
    if answer.why:
        trading.reject(answer.proposal_id, answer.who, answer.why)
        return show.say("done_rejected")
    shown = answer.shown
    if answer.change != AS_IT_IS:
        seen = trading.proposal(answer.proposal_id)
        if seen.hash != shown:
            raise TribunalError(show.say("changed_since", who=seen.changed_by))
        shown = trading.edit(answer.proposal_id, answer.who, answer.change, shown).hash
    after = trading.approve(answer.proposal_id, answer.who, shown)
    if after.is_waiting:
        return show.say("done_signed", n=len(after.signatures), of=after.signers_needed)
    if after.plan.protects and after.state == "filled":
        return show.say("done_levels")
    return show.say("done_filled" if after.state == "filled" else "done_sent")


def _named(engine: Engine, answer: AnswerRequest, text: str, show: Show) -> str:
    """Return `BTC/USDT:USDT Enter short: Approved and filled.`: the page may show another one by now."""
    proposal = engine.trading.proposal(answer.proposal_id)
    return f"{proposal.basis.symbol} {action_of(proposal, show.say)[1]}{show.say('colon')}{text}"


def _refused(engine: Engine, answer: AnswerRequest, problem: str, show: Show) -> tuple[str, bool]:
    """Return what to say of a refusal, and whether it is bad: somebody was quicker, it has changed, or it is locked."""
    try:
        now = engine.trading.proposal(answer.proposal_id)
    except TribunalError:
        return problem, True
    if now.is_waiting:
        if not answer.why:
            note_refusal(now, problem)
        if now.hash != answer.shown and answer.change == AS_IT_IS:
            return show.say("changed_since", who=now.changed_by), True
        return problem, True
    if now.state in _MINE and not answer.why and any(each.who == answer.who and each.hash == answer.shown for each in now.signatures):
        return show.say("done_filled" if now.state == "filled" else "done_sent"), False  # the same press, heard twice
    return answered_text(now, show), True


def answered_text(proposal: Proposal, show: Show) -> str:
    """Return `Answered already: rejected by op-2, 05-17 09:00 UTC.`"""
    chip = chip_of(proposal, NOT_PREVIEWED, show.say)
    return show.say("answered_by", answer=chip.words, who=answered_by(proposal), when=numbers.clock(proposal.changed_at))


def show_answer_result(show: Show, proposal_id: str | None = None) -> None:
    """Show what came of the last answer, until another is given. proposal_id: only of this one."""
    text = st.session_state.get(_RESULT)
    if text is None or (proposal_id is not None and text[0] != proposal_id):
        return
    _, text, bad = text
    draw_html(markup('<div role="status">{}</div>', message(show.say("not_done"), text, bad=True) if bad else message(text, done=True)))


def forget_answer_result() -> None:
    """Forget it: another proposal is shown now."""
    st.session_state.pop(_RESULT, None)


def answer_button(
    words: str, answer: AnswerRequest, key: str, *, primary: bool = False, disabled: bool = False, wide: bool = False
) -> None:
    """Draw a button that asks for an answer. Its key holds what was shown: a press on something that has changed since is not heard.
    primary: it signs, and is deaf until it has stood for `PAUSE_S`."""
    deaf = primary and not is_armed(answer.shown)
    st.button(
        words,
        key=f"{key}-{answer.shown[:12]}",
        type="primary" if primary else "secondary",
        disabled=disabled or deaf,
        on_click=ask_for,
        args=(answer,),
        width="stretch" if wide else "content",
    )


def reject_reasons(ticket: ProposalTicket) -> None:
    """Draw the reasons to reject as pills, each answers at once; `other` opens a line of text."""
    say, proposal, reasons = ticket.show.say, ticket.proposal, {key: Reason(key) for key in _ONE_TAP}
    key, own = f"reject-{proposal.id}", opened(proposal, "other-reason")

    def tapped() -> None:
        reason = st.session_state.get(key)
        if reason in reasons:
            ask_for(ticket.answer(why=reasons[reason]))
        elif reason == _OTHER:
            st.session_state[own] = True
        st.session_state[key] = None

    names = {key: ticket.show.translated(reason) for key, reason in reasons.items()} | {_OTHER: say("reason_other")}
    busy = on_its_way(proposal.id)
    st.pills(say("reject_because"), list(names), format_func=names.__getitem__, key=key, on_change=tapped, disabled=busy)
    if st.session_state.get(own):
        with st.container(key="own-reason", horizontal=True, vertical_alignment="bottom"):
            why = _line(say("reason_text"), f"reason-{proposal.id}")
            answer_button(say("reject_with"), ticket.answer(why=why), "reject-own", disabled=busy or not why)


def lift_form(ticket: ProposalTicket) -> None:
    """Draw the line for a reason to lift a lock that doubts a decision, and its button; nothing where no lock can be lifted."""
    say, proposal, preview = ticket.show.say, ticket.proposal, ticket.seen.preview
    if not proposal.is_waiting or preview is None or not preview.liftable or ticket.seen.halted:
        return
    with st.container(key="lift", horizontal=True, vertical_alignment="bottom"):
        why = _line(say("lift_why"), f"lift-{proposal.id}")
        answer_button(say("lift_lock"), ticket.answer(why=why, lifts=True), "lift-lock", disabled=on_its_way(proposal.id) or not why)


def _line(label: str, key: str) -> str:
    return " ".join(st.text_input(label, key=key, max_chars=300).split())
