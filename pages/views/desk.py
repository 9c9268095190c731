"""The desk: ask for a decision and watch it being argued.

A run lives in the engine, not in the page. The address carries its id; the page reads its event log from where it left off, every half
second while it runs and not at all afterwards, so a reload or a second browser shows the same run, whole.
"""

import re
import time
from datetime import UTC, datetime
from functools import partial
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.api import ChartMaterial, Engine
from engine.domain.proposal import Proposal
from engine.domain.run import DecideRequest, RunRecord
from pages.chart.figure import ChartData
from pages.decision import panels
from pages.decision.ask_form import Asked, ask_form
from pages.decision.document import run_document
from pages.decision.look_back import chosen_moment, show_awaited
from pages.decision.run_chart import chart_of_run
from pages.decision.sign_bar import POLL_S as SIGN_S
from pages.decision.sign_bar import sign_bar
from pages.frame.escape import plain
from pages.frame.isolation import isolated, isolated_html, isolated_page
from pages.frame.login import who_acts
from pages.frame.page_style import open_run, run_action, say_warning, set_up_down
from pages.frame.palette import UpDown
from pages.frame.shared_engine import get_engine
from pages.frame.show import Show
from pages.run.notifications import draw_notification_switch
from pages.run.reducer import reduce
from pages.run.rerun import offer_again, offer_files, offer_retry
from pages.run.view import RunView
from pages.trading.edit_form import levels_are_drawn
from pages.trading.previews import filled_of
from pages.words.form_texts import form_word

POLL_S = 0.5
FIRST_WORDS_S = 0.35
_RUN_ID = re.compile(r"[0-9a-z-]{1,40}")


def desk() -> None:
    """Draw the page."""
    engine = get_engine()
    asked = ask_form(engine)
    set_up_down(asked.up_down)
    run_id = st.query_params.get("run")
    if run_id is not None and not (_RUN_ID.fullmatch(run_id) and engine.run(run_id)):
        say_warning(form_word("unknown_run", asked.language).format(run=run_id[:40]))
        run_id = None
    view, show = _first_words(engine, run_id), Show(language=asked.language)
    watching = st.fragment(isolated_page(_watch, show.say), run_every=POLL_S if run_id and view.ending is None else None)
    watching(engine, asked, run_id)
    with st.sidebar, isolated(show.say("part_notifications"), show.say):
        draw_notification_switch(run_id, view, show)
    engine.watch_over()


def _watch(engine: Engine, asked: Asked, run_id: str | None) -> None:
    """Everything that changes while a run goes on, or while the reader looks back at one."""
    was_running = run_id is not None and _known(run_id).ending is None
    view = _catch_up(engine, run_id)
    if was_running and view.ending is not None:
        st.rerun()  # the whole page once more, to stop polling
    material = engine.decisions.chart(run_id) if run_id else None
    show = Show(
        language=asked.language,
        now=datetime.now(UTC) if run_id and view.ending is None else None,
        step=material.market.price_step if material else None,
        facts=material.sheet.facts if material else {},
        titles={analyst.key: analyst.title[asked.language] for analyst in engine.decisions.analysts},
    )
    record = engine.run(run_id) if run_id else None
    what: DecideRequest | Asked = record.request if record and isinstance(record.request, DecideRequest) else asked
    proposal = engine.trading.proposal_of(run_id) if run_id and view.ending is not None else None
    proposal = proposal.as_at(datetime.now(UTC)) if proposal is not None else None
    levels_are_drawn(proposal if proposal is not None and proposal.is_waiting else None)
    say = show.say
    top, sign, retry, moment, body = _slots(5)
    then = view
    if view.ending is not None:
        with retry, isolated(say("again"), say):
            offer_retry(engine, view, show)
        with moment, isolated(say("look_back"), say):
            then = chosen_moment(engine, view, show)
            if then is not view:
                st.fragment(isolated_page(show_awaited, say), run_every=SIGN_S)(engine, view, show)
    signed = proposal if then is view else None  # a past moment has no signature: none was given then, and none is given there
    with top:
        market = partial(panels.market_line, then, show) if then.facts is not None else partial(_asked_line, what, show)
        _market_row(engine, asked, isolated_html(say("market"), say, market), again=signed is not None)
        if signed is None:
            _decision_bar(engine, asked, view, isolated_html(say("decision"), say, partial(panels.verdict_bar, then, show)), run_id)
            st.html(isolated_html(say("steps"), say, partial(panels.step_strip, then, show)))
    if signed is not None:
        with sign:
            st.fragment(_signature, run_every=SIGN_S if signed.is_waiting else None)(engine, then, show, signed)
    with body:
        _panels(engine, asked, then, show, record, material, proposal)
    st.html(isolated_html(say("part_notice"), say, partial(panels.notice, what.model, show)))


def _signature(engine: Engine, view: RunView, show: Show, proposal: Proposal) -> None:
    with isolated(show.say("part_signature"), show.say):
        sign_bar(engine, view, show, proposal, who_acts(engine))


def _slots(count: int) -> list[DeltaGenerator]:
    """Places that are there from the first frame, whatever comes into them.

    A browser that falls behind may hear what stands in a place before it hears that another kind of thing stands there now, and
    Streamlit's page does not survive that.
    """
    return [st.container() for _ in range(count)]


def _panels(
    engine: Engine,
    asked: Asked,
    view: RunView,
    show: Show,
    record: RunRecord | None,
    material: ChartMaterial | None,
    proposal: Proposal | None,
) -> None:
    left, right = st.columns([2.42, 1])
    ended = record is not None and record.result is not None and view.ending is not None
    with left:
        drawn, later, said, ablation, timeline, after = _slots(6)
    with said:
        for each in panels.SAID:
            _panel(each, view, show)
    with timeline:
        if show.now is None:  # at every poll it would be another
            _panel(panels.TIMELINE, view, show)
        else:
            st.empty()
    with right:
        for each in panels.BESIDE:
            _panel(each, view, show)
    chart, say = None, show.say  # behind the words: it takes longer than they do
    if record is not None and material is not None and view.facts is not None:
        filed = proposal if view.ending is not None else None
        with isolated(say("part_chart"), say):
            chart = chart_of_run(engine, record, material, view, show, asked.up_down, (drawn, later), filed)
    if ended and record is not None:
        with ablation, isolated(say("matter"), say):
            _ablation(engine, record, show)
        with after, isolated(say("again"), say):
            offer_again(engine, record, view, show)
        with after, isolated(say("part_files"), say):
            offer_files(engine, record.run_id, partial(_document, engine, record.run_id, view, show, chart, asked.up_down), show)


def _document(engine: Engine, run_id: str, view: RunView, show: Show, chart: ChartData | None, up_down: UpDown) -> str:
    """Return the file as things stand when it is saved: the signature may have been given since the page was drawn."""
    proposal = engine.trading.proposal_of(run_id)
    filled = filled_of(engine, proposal) if proposal is not None else None
    return run_document(view, show, chart, up_down, proposal, datetime.now(UTC), filled)


def _asked_line(what: DecideRequest | Asked, show: Show) -> str:
    """Return what kind of market and model this is stands there from the start: what is asked for, until the run has said it itself."""
    tags = panels.feed_tag(what.feed, show) + panels.model_tag(what.model, show)
    return f'<div class="tb tb-market"><span class="sym">{plain(what.symbol)}</span><span class="sp"></span>{tags}</div>'


def _panel(named: panels.Named, view: RunView, show: Show) -> None:
    """Draw a panel; one that has nothing to say yet keeps its place in the order, and no room."""
    name, panel = named
    if html := isolated_html(show.say(name), show.say, partial(panel, view, show)):
        st.html(html)
    else:
        st.empty()


def _market_row(engine: Engine, asked: Asked, line: str, *, again: bool) -> None:
    """again: the bar below is taken by a signature, and the button for another decision stands here."""
    with st.container(key="market-row", horizontal=True, vertical_alignment="center"):
        st.html(line, width="stretch")
        if again:
            _run_button(engine, asked, running=False, primary=False)


def _run_button(engine: Engine, asked: Asked, *, running: bool, primary: bool) -> None:
    word = form_word("running" if running else "run", asked.language)
    kind: Literal["primary", "secondary"] = "primary" if primary else "secondary"
    if st.button(word, type=kind, key="run-button", disabled=running, width="content") and not running:
        run_action(lambda: open_run(engine.start(asked.request())))


def _decision_bar(engine: Engine, asked: Asked, view: RunView, verdict: str, run_id: str | None) -> None:
    """verdict: the run as it is shown. view: the run as it is."""
    running = run_id is not None and view.ending is None
    with st.container(key="verdict", horizontal=True, vertical_alignment="center"):
        st.html(verdict, width="stretch")
        _run_button(engine, asked, running=running, primary=True)
        if run_id is not None and (running or (view.ending is not None and view.ending.stopped)):
            act, key = (engine.stop, "stop") if running else (engine.resume, "resume")
            if st.button(form_word(key, asked.language), key=f"{key}-button", width="content"):
                run_action(partial(act, run_id))


def _ablation(engine: Engine, record: RunRecord, show: Show) -> None:
    """Offered where something was corrected and the executor has spoken; the answer stays with the run."""
    result = record.result or {}
    if not result.get("executor_text") or not result.get("false_claims"):
        return
    if compared := result.get("did_it_matter"):
        st.html(panels.compared_decisions(compared, show) or "<i hidden></i>")
        return
    if st.button(form_word("ask_matter", show.language), help=form_word("ask_matter_help", show.language), key="ask-matter"):
        run_action(lambda: engine.decisions.without_corrections(record.run_id))


def _known(run_id: str) -> RunView:
    views: dict[str, RunView] = st.session_state.setdefault("views", {})
    return views.get(run_id, RunView())


def _first_words(engine: Engine, run_id: str | None) -> RunView:
    """As `_catch_up`. A run that has just begun is given a moment: drawn with its first words, nobody looks at empty panels for a poll."""
    view, until = _catch_up(engine, run_id), time.monotonic() + FIRST_WORDS_S
    while run_id is not None and _has_just_begun(view) and (left := until - time.monotonic()) > 0:
        if not engine.wait_events(run_id, view.seq, left):
            break
        view = _catch_up(engine, run_id)
    return view


def _has_just_begun(view: RunView) -> bool:
    """Somebody has not said a word yet, and cannot be called late."""
    if view.ending is not None or (view.nodes and all(node.texts for node in view.nodes.values())):
        return False
    return view.started_at is None or (datetime.now(UTC) - view.started_at).total_seconds() < FIRST_WORDS_S


def _catch_up(engine: Engine, run_id: str | None) -> RunView:
    """Return the run as its log tells it now; what was read before is not read again."""
    if run_id is None:
        return RunView()
    view = _known(run_id)
    if view.ending is None or view.ending.stopped:
        events = engine.events(run_id, max(0, view.seq - 1))
        if view.seq and (not events or events[0].at != view.last_at):  # shown once, never written down, and by now written otherwise
            view, events = RunView(), engine.events(run_id)
        view = reduce(events, view)
        st.session_state["views"][run_id] = view
    return view


desk()
