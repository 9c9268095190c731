"""Positions: what is held, how it has gone, its chart with a stop and a target that can be moved, and what came of those that are over."""

from dataclasses import replace
from datetime import datetime
from functools import partial

import streamlit as st
from markupsafe import Markup

from engine.api import ClosedPosition, Engine, HeldPosition
from engine.domain.clock import utc_now
from engine.domain.errors import TribunalError
from engine.domain.proposal import Proposal
from pages.desks import page_of_flow
from pages.frame.cards import message
from pages.frame.escape import markup
from pages.frame.form_words import choose_up_down
from pages.frame.html import draw_html
from pages.frame.isolation import isolated, isolated_html, isolated_page
from pages.frame.language import choose_language
from pages.frame.login import who_acts
from pages.frame.page_frame import SHOWN_HALTED
from pages.frame.page_style import set_up_down
from pages.frame.palette import UpDown
from pages.frame.shared_engine import get_engine
from pages.frame.show import Show
from pages.positions.close_form import close_form, say_closed
from pages.positions.closed_positions import closed_panel
from pages.positions.equity_curve import draw_accounts
from pages.positions.levels_form import levels_form, row_key
from pages.positions.position_card import no_position, position_card, positions_head
from pages.positions.position_rows import HEADS, position_row, totals_bar
from pages.run.kept_runs import run_behind
from pages.trading.answering import give_answer, show_answer_result
from pages.trading.previews import is_halted
from pages.trading.proposal_state import quote_unit
from pages.trading.queue_rows import row_heads

POLL_S, IDLE_S = 2.0, 6.0
_HOLDS, _OPENED = "holds-something", "opened-position"


def positions() -> None:
    """Draw the page."""
    engine = get_engine()
    who = who_acts(engine)
    with st.sidebar:
        language = choose_language(engine)
        up_down = choose_up_down(engine, language)
    set_up_down(up_down)
    show = Show(language=language)
    every = POLL_S if st.session_state.get(_HOLDS, True) else IDLE_S
    st.fragment(isolated_page(_watch, show.say), run_every=every)(engine, show, up_down, who)
    engine.watch_over()


def _watch(engine: Engine, show: Show, up_down: UpDown, who: str) -> None:
    """Draw what is held; it may change by itself: stops and targets are hit."""
    if is_halted(engine) != st.session_state.get(SHOWN_HALTED):
        st.rerun()
    head, waits, say = st.empty(), st.empty(), show.say

    def headed(count: int) -> Markup:
        return isolated_html(say("nav_positions"), say, lambda: positions_head(count, utc_now(), show))

    draw_html(headed(0), head)
    if _HOLDS not in st.session_state:  # the market is asked once the page is drawn
        draw_html(markup('<div class="tb tb-muted">{}</div>', say("looking")), waits)
    held, trouble = _held(engine)
    waits.empty()
    draw_html(headed(len(held)), head)
    st.session_state[_HOLDS] = bool(held) or bool(trouble)
    say_closed(show)
    if trouble:
        draw_html(message(say("cannot_say"), f"{say('cannot_say_means')} {show.translated(trouble)}", bad=True))
        return
    with st.container(key="answer-result"), isolated(say("part_messages"), say):
        show_answer_result(show)
    openings = {row_key(each): _opening(engine, each) for each in held}
    currencies = {each.position.symbol: quote_unit(opening) for each in held if (opening := openings[row_key(each)]) is not None}
    with isolated(say("sums"), say):
        draw_html(isolated_html(say("sums"), say, lambda: totals_bar(held, currencies, _curves(engine), utc_now(), show)))
    changes, opened = _changes(engine), _opened(held, _changes(engine))
    with st.container(key="positions"):
        if held:
            draw_html(row_heads(HEADS, show, " tb-prow"))
        for each in held:
            opening, change, is_open = openings[row_key(each)], changes.get(_market_of(each)), row_key(each) == opened
            _draw_row(engine, each, opening, change, show, up_down, who, is_open=is_open)
    if not held:
        draw_html(no_position(show))
    with isolated(say("closed_positions"), say):
        draw_html(isolated_html(say("closed_positions"), say, lambda: closed_panel(_closed(engine), show)))
    with isolated(say("accounts"), say):
        draw_accounts(_curves(engine), show)
    give_answer(engine, show)


def _market_of(held: HeldPosition) -> tuple[str, str]:
    return held.account, held.position.symbol


def _opened(held: list[HeldPosition], changes: dict[tuple[str, str], Proposal]) -> str:
    """Return the row whose chart is shown: that which the reader chose, else the first with a change that waits, else the first; "" where
    it was shut."""
    rows = [row_key(each) for each in held]
    chosen = st.session_state.get(_OPENED)
    if chosen in ("", *rows):
        return str(chosen)
    waiting = [row_key(each) for each in held if _market_of(each) in changes]
    return next(iter([*waiting, *rows]), "")


def _toggle(row: str, *, is_open: bool) -> None:
    st.session_state[_OPENED] = "" if is_open else row


def _draw_row(
    engine: Engine,
    held: HeldPosition,
    opening: Proposal | None,
    change: Proposal | None,
    show: Show,
    up_down: UpDown,
    who: str,
    *,
    is_open: bool,
) -> None:
    """Draw one row, the whole of which opens its chart below it. opening: the proposal it came from, None where that is not known here.
    change: of its levels, which waits for a signature."""
    say, row = show.say, row_key(held)
    seen = show
    if opening is not None:
        listing = opening.basis.listing
        seen = replace(show, step=float(opening.basis.terms.price_step), zone=listing.time_zone if listing is not None else "")
    currency = quote_unit(opening) if opening is not None else ""
    with st.container(key=f"card-position-{row}"):
        draw_html(isolated_html(say("position"), say, lambda: position_row(held, seen, currency, opened=is_open)))
        words = say("show_position", what=held.position.symbol)
        st.button(words, key=f"choose-position-{row}", on_click=_toggle, args=(row,), kwargs={"is_open": is_open}, type="tertiary")
    if change is not None and not is_open:
        draw_html(message(say("levels_wait")))
    if is_open:
        with st.container(key=f"position-{row}", border=True):
            _draw_position(engine, held, opening, change, seen, up_down, who)


def _draw_position(
    engine: Engine, held: HeldPosition, opening: Proposal | None, change: Proposal | None, show: Show, up_down: UpDown, who: str
) -> None:
    """Draw one position: its chart with the levels that can be moved, how it goes in full, and the ways out."""
    say = show.say
    with isolated(say("part_chart"), say):
        levels_form(engine, held, opening, change, who, show, up_down)
    with isolated(say("part_close"), say):
        close_form(engine, held, who, show)
    draw_html(isolated_html(say("position"), say, partial(_card, engine, held, opening, show)))


def _opening(engine: Engine, held: HeldPosition) -> Proposal | None:
    """Return the proposal that a position came from; None where it is not known here."""
    return engine.trading.proposal_of(held.thesis.run_id) if held.thesis is not None else None


def _changes(engine: Engine) -> dict[tuple[str, str], Proposal]:
    """Return the changes of levels that wait for a signature, by account and market; none while the journal cannot be read."""
    try:
        waiting = engine.trading.waiting()
    except TribunalError:
        return {}
    return {(each.basis.account, each.basis.symbol): each for each in waiting if each.plan.protects}


@st.cache_data(ttl=5.0, show_spinner=False)
def _closed(_engine: Engine) -> list[ClosedPosition]:
    return _engine.trading.closed_positions()


@st.cache_data(ttl=5.0, show_spinner=False)
def _curves(_engine: Engine) -> dict[str, list[tuple[datetime, float]]]:
    return _engine.trading.curves()


@st.cache_data(ttl=1.0, show_spinner=False)
def _held(_engine: Engine) -> tuple[list[HeldPosition], str]:
    """Return what is held, or why that cannot be said: never an empty list for it."""
    try:
        return _engine.trading.positions(), ""
    except TribunalError as problem:
        return [], str(problem)


def _card(engine: Engine, held: HeldPosition, proposal: Proposal | None, show: Show) -> Markup:
    """Return the position, with the words it was entered with, claims marked as on the desk. proposal: it came from."""
    record = engine.run(held.thesis.run_id) if held.thesis is not None else None
    said = Markup()
    if record is not None:
        page = page_of_flow(record.request.flow)
        own = show.of_run(engine.disputes.of(record.run_id))
        said = page.reasons(engine, run_behind(engine, record.run_id, page.reducer), own)
    return position_card(held, show, said, quote_unit(proposal) if proposal is not None else "")


positions()
