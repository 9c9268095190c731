"""The page of the research desk: ask a question, watch its plan and its agent, read what came of it with its sources, hand it on."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.desks.research.answer.headline import length_of_answer
from engine.domain.events import Event
from engine.domain.run import RunRecord, RunRequest
from engine.domain.text.language import Language
from pages.chart.figure import ChartData
from pages.desks.desk_page import DeskPage, DrawnRun
from pages.desks.research.attach import choose_target, draw_attach_room
from pages.desks.research.guided_demo import GUIDE
from pages.desks.research.measured import draw_measured, measured_panel
from pages.desks.research.panels import PANELS
from pages.desks.research.research_form import fill_question_form, question_form
from pages.desks.research.research_reducer import RESEARCH
from pages.desks.research.research_view import ANSWERS, ResearchView
from pages.desks.research.steps import step_strip
from pages.desks.research.verdict import question_line, verdict_bar
from pages.desks.saved_run import SavedAs
from pages.desks.share import draw_share
from pages.frame import json_fields
from pages.frame.isolation import isolated, isolated_html
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.run.draw import draw_panels, slots
from pages.run.flow_page import RunForm
from pages.run.messages import notice
from pages.run.rerun import offer_files
from pages.run.saved_page import play_moments, saved_page
from pages.run.view import RunView, Turn
from pages.trading.ticket import BarParts


class ResearchPage(DeskPage):
    """The pages of the flows `plan` and `research`: a plan's factors and an agent's search are two ways to one answer."""

    path, run_word, guide = "research", "rs_ask", GUIDE
    bars, reducer, panels = BarParts(verdict_bar, step_strip), RESEARCH, PANELS

    def draw_form(self, engine: Engine) -> RunForm:
        """Draw the form of the desk and return what is in it."""
        return question_form(engine)

    def fill_form(self, request: RunRequest, language: Language) -> None:
        """Put what a question was asked with into the form."""
        fill_question_form(request, language)

    def market(self, view: ResearchView, show: Show) -> Markup:
        """Return nothing: the line is of what was asked."""
        return Markup()

    def market_asked(self, drawn: DrawnRun) -> Markup:
        """Return what was asked, as of when."""
        return _line(drawn.form, drawn.then, drawn.record, drawn.show)

    def model_of(self, drawn: DrawnRun) -> str:
        """Return the model that was asked for."""
        return str(drawn.record.request.model if drawn.record is not None else drawn.form.model)

    def live_parts(self, node: Turn) -> Mapping[str, tuple[int, int]]:
        """Return what a node says in this turn, of a search's answer without its closing lines."""
        return {"": (len(node.earlier), length_of_answer(node.text) if node.name == ANSWERS else len(node.text))}

    def runs_first(self, drawn: DrawnRun) -> bool:
        """Return whether asking is what the page is for: an answer is there to be handed on."""
        return drawn.view.ending is None

    def draw_body(self, drawn: DrawnRun) -> None:
        """Draw the answer with its sources; where it is handed on is beside it."""
        engine, record, then, show, say = drawn.engine, drawn.record, drawn.then, drawn.show, drawn.show.say
        if record is None:
            return
        left, right = st.columns([2.42, 1])
        with right:
            attach, right = slots(2)
        target = None
        if drawn.view.ending is None:
            with attach:
                draw_attach_room(show)
        elif then.whole is None and then.statements and not drawn.watched:
            with attach, isolated(say("rs_attach"), say):
                target = choose_target(engine, record, show)
        wide, foot, after = slots(3)
        with left:
            answer, measured, rest = slots(3)
        draw_panels(PANELS[:1], {"main": answer}, then, show)
        with measured, isolated(say("rs_measured"), say):
            draw_measured(then, show)
        draw_panels(PANELS[1:], {"main": rest, "side": right, "wide": wide, "foot": foot}, then, show)
        if drawn.has_result:
            with after, isolated(say("share"), say):
                draw_share(record.run_id, self.path, drawn.form.up_down, show, picture=self.has_picture)
            with after, isolated(say("part_files"), say):
                offer_files(engine, record.run_id, partial(self.saved, drawn, None, SavedAs()), show)
        if target is not None and drawn.own_place is not None:
            with drawn.own_place:
                st.link_button(say(target.word), target.address, type="primary", disabled=not target.usable, help=say("rs_attach_help"))

    def saved(self, drawn: DrawnRun, chart: ChartData | None, filed: SavedAs) -> Markup:
        """Return a question as one HTML file, which plays how it was answered."""
        assert drawn.record is not None
        return self.document(drawn.record, drawn.then, drawn.show, drawn.form.up_down, drawn.engine.events(drawn.record.run_id))

    def document(self, record: RunRecord, view: RunView, show: Show, up_down: UpDown, events: Sequence[Event] = ()) -> Markup:
        """Return the run as one HTML file, its panels in the order of the page. events: of the whole run, which the file plays; without
        them it is paused."""
        assert isinstance(view, ResearchView)
        parts = partial(_parts, record=record, show=show)
        moments = play_moments(events, RESEARCH, view, parts, show) if events else []
        return saved_page(record.request.subject, parts(view), up_down, show, moments)


def _parts(view: ResearchView, record: RunRecord, show: Show) -> list[Markup]:
    """Return the panels, one below another: always as many."""
    say = show.say
    parts = [("rs_answer", partial(_line, None, view, record, show)), ("rs_answer", partial(verdict_bar, view, show))]
    parts += [("steps", partial(step_strip, view, show, still=True))]
    build = [(panel.name, partial(panel.build, view, show)) for panel in PANELS]
    parts += [build[0], ("rs_measured", partial(measured_panel, view, show)), *build[1:]]
    parts += [("part_notice", partial(notice, record.request.model, show))]
    return [isolated_html(say(name), say, make) for name, make in parts]


def _line(form: RunForm | None, view: ResearchView, record: RunRecord | None, show: Show) -> Markup:
    if record is not None:
        asked = record.request.model_dump(mode="json")
        feed, at = json_fields.words(asked, "feed") or "", view.at or json_fields.words(asked, "at") or ""
        return question_line(record.request.subject, at, feed, record.request.model, show, record.created_at)
    return question_line("", "", form.values["feed"] if form is not None else "", form.model if form is not None else "", show)


PAGES: Final = (ResearchPage("plan"), ResearchPage("research"))
