"""Positions: what is held, how it has gone, whether its thesis still holds, and closing or reducing it by hand."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import streamlit as st
from markupsafe import Markup

from engine.api import Engine, HeldPosition
from engine.domain.errors import TribunalError
from pages.flow_pages import page_of_flow
from pages.frame.cards import message
from pages.frame.escape import markup
from pages.frame.form_words import choose_up_down
from pages.frame.isolation import isolated, isolated_html, isolated_page
from pages.frame.language import choose_language
from pages.frame.login import who_acts
from pages.frame.page_frame import SHOWN_HALTED
from pages.frame.page_style import set_up_down
from pages.frame.shared_engine import get_engine
from pages.frame.show import Show
from pages.run.kept_runs import run_behind
from pages.trading.close_form import close_form, say_closed
from pages.trading.positions import accounts_panel, no_position, position_card, positions_head
from pages.trading.previews import is_halted
from pages.trading.proposal_state import quote_unit

POLL_S, IDLE_S = 2.0, 6.0
_HOLDS = "holds-something"


def positions() -> None:
    """Draw the page."""
    engine = get_engine()
    who = who_acts(engine)
    with st.sidebar:
        language = choose_language(engine)
        set_up_down(choose_up_down(engine, language))
    show = Show(language=language)
    st.fragment(isolated_page(_watch, show.say), run_every=POLL_S if st.session_state.get(_HOLDS, True) else IDLE_S)(engine, show, who)
    engine.watch_over()


def _watch(engine: Engine, show: Show, who: str) -> None:
    """Draw what is held; it may change by itself: stops and targets are hit."""
    if is_halted(engine) != st.session_state.get(SHOWN_HALTED):
        st.rerun()
    head, waits, say = st.empty(), st.empty(), show.say

    def headed(count: int) -> Markup:
        return isolated_html(say("nav_positions"), say, lambda: positions_head(count, datetime.now(UTC), show))

    head.html(headed(0))
    if _HOLDS not in st.session_state:  # the market is asked when the page stands
        waits.html(markup('<div class="tb tb-muted">{}</div>', say("looking")))
    held, trouble = _held(engine)
    waits.empty()
    head.html(headed(len(held)))
    st.session_state[_HOLDS] = bool(held) or bool(trouble)
    say_closed(show)
    if trouble:
        st.html(message(say("cannot_say"), f"{say('cannot_say_means')} {trouble}", bad=True))
        return
    for each in held:
        with st.container(key=f"position-{each.account}-{each.position.symbol}", border=True):
            st.html(isolated_html(say("position"), say, partial(_card, engine, each, show)))
            with isolated(say("part_close"), say):
                close_form(engine, each, who, show)
    if not held:
        st.html(no_position(show))
    st.html(isolated_html(say("accounts"), say, lambda: accounts_panel(engine.trading.curves(), show)) or Markup("<i hidden></i>"))


@st.cache_data(ttl=1.0, show_spinner=False)
def _held(_engine: Engine) -> tuple[list[HeldPosition], str]:
    """Return what is held, or why that cannot be said: never an empty list for it."""
    try:
        return _engine.trading.positions(), ""
    except TribunalError as problem:
        return [], str(problem)


def _card(engine: Engine, held: HeldPosition, show: Show) -> Markup:
    """Return the position, with the words it was entered with, claims marked as on the desk."""
    run_id = held.thesis.run_id if held.thesis is not None else None
    record, proposal = (engine.run(run_id), engine.trading.proposal_of(run_id)) if run_id is not None else (None, None)
    if proposal is not None:
        show = replace(show, step=float(proposal.basis.terms.price_step))
    said = Markup()
    if record is not None:
        page = page_of_flow(record.request.flow)
        said = page.reasons(engine, run_behind(engine, record.run_id, page.reducer), show)
    return position_card(held, show, said, quote_unit(proposal) if proposal is not None else "")


positions()
