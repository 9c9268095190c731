"""A finished run as one HTML file: its words, the corrections, the chart, its signature. It needs no network and runs no script. Pure."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from markupsafe import Markup

from engine.api import FillSummary
from engine.domain.proposal import Proposal
from pages.chart.figure import ChartData
from pages.chart.still import chart_svg
from pages.decision import panels
from pages.frame import numbers
from pages.frame.cards import card
from pages.frame.escape import joined, markup, plain
from pages.frame.isolation import isolated_html
from pages.frame.palette import UpDown, marker, stylesheet
from pages.frame.show import Show
from pages.run.messages import notice
from pages.run.view import RunView
from pages.trading.signature import signature_panel, to_the_second
from pages.trading.signed_numbers import signed_numbers

_POLICY = Markup("default-src 'none'; style-src 'unsafe-inline'")
"""What the browser lets the file do: show itself. A model's words stand in it."""
_OWN = Markup("""<style>
:root { color-scheme: light dark; }
body { max-width: 1240px; margin: 0 auto; padding: 24px 18px 48px; background: var(--bg); }
.tb-file { display: grid; grid-template-columns: minmax(0, 1fr); gap: 10px; }
.tb-svg text { paint-order: stroke; stroke: var(--surface); stroke-width: 3px; stroke-linejoin: round; }
.tb-svg text[fill="var(--on-colour)"] { stroke: none; }
.tb-svg { display: block; width: 100%; height: auto; font: 11px var(--sans); font-variant-numeric: tabular-nums lining-nums; }
.tb-verdict { padding: 10px 14px; background: var(--surface); border: 1px solid var(--line); border-left: 4px solid var(--executor); border-radius: 6px; }
.tb-an .txt { height: auto; }
@media print { body { padding: 0; } .tb-card { break-inside: avoid; } }
</style>""")  # noqa: E501 - a style sheet's lines


def run_document(
    view: RunView,
    show: Show,
    chart: ChartData | None,
    up_down: UpDown,
    proposal: Proposal | None = None,
    at: datetime | None = None,
    filled: FillSummary | None = None,
) -> Markup:
    """Return the whole file. view: of a run that has ended. chart: as the page draws it, None where there are no candles. proposal: what
    the run was filed as, as it stands at `at`, the instant of saving. filled: how its order was filled."""
    say, facts = show.say, view.facts
    proposal = proposal.as_at(at) if proposal is not None and at is not None else proposal
    language = "zh-Hans" if show.language == "zh" else "en"
    symbol = facts.symbol if facts else ""
    title = plain(f"Tribunal · {symbol} · {numbers.stamp(facts.at) if facts else ''}")
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
    head = markup(
        '<!doctype html><html lang="{}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        '<meta http-equiv="Content-Security-Policy" content="{}"><title>{}</title>{}{}</head>',
        language,
        _POLICY,
        title,
        stylesheet(),
        _OWN,
    )
    body = joined(isolated_html(say(name), say, make) for name, make in parts)
    return markup('{}<body>{}<main class="tb-file">{}</main></body></html>', head, marker(up_down), body)


def _foot(view: RunView, show: Show, proposal: Proposal | None, at: datetime | None) -> Markup:
    """Of which run it is; and of what instant its signature, which goes on elsewhere."""
    say, decided = show.say, view.facts.at if view.facts else None
    words = [say("saved_at", run=view.run_id, at=numbers.stamp(decided))]
    words += [say("saved_as", at=to_the_second(at))] if proposal is not None and at is not None else []
    return markup('<div class="tb tb-muted">{}</div>', " ".join(words))
