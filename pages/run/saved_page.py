"""The frame of a run that is saved as one HTML file, of any flow: it needs no network and runs no script. Pure."""

from markupsafe import Markup

from pages.frame.escape import markup
from pages.frame.palette import UpDown, marker, stylesheet
from pages.frame.show import Show

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
@media (max-width: 760px) { .tb-svgbox { overflow-x: auto; direction: rtl; } .tb-svg { width: 1080px; direction: ltr; } }
@media print { body { padding: 0; } .tb-card { break-inside: avoid; } }
</style>""")  # noqa: E501 - a style sheet's lines


def saved_page(title: str, body: Markup, up_down: UpDown, show: Show) -> Markup:
    """Return the whole file. title: of what it is about. body: its panels."""
    head = markup(
        '<!doctype html><html lang="{}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        '<meta http-equiv="Content-Security-Policy" content="{}"><title>{}</title>{}{}</head>',
        "zh-Hans" if show.language == "zh" else "en",
        _POLICY,
        f"Tribunal · {title}",
        stylesheet(),
        _OWN,
    )
    return markup('{}<body>{}<main class="tb-file">{}</main></body></html>', head, marker(up_down), body)
