"""A finished run as one HTML file: its words, the corrections, the chart. It needs no network and runs no script. Pure."""

from pages.parts import figures, panels
from pages.parts.chart import ChartData
from pages.parts.chart_svg import chart_svg
from pages.parts.escape import plain
from pages.parts.palette import UpDown, marker, stylesheet
from pages.parts.panel_frame import card
from pages.parts.run_nouns import RunView
from pages.parts.showing import Show

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What the browser lets the file do: show itself. A model's words stand in it."""
_OWN = """<style>
:root { color-scheme: light dark; }
body { max-width: 1240px; margin: 0 auto; padding: 24px 18px 48px; background: var(--bg); }
.tb-file { display: grid; grid-template-columns: minmax(0, 1fr); gap: 10px; }
.tb-svg text { paint-order: stroke; stroke: var(--surface); stroke-width: 3px; stroke-linejoin: round; }
.tb-svg text[fill="var(--on-colour)"] { stroke: none; }
.tb-svg { display: block; width: 100%; height: auto; font: 11px var(--sans); font-variant-numeric: tabular-nums lining-nums; }
.tb-verdict { padding: 10px 14px; background: var(--surface); border: 1px solid var(--line); border-left: 4px solid var(--executor); border-radius: 6px; }
.tb-an .txt { height: auto; }
@media print { body { padding: 0; } .tb-card { break-inside: avoid; } }
</style>"""  # noqa: E501 - a style sheet's lines
_ORDER = (
    panels.debate_panel,
    panels.grounding_panel,
    panels.matrix_panel,
    panels.executor_panel,
    panels.analysts_panel,
    panels.position_panel,
    panels.evidence_panel,
    panels.waterfall_panel,
    panels.limits_panel,
    panels.timeline_panel,
    panels.run_facts_panel,
    panels.messages_panel,
)


def run_document(view: RunView, show: Show, chart: ChartData | None, up_down: UpDown) -> str:
    """The whole file. view: of a run that has ended. chart: as the page draws it, None where there are no candles."""
    say, facts = show.say, view.facts
    language = "zh-Hans" if show.language == "zh" else "en"
    symbol = facts.symbol if facts else ""
    title = plain(f"Tribunal · {symbol} · {figures.stamp(facts.at) if facts else ''}")
    drawn = [card(chart_svg(chart), label=chart.sentence)] if chart is not None else []
    parts = [
        panels.market_line(view, show) if facts else "",
        panels.verdict_bar(view, show),
        panels.step_strip(view, show),
        *drawn,
        *(panel(view, show) for panel in _ORDER),
        panels.notice(facts.model if facts else "", show),
        f'<div class="tb tb-muted">{plain(say("saved_at", run=view.run_id, at=figures.stamp(facts.at if facts else None)))}</div>',
    ]
    head = (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><title>{title}</title>{stylesheet()}{_OWN}</head>'
    )
    body = "".join(part for part in parts if part)
    return f'{head}<body>{marker(up_down)}<main class="tb-file">{body}</main></body></html>'
