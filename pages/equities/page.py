"""The page of the equities desk: ask for a decision on a company and watch it being argued, sign it, look back at it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from engine.api import CompanyChart, Engine, EquityChartMaterial, seats_of
from engine.domain.clock import utc_now
from engine.domain.proposal import OrderPlan, Proposal
from engine.domain.run import RunRecord, RunRequest, RunSummary
from engine.domain.text.language import Language
from pages.chart.figure import ChartData
from pages.claims.dispute_buttons import hear_disputes
from pages.equities.brief import brief_lines
from pages.equities.chart.chart_before import company_before, draw_chart_before
from pages.equities.chart.price_chart import chart_of_plan, equity_chart
from pages.equities.compared import compared_equities
from pages.equities.document import equity_document
from pages.equities.equity_form import EquityForm, equity_form, fill_equity_form
from pages.equities.equity_reducer import EQUITIES
from pages.equities.equity_steps import step_strip
from pages.equities.equity_view import ADVISOR, ROOMS, EquityFacts, EquityView
from pages.equities.panels import PANELS
from pages.equities.pieces import marked
from pages.equities.verdict import asked_line, facts_before, headline_glyph, headline_word, market_line, verdict_bar
from pages.frame import json_fields
from pages.frame.html import draw_html
from pages.frame.isolation import isolated, isolated_html
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
from pages.run.view import READER
from pages.trading.edit_form import levels_are_drawn
from pages.trading.previews import filled_of
from pages.trading.sign_bar import POLL_S, BarParts, draw_notes_room, sign_bar
from pages.words.form_texts import form_word
from pages.words.texts import words_in


class EquitiesPage:
    """The pages of the flow `fusion`."""

    flow, path, anchor = "fusion", "equities", "equity-seed"

    @property
    def reducer(self) -> ViewReducer[EquityView]:
        """What every run has, and the desk's own part."""
        return EQUITIES

    @property
    def panels(self) -> tuple[Panel, ...]:
        """Every panel of a run of the desk, in order."""
        return PANELS

    def draw_form(self, engine: Engine) -> RunForm:
        """Draw the form of the desk and return what stands in it."""
        return equity_form(engine)

    def fill_form(self, request: RunRequest, language: Language) -> None:
        """Put what a run was asked for into the form."""
        fill_equity_form(request, language)

    def draw_run(self, engine: Engine, form: RunForm, view: EquityView, run_id: str | None) -> None:
        """Draw a run, or what is there before one."""
        assert isinstance(form, EquityForm)
        _draw(engine, form, view, run_id)

    def titles(self, engine: Engine, language: Language) -> Mapping[str, str]:
        """Return the names of analysts, debaters, judges and the trader."""
        return titles_in(language)

    def headline(self, run: RunSummary, show: Show) -> str:
        """Return `▲ Buy`."""
        valid = run.is_valid is not False
        return f"{headline_glyph(run.headline, valid=valid)} {headline_word(run.headline, show, valid=valid)}"

    def outcome(self, view: EquityView, show: Show) -> str:
        """Return `Buy`, or that the run failed."""
        ending = view.ending
        if ending is None:
            return ""
        if ending.status != "finished":
            return show.say("run_stopped" if ending.stopped else "run_failed")
        return headline_word(ending.headline, show, valid=ending.is_valid)

    def tab_word(self, view: EquityView, show: Show) -> str:
        """Return the outcome."""
        return self.outcome(view, show)

    def progress(self, view: EquityView) -> tuple[int, int] | None:
        """Return how many of those who speak are done; None before the run has said who does."""
        if view.equity is None:
            return None
        names = steps_of(view)
        return sum(view.nodes[name].ended for name in names if name in view.nodes), len(names)

    def choices(self, show: Show) -> Mapping[str, str]:
        """Return what the trader can be told."""
        return {action: f"{headline_glyph(action)} {headline_word(action, show)}" for action in ("buy", "sell", "hold")}

    def brief(self, view: EquityView, show: Show) -> Markup:
        """Return what either debate came to, in a few lines."""
        return brief_lines(view, show)

    def draw_plan(self, engine: Engine, proposal: Proposal, plan: OrderPlan, view: EquityView, show: Show, up_down: UpDown) -> None:
        """Draw the company's chart with the plan; stop and target can be dragged."""
        chart_of_plan(engine, proposal, plan, view, show, up_down)

    def reasons(self, engine: Engine, view: EquityView, show: Show) -> Markup:
        """Return what the judge of the risk debate ruled."""
        material = engine.equities.chart(view.run_id) if view.run_id is not None else None
        ruling = view.last_by("risk_judge")
        show = replace(show, facts=material.sheet.facts) if material is not None else show
        return marked(ruling, show) if ruling is not None else Markup()

    def compare(self, first: RunRecord, second: RunRecord, show: Show) -> Markup:
        """Return two runs side by side, what differs marked."""
        return compared_equities(first, second, show)


def titles_in(language: Language) -> dict[str, str]:
    """Return node -> its name, of every role of the desk."""
    spoken = {node: seat for node, seat in seats_of(EquitiesPage.flow).items() if seat.role != READER}
    seats = {node: seat.title[language] for node, seat in spoken.items() if not node.endswith(("_again", "_memory"))}
    say = words_in(language)
    return {**seats, "fusion": say("eq_layer_fusion"), "memory_summarizer": say("eq_layer_memory")}


def run_at_end(view: EquityView, record: RunRecord | None) -> EquityView:
    """Return the view with the final state, once the run has ended and has one."""
    if record is None or record.result is None or view.ending is None:
        return view
    return view.at_end(record.result)


def _show(form: EquityForm, view: EquityView, run_id: str | None, material: EquityChartMaterial | None) -> Show:
    step = float(material.listing.price_step) if material is not None and material.listing.price_step is not None else None
    return Show(
        language=form.language,
        now=utc_now() if run_id and view.ending is None else None,
        step=step,
        facts=material.sheet.facts if material is not None else {},
        titles=titles_in(form.language),
    )


def _draw(engine: Engine, form: EquityForm, run: EquityView, run_id: str | None) -> None:
    """Draw everything that changes while a run goes on, or while the reader looks back at one."""
    record = engine.run(run_id) if run_id else None
    material = engine.equities.chart(run_id) if run_id else None
    show = _show(form, run, run_id, material)
    if run_id and run.ending is not None:
        show = show.of_run(engine.disputes.of(run_id), disputing=True)
    say, view = show.say, run_at_end(run, record)
    if view.equity is None:
        view = replace(view, equity=_planned(form, record))
    proposal = engine.trading.proposal_of(run_id) if run_id and view.ending is not None else None
    proposal = proposal.as_at(utc_now()) if proposal is not None else None
    levels_are_drawn(proposal if proposal is not None and proposal.is_waiting else None)
    top, sign, retry, moment, body = slots(5)
    then = view
    if view.ending is not None:
        with retry, isolated(say("again"), say):
            offer_retry(engine, run, show, steps_of(run))
        with moment, isolated(say("look_back"), say):
            chosen = chosen_moment(engine, run, show, EQUITIES)
            then = view if chosen is run else chosen
    else:
        with moment:
            draw_moment_room(show)
    signed = proposal if then is view else None  # a past moment has no signature
    then = replace(then, proposal=signed)
    asked = partial(_asked_for, form, record)
    before = company_before(engine, asked) if material is None else (None, "")
    with top:
        _market_row(engine, form, then, show, record, before[0], again=signed is not None)
    with sign:  # one place for either bar: the one goes when the other comes
        if signed is None:
            with st.container():  # as a fragment has one
                _verdict_row(engine, form, view, then, show, run_id)
                st.container(key="below-bar")
                draw_html(isolated_html(say("steps"), say, partial(step_strip, then, show)))
                draw_notes_room()
        else:
            st.fragment(_signature, run_every=POLL_S if signed.is_waiting else None)(engine, then, show, signed)
    with body:
        drawn = _panels(engine, form, then, show, record, material, proposal)
        if material is None:
            with isolated(say("part_chart"), say):
                draw_chart_before(
                    engine, asked, before, show, form.up_down, drawn, poll=record is None, hint=form.hint if record is None else ""
                )
    if run_id and show.disputing:
        with isolated(say("part_disputes"), say):
            hear_disputes(engine, run_id, who_acts(engine))
    model = view.equity.model if view.equity is not None and view.equity.model else form.model
    draw_html(isolated_html(say("part_notice"), say, partial(notice, model, show)))


def _asked_for(form: EquityForm, record: RunRecord | None) -> RunRequest:
    """Return what a run was asked for, or what the form asks for before one. Raises a TribunalError for a form that cannot be used."""
    return form.request() if record is None else record.request


def _planned(form: EquityForm, record: RunRecord | None) -> EquityFacts:
    """Return who will speak in a run that has said nothing yet, or in the one that the form asks for."""
    asked = record.request.model_dump(mode="json") if record is not None else {}
    depth = json_fields.count(asked, "depth") or form.depth
    return EquityFacts(
        preset=json_fields.words(asked, "preset") or form.preset, depth=depth, tool_limit=form.tool_limit, analysts=form.analysts
    )


def steps_of(view: EquityView) -> list[str]:
    """Return the steps that a run can be asked again from, in speaking order: an index has an advisor in place of debates and order."""
    if view.is_index:
        return [*view.analysts, ADVISOR]
    return [*view.analysts, *(node for room in ROOMS.values() for node in room), "trader"]


def _signature(engine: Engine, view: EquityView, show: Show, proposal: Proposal) -> None:
    with isolated(show.say("part_signature"), show.say):
        sign_bar(engine, view, show, proposal, who_acts(engine), BarParts(verdict_bar, step_strip))


def _panels(
    engine: Engine,
    form: EquityForm,
    view: EquityView,
    show: Show,
    record: RunRecord | None,
    material: EquityChartMaterial | None,
    proposal: Proposal | None,
) -> DeltaGenerator:
    """Draw the panels of a run, and its chart once its company is known; give the chart's place."""
    left, right = st.columns([2.42, 1])
    wide, foot, after = slots(3)
    with left:
        drawn, said = slots(2)
    draw_panels(PANELS, {"main": said, "side": right, "wide": wide, "foot": foot}, view, show)
    chart, say = None, show.say  # behind the words: it takes longer than they do
    if record is not None and material is not None:
        with isolated(say("part_chart"), say):
            filed = proposal if view.ending is not None else None
            chart = equity_chart(record.run_id, material, view, show, form.up_down, drawn, filed)
    if record is not None and record.result is not None and view.ending is not None:
        with after, isolated(say("again"), say):
            offer_again(engine, record, view, show, steps_of(view), say("again"))
        with after, isolated(say("part_files"), say):
            made = partial(_document, engine, record.run_id, view, show, chart, material, form.up_down)
            offer_files(engine, record.run_id, made, show)
    return drawn


def _document(
    engine: Engine,
    run_id: str,
    view: EquityView,
    show: Show,
    chart: ChartData | None,
    material: EquityChartMaterial | None,
    up_down: UpDown,
) -> str:
    """Return the file as things stand when it is saved: the signature may have been given since the page was drawn."""
    proposal = engine.trading.proposal_of(run_id)
    filled = filled_of(engine, proposal) if proposal is not None else None
    return equity_document(view, show, chart, material, up_down, proposal, utc_now(), filled)


def _market_row(
    engine: Engine, form: EquityForm, view: EquityView, show: Show, record: RunRecord | None, company: CompanyChart | None, *, again: bool
) -> None:
    """company: as it is known before the run says it. again: the bar below is taken by a signature, and the button for another decision
    stands here."""

    def line() -> Markup:
        if view.equity is not None and view.equity.symbol:
            return market_line(view, view.equity, show)
        asked = record.request.model_dump(mode="json") if record is not None else {}
        words = (json_fields.words(asked, name) for name in ("symbol", "feed", "model"))
        symbol, feed, model = (found or own for found, own in zip(words, (form.symbol, form.feed, form.model), strict=True))
        if company is not None:
            return market_line(view, facts_before(company, json_fields.words(asked, "session") or form.session, feed, model), show)
        return asked_line(symbol, feed, model, show)

    with st.container(key="market-row", horizontal=True, vertical_alignment="center"):
        draw_html(isolated_html(show.say("market"), show.say, line), width="stretch")
        draw_new_button(form.language, record.run_id if record else None)
        if again:
            draw_run_button(engine, form, record.run_id if record else None, running=False, primary=False)


def _verdict_row(engine: Engine, form: EquityForm, view: EquityView, then: EquityView, show: Show, run_id: str | None) -> None:
    """Draw the bar in the shape of the one with a signature. view: the run as it is. then: as it is shown."""
    running = run_id is not None and view.ending is None
    with st.container(key="verdict", horizontal=True, vertical_alignment="center"):
        draw_html(isolated_html(show.say("decision"), show.say, partial(verdict_bar, then, show)), width="stretch")
        side = st.container(key="bar-side", width="content")
    with side:
        draw_html(run_clock(view, show) if running else "")
        buttons = st.container(key="bar-buttons", horizontal=True)
    with buttons:
        draw_run_button(engine, form, run_id, running=running, primary=True)
        if run_id is not None and (running or (view.ending is not None and view.ending.stopped)):
            act, key = (engine.stop, "stop") if running else (engine.resume, "resume")
            if st.button(form_word(key, form.language), key=f"{key}-button", width="content"):
                run_action(partial(act, run_id))
