"""The desk before a run: what waits for a signature, what happened lately, and three ways to begin. Nothing that is empty is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Final

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from engine.api import ClosedPosition, Engine
from engine.domain.clock import utc_now
from engine.domain.errors import TribunalError
from engine.domain.holding import NATURES
from engine.domain.proposal import Proposal
from engine.domain.run import RunSummary
from engine.domain.text.language import Language
from pages.desks.decision.guided_demo import GUIDE
from pages.frame import numbers
from pages.frame.cards import card, head, heading, label
from pages.frame.escape import joined, markup
from pages.frame.form_words import FormWords
from pages.frame.html import draw_html
from pages.frame.isolation import isolated, isolated_html
from pages.frame.login import who_acts
from pages.frame.show import Show
from pages.positions.position_money import r_text, tone
from pages.run.bar import BarWords, bar
from pages.run.guide import draw_start_button
from pages.run.run_links import run_address
from pages.run.starting import start_run
from pages.run.states import NO_RUN
from pages.trading.previews import is_halted
from pages.trading.proposal_state import PreviewState, action_of, chip_of

_LATELY: Final = timedelta(hours=24)
_MOST_WAITING: Final = 3
_MOST_CLOSED: Final = 4
_MOST_RUNS: Final = 200


@dataclass(frozen=True)
class Lately:
    """What there is to know before a run. waiting: proposals, the one whose time is over soonest first. closed: positions, newest first,
    and runs, both of the last day. any_run: whether anything was ever asked here. halted: whether nothing can be signed."""

    waiting: tuple[Proposal, ...] = ()
    closed: tuple[ClosedPosition, ...] = ()
    runs: tuple[RunSummary, ...] = ()
    any_run: bool = False
    halted: bool = False


def found_now(engine: Engine) -> Lately:
    """Return what there is to know now; nothing where the journal cannot be read, which the page itself says."""
    now = utc_now()
    try:
        waiting = (each.as_at(now) for each in engine.trading.waiting())
        runs = engine.runs(_MOST_RUNS)
        closed = [] if engine.trading.uses_exchange else engine.trading.closed_positions()  # no page waits for a venue before it is asked
    except TribunalError:
        return Lately()
    since = now - _LATELY
    return Lately(
        tuple(sorted((each for each in waiting if each.is_waiting), key=lambda each: each.expires_at)),
        tuple(each for each in closed if each.record.closed_at is not None and each.record.closed_at >= since),
        tuple(run for run in runs if run.created_at >= since and run.status == "finished"),
        bool(runs),
        is_halted(engine),
    )


def idle_bar(found: Lately, show: Show) -> Markup:
    """Return the bar: how many decisions wait and which; that nothing does; or that nothing was asked here yet."""
    say = show.say
    if not found.waiting:
        word, remark = ("no_run", "no_run_hint") if not found.any_run else ("idle_nothing", "idle_nothing_hint")
        return bar(BarWords(NO_RUN, say(word), say(remark)), Markup(), say("decision"))
    count, first = len(found.waiting), found.waiting[0]
    word = say("idle_waits_1") if count == 1 else say("idle_waits_n", n=count)
    soonest = say("idle_soonest", at=first.expires_at.strftime("%H:%M"))
    more = markup(' · <a href="./approvals?lang={}" target="_self">{}</a>', show.language, say("idle_all"))
    rows = joined(_waiting(each, found, show) for each in found.waiting[:_MOST_WAITING])
    return bar(BarWords("○", word, markup("{}{}", soonest, more)), markup('<div class="tb-queue">{}</div>', rows), say("decision"))


def _waiting(proposal: Proposal, found: Lately, show: Show) -> Markup:
    glyph, word = action_of(proposal, show.say)
    chip = chip_of(proposal, PreviewState(halted=found.halted), show.say)
    return markup(
        '<a href="{}" target="_self"><b>{} {}</b><span><span aria-hidden="true">{}</span> {} <b>{}</b></span><span class="st">{}</span>'
        "<time>{}</time></a>",
        _address(proposal, show.language),
        proposal.basis.symbol,
        proposal.basis.timeframe,
        glyph,
        word,
        numbers.number(proposal.basis.confidence),
        chip.words,
        proposal.expires_at.strftime("%H:%M"),
    )


def _address(proposal: Proposal, language: Language) -> str:
    """Return where it is read: on the desk that argued it, on the page of what waits where that is another."""
    basis = proposal.basis
    if proposal.is_of_run and not NATURES[basis.instrument].paid_in_full:
        return run_address(basis.run_id, "", language)
    return f"./approvals?proposal={proposal.id}&lang={language}"


def read_first(found: Lately, show: Show) -> Markup:
    """Return the way to the one that is most urgent; "" where nothing waits."""
    if not found.waiting:
        return Markup()
    first = found.waiting[0]
    what = show.say("idle_read", what=f"{first.basis.symbol} {first.basis.timeframe}".rstrip())
    return markup('<div class="tb"><a class="tb-go" href="{}" target="_self">{}</a></div>', _address(first, show.language), what)


def lately_panel(found: Lately, show: Show) -> Markup:
    """Return the positions that ended within the last day; "" where none did."""
    if not found.closed:
        return Markup()
    title, rows = show.say("idle_lately"), joined(_closed(each, show) for each in found.closed[:_MOST_CLOSED])
    return card(head(heading(title), _sum(found.closed, show)), markup('<ul class="tb-news">{}</ul>', rows), label=title)


def lately_strip(found: Lately, show: Show) -> Markup:
    """Return, in the place of a run's strip, how many decisions the last day brought and how many of their numbers were false; what a run
    is where it brought none."""
    say, runs = show.say, found.runs
    parts = [markup("<span>{}</span>", say("idle_intro"))]
    if runs:
        none = sum(run.proposal is None for run in runs)
        parts = [markup("<span>{} <b>{}</b></span>", say("idle_lately"), say("idle_runs", n=len(runs), none=none))]
        checked, false = (sum(getattr(run, name) or 0 for run in runs) for name in ("claims", "false_claims"))
        if checked:
            count = say("idle_false", n=numbers.number(false), of=numbers.number(checked))
            parts.append(markup('<span><b class="tb-false">✕ {}</b> {}</span>', numbers.percent(100 * false / checked, 1), count))
    return markup('<div class="tb tb-strip tb-intro">{}</div>', joined(parts))


def _closed(closed: ClosedPosition, show: Show) -> Markup:
    say, record = show.say, closed.record
    glyph, side = ("▲", "LONG") if record.sign > 0 else ("▼", "SHORT")
    ended = say(f"ended_{record.ended}") if not closed.closed_by else say("idle_closed_by", who=closed.closed_by)
    came = r_text(record.in_r(record.result)) or (numbers.signed(float(record.result), 2) if record.result is not None else numbers.DASH)
    assert record.closed_at is not None
    text = markup("{} {} {}{}{}", record.symbol, glyph, say(side).lower(), say("colon"), ended)
    return markup(
        '<li><time>{}</time><span>{}</span><b class="{}">{}</b></li>', record.closed_at.strftime("%H:%M"), text, tone(record.result), came
    )


def _sum(closed: Sequence[ClosedPosition], show: Show) -> Markup:
    """Return what the positions that are over brought together, where all of them are in one currency."""
    results = [each.record.result for each in closed]
    known = [result for result in results if result is not None]
    if not known or len(known) < len(results) or len({each.currency for each in closed}) > 1:
        return Markup()
    total = sum(known, Decimal(0))
    return label(show.say("idle_sum"), f"{numbers.signed(float(total), 2)} {closed[0].currency}".rstrip())


def draw_idle(engine: Engine, found: Lately, show: Show, feed: str, places: tuple[DeltaGenerator, DeltaGenerator]) -> None:
    """Draw what ended lately, and the ways to begin. feed: that the form asks for."""
    say = show.say
    draw_html(isolated_html(say("idle_lately"), say, lambda: lately_panel(found, show)), places[0])
    with places[1], isolated(say("idle_begin"), say):
        _draw_starts(engine, show, feed)


def _draw_starts(engine: Engine, show: Show, feed: str) -> None:
    """Draw three ways to begin: the demo, a market that costs nothing, the reader's own."""
    say, word = show.say, FormWords(show.language)
    with _start("demo", say("demo_start"), say("demo_decision_help")):
        draw_start_button(GUIDE, engine, show.language, who_acts(engine))
    with _start("example", say("start_example"), say("start_example_text")):
        if st.button(say("start_example_go"), key="begin-example"):
            start_run(
                lambda: engine.start(
                    engine.decisions.request(
                        feed="simulated", symbol="BTC/USDT:USDT", model="scripted", language=show.language, propose=True
                    )
                ),
                None,
            )
    with _start("own", say("start_own"), say("start_own_text", exchange=engine.settings.exchange)):
        st.button(say("start_own_go"), key="begin-own", on_click=word.put, args=("feed", "live"), disabled=feed == "live")


def _start(name: str, title: str, text: str) -> DeltaGenerator:
    place = st.container(key=f"start-{name}", border=True)
    with place:
        draw_html(markup('<div class="tb tb-start"><h2>{}</h2><p>{}</p></div>', title, text))
    return place
