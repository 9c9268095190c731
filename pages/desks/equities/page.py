"""The page of the equities desk: ask for a decision on a company and watch it being argued, sign it, look back at it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import streamlit as st
from markupsafe import Markup

from engine.api import Engine, seats_of
from engine.desks.equities.chart_material import CompanyChart, EquityChartMaterial
from engine.domain.proposal import OrderPlan, Proposal
from engine.domain.run import RunRecord, RunRequest, RunSummary
from engine.domain.text.language import Language
from pages.chart.figure import ChartData
from pages.claims.telling import brief_card, brief_line, passage
from pages.desks.desk_page import DeskPage, DrawnRun
from pages.desks.equities.chart.price_chart import (
    annotations,
    chart_of_plan,
    company_before,
    company_chart,
    draw_chart_before,
    equity_chart,
    events_key,
)
from pages.desks.equities.equity_form import draw_examples, equity_form, fill_equity_form
from pages.desks.equities.equity_steps import step_strip
from pages.desks.equities.equity_view import ADVISOR, EQUITIES, EquityOpening, EquityView, role_of_node
from pages.desks.equities.guided_demo import GUIDE
from pages.desks.equities.panels import PANELS
from pages.desks.equities.pieces import NOTHING, action_text, marked, money, placed_claims, who
from pages.desks.equities.verdict import facts_before, market_line, named_action, verdict_bar
from pages.desks.run_picture import PictureContent, market_and_model
from pages.frame import json_fields, numbers
from pages.frame.cards import label
from pages.frame.escape import markup
from pages.frame.isolation import isolated
from pages.frame.json_fields import Fields
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.run.draw import draw_panels, slots
from pages.run.flow_page import RunForm
from pages.run.market_line import run_tags, subject_line
from pages.run.view import READER, RunView, Turn
from pages.trading.ticket import BarParts
from pages.words.texts import words_in

_WHO = ("trader", "risk_judge", "research_manager", "bull_researcher", "bear_researcher")
_WORDS = ("company_of_interest", "trade_date", "trading_session", "preset", "trader_action")
_NUMBERS = ("current_price", "account_cash", "account_total_value", "largest_allowed_order")


def equity_figures(state: Fields, show: Show) -> dict[str, str]:
    """Return field -> what a result has there: plain fields, the order, the rulings, a line an analyst, the counts."""
    found = {name: json_fields.words(state, name) or numbers.DASH for name in _WORDS}
    found |= {name: money(json_fields.number(state, name)) for name in _NUMBERS}
    order = json_fields.inner(state, "order")
    found |= {f"order.{name}": _value(order, name) for name in ("quantity", "price", "stop_price", "target_price")}
    for ruling in ("research_summary", "risk_summary"):
        inner = json_fields.inner(state, ruling)
        found |= {f"{ruling}.{name}": _value(inner, name) for name in ("action", "quantity", "confidence", "binding")}
    analysts = json_fields.inner(state, "analysts")
    for key in analysts:
        record = json_fields.inner(analysts, key)
        view = json_fields.inner(record, "view")
        said = f"{_value(view, 'direction')} {_value(view, 'confidence')} · {_value(record, 'status')} · {_value(record, 'tool_calls')}"
        found[show.name(key)] = said
    found |= {name: _value(state, name) for name in ("total_claims", "false_claims", "hallucination_score", "is_valid", "inputs_hash")}
    metrics = json_fields.inner(state, "metrics")
    return found | {f"metrics.{name}": _value(metrics, name) for name in ("llm_calls_count", "tool_calls_count", "total_tokens")}


def _value(fields: Fields, name: str) -> str:
    value = fields.get(name)
    if isinstance(value, bool) or value is None:
        return numbers.DASH if value is None else str(value).lower()
    number = json_fields.number(fields, name)
    return numbers.grouped(f"{number:g}") if number is not None and abs(number) < 1e6 else str(value)


def brief_lines(view: RunView, show: Show) -> Markup:
    """Return what each of them said last, who decides first; "" before one has spoken."""
    if not isinstance(view, EquityView):
        return NOTHING
    said = [speech for name in _WHO if (speech := view.last_by(name)) is not None and speech.words]
    if not said:
        return NOTHING
    shown = replace(show, step=view.opening.step) if view.opening is not None else show
    good, bad = (sum(claim.verdict == verdict for claim in view.claims) for verdict in ("true", "false"))
    summary = show.say("eq_brief_of", good=good, total=good + bad) if good + bad else ""
    return brief_card(show.say("eq_brief"), summary, [_line(speech, shown) for speech in said])


def _line(speech: Turn, show: Show) -> Markup:
    claims, role = placed_claims(speech), role_of_node(speech.name)
    ruled = action_text(speech.result, show)
    sure = json_fields.number(speech.result, "confidence")
    top = markup(
        '<div class="row">{}{}{}</div>',
        who(speech.name, show),
        markup('<b class="tb-ruling">{}</b>', ruled) if ruled else "",
        label(show.say("confidence"), numbers.number(sure)) if sure is not None else "",
    )
    return brief_line(role, top, speech.words, claims, passage(speech.words, claims, role), show)


FLOW: Final = "fusion"
"""Of the runs of the equities desk."""


class EquitiesPage(DeskPage):
    """The pages of the equities desk."""

    path, guide, has_picture = "equities", GUIDE, True
    bars, reducer, panels = BarParts(verdict_bar, step_strip), EQUITIES, PANELS

    def draw_form(self, engine: Engine) -> RunForm:
        """Draw the form of the desk and return what is in it."""
        return equity_form(engine)

    def fill_form(self, request: RunRequest, language: Language) -> None:
        """Put what a run was asked for into the form."""
        fill_equity_form(request, language)

    def titles(self, engine: Engine, language: Language) -> Mapping[str, str]:
        """Return the names of analysts, debaters, judges and the trader."""
        return titles_in(language)

    def material(self, engine: Engine, run_id: str) -> EquityChartMaterial | None:
        """Return the company of a run."""
        return engine.equities.chart(run_id)

    def time_zone(self, material: EquityChartMaterial | None) -> str:
        """Return the time zone of the exchange."""
        return material.listing.time_zone if material is not None else ""

    def price_step(self, material: EquityChartMaterial) -> float | None:
        """Return the step of the share's prices."""
        return float(material.listing.price_step) if material.listing.price_step is not None else None

    def steps(self, view: EquityView, show: Show) -> list[str]:
        """Return those who speak: an index has an advisor in place of judges and order."""
        return steps_of(view)

    def completed(self, run: EquityView, record: RunRecord | None, form: RunForm) -> EquityView:
        """Return the run with who will speak in it."""
        return run if run.opening is not None else replace(run, opening=_planned(form, record))

    def look_before(self, engine: Engine, form: RunForm, record: RunRecord | None, material: EquityChartMaterial | None) -> Any:
        """Return the company as it is known before a run says it, and why it is missing."""
        return company_before(engine, partial(_asked_for, form, record)) if material is None else (None, "")

    def market(self, view: EquityView, show: Show) -> Markup:
        """Return the company."""
        return market_line(view.opening, show) if view.opening is not None and view.opening.symbol else NOTHING

    def subject(self, view: EquityView, show: Show) -> str:
        """Return the company and the day that is decided for."""
        return f"{view.opening.symbol} · {view.opening.trade_date}" if view.opening is not None else ""

    def below_chart(self, material: EquityChartMaterial, show: Show) -> Markup:
        """Return the key of the company's events."""
        return events_key(material, show)

    def market_asked(self, drawn: DrawnRun) -> Markup:
        """Return the company as it is known, or what is asked for."""
        form, show, record = drawn.form, drawn.show, drawn.record
        asked = record.request.model_dump(mode="json") if record is not None else {}
        words = (json_fields.words(asked, name) for name in ("symbol", "feed", "model"))
        symbol, feed, model = (
            found or own for found, own in zip(words, (form.values["symbol"], form.values["feed"], form.model), strict=True)
        )
        company: CompanyChart | None = drawn.before[0]
        if company is not None:
            return market_line(facts_before(company, json_fields.words(asked, "session") or form.values["session"], feed, model), show)
        return subject_line(symbol, tags=run_tags(feed, model, show))

    def model_of(self, drawn: DrawnRun) -> str:
        """Return the model that the run names, else the form's."""
        own = drawn.view.opening.model if drawn.view.opening is not None else ""
        return str(own or drawn.form.model)

    def draw_body(self, drawn: DrawnRun) -> None:
        """Draw the panels of a run, and its chart once its company is known."""
        if drawn.record is None:
            draw_examples(drawn.form)
        left, right = st.columns([2.42, 1])
        wide, foot, after = slots(3)
        with left:
            place, lie, retry, said, again = st.container(key="chart-place"), *slots(4)
        engine, view, show, record, form = drawn.engine, drawn.then, drawn.show, drawn.record, drawn.form
        if record is not None:
            draw_panels(self.panels, {"main": said, "side": right, "wide": wide, "foot": foot}, view, show)
            self.draw_retry(drawn, retry)
        chart, say = None, show.say  # behind the words: it takes longer than they do
        if record is not None and drawn.material is not None:
            with isolated(say("part_chart"), say):
                over = view.ending is not None
                filed, plans = drawn.proposal if over else None, engine.repetitions.plans_of_stamp(record) if over else ()
                chart = equity_chart(record.run_id, drawn.material, view, show, form.up_down, place, filed, plans)
        self.draw_lie(drawn, lie)
        self.offer_repeating(drawn, again)
        self.draw_after(drawn, after, chart)
        if drawn.material is None:
            with isolated(say("part_chart"), say):
                asked, hint = partial(_asked_for, form, record), form.hint if record is None else ""
                draw_chart_before(engine, asked, drawn.before, show, form.up_down, place, poll=record is None, hint=hint)

    def content_of(self, record: RunRecord, view: EquityView, show: Show) -> PictureContent:
        """Return the company, what it came to and every claim."""
        facts, ending = view.opening, view.ending
        headline, valid = (ending.headline, ending.is_valid) if ending is not None else (None, True)
        parts = (facts.symbol, facts.trade_date) if facts is not None else (record.request.subject,)
        return PictureContent(
            subject=" · ".join(filter(None, map(str, parts))),
            sign=named_action(headline, show, valid=valid)[0],
            word=self.outcome(view, show),
            tags=market_and_model(record, show),
            claims=view.claims,
            snapshot_hash=facts.snapshot_hash if facts is not None else "",
        )

    def chart_at(
        self, record: RunRecord, material: EquityChartMaterial, view: EquityView, show: Show, up_down: UpDown, like: ChartData | None = None
    ) -> ChartData:
        """Return the company's chart with the levels of the order."""
        bars = like.bars if like is not None else None
        return company_chart(record.run_id, material, show, up_down, annotations(view, material)).data(bars)

    def headline(self, run: RunSummary, show: Show) -> str:
        """Return `▲ Buy`."""
        return " ".join(named_action(run.headline, show, valid=run.is_valid is not False))

    def outcome(self, view: EquityView, show: Show) -> str:
        """Return `Buy`, or that the run failed or was stopped."""
        ending = view.ending
        if ending is None or ending.status != "finished":
            return super().outcome(view, show)
        return named_action(ending.headline, show, valid=ending.is_valid)[1]

    def progress(self, view: EquityView) -> tuple[int, int] | None:
        """Return how many of those who speak are done; None before the run has said who does."""
        if view.opening is None:
            return None
        names = steps_of(view)
        return sum(view.nodes[name].ended for name in names if name in view.nodes), len(names)

    def choices(self, show: Show) -> Mapping[str, str]:
        """Return what the trader can be told."""
        return {action: " ".join(named_action(action, show)) for action in ("buy", "sell", "hold")}

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
        return marked(ruling, view, show) if ruling is not None else Markup()

    def figures(self, result: Mapping[str, Any], show: Show) -> dict[str, str]:
        """Return what a run came to."""
        return equity_figures(result, show)


def titles_in(language: Language) -> dict[str, str]:
    """Return node -> its name, of every role of the desk."""
    spoken = {node: seat for node, seat in seats_of(FLOW).items() if seat.role != READER}
    seats = {node: seat.title[language] for node, seat in spoken.items() if not node.endswith(("_again", "_memory"))}
    say = words_in(language)
    return {**seats, "fusion": say("eq_layer_fusion"), "memory_summarizer": say("eq_layer_memory")}


def _asked_for(form: RunForm, record: RunRecord | None) -> RunRequest:
    """Return what a run was asked for, or what the form asks for before one. Raises a TribunalError for a form that cannot be used."""
    return form.request() if record is None else record.request


def _planned(form: RunForm, record: RunRecord | None) -> EquityOpening:
    """Return who will speak in a run that has said nothing yet, or in the one that the form asks for."""
    asked = record.request.model_dump(mode="json") if record is not None else {}
    own = form.values
    preset, depth = json_fields.words(asked, "preset") or own["preset"], json_fields.count(asked, "depth") or int(own["depth"])
    return EquityOpening(preset=preset, depth=depth, tool_limit=own["tool_limit"], analysts=own["analysts"])


def steps_of(view: EquityView) -> list[str]:
    """Return the steps that a run can be asked again from, in speaking order: an index has an advisor in place of judges and order."""
    if view.is_index:
        return [*view.analysts, *view.rooms.get("research", ()), ADVISOR]
    return [*view.analysts, *(node for room in view.rooms.values() for node in room), "trader"]


PAGES: Final = (EquitiesPage(FLOW),)
