"""The chosen proposal: its plan as inputs, what a change would mean, the answers, and the chart whose lines can be dragged."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal

import streamlit as st
from markupsafe import Markup

from engine.api import BookTotals, Engine, Preview, SignedBook
from engine.domain.clock import utc_now
from engine.domain.holding import NATURES
from engine.domain.proposal import OrderPlan, Proposal
from pages.chart.live_line import PLAN_CHART, draw_live_line
from pages.frame import numbers
from pages.frame.cards import cell, label, message, table
from pages.frame.escape import joined, markup, plain
from pages.frame.html import draw_html
from pages.frame.isolation import isolated
from pages.frame.show import Show
from pages.run.messages import short_hash
from pages.trading.answered import run_link
from pages.trading.answering import AnswerRequest, answer_button, on_its_way, show_answer_result
from pages.trading.edit_form import Draft, back_to_machine, draw_comparison, opened, plan_inputs
from pages.trading.lift_form import lift_form
from pages.trading.live_price import live_content, live_rows
from pages.trading.previews import filled_of
from pages.trading.proposal_state import PreviewState, action_of, approve_word, chip_of, countdown, quote_unit, signed_by
from pages.trading.proposals import refusal_lines, why_lines
from pages.trading.queue_rows import way_out
from pages.trading.reject_form import reject_reasons
from pages.trading.signed_numbers import signed_numbers


def sign_form(
    engine: Engine,
    proposal: Proposal,
    preview_state: PreviewState,
    show: Show,
    who: str,
    draw_plan: Callable[[OrderPlan], None],
    draw_next: Callable[[], None],
    again: str = "",
) -> None:
    """Draw the chart and the form under it, so that no answer moves the chart. What has been answered is shown as it is and cannot be
    answered again. draw_plan: draws the market with a plan, as the flow does. draw_next: offers the next one, in the head: far from where
    an answer is given. again: how far its repetitions agree, in a line; "" where there are none."""
    with st.container(key="sign"):
        with st.container(key="sign-head", horizontal=True):
            draw_html(form_head(proposal, preview_state, show, utc_now(), again), width="stretch")
            if not proposal.is_waiting:
                draw_next()
        chart = st.container(key="sign-chart")
        with st.container(key="sign-below"):
            draft = _form(engine, proposal, preview_state, show, who) if proposal.is_waiting else None
            if draft is None:
                _draw_result(proposal, show)
                shown_numbers = signed_numbers(proposal, show, filled=filled_of(engine, proposal))
                draw_html(markup('<div class="tb tb-lev">{}</div>', joined(shown_numbers)) + _why(proposal, preview_state, show))
        with chart:
            draw_plan(draft.plan if draft is not None else proposal.plan)


def _form(engine: Engine, proposal: Proposal, preview_state: PreviewState, show: Show, who: str) -> Draft:
    """Draw the inputs, the answers, what speaks against one, and what a signature would mean."""
    draft = plan_inputs(engine, proposal, preview_state, show)
    draw_live_line(PLAN_CHART, live_content(proposal, draft.plan, draft.preview_state, show))
    draft_answers(proposal, draft, show, who)
    _draw_result(proposal, show)
    with st.container(key="sign-why"):
        draw_html(_why(proposal, preview_state, show))
        way_out(engine, proposal, preview_state, show)
        lift_form(proposal, preview_state, show, who)
    with st.container(key="sign-sums", horizontal=True):
        with st.container(key="sign-plan"):
            draw_comparison(engine, proposal, draft, show)
        seen = draft.preview_state.preview
        draw_html(book_panel(proposal, engine.trading.signed_book(proposal, seen) if seen is not None else None, seen, show))
    return draft


def _draw_result(proposal: Proposal, show: Show) -> None:
    """Say what came of the last answer to it."""
    with st.container(key="answer-result"), isolated(show.say("part_messages"), show.say):
        show_answer_result(show, proposal.id)


def _why(proposal: Proposal, preview_state: PreviewState, show: Show) -> Markup:
    """Return what a reader must know before an answer, and why the last one was refused."""
    lines = [*refusal_lines(proposal, preview_state, show), *why_lines(proposal, preview_state, show, warn=False)]
    return joined(markup('<p class="tb tb-muted">{}</p>', line) for line in lines)


def form_head(proposal: Proposal, preview_state: PreviewState, show: Show, now: datetime, again: str = "") -> Markup:
    """Return `▼ Enter short BTC/USDT:USDT 15m · p-… · confidence 58 · open the run`, and how long it waits. again: see `sign_form`."""
    say, basis = show.say, proposal.basis
    glyph, word = action_of(proposal, say)
    whose = f"{say('confidence')} {numbers.number(basis.confidence)}" if proposal.is_of_run else say("proposed_by", who=proposal.changed_by)
    if proposal.is_of_run and basis.calibrated_confidence is not None:
        whose = f"{whose} · {say('sized_by', n=numbers.number(basis.calibrated_confidence))}"
    subtitle = " · ".join(filter(None, (basis.timeframe, short_hash(proposal.id), whose, again)))
    clock = (
        markup("{} <b>{}</b>", say("expires_in"), countdown(proposal, now))
        if proposal.is_waiting
        else chip_of(proposal, preview_state, say).html()
    )
    link = run_link(basis.run_id, say("open_run"), show)
    now_rows = (
        markup('<div class="tb tb-live-rows">{}</div>', live_rows(proposal, preview_state, show)) if proposal.is_waiting else Markup()
    )
    head = markup(
        '<div class="tb tb-signhead"><b class="word"><span aria-hidden="true">{}</span> {}</b>'
        '<b class="sym">{}</b><span class="tb-lab">{} · {}</span><span class="sp"></span><span class="tb-lab">{}</span></div>',
        glyph,
        word,
        basis.symbol,
        subtitle,
        link,
        clock,
    )
    return head + now_rows


def draft_answers(proposal: Proposal, draft: Draft, show: Show, who: str, *, rejects: bool = True) -> None:
    """Approve the values in the form, put the machine's plan back, or reject with a reason. rejects: whether that is here; on the desk
    it is in the bar."""
    say, busy = show.say, on_its_way(proposal.id)
    signed = not draft.is_changed and who in signed_by(proposal)
    if signed:
        draw_html(message(say("you_signed")))
    word = say("approving") if busy else say("approve_changed") if draft.is_changed else approve_word(proposal, say)
    with st.container(key="answers"):
        with st.container(key="answers-row", horizontal=True):
            answer = AnswerRequest(proposal.id, proposal.hash, who, change=draft.change)
            shut = busy or signed or not draft.can_be_signed(proposal)
            answer_button("✓ " + word, answer, "approve", primary=True, disabled=shut, wide=True)
            if rejects:
                key = f"reject-button-{proposal.id}"
                st.button(say("reject"), key=key, disabled=busy, on_click=_toggle_reasons, args=(proposal,), width="stretch")
            st.button(
                say("back_to_machine" if proposal.is_of_run else "back_to_proposed"),
                key=f"machine-{proposal.id}",
                disabled=busy or draft.plan == proposal.machine,
                on_click=back_to_machine,
                args=(proposal,),
                width="stretch",
            )
        if rejects:
            with st.container(key=f"reasons-{'open' if st.session_state.get(opened(proposal, 'rejects')) else 'shut'}"):
                reject_reasons(proposal, who, show)


def _toggle_reasons(proposal: Proposal) -> None:
    """Show the reasons, or put them away again; only a narrow page hides them."""
    key = opened(proposal, "rejects")
    st.session_state[key] = not st.session_state.get(key)


def book_panel(proposal: Proposal, book: SignedBook | None, preview: Preview | None, show: Show) -> Markup:
    """Return the account before and after, a row a measure; that it has not been read yet, where it has not. preview: with which it was
    worked out."""
    say = show.say
    title = markup('<div class="tb-sub">{}</div>', say("book_after"))
    if book is None or preview is None:
        return markup('<div class="tb tb-book">{}<p class="tb-muted">{}</p></div>', title, say("looking"))
    heads = ((say("figure"), False), (say("book_now"), True), (say("book_signed"), True), (say("book_of_equity"), True))
    unstopped = joined(markup('<p class="tb-warned">! {}</p>', say("book_unstopped", symbol=each)) for each in book.after.unstopped)
    rest = label(say("book_equity"), f"{numbers.number(float(book.equity), 2)} {quote_unit(proposal)}")
    return markup('<div class="tb tb-book">{}{}{}{}</div>', title, table(heads, _rows(proposal, book, preview, show)), unstopped, rest)


def _rows(proposal: Proposal, book: SignedBook, preview: Preview, show: Show) -> list[list[Markup]]:
    say, limits = show.say, preview.conditions.limits(proposal.basis)
    most = say("book_most", n=limits.max_open_positions)
    rows = [_row(say("book_positions"), str(book.now.open_positions), str(book.after.open_positions), most)]
    before, after = book.now.total, book.after.total
    rows.append(_row(say("book_at_stops"), _stopped(book.now), _stopped(book.after), _share(after.at_stop, book, signed=True)))
    if not NATURES[proposal.basis.instrument].paid_in_full:
        rows.append(_row(say("book_margin"), _money(before.margin), _money(after.margin), _share(after.margin, book)))
    return [*rows, _row(say("notional_row"), _money(before.notional), _money(after.notional), _share(after.notional, book))]


def _row(name: str, before: str, after: str, beside: str) -> list[Markup]:
    return [cell(plain(name)), cell(plain(before), "r"), cell(markup("<b>{}</b>", after), "r"), cell(plain(beside), "r")]


def _money(value: Decimal) -> str:
    return numbers.number(float(value), 1)


def _stopped(totals: BookTotals) -> str:
    """Return what all of them bring at their stops; nothing where one has none."""
    stopped = totals.total.at_stop
    return numbers.signed(float(stopped), 1) if stopped is not None and not totals.unstopped else numbers.DASH


def _share(value: Decimal | None, book: SignedBook, *, signed: bool = False) -> str:
    if value is None or (signed and book.after.unstopped):
        return numbers.DASH
    return (numbers.signed_percent if signed else numbers.percent)(float(value / book.equity * 100), 1)
