"""The answer with every number checked against its sources, and the table of its statements: from where, as of when, how sure."""

from collections.abc import Sequence

from markupsafe import Markup
from pydantic import JsonValue

from pages.frame import json_fields as read
from pages.frame import numbers
from pages.frame.cards import card, cell, head, heading, skeleton, table
from pages.frame.escape import joined, markup
from pages.frame.json_fields import Fields
from pages.frame.show import Show
from pages.research.research_view import ResearchView

_SIGNS = {"supported": "✓", "unsupported": "?", "no_number": "–"}


def answer_panel(view: ResearchView, show: Show) -> Markup:
    """Return the answer; lines in its place while it is looked for, nothing before a run."""
    say = show.say
    if view.run_id is None:
        return Markup()
    title = say("rs_answer")
    if not view.answer:
        return card(head(heading(title)), skeleton(92, 84, 60) if view.ending is None else say("rs_no_answer"), label=title)
    said = markup('<div class="tb-say judge"><p>{}</p></div>', checked_text(view.answer, view.statements, show))
    return card(head(heading(title), _key(view, show)), said, label=title)


def _key(view: ResearchView, show: Show) -> Markup:
    if not view.statements:
        return Markup()
    good, open_ = view.count("supported"), view.count("unsupported")
    parts = [markup('<span><span class="tb-claim ok">{}</span> {}</span>', numbers.number(good), show.say("rs_supported"))]
    if open_:
        parts.append(markup('<span><span class="tb-claim un">{}</span> {}</span>', numbers.number(open_), show.say("rs_unsupported")))
    return markup('<div class="tb-key">{}</div>', joined(parts))


def checked_text(text: str, statements: Sequence[Fields], show: Show) -> Markup:
    """Return a text with its numbers marked by what the sources hold, and its citations as small boxes."""
    marks: list[tuple[int, int, Markup]] = []
    for statement in statements:
        cited = read.wholes(statement, "citations")
        for number in read.rows(statement, "numbers"):
            start, end = read.count(number, "start"), read.count(number, "end")
            if 0 <= start < end <= len(text):
                marks.append((start, end, _number(text[start:end], number, show)))
        start, end = read.count(statement, "start"), read.count(statement, "end")
        marks += _citations(text, start, end, cited)
    marks.sort(key=lambda mark: (mark[0], -mark[1]))
    parts, at = list[object](), 0
    for start, end, shown in marks:
        if start < at:
            continue
        parts += [text[at:start], shown]
        at = end
    return joined([*parts, text[at:]])


def _citations(text: str, start: int, end: int, cited: Sequence[int]) -> list[tuple[int, int, Markup]]:
    found = []
    for n in dict.fromkeys(cited):
        mark, place = f"[{n}]", text.find(f"[{n}]", start, end + len(f"[{n}]"))
        while place >= 0:
            found.append((place, place + len(mark), source_mark(n)))
            place = text.find(mark, place + 1, end + len(mark))
    return found


def source_mark(n: int) -> Markup:
    """Return the box of a source, leading to its line in the table."""
    return markup('<a class="tb-src" href="#source-{}">{}</a>', n, n)


def _number(text: str, number: Fields, show: Show) -> Markup:
    found = read.wholes(number, "found_in")
    if found:
        why = show.say("rs_held_by", sources=", ".join(str(n) for n in found))
        return markup('<span class="tb-claim ok" title="{}">{}</span>', why, text)
    return markup('<span class="tb-claim un" title="{}">{}</span>', show.say("rs_held_by_none"), text)


def statements_panel(view: ResearchView, show: Show) -> Markup:
    """Return every statement with its sources, its date and how sure it is; nothing while there is none."""
    say = show.say
    if not view.statements:
        return Markup()
    title = say("rs_dossier", n=len(view.statements))
    names = ("rs_letter", "rs_statement", "rs_from", "rs_dated", "confidence", "rs_checked")
    heads = tuple((say(name), False) for name in names)
    rows = [_row(place, each, show) for place, each in enumerate(view.statements)]
    return card(head(heading(title)), table(heads, rows, "tb-ds"), label=title)


def _row(place: int, statement: Fields, show: Show) -> list[Markup]:
    say, status = show.say, read.words(statement, "status") or "no_number"
    letter = chr(ord("a") + place % 26)
    cited = read.wholes(statement, "citations")
    sources = joined(source_mark(n) for n in cited)
    origin = read.words(statement, "origin") or ""
    text = read.words(statement, "text") or ""
    offset = read.count(statement, "start")
    own: list[JsonValue] = [
        {**number, "start": read.count(number, "start") - offset, "end": read.count(number, "end") - offset}
        for number in read.rows(statement, "numbers")
    ]
    shown = checked_text(text, [{"numbers": own, "start": 0, "end": len(text), "citations": list[JsonValue](cited)}], show)
    return [
        cell(markup('<span class="tb-muted">{} {}</span>', _SIGNS.get(status, "–"), letter)),
        cell(shown, "said"),
        cell(sources or markup('<span class="tb-muted">{}</span>', origin)),
        cell(read.words(statement, "dated") or numbers.DASH),
        cell(confidence_bar(read.number(statement, "confidence"))),
        cell(say(f"rs_{status}") if status in _SIGNS else status),
    ]


def confidence_bar(value: float | None, threshold: float | None = None) -> Markup:
    """Return a bar of a confidence, 0-1, with its number; low below the threshold; a dash where it is not known."""
    if value is None:
        return markup("<span>{}</span>", numbers.DASH)
    low = " low" if threshold is not None and value < threshold else ""
    width = f"{min(100.0, max(0.0, value * 100)):.0f}"
    tick = markup('<i style="left:{}%"></i>', f"{threshold * 100:.0f}") if threshold is not None else ""
    inner = markup(
        '<span class="t" aria-hidden="true"><span style="width:{}%"></span>{}</span><b>{}</b>', width, tick, numbers.number(value, 2)
    )
    return markup('<span class="tb-conf{}">{}</span>', low, inner)
