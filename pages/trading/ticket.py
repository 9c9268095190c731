"""A proposal that can be signed: what is drawn of it in the verdict bar of its run, in the queue of Approvals and beside its position. What
a person sees of a plan, what speaks against it and the ways to answer are the same in all three.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.domain.broker_capabilities import capabilities_of
from engine.domain.clock import utc_now
from engine.domain.errors import TribunalError
from engine.domain.proposal import OrderPlan, Proposal
from pages.chart.live_line import PLAN_CHART, draw_live_line
from pages.claims.disputing import signers_note
from pages.frame import numbers
from pages.frame.cards import message
from pages.frame.escape import joined, markup
from pages.frame.html import draw_html
from pages.frame.isolation import isolated, isolated_html
from pages.frame.page_frame import HOME, SHOWN_HALTED
from pages.frame.page_style import say_error
from pages.frame.show import Show
from pages.run.messages import short_hash
from pages.run.view import RunView
from pages.trading.answered import run_link
from pages.trading.answering import ProposalTicket, answer_button, give_answer, lift_form, on_its_way, reject_reasons, show_answer_result
from pages.trading.change_table import book_panel, draw_comparison
from pages.trading.edit_form import Draft, draft_as_it_is, plan_inputs
from pages.trading.levels import are_drawn, back_to_machine, drafted_levels, opened
from pages.trading.live_price import live_content, live_rows
from pages.trading.previews import filled_of, is_halted, note_locked, preview_waiting
from pages.trading.proposal_state import (
    NOT_PREVIEWED,
    action_of,
    approve_word,
    chip_of,
    countdown,
    lock_lines,
    refusal_lines,
    signed_by,
    warnings_of,
    why_lines,
)
from pages.trading.signed_numbers import limits_now, result_so_far, sign_clock, signed_numbers

POLL_S = 1.0


@dataclass(frozen=True)
class BarParts:
    """What a flow draws in the bar. verdict: (view, show, numbers of the signature, limits now). steps: (view, show, proposal, preview)."""

    verdict: Callable[..., Markup]
    steps: Callable[..., Markup]


def ticket_in_bar(engine: Engine, view: RunView, show: Show, filed: Proposal, who: str, parts: BarParts) -> None:
    """Draw the verdict bar of a run, the signature it waits for, and the steps below. It is drawn by itself once a second while it waits:
    the clock, the drift, and whether another person has answered. filed: as it was when the page was drawn. view: of the run at its end."""
    proposal = (engine.trading.proposal_of(filed.basis.run_id) or filed).as_at(utc_now())
    if proposal.is_waiting != filed.is_waiting or is_halted(engine) != st.session_state.get(SHOWN_HALTED):
        st.rerun()  # the whole page once more, to stop or to begin polling
    if {each.claim.id for each in engine.disputes.of(filed.basis.run_id)} != set(show.disputes):
        st.rerun()  # a correction is disputed since, or not any more
    now = utc_now()
    seen = preview_waiting(engine, [proposal], proposal.id)[proposal.id] if proposal.is_waiting else NOT_PREVIEWED
    if proposal.is_waiting and note_locked({proposal.id: seen}, show.say, [proposal]):
        st.rerun()  # title and lists say so too
    ticket = ProposalTicket(engine, proposal, seen, show, who)
    bar = st.container(key="verdict", horizontal=True, vertical_alignment="center")
    draft = draft_as_it_is(proposal, seen)
    with st.container(key="below-bar"), isolated(show.say("part_signature"), show.say):
        draft = _below_bar(ticket)  # before the bar: it shows the values in the form
    with bar:
        is_sound = view.ending is not None and view.ending.is_valid
        shown = signed_numbers(proposal, show, draft.plan, draft.preview_state, filled_of(engine, proposal)) if is_sound else []
        if proposal.state == "filled" and capabilities_of(proposal.basis.place.broker).starts_over:
            shown = [*shown, result_so_far(engine, proposal, show)]
        draw_html(parts.verdict(view, show, shown, limits_now(draft.preview_state, show)), width="stretch")
        with st.container(key="signature", width=330):
            draw_html(sign_clock(proposal, seen, show, now))
            if proposal.is_waiting:
                _bar_buttons(ticket)
    # the third element, as before a signature: a strip that goes before another comes moves everything below it
    draw_html(isolated_html(show.say("steps"), show.say, partial(parts.steps, view, replace(show, now=now), proposal, seen)))
    if proposal.is_waiting:
        draw_live_line("chart", live_content(proposal, draft.plan, draft.preview_state, show))
    if proposal.is_waiting and not are_drawn(proposal):
        st.rerun()  # the chart shows other levels than the form
    give_answer(engine, show)


def _bar_buttons(ticket: ProposalTicket) -> None:
    """Draw the way to sign, and to open one of the two answers that are not given at once; the other one is shut."""
    proposal, say, busy = ticket.proposal, ticket.show.say, on_its_way(ticket.proposal.id)
    names = {what: opened(proposal, what) for what in ("edits", "rejects")}
    is_open = {what: bool(st.session_state.get(name)) for what, name in names.items()}
    can = draft_as_it_is(proposal, ticket.seen).can_be_signed(proposal) and ticket.who not in signed_by(proposal)
    with st.container(key="signs", horizontal=True):
        if not is_open["edits"]:
            word = "✓ " + (say("approving") if busy else approve_word(proposal, say))
            answer_button(word, ticket.answer(), "approve", primary=True, disabled=busy or not can, wide=True)
        for what, word in (("edits", "edit"), ("rejects", "reject")):
            then = {name: each == what and not is_open[what] for each, name in names.items()}
            key = f"open-{what}-{proposal.id}"
            st.button(say(word), key=key, on_click=st.session_state.update, args=(then,), disabled=busy, width="stretch")


def _below_bar(ticket: ProposalTicket) -> Draft:
    """Draw what was said to the last answer, what locks it, the form and the reasons where they were opened. Gives what would be signed."""
    proposal, seen, show = ticket.proposal, ticket.seen, ticket.show
    show_answer_result(show, proposal.id)
    draw_html(_signers_notes(ticket))
    if lines := why_lines(proposal, seen, show, warn=False):
        with st.container(key="locked", horizontal=True, vertical_alignment="center"):
            draw_html(joined(map(message, lines)) if proposal.is_waiting else _quiet(lines), width="stretch")
            if proposal.is_waiting and seen.preview and seen.preview.locks:
                _refresh_button(ticket)
        lift_form(ticket)
    draft = draft_as_it_is(proposal, seen)
    if not proposal.is_waiting:
        return draft
    if st.session_state.get(opened(proposal, "edits")):
        with st.container(key="edits", border=True):
            draft = plan_inputs(ticket.engine, proposal, seen, show)
            draw_comparison(ticket.engine, proposal, draft, show, folded=True)
            _answers(ticket, draft, rejects=False)
    if st.session_state.get(opened(proposal, "rejects")):
        reject_reasons(ticket)
    return draft


def _signers_notes(ticket: ProposalTicket) -> Markup:
    """Return what a signer should know and no limit says, in a line; while the form is open it is there."""
    proposal, found = ticket.proposal, []
    if proposal.is_waiting and not st.session_state.get(opened(proposal, "edits")):
        found += warnings_of(proposal, ticket.seen.preview, ticket.show)
    if proposal.is_waiting and (disputed := signers_note(ticket.show)):
        found.append(disputed)
    if not found:
        return Markup()
    return markup('<div class="tb tb-notes" role="status">{}</div>', joined(markup("<span>! {}</span> ", line) for line in found))


def ticket_in_queue(ticket: ProposalTicket, draw_plan: Callable[[OrderPlan], None], draw_next: Callable[[], None], again: str = "") -> None:
    """Draw the chart and the form under it, so that no answer moves the chart. What has been answered is shown as it is and cannot be
    answered again. draw_plan: draws the market with a plan, as the flow does. draw_next: offers the next one, in the head: far from where
    an answer is given. again: how far its repetitions agree, in a line; "" without any."""
    proposal, show = ticket.proposal, ticket.show
    with st.container(key="sign"):
        with st.container(key="sign-head", horizontal=True):
            draw_html(_head(ticket, again), width="stretch")
            if not proposal.is_waiting:
                draw_next()
        chart = st.container(key="sign-chart")
        plan = proposal.plan
        with st.container(key="sign-below"):
            if proposal.is_waiting:
                plan = _form(ticket).plan
            else:
                _draw_result(ticket)
                shown = joined(signed_numbers(proposal, show, filled=filled_of(ticket.engine, proposal)))
                draw_html(markup('<div class="tb tb-lev">{}</div>', shown) + _why(ticket))
        with chart:
            draw_plan(plan)


def _form(ticket: ProposalTicket) -> Draft:
    """Draw the inputs, the answers, what speaks against one, and what a signature would mean."""
    engine, proposal, show = ticket.engine, ticket.proposal, ticket.show
    draft = plan_inputs(engine, proposal, ticket.seen, show)
    draw_live_line(PLAN_CHART, live_content(proposal, draft.plan, draft.preview_state, show))
    _answers(ticket, draft)
    _draw_result(ticket)
    with st.container(key="sign-why"):
        draw_html(_why(ticket))
        stuck = ticket.seen.refused is not None or lock_lines(proposal, ticket.seen, show)
        if proposal.is_of_run and not ticket.seen.halted and stuck:
            _refresh_button(ticket)
        lift_form(ticket)
    with st.container(key="sign-sums", horizontal=True):
        with st.container(key="sign-plan"):
            draw_comparison(engine, proposal, draft, show)
        seen = draft.preview_state.preview
        draw_html(book_panel(proposal, engine.trading.signed_book(proposal, seen) if seen is not None else None, seen, show))
    return draft


def ticket_of_levels(ticket: ProposalTicket) -> OrderPlan:
    """Draw the form of other levels of a position, and return the plan with those that are in it."""
    proposal, show = ticket.proposal, ticket.show
    draw_html(_head(ticket))
    if lines := why_lines(proposal, ticket.seen, show):
        draw_html(_quiet(lines))
    draft = plan_inputs(ticket.engine, proposal, ticket.seen, show)
    draw_comparison(ticket.engine, proposal, draft, show)
    _answers(ticket, draft)
    return drafted_levels(proposal)


def _draw_result(ticket: ProposalTicket) -> None:
    """Say what came of the last answer to it."""
    with st.container(key="answer-result"), isolated(ticket.show.say("part_messages"), ticket.show.say):
        show_answer_result(ticket.show, ticket.proposal.id)


def _why(ticket: ProposalTicket) -> Markup:
    """Return what a reader must know before an answer, and why the last one was refused."""
    seen = ticket.proposal, ticket.seen, ticket.show
    return _quiet([*refusal_lines(*seen), *why_lines(*seen, warn=False)])


def _quiet(lines: list[str]) -> Markup:
    return joined(markup('<p class="tb tb-muted">{}</p>', line) for line in lines)


def _head(ticket: ProposalTicket, again: str = "") -> Markup:
    """Return `▼ Enter short BTC/USDT:USDT 15m · p-… · confidence 58 · open the run`, and how long it waits. again: as there."""
    proposal, seen, show, say, basis = ticket.proposal, ticket.seen, ticket.show, ticket.show.say, ticket.proposal.basis
    whose = f"{say('confidence')} {numbers.number(basis.confidence)}" if proposal.is_of_run else say("proposed_by", who=proposal.changed_by)
    if proposal.is_of_run and basis.calibrated_confidence is not None:
        whose = f"{whose} · {say('sized_by', n=numbers.number(basis.calibrated_confidence))}"
    clock, rows = chip_of(proposal, seen, say).html(), Markup()
    if proposal.is_waiting:
        clock = markup("{} <b>{}</b>", say("expires_in"), countdown(proposal, utc_now()))
        rows = markup('<div class="tb tb-live-rows">{}</div>', live_rows(proposal, seen, show))
    head = markup(
        '<div class="tb tb-signhead"><b class="word"><span aria-hidden="true">{}</span> {}</b>'
        '<b class="sym">{}</b><span class="tb-lab">{} · {}</span><span class="sp"></span><span class="tb-lab">{}</span></div>',
        *action_of(proposal, say),
        basis.symbol,
        " · ".join(filter(None, (basis.timeframe, short_hash(proposal.id), whose, again))),
        run_link(basis.run_id, say("open_run"), show),
        clock,
    )
    return head + rows


def _answers(ticket: ProposalTicket, draft: Draft, *, rejects: bool = True) -> None:
    """Approve the values in the form, put the machine's plan back, or reject with a reason. rejects: whether that is here; on the desk
    it is in the bar."""
    proposal, say, busy = ticket.proposal, ticket.show.say, on_its_way(ticket.proposal.id)
    signed = not draft.is_changed and ticket.who in signed_by(proposal)
    if signed:
        draw_html(message(say("you_signed")))
    word = say("approving") if busy else say("approve_changed") if draft.is_changed else approve_word(proposal, say)
    reasons = opened(proposal, "rejects")
    are_open = bool(st.session_state.get(reasons))
    with st.container(key="answers"):
        with st.container(key="answers-row", horizontal=True):
            shut = busy or signed or not draft.can_be_signed(proposal)
            answer_button("✓ " + word, ticket.answer(draft.change), "approve", primary=True, disabled=shut, wide=True)
            if rejects:  # only a narrow page hides the reasons
                key, then = f"reject-button-{proposal.id}", {reasons: not are_open}
                st.button(say("reject"), key=key, disabled=busy, on_click=st.session_state.update, args=(then,), width="stretch")
            st.button(
                say("back_to_machine" if proposal.is_of_run else "back_to_proposed"),
                key=f"machine-{proposal.id}",
                disabled=busy or draft.plan == proposal.machine,
                on_click=back_to_machine,
                args=(proposal,),
                width="stretch",
            )
        if rejects:
            with st.container(key=f"reasons-{'open' if are_open else 'shut'}"):
                reject_reasons(ticket)


def _refresh_button(ticket: ProposalTicket) -> None:
    """Offer the way out of a lock: a new snapshot, checked and decided again, in a run of its own."""
    if st.button(ticket.show.say("refresh"), key=f"refresh-{ticket.proposal.id}"):
        try:
            run_id = ticket.engine.fork(ticket.proposal.basis.run_id, "executor", fresh=True)
        except TribunalError as problem:
            say_error(problem)
            return
        st.switch_page(st.session_state[HOME], query_params={"run": run_id, "lang": ticket.show.language})
