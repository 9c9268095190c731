"""The chosen proposal: its plan as inputs, what a change would mean, the answers, and the chart whose lines can be dragged."""

from collections.abc import Callable
from datetime import datetime

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.domain.clock import utc_now
from engine.domain.proposal import OrderPlan, Proposal
from pages.chart.live_line import PLAN_CHART, draw_live_line
from pages.frame import numbers
from pages.frame.cards import message
from pages.frame.escape import joined, markup
from pages.frame.html import draw_html
from pages.frame.show import Show
from pages.run.messages import short_hash
from pages.trading.answered import run_link
from pages.trading.answering import AnswerRequest, answer_button, on_its_way
from pages.trading.edit_form import Draft, back_to_machine, draw_comparison, plan_inputs
from pages.trading.live_price import live_content, live_rows
from pages.trading.previews import filled_of
from pages.trading.proposal_state import PreviewState, action_of, approve_word, chip_of, countdown, signed_by
from pages.trading.proposals import why_lines
from pages.trading.reject_form import opened_key, reject_reasons
from pages.trading.signed_numbers import signed_numbers


def sign_form(
    engine: Engine, proposal: Proposal, preview_state: PreviewState, show: Show, who: str, draw_plan: Callable[[OrderPlan], None]
) -> None:
    """Draw the form and the chart. What has been answered is shown as it stands and cannot be answered again. draw_plan: draws the market
    with a plan, as the flow does."""
    with st.container(key="sign"):
        draw_html(form_head(proposal, preview_state, show, utc_now()))
        if proposal.is_waiting:
            draft = plan_inputs(engine, proposal, preview_state, show)
            draw_live_line(PLAN_CHART, live_content(proposal, draft.plan, draft.preview_state, show))
            draw_comparison(engine, proposal, draft, show)
            draft_answers(proposal, draft, show, who)
            reject_reasons(proposal, who, show)
            plan = draft.plan
        else:
            shown_numbers = signed_numbers(proposal, show, filled=filled_of(engine, proposal))
            numbers = markup('<div class="tb tb-lev">{}</div>', joined(shown_numbers))
            reasons = joined(markup('<p class="tb tb-muted">{}</p>', line) for line in why_lines(proposal, preview_state, show))
            draw_html(numbers + reasons)
            plan = proposal.plan
    draw_plan(plan)


def form_head(proposal: Proposal, preview_state: PreviewState, show: Show, now: datetime) -> Markup:
    """Return `▼ Enter short BTC/USDT:USDT 15m · p-… · confidence 58 · open the run`, and how long it waits."""
    say, basis = show.say, proposal.basis
    glyph, word = action_of(proposal, say)
    whose = f"{say('confidence')} {numbers.number(basis.confidence)}" if proposal.is_of_run else say("proposed_by", who=proposal.changed_by)
    subtitle = f"{basis.timeframe} · {short_hash(proposal.id)} · {whose}"
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
    """Approve what stands in the form, put the machine's plan back, or open the reasons to reject. rejects: whether that stands here; on
    the desk it stands in the bar."""
    say, busy = show.say, on_its_way(proposal.id)
    signed = not draft.is_changed and who in signed_by(proposal)
    if signed:
        draw_html(message(say("you_signed")))
    word = say("approving") if busy else say("approve_changed") if draft.is_changed else approve_word(proposal, say)
    with st.container(key="answers"):
        first, second, *third = st.columns([1.6, 1.2, 0.8] if rejects else [1.6, 1.2])
        with first:
            answer = AnswerRequest(proposal.id, proposal.hash, who, change=draft.change)
            shut = busy or signed or not draft.can_be_signed(proposal)
            answer_button("✓ " + word, answer, "approve", primary=True, disabled=shut, wide=True)
        other = draft.plan != proposal.machine
        second.button(
            say("back_to_machine" if proposal.is_of_run else "back_to_proposed"),
            key=f"machine-{proposal.id}",
            disabled=busy or not other,
            on_click=back_to_machine,
            args=(proposal,),
            width="stretch",
        )
        for place in third:
            key = f"reject-button-{proposal.id}"
            place.button(say("reject"), key=key, disabled=busy, on_click=_open_reason, args=(proposal,), width="stretch")


def _open_reason(proposal: Proposal) -> None:
    """Open the line for a reason of one's own below the other reasons."""
    st.session_state[opened_key(proposal)] = True
