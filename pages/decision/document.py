"""A finished run as one HTML file: its words, the corrections, the chart, its signature. It needs no network and runs no script. Pure."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial

from markupsafe import Markup

from engine.api import FillSummary
from engine.domain.proposal import Proposal
from pages.chart.figure import ChartData
from pages.chart.still import chart_svg
from pages.decision import panels
from pages.decision.decision_view import DecisionView
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


def run_document(
    view: DecisionView,
    show: Show,
    chart: ChartData | None,
    up_down: UpDown,
    proposal: Proposal | None = None,
    at: datetime | None = None,
    filled: FillSummary | None = None,
) -> Markup:
    """Return the whole file. view: of a run that has ended. chart: as the page draws it, None where there are no candles. proposal: what
    the run was filed as, as it stands at `at`, the instant of saving. filled: how its order was filled."""
    show = replace(show, disputing=False)  # the file hears no button
    say, facts = show.say, view.facts
    proposal = proposal.as_at(at) if proposal is not None and at is not None else proposal
    symbol, view = facts.symbol if facts else "", replace(view, proposal=proposal)
    parts: list[tuple[str, Callable[[], Markup]]] = [
        ("market", lambda: panels.market_line(view, show) if facts else Markup()),
        ("decision", lambda: panels.verdict_bar(view, show, signed_numbers(proposal, show, filled=filled) if proposal is not None else ())),
        ("steps", lambda: panels.step_strip(view, show, proposal, still=True)),
        ("part_signature", lambda: signature_panel(proposal, show) if proposal is not None else Markup()),
        ("part_chart", lambda: card(chart_svg(chart), label=chart.sentence) if chart is not None else Markup()),
        *((panel.name, partial(panel.build, view, show)) for panel in panels.PANELS),
        ("part_notice", lambda: notice(facts.model if facts else Markup(), show)),
        ("part_files", lambda: _foot(view, show, proposal, at)),
    ]
    body = joined(isolated_html(say(name), say, make) for name, make in parts)
    return saved_page(f"{symbol} · {numbers.stamp(facts.at) if facts else ''}", body, up_down, show)


def _foot(view: DecisionView, show: Show, proposal: Proposal | None, at: datetime | None) -> Markup:
    """Of which run it is; and of what instant its signature, which goes on elsewhere."""
    say, decided = show.say, view.facts.at if view.facts else None
    words = [say("saved_at", run=view.run_id, at=numbers.stamp(decided))]
    words += [say("saved_as", at=to_the_second(at))] if proposal is not None and at is not None else []
    return markup('<div class="tb tb-muted">{}</div>', " ".join(words))
