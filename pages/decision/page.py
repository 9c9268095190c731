"""The page of decisions: ask for one and watch it being argued, sign it, look back at it, decide again."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import streamlit as st
from markupsafe import Markup

from engine.api import ChartMaterial, Engine
from engine.domain.clock import utc_now
from engine.domain.decision import DEBATE_SIDES, Signal
from engine.domain.proposal import OrderPlan, Proposal
from engine.domain.run import DecideRequest, RunRecord, RunRequest, RunSummary
from engine.domain.text.language import Language
from pages.chart.figure import ChartData
from pages.claims.dispute_buttons import hear_disputes
from pages.decision import panels
from pages.decision.analysts import ROSTER
from pages.decision.ask_form import Asked, ask_form, fill_ask_form
from pages.decision.brief import brief_panel
from pages.decision.compared_runs import compared_runs
from pages.decision.decision_reducer import DECISION
from pages.decision.decision_view import DecisionView
from pages.decision.document import run_document
from pages.decision.executor import reasoning_of
from pages.decision.guided_demo import captions, draw_demo_button, is_demo
from pages.decision.later_candles import show_awaited
from pages.decision.run_chart import chart_before, chart_of_plan, chart_of_run
from pages.decision.verdict import action_glyph, action_word
from pages.frame.escape import markup
from pages.frame.html import draw_html
from pages.frame.isolation import isolated, isolated_html, isolated_page
from pages.frame.login import who_acts
from pages.frame.page_style import run_action
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.run.draw import draw_panels, slots
from pages.run.flow_page import Panel, RunForm
from pages.run.look_back import chosen_moment, draw_moment_room
from pages.run.messages import notice
from pages.run.reducer import ViewReducer
from pages.run.rerun import offer_again, offer_files, offer_retry
from pages.run.run_clock import run_clock
from pages.run.starting import draw_new_button, draw_run_button
from pages.trading.edit_form import levels_are_drawn, set_level
from pages.trading.previews import filled_of
from pages.trading.sign_bar import POLL_S as SIGN_S
from pages.trading.sign_bar import BarParts, draw_notes_room, sign_bar
from pages.words.form_texts import form_word

_SIDES: Mapping[str, str] = {Signal.ENTRY_LONG: "LONG", Signal.ENTRY_SHORT: "SHORT"}


class DecisionPage:
    """The pages of the flow `decision`."""

    flow, path, anchor = "decision", "", "seed"

    @property
    def reducer(self) -> ViewReducer[DecisionView]:
        """What every run has, and the decision's own part."""
        return DECISION

    @property
    def panels(self) -> tuple[Panel, ...]:
        """Every panel of a decision, in order."""
        return panels.PANELS

    def draw_form(self, engine: Engine) -> RunForm:
        """Draw the form of a decision and return what stands in it."""
        return ask_form(engine)

    def fill_form(self, request: RunRequest, language: Language) -> None:
        """Put what a decision was asked for into the form."""
        assert isinstance(request, DecideRequest)
        fill_ask_form(request, language)

    def draw_run(self, engine: Engine, form: RunForm, view: DecisionView, run_id: str | None) -> None:
        """Draw a decision, or what is there before one."""
        assert isinstance(form, Asked)
        _draw(engine, form, view, run_id)

    def titles(self, engine: Engine, language: Language) -> Mapping[str, str]:
        """Return the titles of the analysts."""
        return {analyst.key: analyst.title[language] for analyst in engine.decisions.analysts}

    def headline(self, run: RunSummary, show: Show) -> str:
        """Return `▼ Enter short`."""
        valid = run.is_valid is not False
        return f"{action_glyph(run.headline, {}, valid=valid)} {action_word(run.headline, {}, show, valid=valid)}"

    def outcome(self, view: DecisionView, show: Show) -> str:
        """Return `Enter short`, or that the run failed."""
        ending = view.ending
        if ending is None:
            return ""
        return show.say("run_failed") if ending.action is None else action_word(ending.action, {}, show, valid=ending.is_valid)

    def tab_word(self, view: DecisionView, show: Show) -> str:
        """Return `short` of an entry, in words else."""
        side = _SIDES.get(view.ending.action or "") if view.ending is not None and view.ending.is_valid else None
        return show.say(side).lower() if side is not None else self.outcome(view, show)

    def progress(self, view: DecisionView) -> tuple[int, int]:
        """Return how many of analysts, debaters, grounding and executor are done."""
        analysts = (view.facts.analysts if view.facts is not None else ()) or ROSTER
        names = (*analysts, *DEBATE_SIDES, "grounding", "executor")
        return sum(view.role(name).ended for name in names), len(names)

    def choices(self, show: Show) -> Mapping[str, str]:
        """Return every signal."""
        return {str(signal): f"{action_glyph(signal, {})} {action_word(signal, {}, show)}" for signal in Signal}

    def brief(self, view: DecisionView, show: Show) -> Markup:
        """Return the argument in three lines."""
        return brief_panel(view, show)

    def draw_plan(self, engine: Engine, proposal: Proposal, plan: OrderPlan, view: DecisionView, show: Show, up_down: UpDown) -> None:
        """Draw the run's market with the plan; stop and target can be dragged."""
        chart_of_plan(engine, proposal, plan, view, show, up_down, partial(set_level, proposal))

    def reasons(self, engine: Engine, view: DecisionView, show: Show) -> Markup:
        """Return the executor's reasoning."""
        material = engine.decisions.chart(view.run_id) if view.run_id is not None else None
        return reasoning_of(view, replace(show, facts=material.sheet.facts) if material is not None else show)

    def compare(self, first: RunRecord, second: RunRecord, show: Show) -> Markup:
        """Return two decisions side by side, what differs marked."""
        return compared_runs(first, second, show)


def _draw(engine: Engine, asked: Asked, view: DecisionView, run_id: str | None) -> None:
    """Draw everything that changes while a run goes on, or while the reader looks back at one."""
    material = engine.decisions.chart(run_id) if run_id else None
    show = Show(
        language=asked.language,
        now=utc_now() if run_id and view.ending is None else None,
        step=material.market.price_step if material else None,
        facts=material.sheet.facts if material else {},
        titles=DecisionPage().titles(engine, asked.language),
    )
    if run_id and view.ending is not None:
        show = show.of_run(engine.disputes.of(run_id), disputing=True)
    if run_id and view.checked is None and view.ending is None:
        show = replace(show, pending={name: engine.decisions.stated(run_id, node.text) for name, node in view.nodes.items()})
    record = engine.run(run_id) if run_id else None
    what: DecideRequest | Asked = record.request if record and isinstance(record.request, DecideRequest) else asked
    proposal = engine.trading.proposal_of(run_id) if run_id and view.ending is not None else None
    proposal = proposal.as_at(utc_now()) if proposal is not None else None
    levels_are_drawn(proposal if proposal is not None and proposal.is_waiting else None)
    say = show.say
    guide, top, sign, retry, moment, body = slots(6)
    then = view
    if view.ending is not None:
        with retry, isolated(say("again"), say):
            offer_retry(engine, view, show, _roles(show))
        with moment, isolated(say("look_back"), say):
            then = chosen_moment(engine, view, show, DECISION)
            if then is not view:
                st.fragment(isolated_page(show_awaited, say), run_every=SIGN_S)(engine, view, show)
    else:
        with moment:
            draw_moment_room(show)
    signed = proposal if then is view else None  # a past moment has no signature: none was given then, and none is given there
    then = replace(then, proposal=signed)
    if record is not None and is_demo(record.request):
        with guide, isolated(say("demo_start"), say), st.container(key="guide"):
            draw_html(captions(then, show, signed))
    with top:
        market = partial(panels.market_line, then, show) if then.facts is not None else partial(_asked_line, what, show)
        _market_row(engine, asked, isolated_html(say("market"), say, market), run_id, again=signed is not None)
    with sign:  # one place for either bar: the one goes when the other comes
        if signed is None:
            with st.container():  # as a fragment has one
                _decision_bar(
                    engine, asked, view, isolated_html(say("decision"), say, partial(panels.verdict_bar, then, show)), run_id, show
                )
                st.container(key="below-bar")
                draw_html(isolated_html(say("steps"), say, partial(panels.step_strip, then, show)))
                draw_notes_room()
        else:
            st.fragment(_signature, run_every=SIGN_S if signed.is_waiting else None)(engine, then, show, signed)
    with body:
        _panels(engine, asked, then, show, record, material, proposal)
    if run_id and show.disputing:
        with isolated(say("part_disputes"), say):
            hear_disputes(engine, run_id, who_acts(engine))
    draw_html(isolated_html(say("part_notice"), say, partial(notice, what.model, show)))


def _roles(show: Show) -> list[str]:
    """Return the steps of a decision that can be asked again, in order."""
    return [*show.titles, *DEBATE_SIDES, "executor"]


def _signature(engine: Engine, view: DecisionView, show: Show, proposal: Proposal) -> None:
    with isolated(show.say("part_signature"), show.say):
        sign_bar(engine, view, show, proposal, who_acts(engine), BarParts(panels.verdict_bar, panels.step_strip))


def _panels(
    engine: Engine,
    asked: Asked,
    view: DecisionView,
    show: Show,
    record: RunRecord | None,
    material: ChartMaterial | None,
    proposal: Proposal | None,
) -> None:
    left, right = st.columns([2.42, 1])
    ended = record is not None and record.result is not None and view.ending is not None
    with left:
        drawn, later, said, ablation, timeline, after = slots(6)
    draw_panels(panels.PANELS, {"main": said, "side": right, "foot": timeline}, view, show)
    chart, say = None, show.say  # behind the words: it takes longer than they do
    if record is not None and material is not None and view.facts is not None:
        filed = proposal if view.ending is not None else None
        with isolated(say("part_chart"), say):
            chart = chart_of_run(engine, record, material, view, show, asked.up_down, (drawn, later), filed)
    else:
        with isolated(say("part_chart"), say):
            request = partial(_asked_for, asked, record)
            chart_before(
                engine,
                request,
                show,
                asked.up_down,
                drawn,
                poll=record is None,
                hint=asked.hint if record is None and asked.feed == "recorded" else "",
            )
    if not ended:
        with later, st.container():
            draw_html(markup('<div class="tb tb-muted tb-later">{}</div>', say("later_later")))
    if ended and record is not None:
        with ablation, isolated(say("matter"), say):
            _ablation(engine, record, show)
        with after, isolated(say("again"), say):
            offer_again(engine, record, view, show, _roles(show), say("again"))
        with after, isolated(say("part_files"), say):
            offer_files(engine, record.run_id, partial(_document, engine, record.run_id, view, show, chart, asked.up_down), show)


def _asked_for(asked: Asked, record: RunRecord | None) -> DecideRequest:
    """Return what a run was asked for, or what the form asks for before one. Raises a TribunalError for a form that cannot be used."""
    request = asked.market() if record is None else record.request
    assert isinstance(request, DecideRequest)
    return request


def _document(engine: Engine, run_id: str, view: DecisionView, show: Show, chart: ChartData | None, up_down: UpDown) -> Markup:
    """Return the file as things stand when it is saved: the signature may have been given since the page was drawn."""
    proposal = engine.trading.proposal_of(run_id)
    filled = filled_of(engine, proposal) if proposal is not None else None
    return run_document(view, show, chart, up_down, proposal, utc_now(), filled)


def _asked_line(what: DecideRequest | Asked, show: Show) -> Markup:
    """Return what kind of market and model this is stands there from the start: what is asked for, until the run has said it itself."""
    tags = panels.feed_tag(what.feed, show) + panels.model_tag(what.model, show)
    return markup('<div class="tb tb-market"><span class="sym">{}</span><span class="sp"></span>{}</div>', what.symbol, tags)


def _market_row(engine: Engine, asked: Asked, line: str, run_id: str | None, *, again: bool) -> None:
    """again: the bar below is taken by a signature, and the button for another decision stands here."""
    with st.container(key="market-row", horizontal=True, vertical_alignment="center"):
        draw_html(line, width="stretch")
        draw_new_button(asked.language, run_id)
        if again:
            draw_run_button(engine, asked, run_id, running=False, primary=False)


def _decision_bar(engine: Engine, asked: Asked, view: DecisionView, verdict: str, run_id: str | None, show: Show) -> None:
    """Draw the bar in the shape of the one with a signature. verdict: the run as it is shown. view: the run as it is."""
    running = run_id is not None and view.ending is None
    with st.container(key="verdict", horizontal=True, vertical_alignment="center"):
        draw_html(verdict, width="stretch")
        side = st.container(key="bar-side", width="content")
    with side:
        draw_html(run_clock(view, show) if running else "")
        buttons = st.container(key="bar-buttons", horizontal=True)
    with buttons:
        draw_run_button(engine, asked, run_id, running=running, primary=True)
        if run_id is None:
            draw_demo_button(engine, Show(language=asked.language))
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
        draw_html(panels.compared_decisions(compared, show))
        return
    if st.button(form_word("ask_matter", show.language), help=form_word("ask_matter_help", show.language), key="ask-matter"):
        run_action(lambda: engine.decisions.without_corrections(record.run_id))
