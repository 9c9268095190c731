"""The frame of a run that is saved as one HTML file, of any flow: it needs no network, and plays the run by a script of its own. Pure."""

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from markupsafe import Markup

from pages.frame.escape import joined, markup
from pages.frame.palette import UpDown, marker, stylesheet
from pages.frame.show import Show
from pages.run.played_page import Moment, as_played, player

_SCRIPT: Final = Path(__file__).parents[2] / "assets" / "run" / "player.js"
_STILL: Final = Markup("default-src 'none'; style-src 'unsafe-inline'")
"""What the browser lets the file do: show itself. A model's words stand in it."""
_OWN = Markup("""<style>
:root { color-scheme: light dark; }
body { max-width: 1240px; margin: 0 auto; padding: 24px 18px 48px; background: var(--bg); }
.tb-file > :empty { display: none; }
.tb-player { position: sticky; top: 8px; z-index: 20; display: flex; align-items: center; gap: 12px; margin-bottom: 10px; padding: 8px 12px; }
.tb-player[hidden] { display: none; }
.tb-player button { flex: none; min-width: 84px; height: 32px; padding: 0 12px; border: 1px solid var(--line-strong); border-radius: 6px; background: none; color: var(--text); font: 600 13px/1 var(--sans); cursor: pointer; }
.tb-player input { flex: 1; min-width: 80px; height: 24px; accent-color: var(--human); cursor: pointer; }
.tb-player .words { flex: 0 1 46%; overflow: hidden; font-size: 12px; color: var(--muted); white-space: nowrap; text-overflow: ellipsis; }
.tb-player :is(button, input):focus-visible { outline: 2px solid var(--human); outline-offset: 2px; }
.tb-file { display: grid; grid-template-columns: minmax(0, 1fr); gap: 10px; }
.tb-svg text { paint-order: stroke; stroke: var(--surface); stroke-width: 3px; stroke-linejoin: round; }
.tb-svg text[style*="--on-colour"] { stroke: none; }
.tb-svg { display: block; width: 100%; height: auto; font: 11px var(--sans); font-variant-numeric: tabular-nums lining-nums; }
.tb-verdict { padding: 10px 14px; background: var(--surface); border: 1px solid var(--line); border-left: 4px solid var(--executor); border-radius: 6px; }
.tb-an .txt { height: auto; }
@media (max-width: 760px) { .tb-svgbox { overflow-x: auto; direction: rtl; } .tb-svg { width: 1080px; direction: ltr; } }
@media (max-width: 760px) { .tb-player { flex-wrap: wrap; } .tb-player .words { flex: 1 0 100%; } }
@media print { .tb-player { display: none; } body { padding: 0; } .tb-card { break-inside: avoid; } }
</style>""")  # noqa: E501 - a style sheet's lines


def saved_page(title: str, parts: Sequence[Markup], up_down: UpDown, show: Show, moments: Sequence[Moment] = ()) -> Markup:
    """Return the whole file. title: of what it is about. parts: its panels. moments: how they stood before, with as many parts each; with
    none of them the file runs no script."""
    body = joined(markup("<div data-part>{}</div>", part) for part in parts)
    script, played, controls = "", Markup(), Markup()
    if moments:
        script = _SCRIPT.read_text(encoding="utf-8")
        end = Moment(moments[-1].seq + 1, moments[-1].after_s, show.say("played_end"), tuple(parts))
        held = Markup(as_played(moments, end))  # noqa: S704 - JSON without a `<`
        own = Markup(script)  # noqa: S704 - a file of the pages
        played, controls = markup('<script type="application/json" id="played">{}</script><script>{}</script>', held, own), player(show)
    head = markup(
        '<!doctype html><html lang="{}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        '<meta http-equiv="Content-Security-Policy" content="{}"><title>{}</title>{}{}</head>',
        "zh-Hans" if show.language == "zh" else "en",
        _policy(script) if script else _STILL,
        f"Tribunal · {title}",
        stylesheet(),
        _OWN,
    )
    return markup('{}<body>{}{}<main class="tb-file">{}</main>{}</body></html>', head, marker(up_down), controls, body, played)


def _policy(script: str) -> Markup:
    """Return the same, with leave for the one script whose digest this is."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return markup("{}; script-src 'sha256-{}'", _STILL, digest)
