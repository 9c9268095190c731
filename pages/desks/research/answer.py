"""The answer with every number checked against its sources, and the table of its statements: from where, as of when, how sure."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from markupsafe import Markup
from pydantic import JsonValue

from engine.desks.research.answer.headline import length_of_answer
from engine.domain.plan.results import LEFT_OUT
from pages.claims.claim_markup import mark_claims
from pages.desks.research.origins import number_of, source_mark
from pages.desks.research.research_view import ResearchView
from pages.desks.research.task_words import failure_words, tool_name
from pages.frame import json_fields as read
from pages.frame import numbers
from pages.frame.cards import card, cell, head, heading, label, skeleton, table
from pages.frame.escape import joined, markup
from pages.frame.json_fields import Fields
from pages.frame.show import Show
from pages.run.live_seat import live_seat

_LINE: Final = 40
"""Pixels that a task's statement takes, so that what is below the answer stays where it is when the answer comes."""
_CARRYING: Final = 3
_SIGNS = {"supported": "✓", "unsupported": "?", "no_number": "–"}
_CITED: Final = re.compile(r"\[(\d{1,2})\]")
_LONG: Final = re.compile(r"(?<![\w.,:/-])\d{5,}(?:\.\d+)?(?![\w:/]|[.-]\d)")
_BELOW_ZERO: Final = re.compile(r"(?<![\w.)\]-])-(?=\d)")


def answer_panel(view: ResearchView, show: Show) -> Markup:
    """Return the answer; lines in its place while it is looked for, nothing before a run."""
    say = show.say
    if view.run_id is None:
        return Markup()
    title = say("rs_answer")
    room = _LINE * sum(len(factor.planned) for factor in view.factors)
    if view.ending is None and (node := view.answering).state == "running":
        text = live_seat(node, mark_claims(node.text[: length_of_answer(node.text)], (), show, growing=True))
    elif not view.answer:
        waiting = skeleton(92, 84, 60) if view.ending is None else say("rs_no_answer")
        return card(head(heading(title)), markup('<div style="min-height:{}px">{}</div>', room, waiting), label=title)
    elif view.is_plan and (view.statements or view.synthesis):
        text = joined([_answered(view, show), _weighed(view, show), _not_known(view, show)])
    else:
        text = markup('<p class="tb-lines">{}</p>', checked_text(view.answer, view.statements, show))
        text += _weighed(view, show) if view.headline or view.against else Markup()
    return card(
        head(heading(title), _key(view, show)),
        markup('<div class="tb-say judge" style="min-height:{}px">{}</div>', room, text),
        label=title,
    )


def _answered(view: ResearchView, show: Show) -> Markup:
    """Return the synthesiser's answer, its numbers marked by what the results hold, and who gave it where no model did."""
    given = view.synthesis
    text = checked_text(read.words(given, "text") or "", read.rows(given, "statements"), show)
    by = Markup() if read.words(given, "by") == "model" else markup('<p class="tb-muted">{}</p>', show.say("rs_no_model"))
    return joined([markup('<p class="tb-lines">{}</p>', text), by]) if text else Markup()


def _weighed(view: ResearchView, show: Show) -> Markup:
    """Return three statements that carry the answer and one against it, each with its source. What was stated against it is
    held by its source."""
    say, carrying = show.say, _carrying_results(view) if view.is_plan else _carrying_sentences(view)
    lines = joined(markup("<li>{}</li>", _stated(each, view)) for each in carrying[:_CARRYING])
    text = read.words(view.against, "text")
    contrary = markup("<li>{}</li>", _cited(text, "")) if text else markup('<li class="tb-muted">{}</li>', say("rs_no_against"))
    return markup(
        '<div class="tb-weighed"><div><b>{}</b><ul>{}</ul></div><div><b>{}</b><ul>{}</ul></div></div>',
        say("rs_supports"),
        lines,
        say("rs_against"),
        contrary,
    )


def _carrying_results(view: ResearchView) -> list[Fields]:
    """Return a plan's statements: first those that the answer cites, then the surest; without those of the sentence against it."""
    cited = [n for each in read.rows(view.synthesis, "statements") for n in read.wholes(each, "citations")]
    deciding = read.count(view.headline, "n")
    opposed = [n for n in read.wholes(view.against, "citations") if n != deciding]

    def rank(statement: Fields) -> tuple[int, float]:
        n = number_of(view, statement)
        return cited.index(n) if n in cited else len(cited), -(read.number(statement, "confidence") or 0.0)

    return sorted((each for each in view.statements if number_of(view, each) not in opposed), key=rank)


def _carrying_sentences(view: ResearchView) -> list[Fields]:
    """Return the sentences of a search's answer that its documents hold, first the one with the figure that decides."""
    value = read.words(view.headline, "value")

    def rank(statement: Fields) -> bool:
        return value not in [read.words(each, "text") for each in read.rows(statement, "numbers")]

    return sorted((each for each in view.statements if read.words(each, "status") == "supported"), key=rank)


def _stated(statement: Fields, view: ResearchView) -> Markup:
    """Return a statement with its sources; a plan's with the number of the result that it was made of, and those of the documents behind
    that."""
    n, text = number_of(view, statement), read.words(statement, "text") or ""
    return joined([_cited(text, f"{n}."), " ", source_mark(n)] if n is not None else [_cited(text, "")])


def _cited(text: str, prefix: str) -> Markup:
    """Return a text with its citations as boxes. prefix: of the numbers that they lead to."""
    parts, at = list[object](), 0
    for found in _CITED.finditer(text):
        parts += [_restyled(text[at : found.start()]), source_mark(prefix + found[1])]
        at = found.end()
    return joined([*parts, _restyled(text[at:])])


def _restyled(words: str) -> str:
    """Return words with commas in numbers that are too long to be a year, and true minuses."""
    return _BELOW_ZERO.sub(numbers.MINUS, _LONG.sub(lambda found: numbers.grouped(found[0]), words))


def _not_known(view: ResearchView, show: Show) -> Markup:
    """Return what could not be found out, and why; nothing where all was."""
    lost = [task for factor in view.factors for task in factor.tasks if task.state == "skipped" and task.reason != LEFT_OUT]
    if not lost:
        return Markup()
    names = "; ".join(_lost(tool_name(task.tool, show), failure_words(task, view.threshold, show) or task.reason, show) for task in lost)
    return markup('<p class="tb-muted">{} {}</p>', show.say("rs_not_known"), names)


def _lost(name: str, why: str, show: Show) -> str:
    return f"{name}（{why}）" if show.language == "zh" else f"{name} ({why})" if why else name


def _key(view: ResearchView, show: Show) -> Markup:
    if not view.statements:
        return Markup()
    good, open_ = view.count_said("supported"), view.count_said("unsupported")
    parts = [markup('<span><span class="tb-claim ok">{}</span> {}</span>', numbers.number(good), show.say("rs_supported"))]
    if open_:
        parts.append(markup('<span><span class="tb-claim un">{}</span> {}</span>', numbers.number(open_), show.say("rs_unsupported")))
    if view.is_plan:  # a plan's statements are made by code, out of its results
        parts.append(label(show.say("rs_by_code")))
    return markup('<div class="tb-key">{}</div>', joined(parts))


def checked_text(text: str, statements: Sequence[Fields], show: Show, mark: Callable[[int], Markup] = source_mark) -> Markup:
    """Return a text with its numbers marked by what the sources hold, and its citations as small boxes. mark: draws one."""
    marks: list[tuple[int, int, Markup]] = []
    for statement in statements:
        cited = read.wholes(statement, "citations")
        for number in read.rows(statement, "numbers"):
            start, end = read.count(number, "start"), read.count(number, "end")
            if 0 <= start < end <= len(text):
                marks.append((start, end, _number(text[start:end], number, show)))
        start, end = read.count(statement, "start"), read.count(statement, "end")
        marks += _citations(text, start, end, cited, mark)
    marks.sort(key=lambda mark: (mark[0], -mark[1]))
    parts, at = list[object](), 0
    for start, end, shown in marks:
        if start < at:
            continue
        parts += [text[at:start], shown]
        at = end
    return joined([*parts, text[at:]])


def _citations(text: str, start: int, end: int, cited: Sequence[int], mark: Callable[[int], Markup]) -> list[tuple[int, int, Markup]]:
    found = []
    for n in dict.fromkeys(cited):
        words = f"[{n}]"
        place = text.find(words, start, end + len(words))
        while place >= 0:
            found.append((place, place + len(words), mark(n)))
            place = text.find(words, place + 1, end + len(words))
    return found


def _number(text: str, number: Fields, show: Show) -> Markup:
    found = read.wholes(number, "found_in")
    if found:
        why = show.say("rs_held_by", sources=show.say("list_comma").join(str(n) for n in found))
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
    rows = [_row(place, each, view, show) for place, each in enumerate(view.statements)]
    counts = [(view.count(status), sign, say(f"rs_{status}")) for status, sign in _SIGNS.items()]
    counted = label(" · ".join(f"{sign} {n} {word}" for n, sign, word in counts if n))
    return card(head(heading(title), counted), table(heads, rows, "tb-ds"), label=title)


def letter_of(place: int) -> str:
    """Return the letter of a statement: a to z, then aa, ab. place: from 0."""
    first, last = divmod(place, 26)
    return (letter_of(first - 1) if first else "") + chr(ord("a") + last)


def dated_words(written: str) -> str:
    """Return a date as its source gives it; an instant as `2026-05-16 08:00`; a dash for none."""
    try:
        return datetime.fromisoformat(written).strftime("%Y-%m-%d %H:%M") if len(written) > len("2026-05-16") else written or numbers.DASH
    except ValueError:
        return written


def _row(place: int, statement: Fields, view: ResearchView, show: Show) -> list[Markup]:
    say, status = show.say, read.words(statement, "status") or "no_number"
    cited, n = read.wholes(statement, "citations"), number_of(view, statement)
    sources = joined(source_mark(each) for each in cited) or (source_mark(n) if n is not None else Markup())
    text = read.words(statement, "text") or ""
    offset = read.count(statement, "start")
    own: list[JsonValue] = [
        {**number, "start": read.count(number, "start") - offset, "end": read.count(number, "end") - offset}
        for number in read.rows(statement, "numbers")
    ]
    fields: Fields = {"numbers": own, "start": 0, "end": len(text), "citations": list[JsonValue](cited)}
    shown = _cited(text, f"{n}.") if n is not None else checked_text(text, [fields], show)
    return [
        cell(markup('<span class="tb-muted">{} {}</span>', _SIGNS.get(status, "–"), letter_of(place))),
        cell(shown, "said"),
        cell(sources or markup('<span class="tb-muted">{}</span>', read.words(statement, "origin") or numbers.DASH)),
        cell(dated_words(read.words(statement, "dated") or "")),
        cell(confidence_bar(read.number(statement, "confidence"), view.threshold if view.is_plan else None)),
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
        '<span class="t" aria-hidden="true"><span style="width:{}%"></span>{}</span><b>{}</b>', width, tick, numbers.share(value)
    )
    return markup('<span class="tb-conf{}">{}</span>', low, inner)
