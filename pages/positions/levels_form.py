"""Another stop or target of an open position: dragged or typed, measured at once, then proposed; signed here or under Approvals.

A line that is dragged moves nothing but its number. What is proposed waits like every other proposal, and this form is its form then.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import partial

import streamlit as st

from engine.api import Engine, HeldPosition, LevelsDraft, WantedLevels
from engine.domain.errors import TribunalError
from engine.domain.proposal import Proposal
from pages.frame.cards import message
from pages.frame.escape import markup
from pages.frame.html import draw_html
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.positions.position_chart import draw_position_chart
from pages.trading.answering import ProposalTicket
from pages.trading.change_table import change_faults, change_table
from pages.trading.levels import number, set_level, step_format
from pages.trading.live_price import price_sentence
from pages.trading.previews import is_halted, seen_now
from pages.trading.proposal_state import PreviewState
from pages.trading.ticket import ticket_of_levels

_DRAFTS, _RESULT = "levels-drafts", "levels-result"
NAMES = ("stop", "target")
_DRAWN = 0.06  # of the way from the stop to break-even: within it, a stop that is dropped goes there


@dataclass
class LevelsInput:
    """What a person wants of one position. version: counts up with every line that is dragged, and makes new inputs."""

    version: int
    values: dict[str, float]


def row_key(held: HeldPosition) -> str:
    """Return a position's name in the keys of what is drawn of it."""
    return "".join(sign if sign.isalnum() else "-" for sign in f"{held.account}-{held.position.symbol}")


def _wanted(held: HeldPosition) -> LevelsInput | None:
    drafts: dict[str, LevelsInput] = st.session_state.setdefault(_DRAFTS, {})
    return drafts.get(row_key(held))


def _open(held: HeldPosition, even: float | None, name: str | None = None, price: float | None = None) -> None:
    """Open the form; with a level that was dragged. even: where the stop makes it come out even, None where that is not known."""
    before = _wanted(held)
    values = dict(before.values) if before is not None else {}
    if name is not None and price is not None and 0 < price < float("inf"):
        values[name] = price if name != "stop" else drawn_to_even(held, price, even)
    st.session_state[_DRAFTS][row_key(held)] = LevelsInput(before.version + 1 if before is not None else 0, values)
    st.session_state.pop(_RESULT, None)


def even_level(held: HeldPosition, step: float) -> float | None:
    """Return the price of the market at which a stop lets the position come out even, after costs, or a little better; None where that is
    not known, or the price has not come so far."""
    even, sign, grid = held.break_even, held.position.sign, Decimal(str(step))
    if even is None or held.price is None:
        return None
    stop = (even / grid).to_integral_value(ROUND_CEILING if sign > 0 else ROUND_FLOOR) * grid
    return float(stop) if (held.price - stop) * sign > 0 else None


def drawn_to_even(held: HeldPosition, price: float, even: float | None) -> float:
    """Return where a dragged stop is set: at break-even where it is dropped close to it."""
    stop = held.position.stop
    if even is None or stop is None:
        return price
    return even if abs(price - even) <= _DRAWN * abs(float(stop) - even) else price


def _close(held: HeldPosition) -> None:
    st.session_state.get(_DRAFTS, {}).pop(row_key(held), None)


def levels_form(
    engine: Engine, held: HeldPosition, opening: Proposal | None, change: Proposal | None, who: str, show: Show, up_down: UpDown
) -> None:
    """Draw the position's chart with its form. opening: the proposal that made it; None: its levels cannot be changed from here. change:
    what waits for a signature of this position."""
    chart = partial(draw_position_chart, held, show=show, up_down=up_down, key=f"position-chart-{row_key(held)}")
    current = held.position.stop, held.position.target
    step = float(opening.basis.terms.price_step) if opening is not None else show.step or 0.01
    if opening is None:
        chart(current, step=step, on_drag=None)
        return
    with st.container(key=f"levels-{row_key(held)}"):
        place = st.container()
        if change is not None:
            plan = ticket_of_levels(ProposalTicket(engine, change, seen_now(engine, change, halted=is_halted(engine)), show, who))
            levels, drag = (plan.stop, plan.target), partial(set_level, change)
        else:
            levels = _drafting(engine, held, who, show, step) or current
            drag = partial(_open, held, even_level(held, step))
        with place:
            chart(levels, step=step, on_drag=drag)


def _drafting(engine: Engine, held: HeldPosition, who: str, show: Show, step: float) -> tuple[Decimal | None, Decimal | None] | None:
    """Draw the button, or what a person wants and what that would mean. Returns the levels in the form."""
    say, row, wanted = show.say, row_key(held), _wanted(held)
    if result := st.session_state.get(_RESULT):
        draw_html(message(say("not_done"), show.translated(result), bad=True))
    if wanted is None:
        even = even_level(held, step)
        with st.container(key=f"levels-ways-{row}", horizontal=True):
            st.button(say("change_levels"), key=f"levels-open-{row}", on_click=_open, args=(held, even), width="content")
            if even is not None and even != number(held.position.stop):
                args = held, even, "stop", even
                st.button(say("to_break_even"), key=f"levels-even-{row}", on_click=_open, args=args, width="content")
        return None
    values: dict[str, float] = {}
    for column, name in zip(st.columns(len(NAMES)), NAMES, strict=True):
        value = wanted.values.get(name, number(getattr(held.position, name)))
        with column:
            key, written = f"level-{name}-{row}-{wanted.version}", step_format(step)
            typed = st.number_input(say(name).capitalize(), min_value=step, value=value, step=step, format=written, key=key)
        if typed is not None:
            values[name] = typed
    asked = WantedLevels(held.position.symbol, values.get("stop"), values.get("target"), held.account)
    try:
        draft = engine.trading.draft_levels(asked)
    except TribunalError as problem:
        draw_html(message(say("lock_unseen", why=show.translated(str(problem))), bad=True))
        draft = None
    if draft is not None:
        _meaning(draft, show)
    same = all(number(getattr(held.position, name)) == values.get(name) for name in NAMES)
    refused = draft is None or bool(draft.preview.locks) or any(not check.passed for check in draft.preview.limits)
    with st.container(key=f"levels-answers-{row}", horizontal=True):
        st.button(
            say("propose_levels"), type="primary", key=f"levels-propose-{row}", disabled=same or refused, on_click=_propose,
            args=(engine, held, asked, who), width="content",
        )  # fmt: skip
        st.button(say("no_keep"), key=f"levels-keep-{row}", on_click=_close, args=(held,), width="content")
    return tuple(Decimal(str(values[name])) if name in values else None for name in NAMES)  # type: ignore[return-value]


def _meaning(draft: LevelsDraft, show: Show) -> None:
    """Draw what the position comes to now and with these levels, and whether limits let them be."""
    limits, figures = draft.preview.limits, draft.preview.figures
    measured_at = price_sentence(draft.proposal, draft.preview.plan, PreviewState(draft.preview), float(figures.price), show)
    compared = change_table(draft.proposal, (draft.now, limits), (figures, limits), show, measured_at)
    against = change_faults(draft.proposal, (figures, limits), show, draft.preview.plan, draft.preview)
    draw_html(markup('<div class="tb tb-change">{}{}</div>', compared, against))
    if not limits and draft.proposal.plan.stop is not None:
        draw_html(markup('<p class="tb tb-muted">{}</p>', show.say("no_limits")))


def _propose(engine: Engine, held: HeldPosition, asked: WantedLevels, who: str) -> None:
    try:
        engine.trading.propose_levels(asked, who)
    except TribunalError as problem:
        st.session_state[_RESULT] = str(problem)
        return
    _close(held)
