"""What the market did after a decision, the outcome of its plan, and the signature that is awaited beside a past moment of its run.

What the market did after an instant of the past stays covered for as long as somebody has to sign there: who signs must not have seen how
it ends. Where a market goes on, its present is shown to the signer.
"""

from datetime import datetime

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.domain.clock import utc_now
from engine.domain.errors import TribunalError
from engine.domain.market.candles import Candles
from engine.domain.opinion import Direction
from engine.domain.proposal import Proposal
from engine.domain.run import DecideRequest, RunRecord
from pages.desks.decision.decision_view import DecisionView
from pages.frame import json_fields, numbers
from pages.frame.cards import message
from pages.frame.escape import markup
from pages.frame.html import draw_html
from pages.frame.show import Show
from pages.run.look_back import draw_stepper

MOST_LATER = 96


def show_awaited(engine: Engine, view: DecisionView, show: Show) -> None:
    """Say that a signature is awaited, beside a past moment at which there is none to give. view: to its end."""
    proposal = engine.trading.proposal_of(view.run_id) if view.run_id is not None else None
    is_awaited = proposal is not None and proposal.as_at(utc_now()).is_waiting
    draw_html(message(show.say("awaited_until", at=numbers.to_the_second(proposal.expires_at))) if is_awaited and proposal else Markup())


def goes_on(proposal: Proposal) -> bool:
    """Return whether a signature is awaited in a market that goes on: what has happened since the decision is no more than the present."""
    return proposal.is_waiting and proposal.basis.market_clock is None


def chosen_candles(engine: Engine, record: RunRecord, show: Show) -> Candles | None:
    """Return the candles after the decision that the reader has uncovered, one by one; None for a live market, or while there are none.

    Those of a market in which a signature is awaited end where that decision was made, whichever run they are looked at from.
    """
    say, note = show.say, st.container()  # words or none: what follows keeps its place
    try:
        known = engine.decisions.later_candles(record.run_id, MOST_LATER)
        awaited = _awaited(engine, record) if known is not None else None
    except TribunalError as problem:
        draw_html(markup('<div class="tb tb-muted tb-later">{}</div>', say("later_gone", reason=show.translated(str(problem)))), note)
        return None
    if known is not None and awaited is not None:
        known = _until(known, awaited.basis.snapshot_at)
        text = say("later_covered", run=awaited.basis.run_id, at=numbers.to_the_second(awaited.expires_at))
        draw_html(markup('<div class="tb tb-muted tb-later">{}</div>', text), note)
    if known is None or not len(known):
        return None
    count = draw_stepper(say("later"), 0, len(known), 0, f"later-{record.run_id}", (say("candle_before"), say("candle_after")))
    shown = known.slice(0, count)
    if count:
        draw_html(markup('<div class="tb tb-moment" role="status">{}</div>', aftermath_text(record.result or {}, shown, show)))
    return shown


def _awaited(engine: Engine, record: RunRecord) -> Proposal | None:
    """Of the proposals about an instant of its market that wait for a signature, the one that was decided first."""
    if not isinstance(record.request, DecideRequest):
        return None
    waiting = engine.trading.waiting(record.request.account_ref.account, record.request.symbol)
    return min((each for each in waiting if not goes_on(each)), key=lambda each: each.basis.snapshot_at, default=None)


def _until(candles: Candles, at: datetime) -> Candles:
    """Return those that had closed by then."""
    closed = candles.opened_at + candles.timeframe.ms <= int(at.timestamp() * 1000)
    return candles.slice(0, int(closed.sum()))


def aftermath_text(result: json_fields.Fields, later: Candles, show: Show) -> str:
    """Return one sentence over these candles, each named by the time of its close. result: the run's final state."""
    say, count = show.say, len(later)
    last = numbers.price(float(later.close[-1]), show.step)
    until = say("later_until", n=count, at=numbers.bar_time(later.closed_at), price=last)
    stop, target = json_fields.number(result, "stop_loss_price"), json_fields.number(result, "take_profit_price")
    side = json_fields.words(result, "final_direction")
    if stop is None or target is None or side not in (Direction.LONG, Direction.SHORT):
        return until
    for index in range(count):
        low, high = float(later.low[index]), float(later.high[index])
        stopped, won = (low <= stop, high >= target) if side == Direction.LONG else (high >= stop, low <= target)
        if stopped or won:
            found = "later_both" if stopped and won else "later_stop" if stopped else "later_target"
            closed = int(later.opened_at[index]) + later.timeframe.ms
            return f"{until} · {say(found, n=index + 1, at=numbers.bar_time(closed))}"
    return f"{until} · {say('later_neither')}"
