"""A finished run as one HTML file: its words, the corrections, the chart, its signature, and how it came to them. It needs no
network. Pure."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

from markupsafe import Markup

from engine.api import FillSummary
from engine.domain.proposal import Proposal
from pages.chart.figure import ChartData
from pages.chart.still import KeptPictures, RunLog
from pages.desks.decision import panels
from pages.desks.decision.decision_view import DECISION, DecisionView
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

NOTHING: Final = Markup()


def run_document(  # noqa: PLR0913, PLR0917 - a file is made of this many things
    view: DecisionView,
    show: Show,
    chart: ChartData | None,
    up_down: UpDown,
    proposal: Proposal | None = None,
    at: datetime | None = None,
    filled: FillSummary | None = None,
    log: RunLog[DecisionView] | None = None,
    mind: Markup = NOTHING,
) -> Markup:
    """Return the whole file. view: of a run that has ended. chart: as the page draws it, None where there are no candles. proposal: what
    the run was filed as, as it is at `at`, the instant of saving. filled: how its order was filled. log: what is played; None: nothing
    is. mind: what changed since the decision before."""
    show = replace(show, disputing=False)  # the file hears no button
    facts, pictures = view.opening, KeptPictures()
    proposal = proposal.as_at(at) if proposal is not None and at is not None else proposal

    def parts(then: DecisionView) -> list[Markup]:
        return _parts(then, show, pictures.of(log.chart_at(then) if log is not None else None), None, None, None, NOTHING)

    moments = play_moments(log.events, DECISION, view, parts, show) if log is not None else []
    title = f"{facts.symbol if facts else ''} · {numbers.stamp(facts.at) if facts else ''}"
    return saved_page(
        title, _parts(replace(view, proposal=proposal), show, pictures.of(chart), proposal, at, filled, mind), up_down, show, moments
    )


def _parts(
    view: DecisionView,
    show: Show,
    picture: Markup,
    proposal: Proposal | None,
    at: datetime | None,
    filled: FillSummary | None,
    mind: Markup,
) -> list[Markup]:
    """Return the panels, one below another: always as many."""
    say, facts = show.say, view.opening
    made: list[tuple[str, Callable[[], Markup]]] = [
        ("market", lambda: panels.market_line(view, show) if facts else Markup()),
        ("decision", lambda: panels.verdict_bar(view, show, signed_numbers(proposal, show, filled=filled) if proposal is not None else ())),
        ("steps", lambda: panels.step_strip(view, show, proposal, still=True)),
        ("mind", lambda: mind),
        ("part_signature", lambda: signature_panel(proposal, show) if proposal is not None else Markup()),
        ("part_chart", lambda: picture),
        *((panel.name, partial(panel.build, view, show)) for panel in panels.PANELS),
        ("part_notice", lambda: notice(facts.model if facts else Markup(), show)),
        ("part_files", lambda: _foot(view, show, proposal, at)),
    ]
    return [isolated_html(say(name), say, make) for name, make in made]


def _foot(view: DecisionView, show: Show, proposal: Proposal | None, at: datetime | None) -> Markup:
    """Of which run it is; and of what instant its signature, which goes on elsewhere."""
    say, decided = show.say, view.opening.at if view.opening else None
    words = [say("saved_at", run=view.run_id, at=numbers.stamp(decided))]
    words += [say("saved_as", at=numbers.to_the_second(at))] if proposal is not None and at is not None else []
    return markup('<div class="tb tb-muted">{}</div>', " ".join(words))
