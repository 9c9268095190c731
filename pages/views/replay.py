"""Replays and sweeps: ask for one, watch how far it is, and see what it came to; every decision opens its run."""

from datetime import UTC, datetime, timedelta
from typing import Final

import streamlit as st

from engine.api import Engine
from engine.api.replays import Replays
from engine.api.sweeps import Sweeps, is_sweep
from engine.domain.clock import utc_now
from engine.domain.errors import TribunalError
from engine.domain.replay import ReplayReport, ReplaySummary
from pages.chart.curves import PANE_HEIGHT, Curve, curves_figure, draw_curves
from pages.frame.cards import card, head, heading, label, titled
from pages.frame.form_words import choose_up_down
from pages.frame.html import draw_html
from pages.frame.isolation import isolated, isolated_page
from pages.frame.language import choose_language
from pages.frame.page_style import say_error, set_up_down
from pages.frame.shared_engine import get_engine
from pages.frame.show import Show
from pages.replay.panels import (
    costs_panel,
    decision_curve,
    equity_curves,
    facts_panel,
    header_panel,
    list_panel,
    progress_panel,
    proof_panel,
    regimes_panel,
    replay_head,
    statistics_panel,
    trades_panel,
    verdict_panel,
    warnings_panel,
    worlds_panel,
)
from pages.replay.sweep_panels import curves_height, curves_panel, sweep_head, sweep_table, sweeps_panel
from pages.run_lists.at_hand import path_of

POLL_S: Final = 1.0
MOST_SHOWN: Final = 20
TALL: Final = 300
"""Pixels of a chart with several series, or with decisions on it."""
_PARAMETER: Final = "replay"
_FEEDS: Final = ("simulated", "recorded", "live")
_WORLDS: Final = ("real", "shuffled", "bootstrap", "simulated")


def replay() -> None:
    """Draw the page."""
    engine = get_engine()
    replays = Replays(engine.settings)
    sweeps = Sweeps(replays)
    with st.sidebar:
        language = choose_language(engine)
        show = Show(language=language)
        begun = _form(engine, replays, show)
    found, swept = replays.newest(MOST_SHOWN), sweeps.newest(MOST_SHOWN)
    chosen = (
        begun
        or st.query_params.get(_PARAMETER)
        or next((each.replay_id for each in found), "")
        or next((each.replay_id for each in swept), "")
    )
    with st.sidebar:
        draw_html(sweeps_panel(swept, chosen, show))
        draw_html(list_panel(found, chosen, show))
        set_up_down(choose_up_down(engine, language))
    if is_sweep(chosen):
        _show_sweep(sweeps, replays, chosen, show)
    else:
        _show_replay(replays, chosen, show)
    engine.watch_over()


def _show_replay(replays: Replays, chosen: str, show: Show) -> None:
    """Draw a replay. chosen: "" before the first."""
    try:
        shown = replays.read(chosen) if chosen else None
    except TribunalError as problem:
        say_error(problem)
        shown = None
    if shown is None:
        draw_html(titled(show.say("replay"), show.say("replay_none")))
    else:
        st.query_params[_PARAMETER] = shown.replay_id
        draw_html(replay_head(shown.request, shown.report, show))
        if shown.report is None or shown.running:
            st.fragment(isolated_page(_progress, show.say), run_every=POLL_S)(replays, shown.replay_id, show)
        if shown.report is not None and not shown.running:
            _report(replays, shown, shown.report, show)


def _show_sweep(sweeps: Sweeps, replays: Replays, chosen: str, show: Show) -> None:
    """Draw a sweep: its rows, and their curves."""
    try:
        shown = sweeps.read(chosen)
    except TribunalError as problem:
        say_error(problem)
        return
    report, say = shown.report, show.say
    st.query_params[_PARAMETER] = chosen
    draw_html(sweep_head(shown.replays[0].request, shown, show))
    if report is None or shown.running:
        st.fragment(isolated_page(_progress, say), run_every=POLL_S)(replays, chosen, show, sweeps)
        return
    with isolated(say("sweep"), say):
        draw_html(warnings_panel(report, show))
        if report.ended != "done":
            st.button(f"▶ {say('replay_resume')}", key="replay-resume", on_click=_resume, args=(replays, chosen))
        draw_html(sweep_table(report, show))
    with isolated(say("sweep_curves"), say):
        html = curves_panel(report, {each.replay_id: each.report for each in shown.replays if each.report is not None}, show)
        draw_curves(html, [], "sweep-curves", curves_height(report))


def _progress(replays: Replays, replay_id: str, show: Show, sweeps: Sweeps | None = None) -> None:
    """Draw how far it is; the whole page once more when it has ended. sweeps: where it is a sweep."""
    them = sweeps or replays
    now = them.read(replay_id)
    if now.report is not None and not now.running:
        st.rerun()
    draw_html(progress_panel(now, show))
    if now.running:
        st.button(f"■ {show.say('replay_stop')}", key="replay-stop", on_click=them.stop, args=(replay_id,))
    else:
        st.button(f"▶ {show.say('replay_resume')}", key="replay-resume", on_click=_resume, args=(replays, replay_id))


def _resume(replays: Replays, replay_id: str) -> None:
    try:
        replays.launch(["--resume", replay_id])
    except TribunalError as problem:
        say_error(problem)


def _report(replays: Replays, shown: ReplaySummary, report: ReplayReport, show: Show) -> None:
    say, path = show.say, path_of(shown.request.base.flow)
    with isolated(say("replay"), say):
        draw_html(verdict_panel(report, show))
        draw_html(warnings_panel(report, show))
        if report.ended != "done":
            st.button(f"▶ {say('replay_resume')}", key="replay-resume", on_click=_resume, args=(replays, shown.replay_id))
    wide, beside = st.columns([2.42, 1])
    with wide:
        with isolated(say("replay_equity"), say):
            _charts(equity_curves(report, show), "replay_equity", "replay-equity", show)
        with isolated(say("replay_decisions"), say):
            curve = decision_curve(report, replays.steps(shown.replay_id), path, show)
            _charts([curve] if curve is not None else [], "replay_decisions", "replay-decisions", show)
        with isolated(say("replay_statistics"), say):
            draw_html(statistics_panel(report, show))
        with isolated(say("replay_trade_list"), say):
            draw_html(trades_panel(report, path, show))
    with beside, isolated(say("replay_proof"), say):
        for panel in (proof_panel, worlds_panel, regimes_panel, costs_panel):
            draw_html(panel(report, show))
        draw_html(facts_panel(report, shown.request, show))
    with isolated(say("replay_rests"), say):
        draw_html(header_panel(report, show))


def _charts(curves: list[Curve], title: str, key: str, show: Show) -> None:
    if not curves:
        return
    tall = sum(each.third is not None or bool(each.marks) for each in curves)
    note = label(show.say("replay_after_costs")) if title == "replay_equity" else ""
    html = card(head(heading(show.say(title)), note), curves_figure(curves, show), label=show.say(title))
    draw_curves(html, curves, key, 60 + TALL * tall + PANE_HEIGHT * (len(curves) - tall))


def _form(engine: Engine, replays: Replays, show: Show) -> str:
    """Draw what a replay is asked with; returns the one that was begun."""
    say, settings = show.say, engine.settings
    until = (utc_now() - timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    with st.form("replay-form", border=False):
        symbol = st.text_input(say("replay_symbol"), "BTC/USDT:USDT", key="replay-symbol")
        feed = st.selectbox(
            say("replay_feed"), _FEEDS, _FEEDS.index(settings.default_feed), key="replay-feed", format_func=lambda each: say(f"feed_{each}")
        )
        folder = st.text_input(say("replay_folder"), str(settings.data_dir or ""), key="replay-folder")
        begins = st.text_input(say("replay_from"), _written(until - timedelta(days=7)), key="replay-from")
        ends = st.text_input(say("replay_to"), _written(until), key="replay-to")
        timeframe = st.text_input(say("replay_timeframe"), "1h", key="replay-timeframe")
        every = st.number_input(say("replay_every"), 1, 10_000, 4, key="replay-every")
        model = st.text_input(say("replay_model"), settings.default_model, key="replay-model")
        approve = st.text_input(say("replay_approve"), "auto", key="replay-approve")
        seed = st.number_input(say("replay_seed"), 0, 2**31, 0, key="replay-seed")
        varied = st.text_input(say("sweep_keys"), key="replay-sweep", help=say("sweep_keys_help"))
        calls = st.number_input(say("replay_budget"), 0, 10**9, 0, key="replay-budget", help=say("replay_budget_help"))
        prove = st.number_input(say("replay_prove"), 0, 1000, 0, key="replay-prove", help=say("replay_prove_help"))
        world = st.selectbox(say("replay_world"), _WORLDS, key="replay-world", format_func=lambda each: say(f"world_{each}"))
        worlds = st.number_input(say("replay_n_worlds"), 0, 1000, 0, key="replay-worlds", help=say("replay_n_worlds_help"))
        if not st.form_submit_button(say("replay_run"), width="stretch"):
            return ""
    asked = {
        "--feed": feed, "--from": begins, "--to": ends, "--timeframe": timeframe, "--every": every, "--model": model,
        "--approve": approve, "--seed": seed, "--language": show.language, "--world": world,
        "--data": folder.strip() if feed == "recorded" else "", "--budget-calls": calls or "", "--prove": prove or "",
        "--worlds": worlds if world != "real" and worlds else "",
    }  # fmt: skip
    arguments = [f"{name}={value}" for name, value in asked.items() if str(value).strip()]
    arguments += [f"--sweep={each}" for each in varied.split()]
    try:
        begun = replays.launch([*arguments, "--", symbol.strip()])
    except TribunalError as problem:
        say_error(problem)
        return ""
    st.query_params[_PARAMETER] = begun
    return begun


def _written(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d")


replay()
