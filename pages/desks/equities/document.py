"""A finished run of the desk as one HTML file: its words, the corrections, the chart, its signature, and how it came to them. It needs no
network. Pure."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial

from markupsafe import Markup

from engine.api import FillSummary
from engine.desks.equities.chart_material import EquityChartMaterial
from engine.domain.proposal import Proposal
from pages.chart.figure import ChartData
from pages.chart.still import KeptPictures, RunLog
from pages.desks.equities.chart.price_chart import events_key
from pages.desks.equities.equity_reducer import EQUITIES
from pages.desks.equities.equity_steps import step_strip
from pages.desks.equities.equity_view import EquityView
from pages.desks.equities.panels import PANELS
from pages.desks.equities.pieces import NOTHING
from pages.desks.equities.verdict import market_line, verdict_bar
from pages.frame import numbers
from pages.frame.escape import markup
from pages.frame.isolation import isolated_html
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.run.messages import notice
from pages.run.played_page import play_moments
from pages.run.saved_page import saved_page
from pages.trading.answered import signature_panel
from pages.trading.signed_numbers import signed_numbers


def equity_document(  # noqa: PLR0913, PLR0917 - a file is made of this many things
    view: EquityView,
    show: Show,
    chart: ChartData | None,
    material: EquityChartMaterial | None,
    up_down: UpDown,
    proposal: Proposal | None = None,
    at: datetime | None = None,
    filled: FillSummary | None = None,
    log: RunLog[EquityView] | None = None,
    mind: Markup = NOTHING,
) -> Markup:
    """Return the whole file. view: of a run that has ended. chart, material: as the page draws them, None where nothing is known. proposal:
    what the run was filed as, as it is at `at`, the instant of saving. filled: how its order was filled. log: what is played; None:
    nothing is. mind: what changed since the decision before."""
    show = replace(show, disputing=False)  # the file hears no button
    facts, pictures = view.opening, KeptPictures()
    below = events_key(material, show) if material is not None else Markup()
    proposal = proposal.as_at(at) if proposal is not None and at is not None else proposal

    def parts(then: EquityView) -> list[Markup]:
        return _parts(then, show, pictures.of(log.chart_at(then) if log is not None else None, below), None, None, None, NOTHING)

    moments = play_moments(log.events, EQUITIES, view, parts, show) if log is not None else []
    title = f"{facts.symbol if facts else ''} · {facts.trade_date if facts else ''}"
    end = _parts(replace(view, proposal=proposal), show, pictures.of(chart, below), proposal, at, filled, mind)
    return saved_page(title, end, up_down, show, moments)


def _parts(
    view: EquityView,
    show: Show,
    picture: Markup,
    proposal: Proposal | None,
    at: datetime | None,
    filled: FillSummary | None,
    mind: Markup,
) -> list[Markup]:
    """Return the panels, one below another: always as many."""
    say, facts = show.say, view.opening
    signed = signed_numbers(proposal, show, filled=filled) if proposal is not None else ()
    made: list[tuple[str, Callable[[], Markup]]] = [
        ("market", lambda: market_line(view, facts, show) if facts else Markup()),
        ("decision", lambda: verdict_bar(view, show, signed)),
        ("steps", lambda: step_strip(view, show, proposal, still=True)),
        ("mind", lambda: mind),
        ("part_signature", lambda: signature_panel(proposal, show) if proposal is not None else Markup()),
        ("part_chart", lambda: picture),
        *((panel.name, partial(panel.build, view, show)) for panel in PANELS),
        ("part_notice", lambda: notice(facts.model if facts else "", show)),
        ("part_files", lambda: _foot(view, show, proposal, at)),
    ]
    return [isolated_html(say(name), say, make) for name, make in made]


def _foot(view: EquityView, show: Show, proposal: Proposal | None, at: datetime | None) -> Markup:
    """Return of which run it is; and of what instant its signature, which goes on elsewhere."""
    say, decided = show.say, view.opening.at if view.opening else None
    words = [say("saved_at", run=view.run_id, at=show.stamp(decided))]
    words += [say("saved_as", at=numbers.to_the_second(at))] if proposal is not None and at is not None else []
    return markup('<div class="tb tb-muted">{}</div>', " ".join(words))
