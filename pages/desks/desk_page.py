"""The page of a desk: the market's row, one place for either bar, the strip in which the reader looks back, signing, disputes, files.

A desk says what is its own: what its chart is drawn from, its lines and bars, its steps, what is between the bar and the notice.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Final

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from engine.api import Engine
from engine.domain.clock import utc_now
from engine.domain.errors import BadInput
from engine.domain.proposal import Proposal
from engine.domain.run import RunRecord
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from pages.chart.figure import ChartData
from pages.chart.still import RunLog
from pages.claims.dispute_buttons import hear_disputes
from pages.desks import page_of_flow
from pages.desks.lie import draw_lie_box
from pages.desks.run_picture import PictureContent, run_picture
from pages.desks.saved_run import SavedAs, run_file
from pages.desks.share import begin_watching, draw_share, is_watching
from pages.frame import json_fields
from pages.frame.html import draw_html
from pages.frame.isolation import isolated, isolated_html
from pages.frame.login import who_acts
from pages.frame.page_style import run_action
from pages.frame.palette import Theme, UpDown
from pages.frame.show import Show
from pages.run.cost_lines import cost_line, cost_lines
from pages.run.draw import slots
from pages.run.flow_page import RunForm
from pages.run.generic_page import GenericPage
from pages.run.guide import Guide, Guided, draw_guide, draw_start_button, follow
from pages.run.look_back import chosen_moment
from pages.run.messages import notice
from pages.run.mind import mind_band
from pages.run.rerun import offer_again, offer_files, offer_retry
from pages.run.run_clock import run_clock
from pages.run.starting import draw_new_button, draw_run_button
from pages.trading.levels import levels_are_drawn
from pages.trading.previews import filled_of
from pages.trading.signed_numbers import signed_numbers
from pages.trading.ticket import POLL_S, BarParts, ticket_in_bar
from pages.words.texts import form_word

ASKED_AGAIN: Final = 5
"""How often a decision is asked again on a page."""


@dataclass(frozen=True)
class DrawnRun:
    """One drawing of a run, or of what there is before one.

    run: as its log has it. view: the same with its final state. then: as it is shown, at the chosen moment, with the proposal signed
    there. proposal: of the run as it is. material: what its chart is drawn from. before: what the desk looked up about a run that is still
    to be asked for. guided: the demo that it is, None for any other run. own_place: beside the buttons of the bar, where a desk has one of
    its own; None beside a signature. watched: the page was opened by a link that plays the run, so that nothing can be signed, begun or
    changed. filed: what such a run was filed as.
    """

    engine: Engine
    form: Any
    record: RunRecord | None
    run: Any
    view: Any
    then: Any
    show: Show
    material: Any
    before: Any
    proposal: Proposal | None
    guided: Guided | None = None
    own_place: DeltaGenerator | None = None
    watched: bool = False
    filed: Proposal | None = None

    @property
    def run_id(self) -> str | None:
        """The run that is shown."""
        return self.record.run_id if self.record is not None else None

    @property
    def has_result(self) -> bool:
        """Whether the end of a run with a result is shown."""
        return self.record is not None and self.record.result is not None and self.then.ending is not None


class DeskPage(GenericPage):
    """The page of a desk. guide: of its demo, None where it has none. offers_guide: the bar offers it before a run. has_picture: its runs
    can be shown as a picture. run_word: the key of what its button is called. bars: the verdict and the steps."""

    bars: BarParts

    guide: ClassVar[Guide | None] = None
    offers_guide: ClassVar[bool] = True
    has_picture: ClassVar[bool] = False
    run_word: ClassVar[str] = "run"

    def material(self, engine: Engine, run_id: str) -> Any:
        """Return what the run's chart is drawn from, None before it is known."""
        return None

    def price_step(self, material: Any) -> float | None:
        """Return the step of prices in `material`."""
        return None

    def steps(self, view: Any, show: Show) -> Sequence[str]:
        """Return the steps that a run can be asked again from, in order."""
        return ()

    @abstractmethod
    def market(self, view: Any, show: Show) -> Markup:
        """Return what is decided about, and which kind of market and model that is; "" before the run has said it."""

    @abstractmethod
    def market_asked(self, drawn: DrawnRun) -> Markup:
        """Return the same of what is asked for, until the run has said it itself."""

    def subject(self, view: Any, show: Show) -> str:
        """Return what a run is about, for the title of its file."""
        return ""

    def below_chart(self, material: Any, show: Show) -> Markup:
        """Return what is under the chart of a saved run."""
        return Markup()

    @abstractmethod
    def draw_body(self, drawn: DrawnRun) -> None:
        """Draw what is below the bar: of a run the chart and the panels, before one what there is to begin with."""

    def chart_at(
        self, record: RunRecord, material: Any, view: Any, show: Show, up_down: UpDown, like: ChartData | None = None
    ) -> ChartData | None:
        """Return the chart of a run as it is in a view, without what came later. like: another chart of it, whose bars are taken."""
        return None

    def content_of(self, record: RunRecord, view: Any, show: Show) -> PictureContent:
        """Return what a picture of a finished run says, without its chart and its proposal. Raises BadInput where there is none."""
        raise BadInput(Reason("run_has_no_facts", run_id=record.run_id))

    def saved(self, drawn: DrawnRun, chart: ChartData | None, filed: SavedAs) -> Markup | str:
        """Return a run as one HTML file."""
        filed = replace(filed, mind=self.mind(drawn.engine, drawn.record, drawn.show, linked=False))
        below = self.below_chart(drawn.material, drawn.show) if drawn.material is not None else Markup()
        return run_file(self, drawn.then, drawn.show, chart, drawn.form.up_down, filed, self.log_of(drawn, chart), below)

    @abstractmethod
    def model_of(self, drawn: DrawnRun) -> str:
        """Return the model whose words are on the page."""

    def show_of(self, engine: Engine, form: RunForm, run: Any, run_id: str | None, material: Any) -> Show:
        """Return how the run is shown."""
        show = replace(self._show(engine, form.language, material), now=utc_now() if run_id and run.ending is None else None)
        return show.of_run(engine.disputes.of(run_id), disputing=True) if run_id and run.ending is not None else show

    def show_still(self, engine: Engine, run_id: str, language: Language) -> Show:
        """Return how a run that has ended is shown where no button is heard."""
        return self._show(engine, language, self.material(engine, run_id)).of_run(engine.disputes.of(run_id))

    def picture(self, engine: Engine, run_id: str, language: Language, theme: Theme, up_down: UpDown) -> Markup:
        """Return a finished run as a picture to be shown to others. Raises BadInput for a run that has no decision yet."""
        record, show, material = engine.record(run_id), self.show_still(engine, run_id, language), self.material(engine, run_id)
        if record.result is None:
            raise BadInput(Reason("run_has_no_decision_yet", run_id=run_id))
        view = _at_end(self.reducer.reduce(engine.events(run_id)), record)
        proposal = engine.trading.proposal_of(run_id)
        proposal = proposal.as_at(utc_now()) if proposal is not None else None
        chart = self.chart_at(record, material, view, show, up_down) if material is not None else None
        return run_picture(replace(self.content_of(record, view, show), chart=chart, proposal=proposal), show, theme, up_down)

    def _show(self, engine: Engine, language: Language, material: Any) -> Show:
        return Show(
            language=language,
            step=self.price_step(material) if material is not None else None,
            facts=material.sheet.facts if material is not None else {},
            titles=self.titles(engine, language),
            zone=self.time_zone(material),
        )

    def time_zone(self, material: Any) -> str:
        """Return the IANA name of the exchange's time zone, "" for a market that never closes. material: what is drawn, None before it."""
        return ""

    def completed(self, run: Any, record: RunRecord | None, form: Any) -> Any:
        """Return the run with what its log does not say yet: who will speak in it."""
        return run

    def look_before(self, engine: Engine, form: Any, record: RunRecord | None, material: Any) -> Any:
        """Return what the desk looks up about a run that is still to be asked for."""
        return None

    def runs_first(self, drawn: DrawnRun) -> bool:
        """Return whether asking is what the page is for now."""
        return True

    def verdict(self, drawn: DrawnRun) -> Markup:
        """Return the bar of a run, or of what there is before one."""
        filed = (signed_numbers(drawn.filed, drawn.show),) if drawn.filed is not None else ()
        return self.bars.verdict(drawn.then, drawn.show, *filed)

    def strip(self, drawn: DrawnRun) -> Markup:
        """Return the strip of a run; before one there are no steps."""
        if drawn.record is None:
            return Markup()
        filed = drawn.filed
        return self.bars.steps(drawn.then, drawn.show, filed, still=True) if filed is not None else self.bars.steps(drawn.then, drawn.show)

    def watch_past(self, engine: Engine, run: Any, show: Show) -> None:
        """Draw what a past moment of a run waits for."""

    def draw_run(self, engine: Engine, form: RunForm, view: Any, run_id: str | None) -> None:
        """Draw everything that changes while a run goes on, or while the reader looks back at one."""
        with st.container(key="desk"):
            self._draw(engine, form, view, run_id)

    def _draw(self, engine: Engine, form: RunForm, view: Any, run_id: str | None) -> None:
        record = engine.run(run_id) if run_id else None
        material = self.material(engine, run_id) if run_id else None
        guided = None
        if self.guide is not None and not is_watching():
            guided = follow(self.guide, engine, record, self.reducer, view, Show(language=form.language))
        view = guided.scene.view if guided is not None else view
        show = self.show_of(engine, form, view, run_id, material)
        run, view, say = view, _at_end(self.completed(view, record, form), record), show.say
        proposal = engine.trading.proposal_of(run_id) if run_id and run.ending is not None else None
        proposal = proposal.as_at(utc_now()) if proposal is not None else None
        levels_are_drawn(proposal if proposal is not None and proposal.is_waiting else None)
        watched = run.ending is not None and is_watching()
        bar, top, sign, moment, body = slots(5)
        if watched:
            show = replace(show, disputing=False)
            with top:
                begin_watching(run, show)
        then = self._chosen(engine, run, view, show, moment, watched=watched)
        filed = proposal if then is view else None  # a past moment has no signature: none was given then, and none is given there
        signed = None if watched else filed
        before = self.look_before(engine, form, record, material)
        drawn = DrawnRun(engine, form, record, run, view, replace(then, proposal=filed), show, material, before, proposal, guided)
        if watched:
            drawn = replace(drawn, proposal=None, guided=None, watched=True, filed=filed)
        elif self.guide is not None and guided is not None:
            with bar, isolated(say("demo_start"), say):
                draw_guide(guided, self.guide, who_acts(engine))
        with top:
            self._draw_market_row(drawn, again=signed is not None)
        with sign:  # one place for either bar: the one goes when the other comes
            if signed is None:
                with st.container():  # as a fragment has one
                    drawn = replace(drawn, own_place=self._draw_verdict(drawn))
            else:
                st.fragment(_signature, run_every=POLL_S if signed.is_waiting else None)(engine, drawn.then, show, signed, self.bars)
        with body:
            self.draw_body(drawn)
        if run_id and show.disputing:
            with isolated(say("part_disputes"), say):
                hear_disputes(engine, run_id, who_acts(engine))
        draw_html(isolated_html(say("part_notice"), say, lambda: notice(self.model_of(drawn), show)))

    def _chosen(self, engine: Engine, run: Any, view: Any, show: Show, moment: DeltaGenerator, *, watched: bool) -> Any:
        """Let the reader look back at a run that has ended; return the view of the chosen moment."""
        if view.ending is None:
            return view
        then, say = view, show.say
        with moment, isolated(say("look_back"), say):
            chosen = chosen_moment(engine, run, show, self.reducer)
            then = view if chosen is run else chosen
            if then is not view and not watched:
                self.watch_past(engine, run, show)
        return then

    def draw_retry(self, drawn: DrawnRun, place: DeltaGenerator) -> None:
        """Offer to ask those again who gave no usable answer, once the run has ended."""
        say = drawn.show.say
        if drawn.view.ending is not None and not drawn.watched:
            with place, isolated(say("again"), say):
                offer_retry(drawn.engine, drawn.run, drawn.show, self.steps(drawn.view, drawn.show))

    def _draw_market_row(self, drawn: DrawnRun, *, again: bool) -> None:
        """again: the bar below is taken by a signature, and the button for another decision is here."""
        say = drawn.show.say
        with st.container(key="market-row", horizontal=True, vertical_alignment="center"):
            draw_html(
                isolated_html(say("market"), say, lambda: self.market(drawn.then, drawn.show) or self.market_asked(drawn)), width="stretch"
            )
            if not drawn.watched:
                draw_new_button(drawn.form.language, drawn.run_id)
            if again:
                draw_run_button(drawn.form, drawn.run_id, running=False, primary=False)
                if cost := cost_line(drawn.engine, self.flow, drawn.form.model, drawn.show):
                    draw_html(cost, width="content")

    def _draw_verdict(self, drawn: DrawnRun) -> DeltaGenerator:
        """Draw the verdict in the shape of the bar with a signature, and the strip below it; before a run there are no steps. Return a
        place for a button of the desk's own."""
        engine, form, show, view, run_id = drawn.engine, drawn.form, drawn.show, drawn.view, drawn.run_id
        running = run_id is not None and view.ending is None
        with st.container(key="verdict", horizontal=True, vertical_alignment="center"):
            draw_html(isolated_html(show.say("decision"), show.say, partial(self.verdict, drawn)), width="stretch")
            side = st.container(key="bar-side", width="content")
        with side:
            draw_html(run_clock(view, show) if running else "")
            buttons = st.container(key="bar-buttons", horizontal=True)
        with buttons:
            own = st.container(key="bar-own", width="content")
            if not drawn.watched:
                draw_run_button(form, run_id, running=running, primary=self.runs_first(drawn), word=self.run_word)
            if run_id is None and self.guide is not None and self.offers_guide:
                draw_start_button(self.guide, engine, form.language, who_acts(engine))
            if run_id is not None and not drawn.watched and (running or (view.ending is not None and view.ending.stopped)):
                act, key = (engine.stop, "stop") if running else (engine.resume, "resume")
                if st.button(form_word(key, form.language), key=f"{key}-button", width="content"):
                    run_action(partial(act, run_id))
        if not running and not drawn.watched:
            with side:
                draw_html(cost_lines(engine, self.flow, form.model, show))
        st.container(key="below-bar")
        draw_html(isolated_html(show.say("steps"), show.say, partial(self.strip, drawn)))
        return own

    def offer_repeating(self, drawn: DrawnRun, place: DeltaGenerator) -> None:
        """Offer to ask the roles of a finished decision again, where that was not done; the stamp is among its panels."""
        record, language = drawn.record, drawn.show.language
        if (
            not drawn.has_result
            or drawn.watched
            or record is None
            or drawn.view.stability
            or not drawn.engine.repetitions.can_be_asked(record)
        ):
            return
        with place, isolated(drawn.show.say("stamp_title"), drawn.show.say):
            if st.button(form_word("ask_again", language), help=form_word("ask_again_help", language), key="ask-again"):
                run_action(lambda: drawn.engine.repetitions.ask(record.run_id, ASKED_AGAIN))

    def draw_after(self, drawn: DrawnRun, after: DeltaGenerator, chart: ChartData | None) -> None:
        """Offer to ask a finished run again from a step, to show it to others and to take it away as a file."""
        if not drawn.has_result or drawn.record is None:
            return
        say, show = drawn.show.say, drawn.show
        with after, isolated(say("again"), say):
            if not drawn.watched:
                offer_again(drawn.engine, drawn.record, drawn.then, show, self.steps(drawn.then, show), say("again"))
        with after, isolated(say("share"), say):
            draw_share(drawn.record.run_id, self.path, drawn.form.up_down, show, picture=self.has_picture)
        with after, isolated(say("part_files"), say):
            offer_files(drawn.engine, drawn.record.run_id, partial(self._saved_now, drawn, chart), show)

    def _draw_mind(self, drawn: DrawnRun) -> None:
        """Say what changed since the decision before, of a run that has ended."""
        if drawn.has_result and drawn.guided is None:
            html = isolated_html(drawn.show.say("mind"), drawn.show.say, partial(self.mind, drawn.engine, drawn.record, drawn.show))
            if html:
                draw_html(html)

    def mind(self, engine: Engine, record: RunRecord | None, show: Show, *, linked: bool = True) -> Markup:
        """Return what changed since the decision before, or that there is none. linked: whether the other run can be opened."""
        if record is None or record.result is None:
            return Markup()
        return mind_band(engine.changes.of(record.run_id, show.language), self.choices(show), show, linked=linked)

    def draw_lie(self, drawn: DrawnRun, place: DeltaGenerator) -> None:
        """Say what changed since the decision before, below the chart, where it moves nothing in view; let anybody lie to a finished
        run."""
        with place:
            self._draw_mind(drawn)
        if drawn.has_result and drawn.record is not None and drawn.material is not None:
            with place, isolated(drawn.show.say("lie"), drawn.show.say):
                draw_lie_box(drawn.record.run_id, drawn.show)

    def log_of(self, drawn: DrawnRun, like: ChartData | None) -> RunLog[Any]:
        """Return what the saved file plays. like: the chart of the page."""
        record, events = drawn.record, drawn.engine.events(drawn.run_id or "")

        def chart(view: Any) -> ChartData | None:
            if record is None or drawn.material is None or like is None:
                return None
            made = self.chart_at(record, drawn.material, view, drawn.show, drawn.form.up_down, like)
            if made is None or view.ending is None:
                return made
            return replace(made, marks={**made.marks, "again": like.marks["again"]})

        return RunLog(events, chart)

    def _saved_now(self, drawn: DrawnRun, chart: ChartData | None) -> Markup | str:
        """Return the file as things are when it is saved: the signature may have been given since the page was drawn."""
        proposal = drawn.engine.trading.proposal_of(drawn.run_id or "")
        filled = filled_of(drawn.engine, proposal) if proposal is not None else None
        return self.saved(drawn, chart, SavedAs(proposal, utc_now(), filled))


def desk_page_of(engine: Engine, run_id: str) -> DeskPage:
    """Return the page of a run of a desk that orders. Raises BadInput for a run that is not known, or of another desk."""
    flow = engine.record(run_id).request.flow
    page = page_of_flow(flow)
    if not isinstance(page, DeskPage):
        raise BadInput(Reason("run_has_no_facts", run_id=run_id))
    return page


def _at_end(run: Any, record: RunRecord | None) -> Any:
    """Return a run that has ended with its final state, with what it cost and how far its repetitions agree."""
    if run.ending is None or record is None or record.result is None:
        return run
    result = record.result
    return replace(run.at_end(result), stability=json_fields.inner(result, "stability"), cost=json_fields.number(result, "total_cost"))


def _signature(engine: Engine, view: Any, show: Show, proposal: Proposal, bars: BarParts) -> None:
    with isolated(show.say("part_signature"), show.say):
        ticket_in_bar(engine, view, show, proposal, who_acts(engine), bars)
