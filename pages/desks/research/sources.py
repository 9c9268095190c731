"""The table of what is cited: every source with its number, what it is, of when, where it lies, and which statements rest on it."""

from typing import Final

from markupsafe import Markup

from pages.desks.research.answer import confidence_bar, dated_words, letter_of
from pages.desks.research.origins import CitedSource, number_of, opened, origins_of
from pages.desks.research.research_view import ResearchView
from pages.desks.research.searches import source_name
from pages.frame import json_fields as read
from pages.frame import numbers
from pages.frame.cards import card, cell, head, heading, label, table
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.run.messages import short_hash

_FIRST: Final = 10
"""Lines that stand there at once; the others are behind a switch."""


def documents_panel(view: ResearchView, show: Show) -> Markup:
    """Return every source, numbered as it is cited; nothing before there is one."""
    origins = origins_of(view, show)
    if not origins:
        return Markup()
    say = show.say
    title = say("rs_documents", n=len(origins))
    last = "rs_of_plan" if view.is_plan else "rs_score"
    names = ("rs_number", "rs_title", "rs_source", "rs_dated", last, *(() if view.is_plan else ("rs_saved_as",)), "rs_cited_by")
    heads = tuple((say(name), False) for name in names)
    cited = _cited_by(view)
    rows = [_row(each, cited.get(each.name, ()), view, show) for each in origins]
    files = sum(each.document is not None and read.words(each.document, "saved_path") is not None for each in origins)
    count = label(say("rs_files_n", n=files)) if files else Markup()
    shown = table(heads, rows[:_FIRST], "tb-ds tb-src-table")
    if len(rows) > _FIRST:
        more = markup("<summary>{}</summary>", say("rs_show_more", n=len(rows) - _FIRST))
        shown += markup('<details class="tb-more">{}{}</details>', more, table(heads, rows[_FIRST:], "tb-ds tb-src-table"))
    return card(head(heading(title), count), shown, label=title)


def _cited_by(view: ResearchView) -> dict[str, list[str]]:
    """Return name of a source -> letters of the statements that rest on it."""
    found: dict[str, list[str]] = {}
    for place, statement in enumerate(view.statements):
        n = number_of(view, statement)
        names = [str(n)] if n is not None else [str(each) for each in read.wholes(statement, "citations")]
        for name in dict.fromkeys(names):
            found.setdefault(name, []).append(letter_of(place))
    return found


def _row(origin: CitedSource, letters: list[str] | tuple[str, ...], view: ResearchView, show: Show) -> list[Markup]:
    document = origin.document
    kept = [cell(_saved(document or {}, show))] if not view.is_plan else []
    score = read.number(document, "rerank_score") if document is not None else origin.confidence
    threshold = view.threshold if view.is_plan else view.rerank.threshold
    bar = confidence_bar(score, threshold) if score is not None else _no_score(view, show)
    return [
        cell(markup('<span class="tb-src" id="{}">{}</span>', origin.anchor, origin.name)),
        cell(opened(origin), "said"),
        cell(source_name(origin.source, show)),
        cell(dated_words(origin.dated)),
        cell(bar),
        *kept,
        cell(show.say("list_comma").join(letters) or numbers.DASH),
    ]


def _no_score(view: ResearchView, show: Show) -> str:
    """Return what is in place of a score."""
    return numbers.DASH if view.is_plan else show.say("rs_not_scored")


def _saved(document: read.Fields, show: Show) -> Markup:
    path, why = read.words(document, "saved_path"), read.words(document, "not_saved")
    if path:
        return markup('<span class="tb-mono">{}</span>', short_hash(path.rsplit("/", 1)[-1]))
    return markup('<span class="tb-muted">{}</span>', show.translated(why) or numbers.DASH)
