"""The page of decisions: ask for one and watch it being argued, sign it, look back at it, decide again."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.desks.decision.api import ChartMaterial
from engine.domain.decision import DEBATE_SIDES, Signal
from engine.domain.proposal import OrderPlan, Proposal
from engine.domain.run import DecideRequest, RunRecord, RunRequest, RunSummary
from engine.domain.text.language import Language
from pages.chart.figure import ChartData
from pages.claims.prose import finished_sentences
from pages.claims.telling import brief_card, brief_line, telling
from pages.desks.decision.ask_form import Asked, ask_form, fill_ask_form
from pages.desks.decision.compared_runs import decision_figures
from pages.desks.decision.decision_view import DECISION, DecisionView
from pages.desks.decision.grounding import compared_decisions, read_claims
from pages.desks.decision.guided_demo import GUIDE, Course
from pages.desks.decision.idle import Lately, draw_idle, found_now, idle_bar, lately_strip, read_first
from pages.desks.decision.later_candles import show_awaited
from pages.desks.decision.panels import PANELS
from pages.desks.decision.run_chart import FiledRun, chart_at, chart_before, chart_of_plan, chart_of_run
from pages.desks.decision.speeches import reasoning_of, ruling
from pages.desks.decision.steps import step_strip
from pages.desks.decision.verdict import live_parts, market_line, named_action, verdict_bar
from pages.desks.desk_page import DeskPage, DrawnRun
from pages.desks.run_picture import PictureContent, market_and_model
from pages.frame import json_fields, numbers
from pages.frame.cards import chip, label
from pages.frame.escape import markup
from pages.frame.html import draw_html
from pages.frame.isolation import isolated, isolated_page
from pages.frame.page_style import run_action
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.run.draw import draw_panels, slots
from pages.run.flow_page import RunForm
from pages.run.market_line import run_tags, subject_line
from pages.run.view import Turn
from pages.trading.ticket import POLL_S as SIGN_S
from pages.trading.ticket import BarParts
from pages.words.texts import form_word

_SIDES: Mapping[str, str] = {Signal.ENTRY_LONG: "LONG", Signal.ENTRY_SHORT: "SHORT"}
_ORDER = ("judge", "bull", "bear")


def brief_panel(view: DecisionView, show: Show) -> Markup:
    """Return nothing before the first role speaks."""
    say = show.say
    if not any(view.role(side).text for side in _ORDER):
        return Markup()
    checked = view.checked
    summary = say("verified_of", good=checked.verified, total=checked.verified + checked.false, fixed=checked.false) if checked else ""
    shown = replace(show, step=view.opening.price_step) if view.opening is not None and view.opening.price_step else show
    return brief_card(say("three_lines"), summary, [_line(view.role(side), view, shown) for side in _ORDER])


def _line(node: Turn, view: DecisionView, show: Show) -> Markup:
    """Return who, for the judge what it ruled, and the sentence."""
    say, side = show.say, node.side
    claims = view.checked.said_by(side) if view.checked else ()
    top, is_judge = chip(side, show), side == "judge"
    if is_judge:
        confidence = json_fields.number(node.result, "confidence")
        sure = label(say("confidence"), numbers.number(confidence)) if confidence is not None and node.state == "done" else ""
        top = markup('<div class="row">{}{}{}</div>', top, ruling(node, show), sure)
    span = telling(node.text, claims, side, leans=not view.is_position)  # with a position the sides argue about it, not about the market
    return brief_line(side, top, node.text, claims, span, show, sure=not is_judge and view.checked is not None)


class DecisionPage(DeskPage):
    """The pages of the flow `decision`."""

    path, guide, offers_guide, has_picture = "", GUIDE, False, True
    bars, reducer, panels = BarParts(verdict_bar, step_strip), DECISION, PANELS

    def draw_form(self, engine: Engine) -> RunForm:
        """Draw the form of a decision and return what is in it."""
        return ask_form(engine)

    def fill_form(self, request: RunRequest, language: Language) -> None:
        """Put what a decision was asked for into the form."""
        assert isinstance(request, DecideRequest)
        fill_ask_form(request, language)

    def titles(self, engine: Engine, language: Language) -> Mapping[str, str]:
        """Return the titles of the analysts."""
        return {analyst.key: analyst.title[language] for analyst in engine.decisions.analysts}

    def material(self, engine: Engine, run_id: str) -> ChartMaterial | None:
        """Return the market of a run."""
        return engine.decisions.chart(run_id)

    def price_step(self, material: ChartMaterial) -> float | None:
        """Return the step of the market's prices."""
        return material.market.price_step

    def steps(self, view: DecisionView, show: Show) -> list[str]:
        """Return analysts, debaters and executor."""
        return [*show.titles, *DEBATE_SIDES, "executor"]

    def show_of(self, engine: Engine, form: RunForm, run: DecisionView, run_id: str | None, material: ChartMaterial | None) -> Show:
        """Return how a decision is shown: before the check, what will be checked is marked."""
        show = super().show_of(engine, form, run, run_id, material)
        if not run_id or run.checked is not None or run.ending is not None:
            return show
        return replace(show, pending={name: self.stated(engine, run_id, node) for name, node in run.nodes.items()})

    def live_parts(self, node: Turn) -> Mapping[str, tuple[int, int]]:
        """Return the executor's sections, and what anybody else says in this turn."""
        return live_parts(node)

    def stated(self, engine: Engine, run_id: str, node: Turn) -> tuple[tuple[int, int], ...]:
        """Return the values that grounding will check, while a text is written: of the sentences that it has finished."""
        text = node.text
        return engine.decisions.stated(run_id, text[: finished_sentences(text)] if node.state == "running" else text)

    def market(self, view: DecisionView, show: Show) -> Markup:
        """Return the market."""
        return market_line(view, show)

    def subject(self, view: DecisionView, show: Show) -> str:
        """Return the market and the clock of the decision."""
        return f"{view.opening.symbol} · {show.stamp(view.opening.at)}" if view.opening is not None else ""

    def market_asked(self, drawn: DrawnRun) -> Markup:
        """Return the market that is asked for."""
        what, show = _what(drawn), drawn.show
        return subject_line(what["symbol"], tags=run_tags(what["feed"], what["model"], show))

    def model_of(self, drawn: DrawnRun) -> str:
        """Return the model that was asked for."""
        return str(_what(drawn)["model"])

    def look_before(self, engine: Engine, form: Asked, record: RunRecord | None, material: ChartMaterial | None) -> Lately | None:
        """Return what waits and what happened lately, before a run."""
        return found_now(engine) if record is None else None

    def verdict(self, drawn: DrawnRun) -> Markup:
        """Return the bar of a decision, or how many wait before one is asked for."""
        return idle_bar(drawn.before, drawn.show) if drawn.before is not None else super().verdict(drawn)

    def strip(self, drawn: DrawnRun) -> Markup:
        """Return the strip of a decision, or what the last day brought before one is asked for."""
        return lately_strip(drawn.before, drawn.show) if drawn.before is not None else super().strip(drawn)

    def runs_first(self, drawn: DrawnRun) -> bool:
        """Return whether nothing that waits comes before another decision."""
        return drawn.before is None or not drawn.before.waiting

    def watch_past(self, engine: Engine, run: DecisionView, show: Show) -> None:
        """Tell of a proposal that waits while the reader looks back."""
        st.fragment(isolated_page(show_awaited, show.say), run_every=SIGN_S)(engine, run, show)

    def draw_body(self, drawn: DrawnRun) -> None:
        """Draw the panels, and behind them the chart, which takes longer; before a run the market, and what there is to begin with."""
        left, right = st.columns([2.42, 1])
        with left:
            place, later, lie, retry, said, again, ablation, timeline, after = st.container(key="chart-place"), *slots(8)
        with right:
            side, begin = slots(2)
        engine, view, show, record, say = drawn.engine, drawn.then, drawn.show, drawn.record, drawn.show.say
        if record is None:
            draw_idle(engine, drawn.before, show, drawn.form.values["feed"], (side, begin))
            if drawn.own_place is not None:
                draw_html(read_first(drawn.before, show), drawn.own_place)
        else:
            draw_panels(self.panels, {"main": said, "side": side, "foot": timeline}, view, show)
            self.draw_retry(drawn, retry)
        chart = None
        with isolated(say("part_chart"), say):
            if record is not None and drawn.material is not None and view.opening is not None:
                filed = FiledRun(drawn.proposal, _gone(drawn)) if drawn.proposal is not None and view.ending is not None else None
                chart = chart_of_run(engine, record, drawn.material, view, show, drawn.form.up_down, (place, later), filed)
            else:
                hint = drawn.form.hint if record is None and drawn.form.values["feed"] == "recorded" else ""
                chart_before(engine, partial(_asked_for, drawn), show, drawn.form.up_down, place, poll=record is None, hint=hint)
        self.draw_lie(drawn, lie)
        self.offer_repeating(drawn, again)
        if drawn.has_result and record is not None and not drawn.watched:
            with ablation, isolated(say("matter"), say):
                _ablation(engine, record, show)
        self.draw_after(drawn, after, chart)

    def content_of(self, record: RunRecord, view: DecisionView, show: Show) -> PictureContent:
        """Return the market, the signal and every claim of analysts, debate and executor."""
        facts, ending = view.opening, view.ending
        action, valid = (ending.action, ending.is_valid) if ending is not None else (None, True)
        parts = (facts.symbol, facts.timeframe, numbers.stamp(facts.at)) if facts is not None else (record.request.subject,)
        return PictureContent(
            subject=" · ".join(filter(None, parts)),
            sign=named_action(action, show, valid=valid)[0],
            word=self.outcome(view, show),
            tags=market_and_model(record, show),
            claims=read_claims(view),
            snapshot_hash=facts.snapshot_hash if facts is not None else "",
        )

    def chart_at(
        self, record: RunRecord, material: ChartMaterial, view: DecisionView, show: Show, up_down: UpDown, like: ChartData | None = None
    ) -> ChartData:
        """Return the market of a run with its levels."""
        return chart_at(record, material, view, show, up_down, like.bars if like is not None else None)

    def headline(self, run: RunSummary, show: Show) -> str:
        """Return `▼ Enter short`."""
        return " ".join(named_action(run.headline, show, valid=run.is_valid is not False))

    def outcome(self, view: DecisionView, show: Show) -> str:
        """Return `Enter short`, or that the run failed or was stopped."""
        ending = view.ending
        if ending is None or ending.action is None:
            return super().outcome(view, show)
        return named_action(ending.action, show, valid=ending.is_valid)[1]

    def tab_word(self, view: DecisionView, show: Show) -> str:
        """Return `short` of an entry, in words else."""
        side = _SIDES.get(view.ending.action or "") if view.ending is not None and view.ending.is_valid else None
        return show.say(side).lower() if side is not None else self.outcome(view, show)

    def progress(self, view: DecisionView) -> tuple[int, int]:
        """Return how many of analysts, debaters, grounding and executor are done."""
        names = (*view.analysts, *DEBATE_SIDES, "grounding", "executor")
        return sum(view.role(name).ended for name in names), len(names)

    def choices(self, show: Show) -> Mapping[str, str]:
        """Return every signal."""
        return {str(signal): " ".join(named_action(signal, show)) for signal in Signal}

    def brief(self, view: DecisionView, show: Show) -> Markup:
        """Return the argument in three lines."""
        return brief_panel(view, show)

    def draw_plan(self, engine: Engine, proposal: Proposal, plan: OrderPlan, view: DecisionView, show: Show, up_down: UpDown) -> None:
        """Draw the run's market with the plan; stop and target can be dragged."""
        chart_of_plan(engine, proposal, plan, view, show, up_down)

    def reasons(self, engine: Engine, view: DecisionView, show: Show) -> Markup:
        """Return the executor's reasoning."""
        material = engine.decisions.chart(view.run_id) if view.run_id is not None else None
        return reasoning_of(view, replace(show, facts=material.sheet.facts) if material is not None else show)

    def figures(self, result: Mapping[str, Any], show: Show) -> dict[str, str]:
        """Return what a decision came to."""
        return decision_figures(result, show)


def _what(drawn: DrawnRun) -> Mapping[str, Any]:
    """Return what a run was asked for, else the values in the form."""
    values: Mapping[str, Any] = drawn.form.values
    return drawn.record.request.model_dump(include={"symbol", "feed", "model"}) if drawn.record is not None else values


def _gone(drawn: DrawnRun) -> int | None:
    """Return how many candles have gone by in a demo whose order is filled; None elsewhere."""
    course: Course | None = drawn.guided.scene.carried if drawn.guided is not None else None
    return course.candles if course is not None else None


def _asked_for(drawn: DrawnRun) -> DecideRequest:
    """Return what a run was asked for, or what the form asks for before one. Raises a TribunalError for a form that cannot be used."""
    request = drawn.form.market() if drawn.record is None else drawn.record.request
    assert isinstance(request, DecideRequest)
    return request


def _ablation(engine: Engine, record: RunRecord, show: Show) -> None:
    """Offered where something was corrected and the executor has spoken; the answer stays with the run."""
    result = record.result or {}
    if not result.get("executor_text") or not result.get("false_claims"):
        return
    if compared := result.get("did_it_matter"):
        draw_html(compared_decisions({**compared, "reasons": result.get("reasons")}, show))
        if "placebo" not in compared and st.button(
            form_word("ask_placebo", show.language), help=form_word("ask_placebo_help", show.language), key="ask-placebo"
        ):
            run_action(lambda: engine.decisions.without_corrections(record.run_id, placebo=True))
        return
    if st.button(form_word("ask_matter", show.language), help=form_word("ask_matter_help", show.language), key="ask-matter"):
        run_action(lambda: engine.decisions.without_corrections(record.run_id))


PAGES: Final = (DecisionPage("decision"),)
