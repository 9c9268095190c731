"""A finished run of the desk as one HTML file: its words, the corrections, the chart, its signature. It needs no network. Pure."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial

from markupsafe import Markup

from engine.api import EquityChartMaterial, FillSummary
from engine.domain.proposal import Proposal
from pages.chart.figure import ChartData
from pages.chart.still import chart_svg
from pages.equities.chart.price_chart import events_key
from pages.equities.equity_steps import step_strip
from pages.equities.equity_view import EquityView
from pages.equities.panels import PANELS
from pages.equities.verdict import market_line, verdict_bar
from pages.frame import numbers
from pages.frame.cards import card
from pages.frame.escape import joined, markup
from pages.frame.isolation import isolated_html
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.run.messages import notice
from pages.run.saved_page import saved_page
from pages.trading.signature import signature_panel, to_the_second
from pages.trading.signed_numbers import signed_numbers


def equity_document(
    view: EquityView,
    show: Show,
    chart: ChartData | None,
    material: EquityChartMaterial | None,
    up_down: UpDown,
    proposal: Proposal | None = None,
    at: datetime | None = None,
    filled: FillSummary | None = None,
) -> Markup:
    """Return the whole file. view: of a run that has ended. chart, material: as the page draws them, None where nothing is known. proposal:
    what the run was filed as, as it stands at `at`, the instant of saving. filled: how its order was filled."""
    show = replace(show, disputing=False)  # the file hears no button
    say, facts = show.say, view.equity
    proposal = proposal.as_at(at) if proposal is not None and at is not None else proposal
    view = replace(view, proposal=proposal)
    signed = signed_numbers(proposal, show, filled=filled) if proposal is not None else ()
    parts: list[tuple[str, Callable[[], Markup]]] = [
        ("market", lambda: market_line(view, facts, show) if facts else Markup()),
        ("decision", lambda: verdict_bar(view, show, signed)),
        ("steps", lambda: step_strip(view, show, proposal, still=True)),
        ("part_signature", lambda: signature_panel(proposal, show) if proposal is not None else Markup()),
        ("part_chart", lambda: _chart(chart, material, show)),
        *((panel.name, partial(panel.build, view, show)) for panel in PANELS),
        ("part_notice", lambda: notice(facts.model if facts else "", show)),
        ("part_files", lambda: _foot(view, show, proposal, at)),
    ]
    body = joined((isolated_html(say(name), say, make) for name, make in parts))
    title = f"{facts.symbol if facts else ''} · {facts.trade_date if facts else ''}"
    return saved_page(title, body, up_down, show)


def _chart(chart: ChartData | None, material: EquityChartMaterial | None, show: Show) -> Markup:
    if chart is None:
        return Markup()
    return card(chart_svg(chart), events_key(material, show) if material is not None else Markup(), label=chart.sentence)


def _foot(view: EquityView, show: Show, proposal: Proposal | None, at: datetime | None) -> Markup:
    """Return of which run it is; and of what instant its signature, which goes on elsewhere."""
    say, decided = show.say, view.equity.at if view.equity else None
    words = [say("saved_at", run=view.run_id, at=numbers.stamp(decided))]
    words += [say("saved_as", at=to_the_second(at))] if proposal is not None and at is not None else []
    return markup('<div class="tb tb-muted">{}</div>', " ".join(words))
