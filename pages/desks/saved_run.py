"""A finished run of a desk that orders as one HTML file: its words, the corrections, the chart, its signature, and how it came to them. It
needs no network. Pure."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from engine.api import FillSummary
from engine.domain.proposal import Proposal
from pages.chart.figure import ChartData
from pages.chart.still import KeptPictures, RunLog
from pages.frame import numbers
from pages.frame.escape import markup
from pages.frame.isolation import isolated_html
from pages.frame.palette import UpDown
from pages.frame.show import Show
from pages.run.messages import notice
from pages.run.saved_page import play_moments, saved_page
from pages.trading.answered import signature_panel
from pages.trading.signed_numbers import signed_numbers

if TYPE_CHECKING:
    from pages.desks.desk_page import DeskPage


@dataclass(frozen=True)
class SavedAs:
    """What is known of a run when it is saved. proposal: what it was filed as. at: the instant of saving. filled: how its order was filled.
    mind: what changed since the decision before."""

    proposal: Proposal | None = None
    at: datetime | None = None
    filled: FillSummary | None = None
    mind: Markup = field(default_factory=Markup)


def run_file(
    page: "DeskPage",
    view: Any,
    show: Show,
    chart: ChartData | None,
    up_down: UpDown,
    filed: SavedAs = SavedAs(),
    log: RunLog[Any] | None = None,
    below: Markup | None = None,
) -> Markup:
    """Return the whole file. view: of a run that has ended. chart: as the page draws it, None where there are no candles. log: what is
    played; None: nothing is. below: what is under the chart."""
    show, pictures = replace(show, disputing=False), KeptPictures()  # the file hears no button
    if filed.proposal is not None and filed.at is not None:
        filed = replace(filed, proposal=filed.proposal.as_at(filed.at))

    def then(past: Any) -> list[Markup]:
        return _drawn(page, past, show, pictures.of(log.chart_at(past) if log is not None else None, below), SavedAs())

    moments = play_moments(log.events, page.reducer, view, then, show) if log is not None else []
    end = _drawn(page, replace(view, proposal=filed.proposal), show, pictures.of(chart, below), filed)
    return saved_page(page.subject(view, show), end, up_down, show, moments)


def _drawn(page: "DeskPage", view: Any, show: Show, picture: Markup, filed: SavedAs) -> list[Markup]:
    """Return the panels, one below another: always as many."""
    say, proposal, said = show.say, filed.proposal, view.opening
    signed = signed_numbers(proposal, show, filled=filed.filled) if proposal is not None else ()
    made: list[tuple[str, Callable[[], Markup]]] = [
        ("market", lambda: page.market(view, show)),
        ("decision", lambda: page.bars.verdict(view, show, signed)),
        ("steps", lambda: page.bars.steps(view, show, proposal, still=True)),
        ("mind", lambda: filed.mind),
        ("part_signature", lambda: signature_panel(proposal, show) if proposal is not None else Markup()),
        ("part_chart", lambda: picture),
        *((panel.name, partial(panel.build, view, show)) for panel in page.panels),
        ("part_notice", lambda: notice(said.model if said else "", show)),
        ("part_files", lambda: _foot(view, show, filed)),
    ]
    return [isolated_html(say(name), say, make) for name, make in made]


def _foot(view: Any, show: Show, filed: SavedAs) -> Markup:
    """Return of which run it is; and of what instant its signature, which goes on elsewhere."""
    words = [show.say("saved_at", run=view.run_id, at=show.stamp(view.opening.at if view.opening else None))]
    words += [show.say("saved_as", at=numbers.to_the_second(filed.at))] if filed.proposal is not None and filed.at is not None else []
    return markup('<div class="tb tb-muted">{}</div>', " ".join(words))
