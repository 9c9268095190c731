"""What happened to a company, in the still picture of its chart: splits as dashed lines, results and news as letters in a lane below."""

from collections.abc import Callable, Sequence

from markupsafe import Markup

from pages.frame import json_fields
from pages.frame.escape import joined, markup

_ORDER = ("split", "report", "news")
_COLOURS = {"report": "fundamentals", "news": "news"}
_HALF, _A_LETTER, _MIDDLE = 7.0, 6.6, 545.0
"""Half the height of a mark, about how wide a letter of it is, and where the middle of the picture is."""


def event_lane(
    events: Sequence[json_fields.Fields], times: Sequence[float], x_of: Callable[[float], float], top: float, lane: float
) -> Markup:
    """Return the marks of the bars shown, one a place: where two would cover each other, a split goes before results, results before news.

    times: milliseconds of the bars shown, in order. x_of: index of a bar -> its middle. top: where lines of splits begin. lane: the middle
    of the marks' row."""
    index, taken, parts = {int(at): place for place, at in enumerate(times)}, list[tuple[float, float]](), list[Markup]()
    for kind in _ORDER:
        for event in events:
            place = index.get(json_fields.count(event, "t"))
            if event.get("kind") != kind or place is None:
                continue
            letters = json_fields.words(event, "mark") or ""
            x, half = x_of(place), max(_HALF, _A_LETTER * len(letters) / 2 + 4)
            if any(abs(x - other) < half + wide + 1 for other, wide in taken):
                continue
            taken.append((x, half))
            parts.append(_mark(kind, letters, json_fields.words(event, "name") or "", (x, lane, half), top))
    return joined(parts)


def _mark(kind: str, letters: str, name: str, at: tuple[float, float, float], top: float) -> Markup:
    """at: middle of the mark, x and y, and half its width."""
    x, y, half = at
    colour = _COLOURS.get(kind)
    line = Markup()
    if colour is None:
        left = x > _MIDDLE  # of the picture: there is more room on the other side
        line = markup(
            '<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="var(--text)" stroke-width="1" stroke-dasharray="4 3"/>'
            '<text x="{:.1f}" y="{:.1f}" fill="var(--text)" text-anchor="{}" font-weight="600">{}</text>',
            *(x, top, x, y - _HALF, x + (-4 if left else 4), top + 10, "end" if left else "start", name),
        )
    place = markup('x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"', x - half, y - _HALF, 2 * half, 2 * _HALF)
    fill, round_by = (colour or "surface"), 7 if kind == "news" else 2
    box = markup('<rect {} rx="{}" fill="var(--{})" stroke="var(--{})"/>', place, round_by, fill, colour or "text")
    text = markup(
        '<text x="{:.1f}" y="{:.1f}" fill="var(--{})" text-anchor="middle" font-weight="600">{}</text>',
        *(x, y + 4, "on-colour" if colour else "text", letters),
    )
    return markup('<g class="event"><title>{}</title>{}{}{}</g>', name, line, box, text)
