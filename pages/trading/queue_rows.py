"""The queue of proposals on the page: rows that can be chosen, in an order that an answer does not change, and a way out for all that are
locked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from engine.api import Engine
from engine.domain.errors import TribunalError
from engine.domain.proposal import IN_FLIGHT, Proposal
from engine.domain.text.reason import Reason
from pages.frame.cards import message
from pages.frame.html import draw_html
from pages.frame.page_frame import HOME
from pages.frame.page_style import say_error
from pages.frame.show import Show
from pages.trading.answering import forget_answer_result
from pages.trading.proposal_state import NOT_PREVIEWED, PreviewState, action_of, lock_lines, locked_by
from pages.trading.proposals import proposal_row, queue_heads

_ASKED, _STAYS, _REJECTS = "proposal", "queue-stays", "rejects-locked"


@dataclass(frozen=True)
class Queue:
    """What is in the list. rows: in their order. chosen: the one whose ticket is open, None without any; it need not be in the list."""

    rows: Sequence[Proposal]
    chosen: Proposal | None


def queue_of(found: Sequence[Proposal], now: datetime) -> Queue:
    """Return what is in the list: what waits, is being answered or is blocked, and what has been answered since the reader came, which
    keeps its row. Markets stand together, that first whose time is over soonest.

    The one whose ticket is open is named in the address from the first drawing on: it stays open once it is answered or over, so that
    nothing else comes to stand where it was."""
    is_new = _ASKED not in st.query_params
    stays: set[str] = set() if is_new else st.session_state.get(_STAYS, set())
    in_list = [each for each in found if each.id in stays or is_open(each, now)]
    st.session_state[_STAYS] = {each.id for each in in_list}
    soonest: dict[str, datetime] = {}
    for each in in_list:
        soonest[each.basis.symbol] = min(each.expires_at, soonest.get(each.basis.symbol, each.expires_at))
    rows = sorted(in_list, key=lambda each: (soonest[each.basis.symbol], each.basis.symbol, each.expires_at, each.id))
    wanted = st.query_params.get(_ASKED)
    chosen = next((each for each in found if each.id == wanted), None) or next((each for each in rows if each.is_waiting), None)
    chosen = chosen or (rows[0] if rows else None)
    if chosen is not None and chosen.id != wanted:
        st.query_params[_ASKED] = chosen.id
    return Queue(rows, chosen)


def is_open(proposal: Proposal, now: datetime) -> bool:
    """Return whether it belongs into the queue: a blocked one does for as long as it would have waited."""
    return proposal.is_waiting or proposal.state in IN_FLIGHT or (proposal.state == "blocked" and now < proposal.expires_at)


def draw_queue(
    engine: Engine,
    queue: Queue,
    preview_states: Mapping[str, PreviewState],
    show: Show,
    now: datetime,
    who: str,
    draw_ticket: Callable[[Proposal], None],
) -> None:
    """Draw one row a proposal, the whole of which chooses it, and the ticket of the chosen one behind its row: on a wide page it stands
    beside them all, on a narrow one in its place among them."""
    rows, chosen = queue.rows, queue.chosen
    with st.container(key="queue"):
        with st.container(key="queue-head"):
            draw_html(queue_heads(show))
        before: Proposal | None = None
        for proposal in rows:
            is_chosen, state = chosen is not None and proposal.id == chosen.id, preview_states.get(proposal.id, NOT_PREVIEWED)
            is_first = before is None or before.basis.symbol != proposal.basis.symbol
            with st.container(key=f"card-{proposal.id}{'-chosen' if is_chosen else ''}"):
                draw_html(proposal_row(proposal, state, show, now, chosen=is_chosen, first=is_first))
                words = show.say("show_it", what=f"{proposal.basis.symbol} {action_of(proposal, show.say)[1]}")
                st.button(words, key=f"choose-{proposal.id}", on_click=choose, args=(proposal.id,), type="tertiary")
            if is_chosen:
                draw_ticket(proposal)
            before = proposal
        if chosen is not None and all(each.id != chosen.id for each in rows):
            draw_ticket(chosen)
        with st.container(key="queue-foot"):
            _foot(engine, rows, preview_states, show, now, who)


def _foot(
    engine: Engine, rows: Sequence[Proposal], preview_states: Mapping[str, PreviewState], show: Show, now: datetime, who: str
) -> None:
    """Reject all that are locked, asked once more before it is done; take what was answered out of the list."""
    say = show.say
    locked = [each for each in rows if each.is_waiting and locked_by(preview_states.get(each.id, NOT_PREVIEWED), say)]
    asked: tuple[str, ...] = st.session_state.get(_REJECTS, ())
    if meant := [each for each in locked if each.id in asked]:
        draw_html(message(say("sure_reject_locked", n=len(meant))))
        with st.container(key="sure-locked", horizontal=True):
            ids = tuple(each.id for each in meant)
            st.button(say("no_keep_locked"), key="keep-locked", on_click=_ask_rejects, args=((),), width="content")
            st.button(say("yes_reject_locked"), key="reject-locked-yes", on_click=_reject_all, args=(engine, ids, who), width="content")
    elif locked:
        ids = tuple(each.id for each in locked)
        st.button(say("reject_locked", n=len(locked)), key="reject-locked", on_click=_ask_rejects, args=(ids,), width="content")
    if over := sum(not is_open(each, now) for each in rows):
        st.button(say("tidy_queue", n=over), key="tidy-queue", on_click=_tidy, width="content", type="tertiary")


def next_button(queue: Queue, show: Show) -> None:
    """Offer the next one that waits, once the chosen one does not any more."""
    rows, chosen = queue.rows, queue.chosen
    place = next((index for index, each in enumerate(rows) if chosen is not None and each.id == chosen.id), -1)
    waiting = [each for each in (*rows[place + 1 :], *rows[: max(place, 0)]) if each.is_waiting]
    if waiting:
        what = f"{waiting[0].basis.symbol} {action_of(waiting[0], show.say)[1]}"
        st.button(show.say("next_one", what=what), key="next-proposal", on_click=choose, args=(waiting[0].id,), width="content")


def way_out(engine: Engine, proposal: Proposal, preview_state: PreviewState, show: Show) -> None:
    """Offer a new decision where the proposal is locked, or its approval was refused."""
    stuck = preview_state.refused is not None or lock_lines(proposal, preview_state, show)
    if proposal.is_waiting and proposal.is_of_run and not preview_state.halted and stuck:
        refresh_button(engine, proposal, show)


def refresh_button(engine: Engine, proposal: Proposal, show: Show) -> None:
    """Offer the way out of a lock: a new snapshot, checked and decided again, in a run of its own."""
    if st.button(show.say("refresh"), key=f"refresh-{proposal.id}"):
        try:
            run_id = engine.fork(proposal.basis.run_id, "executor", fresh=True)
        except TribunalError as problem:
            say_error(problem)
            return
        st.switch_page(st.session_state[HOME], query_params={"run": run_id, "lang": show.language})


def choose(proposal_id: str) -> None:
    """Open the ticket of a proposal."""
    st.query_params[_ASKED] = proposal_id
    forget_answer_result()


def _ask_rejects(ids: tuple[str, ...]) -> None:
    st.session_state[_REJECTS] = ids


def _reject_all(engine: Engine, ids: tuple[str, ...], who: str) -> None:
    """Reject each; one that was answered meanwhile stays as it was answered."""
    st.session_state[_REJECTS] = ()
    for proposal_id in ids:
        try:
            engine.trading.reject(proposal_id, who, Reason("rejected_locked"))
        except TribunalError:
            continue


def _tidy() -> None:
    st.session_state[_STAYS] = set()
