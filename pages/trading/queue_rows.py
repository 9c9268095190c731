"""The queue of proposals: the head of its page, rows that can be chosen, in an order that an answer does not change, and a way out for all
that are locked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.domain.errors import TribunalError
from engine.domain.proposal import IN_FLIGHT, Proposal
from engine.domain.text.reason import Reason
from pages.frame import numbers
from pages.frame.cards import message
from pages.frame.escape import joined, markup
from pages.frame.html import draw_html
from pages.frame.show import Show
from pages.trading.answering import forget_answer_result
from pages.trading.proposal_state import (
    NOT_PREVIEWED,
    PreviewState,
    action_of,
    chip_of,
    countdown,
    drift_atr,
    is_late,
    locked_by,
    quote_unit,
)

_HEADS = ("row_what", "row_ratio", "row_risk", "row_drift", "row_left")
_ASKED, _STAYS, _REJECTS = "proposal", "queue-stays", "rejects-locked"


@dataclass(frozen=True)
class Queue:
    """What is in the list. rows: in their order. chosen: the one whose ticket is open, None without any; it need not be in the list."""

    rows: Sequence[Proposal]
    chosen: Proposal | None


def queue_of(found: Sequence[Proposal], now: datetime) -> Queue:
    """Return what is in the list: what waits, is being answered or is blocked, and what has been answered since the reader came, which
    keeps its row. Rows of one market are together; the market that expires soonest comes first.

    The one whose ticket is open is named in the address from the first drawing on: it stays open once it is answered or over, so that
    no other takes its place."""
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
    """Draw one row a proposal, the whole of which chooses it, and the ticket of the chosen one behind its row: on a wide page it is
    beside them all, on a narrow one in its place among them."""
    rows, chosen = queue.rows, queue.chosen
    with st.container(key="queue"):
        with st.container(key="queue-head"):
            draw_html(row_heads(_HEADS, show))
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
            st.button(say("no_keep_locked"), key="keep-locked", on_click=st.session_state.update, args=({_REJECTS: ()},), width="content")
            st.button(say("yes_reject_locked"), key="reject-locked-yes", on_click=_reject_all, args=(engine, ids, who), width="content")
    elif locked:
        ids = tuple(each.id for each in locked)
        st.button(
            say("reject_locked", n=len(locked)),
            key="reject-locked",
            on_click=st.session_state.update,
            args=({_REJECTS: ids},),
            width="content",
        )
    if over := sum(not is_open(each, now) for each in rows):
        st.button(
            say("tidy_queue", n=over),
            key="tidy-queue",
            on_click=st.session_state.update,
            args=({_STAYS: set()},),
            width="content",
            type="tertiary",
        )


def next_button(queue: Queue, show: Show) -> None:
    """Offer the next one that waits, once the chosen one does not any more."""
    rows, chosen = queue.rows, queue.chosen
    place = next((index for index, each in enumerate(rows) if chosen is not None and each.id == chosen.id), -1)
    waiting = [each for each in (*rows[place + 1 :], *rows[: max(place, 0)]) if each.is_waiting]
    if waiting:
        what = f"{waiting[0].basis.symbol} {action_of(waiting[0], show.say)[1]}"
        st.button(show.say("next_one", what=what), key="next-proposal", on_click=choose, args=(waiting[0].id,), width="content")


def choose(proposal_id: str) -> None:
    """Open the ticket of a proposal."""
    st.query_params[_ASKED] = proposal_id
    forget_answer_result()


def _reject_all(engine: Engine, ids: tuple[str, ...], who: str) -> None:
    """Reject each; one that was answered meanwhile stays as it was answered."""
    st.session_state[_REJECTS] = ()
    for proposal_id in ids:
        try:
            engine.trading.reject(proposal_id, who, Reason("rejected_locked"))
        except TribunalError:
            continue


def row_heads(names: Sequence[str], show: Show, own_class: str = "") -> Markup:
    """Return what is in the columns of rows. names: keys of the words."""
    words = joined(markup("<span>{}</span>", show.say(name)) for name in names)
    return markup('<div class="tb tb-row{} heads" aria-hidden="true">{}</div>', own_class, words)


def row_of(cells: Sequence[tuple[str, object, object]], own_class: str = "", *, chosen: bool = False) -> Markup:
    """Return a row. cells: class, upper and lower line of each."""
    shown = joined(markup('<span class="{}"><span>{}</span><span>{}</span></span>', *each) for each in cells)
    current = Markup(' aria-current="true"') if chosen else ""
    return markup('<article class="tb tb-row{}"{}>{}</article>', own_class, current, shown)


def proposal_row(
    proposal: Proposal, preview_state: PreviewState, show: Show, now: datetime, *, chosen: bool = False, first: bool = True
) -> Markup:
    """Return one row: market, side, net ratio, money at risk, drift, time left and state. Its figures are those at the price of now once
    that was seen, else those of the decision, in grey. first: of its market's rows."""
    say, basis = show.say, proposal.basis
    glyph, word = action_of(proposal, say)
    lever = f"{proposal.plan.leverage}×" if proposal.plan.leverage else ""
    seen = preview_state.preview
    figures = seen.figures if seen is not None else proposal.figures
    then = "" if seen is not None or not proposal.is_waiting else " then"
    risk = numbers.signed(-float(figures.loss_at_stop), 1) if figures.loss_at_stop is not None else numbers.DASH
    drift, bound = _drift(proposal, preview_state, show)
    hurry = " late" if is_late(proposal, now) else ""
    side = markup('<b><span aria-hidden="true">{}</span> {}</b> {} {}', glyph, word, lever, basis.timeframe)
    cells = [
        ("what" + ("" if first else " more"), markup("<b>{}</b>", basis.symbol), side),
        ("n ratio" + then, _bold(numbers.number(figures.reward_risk_net, 2)), say("row_sure", n=numbers.number(basis.confidence))),
        ("n risk" + then, _bold(risk), quote_unit(proposal)),
        ("n drift", _bold(drift), bound),
        ("n left" + hurry, _bold(countdown(proposal, now)), chip_of(proposal, preview_state, say).line()),
    ]
    return row_of(cells, "" if proposal.is_waiting else " over", chosen=chosen)


def _bold(text: str) -> Markup:
    return markup("<b>{}</b>", text)


def _drift(proposal: Proposal, preview_state: PreviewState, show: Show) -> tuple[str, str]:
    """Return `0.18 ATR`, and `of 0.50`; dashes before the first look, the distance where the ATR is not known."""
    seen = preview_state.preview
    if seen is None or proposal.plan.protects:
        return numbers.DASH, ""
    price, basis = seen.conditions.price, proposal.basis
    drift = drift_atr(proposal, price)
    if drift is None:
        return numbers.signed_price(price - basis.price, float(basis.terms.price_step)), ""
    bound = numbers.number(seen.conditions.limits(basis).max_drift_atr, 2)
    return f"{numbers.number(drift, 2)}{numbers.THIN}ATR", show.say("of_bound", bound=bound)


def approvals_head(
    found: Sequence[Proposal], chosen: Proposal | None, preview_states: Mapping[str, PreviewState], who: str, show: Show
) -> Markup:
    """Return what waits, who signs, and the state of the chosen one's account."""
    say = show.say
    waiting = [each for each in found if each.is_waiting]
    seen = [preview_states.get(each.id, NOT_PREVIEWED) for each in waiting]
    halted = sum(each.halted for each in seen)
    locked = sum(bool(locked_by(each, say)) for each in seen if not each.halted)
    blocked = sum(each.state == "blocked" for each in found)
    ready = len(waiting) - locked - halted
    counts = [say("count_waits_1") if ready == 1 else say("count_waits", n=ready)]
    counts += [
        say(key, n=count) for key, count in (("badge_halted", halted), ("badge_locked", locked), ("count_blocked", blocked)) if count
    ]
    right = markup("<span>{} <b>{}</b></span>{}", say("signing_as"), who, _account(chosen, preview_states, show))
    name = markup('<h2>{}</h2><span class="tb-muted" role="status">{}</span>', say("approvals"), " · ".join(counts))
    return markup('<div class="tb tb-page tb-approvals">{}<span class="sp"></span>{}</div>', name, right)


def _account(proposal: Proposal | None, preview_states: Mapping[str, PreviewState], show: Show) -> Markup:
    preview = preview_states.get(proposal.id, NOT_PREVIEWED).preview if proposal is not None else None
    if proposal is None or preview is None:
        return Markup()
    account, say = preview.conditions.account, show.say
    bound = say("of_bound", bound=numbers.percent(preview.conditions.limits(proposal.basis).max_daily_loss_pct, 1))
    equity = f"{numbers.number(account.equity, 2)} {quote_unit(proposal)}"
    loss = markup("<span>{} <b>{}</b> {}</span>", say("day_loss"), numbers.percent(account.day_loss_pct, 1), bound)
    return markup("<span>{} <b>{}</b></span>{}", say("equity"), equity, loss)


def nothing_to_sign(show: Show) -> Markup:
    """Return the empty queue."""
    return markup('<div class="tb tb-card"><p><b>{}</b></p><p>{}</p></div>', show.say("no_proposal"), show.say("no_proposal_text"))
