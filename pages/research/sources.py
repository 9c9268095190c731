"""The sources: how long each took and what it found, from hits to files, the scores of the rerank, and the table of what is cited."""

from collections import Counter

from markupsafe import Markup

from pages.frame import json_fields as read
from pages.frame import numbers
from pages.frame.cards import card, cell, head, heading, label, message, table
from pages.frame.escape import joined, markup
from pages.frame.json_fields import Fields
from pages.frame.show import Show
from pages.research.answer import confidence_bar
from pages.research.research_view import ResearchView, SourceAnswer
from pages.run.messages import short_hash

_BINS = 8
_NAMES = {
    "wikipedia": "Wikipedia",
    "openalex": "OpenAlex",
    "semantic_scholar": "Semantic Scholar",
    "tavily": "Tavily",
    "sec_edgar": "SEC EDGAR",
    "akshare": "akshare",
}


def source_name(source: str, show: Show) -> str:
    """Return a source as it calls itself."""
    known = {"library": "rs_library", "market": "rs_market", "journal": "rs_journal", "past_decisions": "rs_journal"}
    return _NAMES.get(source) or (show.say(known[source]) if source in known else source)


def sources_panel(view: ResearchView, show: Show) -> Markup:
    """Return a bar of time a source, and why those that failed did; nothing before one has answered."""
    failed = {**view.missing, **{each.source: each.error for each in view.searches if each.error is not None}}
    if not view.searches and not failed:
        return Markup()
    say = show.say
    title = say("rs_sources")
    answered = sum(each.error is None for each in view.searches)
    slowest = max((each.ms or 0.0 for each in view.searches), default=0.0)
    rows = joined(_bar(each, slowest, show) for each in view.searches)
    failures = [message(f"{source_name(name, show)}: {say('rs_failed')}", str(why)) for name, why in failed.items()]
    of = label(
        say(
            "rs_answered",
            n=answered,
            of=len(view.searches) + sum(name not in {each.source for each in view.searches} for name in view.missing),
        )
    )
    return card(head(heading(title), of), markup('<div class="tb-time">{}</div>', rows), joined(failures), label=title)


def _bar(answer: SourceAnswer, slowest: float, show: Show) -> Markup:
    width = f"{100 * (answer.ms or 0.0) / slowest if slowest else 0:.1f}"
    bad = " bad" if answer.error is not None else ""
    name = source_name(answer.source, show) + (f" · {show.say('rs_optional')}" if answer.optional else "")
    counted = " · ".join(
        part
        for part in (numbers.number(answer.found) if not bad else "✕", numbers.seconds(answer.ms / 1000) if answer.ms is not None else "")
        if part
    )
    bar = markup('<span class="t" aria-hidden="true"><span class="{}" style="left:0;width:{}%"></span></span>', bad.strip(), width)
    return markup('<span class="{}">{}</span>{}<span class="r">{}</span>', "tb-bad" if bad else "", name, bar, counted)


def funnel_panel(view: ResearchView, show: Show) -> Markup:
    """Return how many documents were found, kept and fetched, by source."""
    say = show.say
    counts = read.inner(view.ended_with, "statistics")
    found = Counter({each.source: each.found for each in view.searches if each.found})
    if not found:
        return Markup()
    kept = Counter(read.words(each, "source") or "" for each in view.documents)
    saved = Counter(read.words(each, "source") or "" for each in view.documents if read.words(each, "saved_path"))
    title = say("rs_funnel")
    rows = [
        (say("rs_searched"), found, read.count(counts, "searched") or sum(found.values())),
        (say("rs_after_rerank"), kept, read.count(counts, "after_rerank") or sum(kept.values())),
        (say("rs_downloaded"), saved, read.count(counts, "downloaded") or sum(saved.values())),
    ]
    most = max(sum(each.values()) for _, each, _ in rows) or 1
    lines = joined(_funnel_row(name, each, total, most, show) for name, each, total in rows)
    return card(head(heading(title)), markup('<div class="tb-fun">{}</div>', lines), label=title)


def _funnel_row(name: str, counts: Counter[str], total: int, most: int, show: Show) -> Markup:
    shares = joined(
        markup(
            '<span style="width:{}%" title="{} {}">{}</span>',
            f"{100 * n / most:.1f}",
            source_name(source, show),
            n,
            source_name(source, show)[:1],
        )
        for source, n in counts.most_common()
    )
    return markup('<span>{}</span><div class="t" aria-hidden="true">{}</div><b>{}</b>', name, shares, numbers.number(total))


def rerank_panel(view: ResearchView, show: Show) -> Markup:
    """Return the scores as a histogram with the threshold; why there are none; nothing before the rerank."""
    if not view.rerank:
        return Markup()
    say, model, note = show.say, read.words(view.rerank, "model") or "", read.words(view.rerank, "note") or ""
    title, spent = say("rs_rerank"), read.number(view.rerank, "ms")
    scores = [score for each in view.kept if (score := read.number(each, "rerank_score")) is not None]
    lines = " · ".join(
        part for part in (model, numbers.seconds(spent / 1000) if spent is not None else "", say("rs_left_out", n=view.dropped)) if part
    )
    parts = [_histogram(scores)] if scores else []
    parts += [message(say("rs_no_rerank"), note)] if note else []
    count = label(say("rs_scored", n=len(scores)))
    return card(head(heading(title), count), joined(parts), markup('<p class="tb-lab">{}</p>', lines), label=title)


def _histogram(scores: list[float]) -> Markup:
    least, most = min(scores), max(scores)
    width = (most - least) / _BINS or 1.0
    bins = Counter(min(_BINS - 1, int((score - least) / width)) for score in scores)
    highest = max(bins.values())
    bars = joined(
        markup(
            '<span class="on" style="height:{}%">{}</span>',
            f"{100 * bins[place] / highest:.0f}",
            markup("<em>{}</em>", bins[place]) if bins[place] else "",
        )
        for place in range(_BINS)
    )
    ends = markup('<div class="tb-axis"><span>{}</span><span class="e">{}</span></div>', numbers.number(least, 2), numbers.number(most, 2))
    return markup('<div class="tb-hist" aria-hidden="true">{}</div>{}', bars, ends)


def documents_panel(view: ResearchView, show: Show) -> Markup:
    """Return what was kept, numbered as it is cited; nothing before the rerank."""
    if not view.documents:
        return Markup()
    say = show.say
    title = say("rs_documents", n=len(view.documents))
    names = ("rs_number", "rs_title", "rs_source", "rs_dated", "rs_score", "rs_saved_as", "rs_cited_by")
    heads = tuple((say(name), False) for name in names)
    rows = [_document(n, each, view, show) for n, each in enumerate(view.documents, 1)]
    return card(head(heading(title)), table(heads, rows, "tb-ds"), label=title)


def _document(n: int, document: Fields, view: ResearchView, show: Show) -> list[Markup]:
    path, why = read.words(document, "saved_path"), read.words(document, "not_saved")
    saved = (
        markup('<span class="tb-mono">{}</span>', short_hash(path.rsplit("/", 1)[-1]))
        if path
        else markup('<span class="tb-muted">{}</span>', why or numbers.DASH)
    )
    score = read.number(document, "rerank_score")
    letters = [chr(ord("a") + place % 26) for place, each in enumerate(view.statements) if n in read.wholes(each, "citations")]
    return [
        cell(markup('<span class="tb-src" id="source-{}">{}</span>', n, n)),
        cell(markup('<span title="{}">{}</span>', read.words(document, "url") or "", read.words(document, "title") or ""), "said"),
        cell(source_name(read.words(document, "source") or "", show)),
        cell(read.words(document, "published_date") or numbers.DASH),
        cell(confidence_bar(score) if score is not None else show.say("rs_not_scored")),
        cell(saved),
        cell(", ".join(letters) or numbers.DASH),
    ]
