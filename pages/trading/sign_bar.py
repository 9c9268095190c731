"""The verdict bar of a run that was filed as a proposal: what was decided, and the signature it waits for; below it the steps.

It is drawn by itself once a second while it waits: the clock, the drift, and whether another person has answered.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.domain.broker_capabilities import capabilities_of
from engine.domain.clock import utc_now
from engine.domain.proposal import Proposal
from engine.domain.shown_state import state_of_proposal
from pages.chart.live_line import draw_live_line
from pages.claims.disputing import signers_note
from pages.frame import numbers
from pages.frame.cards import level, message
from pages.frame.escape import joined, markup
from pages.frame.html import draw_html
from pages.frame.isolation import isolated, isolated_html
from pages.frame.page_frame import SHOWN_HALTED
from pages.frame.show import Show
from pages.run.view import RunView
from pages.trading.answered import answered_by
from pages.trading.answering import AnswerRequest, answer_button, give_answer, on_its_way, show_answer_result
from pages.trading.edit_form import Draft, are_drawn, draw_comparison, opened, plan_inputs
from pages.trading.lift_form import lift_form
from pages.trading.live_price import live_content, live_rows
from pages.trading.previews import AS_IT_IS, filled_of, is_halted, note_locked, preview_waiting
from pages.trading.proposal_state import PreviewState, approve_word, chip_of, countdown, locked_by, quote_unit, signed_by, warnings_of
from pages.trading.proposals import clock_bar, limits_now, why_lines
from pages.trading.queue_rows import refresh_button
from pages.trading.reject_form import reject_reasons
from pages.trading.sign_form import draft_answers
from pages.trading.signed_numbers import signed_numbers

POLL_S = 1.0


@dataclass(frozen=True)
class BarParts:
    """What a flow draws in the bar. verdict: (view, show, numbers of the signature, limits now). steps: (view, show, proposal, preview)."""

    verdict: Callable[..., Markup]
    steps: Callable[..., Markup]


def sign_bar(engine: Engine, view: RunView, show: Show, filed: Proposal, who: str, parts: BarParts) -> None:
    """Everything of the bar. filed: as it was when the page was drawn. view: of the run at its end."""
    proposal = (engine.trading.proposal_of(filed.basis.run_id) or filed).as_at(utc_now())
    if proposal.is_waiting != filed.is_waiting or is_halted(engine) != st.session_state.get(SHOWN_HALTED):
        st.rerun()  # the whole page once more, to stop or to begin polling
    if {each.claim.id for each in engine.disputes.of(filed.basis.run_id)} != set(show.disputes):
        st.rerun()  # a correction is disputed since, or not any more
    now = utc_now()
    preview_state = preview_waiting(engine, [proposal], proposal.id)[proposal.id] if proposal.is_waiting else PreviewState()
    if proposal.is_waiting and note_locked({proposal.id: preview_state}, show.say, [proposal]):
        st.rerun()  # title and lists say so too
    bar = st.container(key="verdict", horizontal=True, vertical_alignment="center")
    draft = Draft(AS_IT_IS, proposal.plan, preview_state)
    with st.container(key="below-bar"), isolated(show.say("part_signature"), show.say):
        draft = _below(engine, proposal, preview_state, show, who)  # before the bar: it shows the values in the form
    with bar:
        is_sound = view.ending is not None and view.ending.is_valid
        shown = signed_numbers(proposal, show, draft.plan, draft.preview_state, filled_of(engine, proposal)) if is_sound else ()
        if proposal.state == "filled" and capabilities_of(proposal.basis.place.broker).starts_over:
            shown = [*shown, result_so_far(engine, proposal, show)]
        draw_html(parts.verdict(view, show, shown, limits_now(draft.preview_state, show)), width="stretch")
        with st.container(key="signature", width=330):
            draw_html(sign_clock(proposal, preview_state, show, now))
            if proposal.is_waiting:
                _buttons(proposal, preview_state, show, who)
    # the third element, as before a signature: a strip that goes before another comes moves everything below it
    draw_html(isolated_html(show.say("steps"), show.say, partial(parts.steps, view, replace(show, now=now), proposal, preview_state)))
    if proposal.is_waiting:
        draw_live_line("chart", live_content(proposal, draft.plan, draft.preview_state, show))
    if proposal.is_waiting and not are_drawn(proposal):
        st.rerun()  # the chart shows other levels than the form
    give_answer(engine, show)


def result_so_far(engine: Engine, proposal: Proposal, show: Show) -> Markup:
    """Return what came of an order of an account for practice so far; a dash once that account has begun anew."""
    record = engine.trading.take_further(proposal, proposal.basis.snapshot_at)
    outcome = engine.trading.outcome(proposal.id) if record is not None else None
    if record is None or outcome is None:
        return level(show.say("demo_so_far"), numbers.DASH)
    in_r = record.in_r(outcome.result)
    money = f"{numbers.signed(float(outcome.result), 2)} {quote_unit(proposal)}"
    return level(show.say("demo_so_far"), money, f"{numbers.signed(in_r, 1)} R" if in_r is not None else "")


def signers_notes(proposal: Proposal, preview_state: PreviewState, show: Show) -> Markup:
    """Return what a signer should know and no limit says, in a line; while the form is open it is there."""
    is_editing = bool(st.session_state.get(opened(proposal, "edits")))
    found = warnings_of(proposal, preview_state.preview, show) if proposal.is_waiting and not is_editing else []
    if proposal.is_waiting and (disputed := signers_note(show)):
        found.append(disputed)
    if not found:
        return Markup()
    return markup('<div class="tb tb-notes" role="status">{}</div>', joined(markup("<span>! {}</span> ", line) for line in found))


def sign_clock(proposal: Proposal, preview_state: PreviewState, show: Show, now: datetime) -> Markup:
    """Clock, drift and price while it waits, the state where it is more than that; who answered once it is answered."""
    say = show.say
    chip = chip_of(proposal, preview_state, say).html()
    if not proposal.is_waiting:
        return markup('<div class="tb tb-clock answered" role="status">{}<span>{}</span></div>', chip, answered_by(proposal))
    left = markup('<span><span class="w">{} </span><b>{}</b></span>', say("expires_in"), countdown(proposal, now))
    plain = state_of_proposal(proposal, halted=preview_state.halted, locked=bool(locked_by(preview_state, say))) == "waits"
    says_more = not plain or proposal.signers_needed > 1 or preview_state.refused is not None
    return markup(
        '<div class="tb"><div class="tb-live-rows">{}</div>{}</div>',
        live_rows(proposal, preview_state, show, left, chip if says_more else ""),
        clock_bar(proposal, now),
    )


def _open(proposal: Proposal, what: str) -> None:
    """Open one of the two answers that are not given at once, or shut it; the other one is shut."""
    is_open = bool(st.session_state.get(opened(proposal, what)))
    for each in ("edits", "rejects"):
        st.session_state[opened(proposal, each)] = each == what and not is_open


def _buttons(proposal: Proposal, preview_state: PreviewState, show: Show, who: str) -> None:
    say, busy = show.say, on_its_way(proposal.id)
    editing = bool(st.session_state.get(opened(proposal, "edits")))
    can = Draft(AS_IT_IS, proposal.plan, preview_state).can_be_signed(proposal) and who not in signed_by(proposal)
    with st.container(key="signs", horizontal=True):
        if not editing:
            word = "✓ " + (say("approving") if busy else approve_word(proposal, say))
            answer = AnswerRequest(proposal.id, proposal.hash, who)
            answer_button(word, answer, "approve", primary=True, disabled=busy or not can, wide=True)
        for what, key in (("edits", "edit"), ("rejects", "reject")):
            press = partial(_open, proposal, what)
            st.button(say(key), key=f"open-{what}-{proposal.id}", on_click=press, disabled=busy, width="stretch")


def _below(engine: Engine, proposal: Proposal, preview_state: PreviewState, show: Show, who: str) -> Draft:
    """Return what was said to the last answer, what locks it, the form and the reasons where they were opened. Gives what would be
    signed."""
    draft = Draft(AS_IT_IS, proposal.plan, preview_state)
    show_answer_result(show, proposal.id)
    draw_html(signers_notes(proposal, preview_state, show))
    if lines := why_lines(proposal, preview_state, show, warn=False):
        with st.container(key="locked", horizontal=True, vertical_alignment="center"):
            quiet = (markup('<p class="tb tb-muted">{}</p>', line) for line in lines)
            draw_html(joined(map(message, lines) if proposal.is_waiting else quiet), width="stretch")
            if proposal.is_waiting and preview_state.preview and preview_state.preview.locks:
                refresh_button(engine, proposal, show)
        lift_form(proposal, preview_state, show, who)
    if not proposal.is_waiting:
        return draft
    if st.session_state.get(opened(proposal, "edits")):
        with st.container(key="edits", border=True):
            draft = plan_inputs(engine, proposal, preview_state, show)
            draw_comparison(engine, proposal, draft, show, folded=True)
            draft_answers(proposal, draft, show, who, rejects=False)
    if st.session_state.get(opened(proposal, "rejects")):
        reject_reasons(proposal, who, show)
    return draft
