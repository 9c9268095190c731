"""Approvals: what waits for a signature, what was argued for it, what a change of it would mean, and what was answered today.

Proposals live in the journal. The page looks at it once a second while something waits, and every few seconds otherwise.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.domain.clock import utc_now
from engine.domain.errors import TribunalError
from engine.domain.proposal import OrderPlan, Proposal
from engine.domain.stability import decided_action
from pages.chart.live_line import PLAN_CHART
from pages.claims.dispute_buttons import hear_disputes
from pages.claims.disputing import signers_message
from pages.desks import all_titles, first_page, page_of_flow
from pages.frame.form_words import choose_up_down
from pages.frame.html import draw_html
from pages.frame.isolation import isolated, isolated_html, isolated_page
from pages.frame.language import choose_language
from pages.frame.login import who_acts
from pages.frame.page_frame import MOST_LISTED, SHOWN_HALTED, SHOWN_WAITING, WaitingCount, parted
from pages.frame.page_style import say_error, set_up_down
from pages.frame.palette import UpDown
from pages.frame.shared_engine import get_engine
from pages.frame.show import Show
from pages.frame.tab_title import say_tab_title
from pages.positions.position_chart import draw_change_chart
from pages.run.kept_runs import run_behind
from pages.run.messages import notice
from pages.run.stamp import named_by, stamp_card, stamp_words
from pages.trading.answered import FollowUp, answered_panel
from pages.trading.answering import ProposalTicket, give_answer
from pages.trading.previews import is_halted, note_locked, outcome_of, preview_waiting, shadow_of
from pages.trading.proposal_state import PreviewState
from pages.trading.queue_rows import Queue, approvals_head, draw_queue, is_open, next_button, nothing_to_sign, queue_of
from pages.trading.ticket import ticket_in_queue

POLL_S, IDLE_S = 1.0, 4.0
MOST_ANSWERED = 40
_FOLLOWED = "followed"


def approvals() -> None:
    """Draw the page."""
    engine = get_engine()
    who = who_acts(engine)
    with st.sidebar:
        language = choose_language(engine)
        up_down = choose_up_down(engine, language)
    set_up_down(up_down)
    waits = any(st.session_state.get(SHOWN_WAITING) or WaitingCount())
    show = Show(language=language, titles=all_titles(engine, language))
    st.fragment(isolated_page(_watch, show.say), run_every=POLL_S if waits else IDLE_S)(engine, show, up_down, who)
    engine.watch_over()


def _watch(engine: Engine, show: Show, up_down: UpDown, who: str) -> None:
    """Everything on the page: what waits may be changed at any moment by anyone."""
    try:
        found = engine.trading.proposals(MOST_LISTED)
    except TribunalError as problem:
        say_error(problem)
        return
    now = utc_now()
    found = [each.as_at(now) for each in found]
    waiting = [each for each in found if each.is_waiting]
    queue, say = queue_of(found, now), show.say
    answered = _answered(found, now)
    chosen = queue.chosen
    preview_states = preview_waiting(engine, [each for each in queue.rows if each.is_waiting], chosen.id if chosen is not None else None)
    note_locked(preview_states, say, waiting)
    halted = is_halted(engine)
    count = parted({each.id for each in waiting}, halted=halted)
    if count != st.session_state.get(SHOWN_WAITING) or halted != st.session_state.get(SHOWN_HALTED):
        st.session_state[SHOWN_WAITING] = count
        st.rerun()  # the frame says otherwise: the whole page once more
    say_tab_title(count.words(say), say("nav_approvals"))
    draw_html(isolated_html(say("approvals"), say, partial(approvals_head, queue.rows, chosen, preview_states, who, show)))

    def draw_ticket(proposal: Proposal) -> None:
        _ticket(engine, proposal, preview_states.get(proposal.id, PreviewState()), queue, show, up_down, who)

    with isolated(say("part_queue"), say):
        draw_queue(engine, queue, preview_states, show, now, who, draw_ticket)
    if not queue.rows:
        draw_html(nothing_to_sign(show))
    below = st.container()

    def answered_html() -> Markup:
        return isolated_html(say("answered_today"), say, lambda: answered_panel(answered, _followed(), show))

    with below:
        table = st.empty()
        draw_html(answered_html(), table)
        draw_html(isolated_html(say("part_notice"), say, lambda: notice(_model(engine, chosen), show)))
    give_answer(engine, show)
    with isolated(say("answered_today"), say):
        if _follow(engine, answered, waiting):
            draw_html(answered_html(), table)


def _ticket(engine: Engine, proposal: Proposal, preview_state: PreviewState, queue: Queue, show: Show, up_down: UpDown, who: str) -> None:
    """Draw everything of the chosen one: its market and its form, what came of the answer, what was argued for it."""
    say, record = show.say, engine.run(proposal.basis.run_id)
    show = show.of_run(engine.disputes.of(proposal.basis.run_id), disputing=True)
    if proposal.basis.listing is not None:
        show = replace(show, zone=proposal.basis.listing.time_zone)
    page = page_of_flow(record.request.flow) if record is not None else first_page()
    result = (record.result if record is not None else None) or {}
    stamp, named = result.get("stability") or {}, named_by(page.choices(show))
    with st.container(key="ticket"):
        view = page.reducer.empty
        form = st.container()
        with isolated(say("three_lines"), say):
            view = run_behind(engine, proposal.basis.run_id, page.reducer)
            draw_html(page.brief(view, show))
            draw_html(stamp_card(stamp, decided_action(result), named, show))
            hear_disputes(engine, proposal.basis.run_id, who)

        def draw_plan(plan: OrderPlan) -> None:
            if not (proposal.plan.protects and draw_change_chart(engine, proposal, plan, show, up_down, PLAN_CHART)):
                page.draw_plan(engine, proposal, plan, view, show, up_down)

        with form, isolated(say("part_signature"), say):
            ticket = ProposalTicket(engine, proposal, preview_state, show, who)
            ticket_in_queue(ticket, draw_plan, partial(next_button, queue, show), stamp_words(stamp, named, show))
            draw_html(signers_message(show) if proposal.is_waiting else "")


def _answered(found: list[Proposal], now: datetime) -> list[Proposal]:
    """Return what was answered today, the newest first."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    done = [each for each in found if not is_open(each, now) and each.changed_at >= today]
    done.sort(key=lambda each: each.changed_at, reverse=True)
    return done[:MOST_ANSWERED]


def _followed() -> Mapping[str, FollowUp]:
    kept: dict[str, FollowUp] = st.session_state.setdefault(_FOLLOWED, {})
    return kept


def _follow(engine: Engine, answered: list[Proposal], waiting: list[Proposal]) -> bool:
    """Look, after everything has been painted, at what answered proposals have come to, and would have on paper; says whether something
    new was seen. Where the market is known beyond the instant of one that waits, who signs is not shown how it goes on."""
    covered = {(each.basis.account, each.basis.symbol) for each in waiting if each.basis.market_clock is not None}
    seen = {
        each.id: FollowUp(
            outcome_of(engine, each.id), None if (each.basis.account, each.basis.symbol) in covered else shadow_of(engine, each.id)
        )
        for each in answered
    }
    changed = seen != {key: value for key, value in _followed().items() if key in seen}
    st.session_state[_FOLLOWED] = seen
    return changed


def _model(engine: Engine, proposal: Proposal | None) -> str:
    record = engine.run(proposal.basis.run_id) if proposal is not None else None
    return record.request.model if record is not None else engine.settings.default_model


approvals()
