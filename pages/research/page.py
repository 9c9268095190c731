"""The page of the research desk: ask a question, watch its plan and its agent, read what came of it with its sources, hand it on."""

from functools import partial

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.domain.clock import utc_now
from engine.domain.run import RunRecord, RunRequest
from engine.domain.text.language import Language
from pages.frame import json_fields
from pages.frame.escape import joined
from pages.frame.html import draw_html
from pages.frame.isolation import isolated, isolated_html
from pages.frame.page_style import run_action
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.research.attach import AttachTarget, choose_target, draw_attach_room
from pages.research.measured import draw_measured, measured_panel
from pages.research.panels import PANELS
from pages.research.research_form import QuestionForm, fill_question_form, question_form
from pages.research.research_reducer import RESEARCH
from pages.research.research_view import ResearchView
from pages.research.steps import step_strip
from pages.research.verdict import question_line, verdict_bar
from pages.run.draw import draw_panels, slots
from pages.run.flow_page import Panel, RunForm
from pages.run.generic_page import GenericPage
from pages.run.look_back import chosen_moment, draw_moment_room
from pages.run.messages import notice
from pages.run.reducer import ViewReducer
from pages.run.rerun import offer_files
from pages.run.saved_page import saved_page
from pages.run.starting import draw_new_button, draw_run_button
from pages.run.view import RunView
from pages.words.form_texts import form_word


class ResearchPage(GenericPage):
    """The pages of the flows `plan` and `research`: a plan's factors and an agent's search are two ways to one answer."""

    @property
    def reducer(self) -> ViewReducer[ResearchView]:  # type: ignore[override]
        """What every run has, and what a question has beside it."""
        return RESEARCH

    @property
    def panels(self) -> tuple[Panel, ...]:
        """Every panel of a question, in order."""
        return PANELS

    def draw_form(self, engine: Engine) -> RunForm:
        """Draw the form of the desk and return what stands in it."""
        return question_form(engine)

    path, anchor = "research", "research-symbol"

    def fill_form(self, request: RunRequest, language: Language) -> None:
        """Put what a question was asked with into the form."""
        fill_question_form(request, language)

    def draw_run(self, engine: Engine, form: RunForm, view: RunView, run_id: str | None) -> None:
        """Draw a question's run, or what is there before one."""
        assert isinstance(form, QuestionForm)
        assert isinstance(view, ResearchView)
        record = engine.run(run_id) if run_id is not None else None
        show = Show(
            language=form.language,
            now=utc_now() if run_id and view.ending is None else None,
            titles=self.titles(engine, form.language),
        )
        say, then = show.say, at_end(view, record)
        top, moment, body = slots(3)
        if view.ending is not None:
            with moment, isolated(say("look_back"), say):
                chosen = chosen_moment(engine, view, show, self.reducer)
                then = then if chosen is view else chosen
        else:
            with moment:
                draw_moment_room(show)
        target = None
        with body:
            left, right = st.columns([2.42, 1])
            with right:
                attach, right = slots(2)
            if record is not None and then is not view and then.statements and view.ending is not None:
                with attach, isolated(say("rs_attach"), say):
                    target = choose_target(engine, record, show)
            elif record is not None and view.ending is None:
                with attach:
                    draw_attach_room(show)
            wide, foot, after = slots(3)
            with left:
                answer, measured, rest = slots(3)
            draw_panels(PANELS[:1], {"main": answer}, then, show)
            with measured, isolated(say("rs_measured"), say):
                draw_measured(then, show)
            draw_panels(PANELS[1:], {"main": rest, "side": right, "wide": wide, "foot": foot}, then, show)
            if record is not None and record.result is not None and view.ending is not None:
                with after, isolated(say("part_files"), say):
                    offer_files(engine, record.run_id, partial(self.document, record, then, show, form.up_down), show)
        with top:
            self._draw_top(engine, form, view, then, show, record, target)
        draw_html(isolated_html(say("part_notice"), say, partial(notice, record.request.model if record else form.model, show)))

    def _draw_top(
        self,
        engine: Engine,
        form: QuestionForm,
        view: ResearchView,
        then: ResearchView,
        show: Show,
        record: RunRecord | None,
        target: AttachTarget | None,
    ) -> None:
        """view: the run as it is. then: as it is shown. target: where it may be handed to, None for nowhere."""
        say, running = show.say, record is not None and view.ending is None
        draw_html(isolated_html(say("market"), say, partial(_line, form, then, record, show)))
        with st.container(key="verdict", horizontal=True, vertical_alignment="center"):
            draw_html(isolated_html(say("rs_answer"), say, partial(verdict_bar, then, show)), width="stretch")
            draw_run_button(engine, form, record.run_id if record else None, running=running, primary=view.ending is None, word="rs_ask")
            draw_new_button(form.language, record.run_id if record else None)
            if record is not None and (running or (view.ending is not None and view.ending.stopped)):
                act, key = (engine.stop, "stop") if running else (engine.resume, "resume")
                if st.button(form_word(key, form.language), key=f"{key}-button", width="content"):
                    run_action(partial(act, record.run_id))
            if target is not None:
                st.link_button(say(target.word), target.address, type="primary", disabled=not target.usable, help=say("rs_attach_help"))
        draw_html(isolated_html(say("steps"), say, partial(step_strip, then, show)))

    def document(self, record: RunRecord, view: RunView, show: Show, up_down: UpDown) -> Markup:
        """Return the run as one HTML file, its panels in the order of the page."""
        assert isinstance(view, ResearchView)
        say = show.say
        parts = [("rs_answer", partial(_line, None, view, record, show)), ("rs_answer", partial(verdict_bar, view, show))]
        parts += [("steps", partial(step_strip, view, show, still=True))]
        build = [(panel.name, partial(panel.build, view, show)) for panel in PANELS]
        parts += [build[0], ("rs_measured", partial(measured_panel, view, show)), *build[1:]]
        parts += [("part_notice", partial(notice, record.request.model, show))]
        return saved_page(record.request.subject, joined(isolated_html(say(name), say, build) for name, build in parts), up_down, show)


def at_end(view: ResearchView, record: RunRecord | None) -> ResearchView:
    """Return the view with the final state, once the run has ended and has one."""
    return view.at_end(record.result) if record is not None and record.result is not None and view.ending is not None else view


def _line(form: QuestionForm | None, view: ResearchView, record: RunRecord | None, show: Show) -> Markup:
    if record is not None:
        asked = record.request.model_dump(mode="json")
        feed, at = json_fields.words(asked, "feed") or "", view.at or json_fields.words(asked, "at") or ""
        return question_line(record.request.subject, at, feed, record.request.model, show, record.created_at)
    return question_line("", "", form.feed if form is not None else "", form.model if form is not None else "", show)
