"""What a saved page plays: the run as it was after each of its events, in the order and the time of its log. Pure.

A moment is the HTML of every part of the page. Most parts are the same from one moment to the next, and text grows at its end, so a part is
kept as what changed in it: how much of its beginning and of its end stays, and what is between. `assets/run/player.js` puts them
together.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from markupsafe import Markup
from pydantic import JsonValue

from engine.domain.events import Event, NodeTokens
from pages.frame.escape import markup
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
