"""The sources of a search: when each was asked and how long it took, on one axis; what it found, and how much was left of that."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from markupsafe import Markup

from pages.frame import json_fields as read
from pages.frame import numbers
from pages.frame.cards import card, head, heading, label, message
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.research.research_view import ResearchView, SourceAnswer

_NAMES: Final = {
    "wikipedia": "Wikipedia",
    "openalex": "OpenAlex",
    "semantic_scholar": "Semantic Scholar",
    "tavily": "Tavily",
    "sec_edgar": "SEC EDGAR",
    "akshare": "akshare",
}
_WORDS: Final = {
    "library": "rs_library",
    "market": "rs_market",
    "journal": "rs_journal",
    "past_decisions": "rs_journal",
    "simulated": "rs_simulated",
    "calculated": "rs_calculated",
    "research": "rs_by_research",
}
_NARROWEST = 1.2
"""Percent of the axis: an answer out of a folder takes a moment, and is seen all the same."""
_SLACK = timedelta(milliseconds=50)


def source_name(source: str, show: Show) -> str:
    """Return a source as it calls itself."""
    return _NAMES.get(source) or (show.say(_WORDS[source]) if source in _WORDS else source)


def sources_panel(view: ResearchView, show: Show) -> Markup:
    """Return a bar of time a source, and why those that failed did; nothing before one has answered."""
    failed = {**view.missing, **{each.source: each.error for each in view.searches if each.error is not None}}
    if not view.searches and not failed:
        return Markup()
    say = show.say
    title = say("rs_sources")
    asked = {each.source for each in view.searches}
    answered = sum(each.error is None for each in view.searches)
    of = label(say("rs_answered", n=answered, of=len(view.searches) + sum(name not in asked for name in view.missing)))
    failures = [_failure(source_name(name, show), str(why), show) for name, why in failed.items()]
    troubles = markup('<div class="tb-troubles">{}</div>', joined(failures)) if failures else Markup()
    return card(head(heading(title), of), _bars(view, show), troubles, label=title)


def _failure(name: str, why: str, show: Show) -> Markup:
    """Return why a source gave nothing. What its network said stands in brackets: it is told to whoever points at the words."""
    shown = show.translated(why)
    opened, closed = (shown.find("（"), shown.rfind("）")) if "（" in shown else (shown.find(" ("), shown.rfind(")"))
    words = shown[:opened] + shown[closed + 1 :] if 0 <= opened < closed else shown
    words = words.removeprefix(name).lstrip(" :")
    return message(f"{name}: {show.say('rs_failed')}", markup('<span title="{}">{}</span>', why, words))


def _bars(view: ResearchView, show: Show) -> Markup:
    places, span = time_places(view.searches, view.started_at)
    if not view.searches:
        return Markup()
    rows = joined(_bar(each, *place, show) for each, place in zip(view.searches, places, strict=True))
    axis = (
        markup(
            '<span></span><span class="tb-axis"><span>0</span><span class="e">{}</span></span><span class="r"></span>',
            numbers.seconds(span.total_seconds()),
        )
        if span
        else Markup()
    )
    required = [each for each in view.searches if not each.optional and each.ms is not None]
    wall = _wall(required, show) if len(required) > 1 else Markup()
    return markup('<div class="tb-time">{}{}</div>{}', rows, axis, wall)


def time_places(searches: Sequence[SourceAnswer], started_at: datetime | None) -> tuple[list[tuple[float, float]], timedelta]:
    """Return the place of every answer on one axis, as its left and its width in percent, and how long that axis is.

    It begins where the first source was asked. Where the times in a log cannot be of one axis, since answers were taken over from an
    earlier run, every bar begins at its left. started_at: of the run.
    """
    known = [(each.began_at, each.ended_at) for each in searches if each.began_at is not None and each.ended_at is not None]
    is_earlier = started_at is not None and any(began < started_at - _SLACK for began, _ in known)
    if not known:
        return [(0.0, 0.0) for _ in searches], timedelta()
    longest = max(ended - began for began, ended in known)
    first = min(began for began, _ in known)
    span = longest if is_earlier else max(ended for _, ended in known) - first
    places = []
    for each in searches:
        if each.began_at is None or each.ms is None:
            places.append((0.0, 0.0))
            continue
        width = _percent(timedelta(milliseconds=each.ms), span)
        left = 0.0 if is_earlier else min(_percent(each.began_at - first, span), 100 - max(width, _NARROWEST))
        places.append((left, min(max(width, _NARROWEST), 100 - left)))
    return places, span


def _percent(part: timedelta, whole: timedelta) -> float:
    return min(100.0, max(0.0, 100 * part / whole)) if whole else 0.0


def _bar(answer: SourceAnswer, left: float, width: float, show: Show) -> Markup:
    bad = " bad" if answer.error is not None else ""
    sign = "✕ " if bad else ""
    name = source_name(answer.source, show) + (f" · {show.say('rs_optional')}" if answer.optional else "")
    parts = ("" if bad else numbers.number(answer.found), numbers.seconds(answer.ms / 1000) if answer.ms is not None else "")
    place = f"{left:.1f}", f"{width:.1f}"
    bar = markup('<span class="t" aria-hidden="true"><span class="{}" style="left:{}%;width:{}%"></span></span>', bad.strip(), *place)
    counted = " · ".join(part for part in parts if part)
    return markup('<span class="{}">{}{}</span>{}<span class="r">{}</span>', "tb-bad" if bad else "", sign, name, bar, counted)


def _wall(required: Sequence[SourceAnswer], show: Show) -> Markup:
    """Return how long the search took as a whole, beside its slowest source; nothing where that cannot be said."""
    begins = [each.began_at for each in required if each.began_at is not None]
    ends = [each.ended_at for each in required if each.ended_at is not None]
    slowest = max(each.ms or 0.0 for each in required) / 1000
    wall = (max(ends) - min(begins)).total_seconds() if begins and ends else 0.0
    if wall < slowest:
        return Markup()
    words = show.say("rs_wall", wall=numbers.seconds(wall), slowest=numbers.seconds(slowest))
    return markup('<p class="tb-lab">{}</p>', words)


def funnel_panel(view: ResearchView, show: Show) -> Markup:
    """Return how many documents were found, kept and fetched, by source, and where the others went."""
    found = Counter({each.source: each.found for each in view.searches if each.found})
    if not found:
        return Markup()
    say, counts = show.say, read.inner(view.ended_with, "statistics")
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
    lost = " · ".join(_left_behind(view, counts, show))
    foot = markup('<p class="tb-lab">{}</p>', lost) if lost else Markup()
    return card(head(heading(title)), markup('<div class="tb-fun">{}</div>', lines), foot, label=title)


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


def _left_behind(view: ResearchView, counts: read.Fields, show: Show) -> list[str]:
    """Return what became of the documents that were found and are not there."""
    say = show.say
    later = read.count(counts, "dated_later")
    twice = read.count(counts, "searched") - later - read.count(counts, "merged") if counts else 0
    unsaved = sum(read.words(each, "not_saved") is not None for each in view.documents)
    rows = (("rs_lost_twice", twice), ("rs_lost_later", later), ("rs_lost_below", view.dropped), ("rs_lost_unsaved", unsaved))
    return [say(key, n=n) for key, n in rows if n > 0]
