"""A run that is saved as one HTML file, of any flow: it needs no network, and plays the run by a script of its own, as it was after each of
its events, in the order and the time of its log. Pure.

A moment is the HTML of every part of the page. Most parts are the same from one moment to the next, and text grows at its end, so a part is
kept as what changed in it: how much of its beginning and of its end stays, and what is between. `assets/run/player.js` puts them
together.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from markupsafe import Markup
from pydantic import JsonValue

from engine.domain.events import Event, NodeTokens
from pages.frame.escape import joined, markup
from pages.frame.palette import UpDown, marker, stylesheet
from pages.frame.show import Show
from pages.run.look_back import moment_text
from pages.run.playback import play_times
from pages.run.reducer import V, ViewReducer
from pages.run.view import RunView

_TEXT_S: Final = 0.25
"""Words that follow one another sooner are one moment."""


@dataclass(frozen=True)
class Moment:
    """seq: of the event. after_s: when it is reached. words: what had happened. parts: the HTML of each part of the page."""

    seq: int
    after_s: float
    words: str
    parts: tuple[Markup, ...]


def play_moments(
    events: Sequence[Event], reducer: ViewReducer[V], view: RunView, parts_of: Callable[[V], Sequence[Markup]], show: Show
) -> list[Moment]:
    """Return the moments of a run but for its last event, which is the page itself. events: of the whole run. view: of its end. parts_of:
    the parts of the page as it was, always as many."""
    times, kept = play_times([event.at for event in events]), list[Moment]()
    then = replace(reducer.empty, asked_at=view.asked_at, whole=view)
    for index, event in enumerate(events[:-1]):
        then = reducer.reduce([event], then)
        following = events[index + 1]
        if isinstance(event.data, NodeTokens) and isinstance(following.data, NodeTokens):
            last_s = kept[-1].after_s if kept else -_TEXT_S
            if times[index + 1] - last_s < _TEXT_S:
                continue
        kept.append(Moment(event.seq, times[index], moment_text(event, events[0], len(events), show), tuple(parts_of(then))))
    return kept


def as_played(moments: Sequence[Moment], last: Moment) -> str:
    """Return moments as the JSON that the script reads, safe to stand in a script element. last: the page as it is saved."""
    every = [*moments, last]
    changes: list[JsonValue] = [_changes([moment.parts[index] for moment in every]) for index in range(len(last.parts))]
    content: dict[str, JsonValue] = {
        "at": [round(moment.after_s * 1000) for moment in every],
        "seq": [moment.seq for moment in every],
        "words": [moment.words for moment in every],
        "parts": changes,
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return (
        text.replace("&", "\\u0026")
        .replace("<", "\\u003c")
        .replace(">", "\\u003e")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )


def _changes(texts: Sequence[str]) -> list[JsonValue]:
    """Return `[moment, length of the beginning that stays, of the end that stays, what is between]` for every moment that differs from
    the one before. Lengths are UTF-16 units, as a browser counts."""
    found, before = list[JsonValue](), ""
    for index, text in enumerate(map(str, texts)):
        if text == before:
            continue
        begin = _same(before, text, len(text))
        end = _same(before[::-1], text[::-1], min(len(before), len(text)) - begin)
        found.append([index, _units(text[:begin]), _units(text[len(text) - end :]), text[begin : len(text) - end]])
        before = text
    return found


def _same(one: str, other: str, most: int) -> int:
    """Return how many characters two texts begin with alike, `most` of them at most."""
    low, high = 0, min(most, len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one.startswith(other[:middle]) else (low, middle - 1)
    return low


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def player(show: Show) -> Markup:
    """Return the controls; they are there once the script runs."""
    say = show.say
    return markup(
        '<div class="tb tb-card tb-player" role="group" aria-label="{}" hidden>'
        '<button type="button" data-play="{}" data-pause="{}"></button>'
        '<input type="range" min="0" step="1" aria-label="{}"><span class="words" aria-live="off"></span></div>',
        say("look_back"),
        f"▶ {say('play')}",
        f"❚❚ {say('pause')}",
        say("look_back"),
    )


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
