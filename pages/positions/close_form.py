"""Closing or reducing a position by hand: pressed, asked once more, then ordered at market."""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Literal

import streamlit as st

from engine.api import Amount, Engine, HeldPosition
from engine.domain.errors import TribunalError
from pages.frame import numbers
from pages.frame.cards import message
from pages.frame.html import draw_html
from pages.frame.show import Show
from pages.positions.position_money import units_of

_ASKED, _RESULT = "close-asked", "close-result"
SHARES = (0.3, 0.5, 0.7)
Part = float | Literal["all", "ours"]


@dataclass(frozen=True)
class Closing:
    """What was pressed. amount: base units, `ours` or `all`; None = all of it, where all of it is ours. unit: what they are called. held,
    ours: what the venue holds and how much of it is ours, None where all of it is."""

    symbol: str
    account: str
    amount: Amount
    size: Decimal
    unit: str
    held: Decimal
    ours: Decimal | None


def close_form(engine: Engine, held: HeldPosition, who: str, show: Show) -> None:
    """Draw the buttons, or the question whether it is meant."""
    say, row_key = show.say, f"{held.account}-{held.position.symbol}"
    asked: Closing | None = st.session_state.get(_ASKED)
    if asked is not None and (asked.account, asked.symbol) == (held.account, held.position.symbol):
        _ask(engine, asked, who, show)
        return
    ways: list[tuple[str, Part, str]] = [("ours", "ours", say("close_ours"))] if held.is_shared and held.ours else []
    ways.append(("all", "all", say("close_all" if held.is_shared else "close_it")))
    with st.container(key=f"close-{row_key}", horizontal=True):
        for name, part, word in ways:
            st.button(word, key=f"close-{name}-{row_key}", on_click=_press, args=(engine, held, part, show), width="content")
        for share in SHARES:
            word = say("reduce_by", pct=numbers.percent(share * 100, 0))
            st.button(word, key=f"reduce-{share}-{row_key}", on_click=_press, args=(engine, held, share, show), width="content")


def _ask(engine: Engine, asked: Closing, who: str, show: Show) -> None:
    say = show.say
    words = [say("sure_close", size=f"{asked.size:f}", unit=asked.unit, symbol=asked.symbol)]
    if asked.ours is not None:
        words.append(say("not_only_ours", ours=f"{asked.ours:f}", size=f"{asked.held:f}", unit=asked.unit))
    draw_html(message(" ".join(words)))
    with st.container(key="sure", horizontal=True):
        word = say("yes_reduce" if isinstance(asked.amount, float) else "yes_close")
        st.button(word, type="primary", key="close-yes", on_click=_close, args=(engine, asked, who, show), width="content")
        st.button(say("no_keep"), key="close-no", on_click=st.session_state.pop, args=(_ASKED, None), width="content")


def _press(engine: Engine, held: HeldPosition, part: Part, show: Show) -> None:
    """Note what was pressed, to ask once more. part: of what the venue holds."""
    st.session_state.pop(_RESULT, None)
    position = held.position
    amount: Amount = part
    if part == "ours":
        size = held.ours or Decimal(0)
    elif part == "all":
        amount, size = "all" if held.is_shared else None, position.size
    else:
        size = stepped(position.size * Decimal(str(part)), _step(engine, held))
        amount = float(size)
    if size <= 0:
        st.session_state[_RESULT] = show.say("too_little"), True
        return
    unit = units_of(held, "", show)[0]
    ours = held.ours if held.is_shared else None
    st.session_state[_ASKED] = Closing(position.symbol, held.account, amount, size, unit, position.size, ours)


def stepped(amount: Decimal, step: Decimal | None) -> Decimal:
    """Cut down to whole steps of the market, where they are known."""
    return (amount / step).to_integral_value(ROUND_FLOOR) * step if step else amount


def _step(engine: Engine, held: HeldPosition) -> Decimal | None:
    """Return the market's smallest amount, from the proposal the position came from."""
    proposal = engine.trading.proposal_of(held.thesis.run_id) if held.thesis is not None else None
    return proposal.basis.terms.amount_step if proposal is not None else None


def _close(engine: Engine, asked: Closing, who: str, show: Show) -> None:
    """Close what was asked for; a second press finds nothing left to do."""
    if st.session_state.pop(_ASKED, None) is None:
        return
    try:
        report = engine.trading.close_position(asked.symbol, who, asked.account, asked.amount)
    except TribunalError as problem:
        st.session_state[_RESULT] = str(problem), True
        return
    price = numbers.price(float(report.price)) if report.price is not None else numbers.DASH
    st.session_state[_RESULT] = (
        show.say("closed_told", order=report.client_id, filled=f"{report.state} {report.filled:f}", price=price),
        False,
    )


def say_closed(show: Show) -> None:
    """Show what came of the last order to close."""
    if result := st.session_state.get(_RESULT):
        text, bad = result
        draw_html(message(show.say("not_done"), show.translated(text), bad=True) if bad else message(text, done=True))
