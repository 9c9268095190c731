"""The page of a run of a flow that has no page of its own: what every run has. Its stages, what was said, its time and cost, its messages.

Where its flow has a page, such a run can be started here; a run is watched, stopped, continued, asked again, looked back at and taken away
as a file.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st
from markupsafe import Markup

from engine.api import Engine, Seat, seats_of
from engine.domain.clock import utc_now
from engine.domain.errors import BadInput
from engine.domain.run import RunRecord, RunRequest
from pages.claims.claim_markup import mark_claims
from pages.frame.cards import card, chip, head, heading, tint
from pages.frame.escape import joined, markup
from pages.frame.form_words import choose_up_down
from pages.frame.html import draw_html
from pages.frame.isolation import isolated, isolated_html
from pages.frame.language import choose_language
from pages.frame.page_style import run_action
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.run.compared import compared_figures
from pages.run.draw import draw_panels, slots
from pages.run.flow_page import FlowPage, Panel, RunForm
from pages.run.live_seat import live_seat
from pages.run.look_back import chosen_moment
from pages.run.market_line import subject_line
from pages.run.messages import messages_panel, run_facts_panel
from pages.run.rerun import offer_again, offer_files, offer_retry
from pages.run.saved_page import saved_page
from pages.run.starting import draw_run_button
from pages.run.states import node_state, speaker
from pages.run.strip import stage_of, stage_step, strip
from pages.run.timeline import timeline_panel
from pages.run.view import RunView, Turn
from pages.words.texts import form_word


def stages_panel(view: RunView, show: Show, seats: Mapping[str, Seat]) -> Markup:
    """Return the flow's stages with their states, in speaking order, then those of nodes without a seat; "" where there are none yet.
    seats: by node."""
    stages: dict[str, list[Turn]] = {seat.stage: [] for seat in seats.values()}
    for node in view.nodes.values():
        seat = seats.get(node.name)
        stages.setdefault(seat.stage if seat is not None else node.stage or speaker(node.name), []).append(node)
    if not view.nodes:
        return Markup()
    found = [stage_of(name, nodes, view, closed=bool(nodes) and all(node.ended for node in nodes)) for name, nodes in stages.items()]
    return strip([stage_step(stage, stage.name, view, show) for stage in found], view, show)


def transcript_panel(view: RunView, show: Show) -> Markup:
    """Return what every node has written, in the order of their beginning; "" before anybody has."""
    said = joined(_speech(node, view, show) for node in view.nodes.values() if node.text or node.reason or node.state == "running")
    return card(head(heading(show.say("transcript"))), said, label=show.say("transcript")) if said else Markup()


def _speech(node: Turn, view: RunView, show: Show) -> Markup:
    role = speaker(node.name)
    reason = markup('<p class="tb-bad">{}</p>', show.translated(node.reason)) if node.reason else ""
    said = len(node.earlier)
    before = mark_claims(node.text, (), show, span=(0, said)) if said else Markup()
    words = before + live_seat(node, mark_claims(node.text, (), show, span=(said, len(node.text)), growing=node.state == "running"))
    return markup(
        '<section class="tb-say {}">{}{}{}</section>', tint(role), head(chip(role, show), node_state(node, show, view)), reason, words
    )


class GenericPage(FlowPage):
    """The page of any flow. flow: its name. path: of the page that its runs are shown on, None = as the class has it. ask:
    (engine, question) -> the run that the page starts; None where its runs are started elsewhere."""

    def __init__(self, flow: str, path: str | None = None, ask: Callable[[Engine, str], RunRequest] | None = None) -> None:
        self.flow, self._ask = flow, ask
        self.path = self.path if path is None else path
        self._seats = seats_of(flow)
        self.panels = self.panels or (
            Panel("stages", partial(stages_panel, seats=self._seats), "main"),
            Panel("transcript", transcript_panel, "main"),
            Panel("this_run", run_facts_panel, "side"),
            Panel("part_messages", messages_panel, "side"),
            Panel("timeline", timeline_panel, "foot"),
        )

    def draw_form(self, engine: Engine) -> RunForm:
        """Draw the choices of every page, and the question where one is asked here. The request raises BadInput where none is."""
        with st.sidebar:
            language = choose_language(engine)
            up_down = choose_up_down(engine, language)
            question = st.text_input(form_word("rs_question", language), key=f"{self.flow}-question") if self._ask is not None else ""

        def request() -> RunRequest:
            if self._ask is None:
                raise BadInput(f"runs of the flow {self.flow} are not started from this page")
            return self._ask(engine, question)

        return RunForm(language, up_down, "", request, hint="" if question.strip() else form_word("rs_question", language))

    def draw_run(self, engine: Engine, form: RunForm, view: Any, run_id: str | None) -> None:
        """Draw the button that begins one, where it is asked for here, and the run."""
        if self._ask is not None:
            draw_run_button(form, run_id, running=run_id is not None and view.ending is None, primary=run_id is None)
        record = engine.run(run_id) if run_id is not None else None
        if record is None:
            return
        titles = self.titles(engine, form.language)
        show = Show(language=form.language, now=utc_now() if view.ending is None else None, titles=titles)
        say, then = show.say, view
        roles = list(dict.fromkeys(seat.role for seat in self._seats.values()))
        top, moment, retry, body = slots(4)
        if view.ending is not None:
            with retry, isolated(say("again"), say):
                offer_retry(engine, view, show, roles)
            with moment, isolated(say("look_back"), say):
                then = chosen_moment(engine, view, show, self.reducer)
        first, *others = self.panels
        with top, isolated(say("panel_subject"), say):
            self._draw_head(engine, record, view, show)
            draw_html(isolated_html(say(first.name), say, partial(first.build, then, show)))
        with body:
            left, right = st.columns([2.42, 1])
            with left:
                main, foot, after = slots(3)
            draw_panels(others, {"main": main, "side": right, "foot": foot}, then, show)
            if view.ending is not None and record.result is not None:
                with after, isolated(say("again"), say):
                    if roles:
                        offer_again(engine, record, view, show, roles, say("again_any"))
                with after, isolated(say("part_files"), say):
                    offer_files(engine, record.run_id, partial(self.document, record, then, show, form.up_down), show)

    def document(self, record: RunRecord, view: RunView, show: Show, up_down: UpDown) -> Markup:
        """Return the run as one HTML file, its panels in the order of the page."""
        parts = (partial(panel.build, view, show) for panel in self.panels)
        body = [run_head(record.request.subject, self.flow, self.outcome(view, show))]
        body += [isolated_html(show.say(panel.name), show.say, build) for panel, build in zip(self.panels, parts, strict=True)]
        return saved_page(record.request.subject, body, up_down, show)

    def _draw_head(self, engine: Engine, record: RunRecord, view: RunView, show: Show) -> None:
        """Draw what the run is about and what it came to, and the button that stops or continues it."""
        with st.container(key="verdict", horizontal=True, vertical_alignment="center"):
            draw_html(run_head(record.request.subject, self.flow, self.outcome(view, show)), width="stretch")
            if view.ending is None or view.ending.stopped:
                act, key = (engine.stop, "stop") if view.ending is None else (engine.resume, "resume")
                if st.button(form_word(key, show.language), key=f"{key}-button", width="content"):
                    run_action(partial(act, record.run_id))

    def compare(self, first: RunRecord, second: RunRecord, show: Show) -> Markup:
        """Return what two finished runs came to, side by side; "" where one has no result."""
        if first.result is None or second.result is None:
            return Markup()
        return compared_figures(first.run_id, second.run_id, self.figures(first.result, show), self.figures(second.result, show), show)

    def figures(self, result: Mapping[str, Any], show: Show) -> dict[str, str]:
        """Return what a run came to, by what it is called: the plain fields of its result."""
        return {key: str(value) for key, value in result.items() if isinstance(value, str | int | float | bool)}


def run_head(subject: str, flow: str, outcome: str) -> Markup:
    """Return what a run is about, of which flow it is and what it came to."""
    shown = markup('<span class="kv">{}</span>', outcome) if outcome else Markup()
    return subject_line(subject, (shown,), markup('<span class="tb-tag">{}</span>', flow))
