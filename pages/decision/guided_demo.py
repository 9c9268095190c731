"""The guided demo: one run of a simulated market and the scripted model that is known to end in a proposal with something struck, and five
captions that follow it: who speaks, what was struck, what it changed, sign here, what came of it.

It is a run like any other, under the same checks and limits; only what is asked for is chosen here. A run is recognised by what it was
asked for, so a reload, a second viewer and a link show the captions too.
"""

from datetime import UTC, datetime
from typing import Final

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.domain.proposal import Proposal
from engine.domain.run import DecideRequest, RunRequest
from engine.domain.text.language import Language
from pages.claims.claim_card import truth
from pages.decision.decision_view import DecisionView, executor_result
from pages.frame import json_fields, numbers
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.run.starting import start_run
from pages.trading.proposal_state import PreviewState, chip_of
from pages.words.fact_names import fact_name

_SYMBOL: Final = "BTC/USDT:USDT"
_AT: Final = datetime(2026, 5, 16, 12, tzinfo=UTC)
_SEED: Final = 20
_LIES: Final = 0.2


def demo_request(engine: Engine, language: Language) -> DecideRequest:
    """Return what the demo asks for. Raises BadInput where TRIBUNAL_RISK does not allow it."""
    return engine.decisions.request(
        _SYMBOL,
        feed="simulated",
        at=_AT,
        timeframe="15m",
        timeframe_htf="1h",
        model="scripted",
        lies=_LIES,
        seed=_SEED,
        language=language,
        propose=True,
    )


def is_demo(request: RunRequest | None) -> bool:
    """Return whether a run was asked for as the demo asks."""
    return (
        isinstance(request, DecideRequest)
        and (request.feed, request.model, request.symbol) == ("simulated", "scripted", _SYMBOL)
        and (request.at, request.seed, request.lies) == (_AT, _SEED, _LIES)
        and request.holding is None
    )


def draw_demo_button(engine: Engine, show: Show) -> None:
    """Offer the demo, on the desk that shows no run yet."""
    if st.button(show.say("demo_start"), key="demo-button", help=show.say("demo_help"), width="content"):
        start_run(lambda: engine.start(demo_request(engine, show.language)), None)


def captions(view: DecisionView, show: Show, proposal: Proposal | None) -> Markup:
    """Return the five captions, each with its words once the run has come so far; the newest is marked as the one of now."""
    said = [
        _who_speaks(view, show),
        _what_was_struck(view, show),
        _what_it_changed(view, show),
        _sign_here(view, show, proposal),
        _what_came_of_it(show, proposal),
    ]
    now = max((index for index, words in enumerate(said) if words), default=0)
    parts = []
    for index, words in enumerate(said):
        state, current = (" now", Markup(' aria-current="step"')) if index == now else ("", Markup())
        title = show.say(f"demo_{index + 1}")
        parts.append(markup('<li class="tb-cap{}"{}><b>{} {}</b> <span>{}</span></li>', state, current, index + 1, title, words))
    return markup('<ol class="tb tb-guide" aria-label="{}">{}</ol>', show.say("demo_start"), joined(parts))


def _who_speaks(view: DecisionView, show: Show) -> Markup:
    return plain(show.say("demo_speak" if view.consensus is None else "demo_argue"))


def _what_was_struck(view: DecisionView, show: Show) -> Markup:
    if view.checked is None:
        return Markup()
    first = next((claim for claim in view.checked.claims if claim.verdict == "false"), None)
    if first is None:
        return plain(show.say("demo_nothing_struck"))
    said = view.false_said
    name, stated = fact_name(first.key, show.language), first.text[first.value_start - first.start : first.value_end - first.start]
    return markup("{} {} <s>{}</s> {}", show.say("demo_struck", n=said.total, of=said.checked), name, stated, truth(first, show))


def _what_it_changed(view: DecisionView, show: Show) -> Markup:
    if view.checked is None or not view.role("executor").ended:
        return Markup()
    score, cost = numbers.percent(view.checked.score, 0), numbers.percent(view.checked.penalty_pct, 0)
    confidence = numbers.number(json_fields.number(executor_result(view), "confidence"))
    return plain(show.say("demo_changed", score=score, cost=cost, confidence=confidence))


def _sign_here(view: DecisionView, show: Show, proposal: Proposal | None) -> Markup:
    if view.ending is None:
        return Markup()
    return plain(show.say("demo_sign" if proposal is not None else "demo_nothing_to_sign"))


def _what_came_of_it(show: Show, proposal: Proposal | None) -> Markup:
    if proposal is None or proposal.is_waiting:
        return Markup()
    return plain(show.say("demo_came", state=chip_of(proposal, PreviewState(), show.say).words))
