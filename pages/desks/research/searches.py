"""The sources of a search: when each was asked and how long it took, on one axis; what it found, and how much was left of that."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from markupsafe import Markup

from pages.desks.research.research_view import ResearchView, SourceAnswer
from pages.desks.research.task_words import tool_name
from pages.frame import json_fields as read
from pages.frame import numbers
from pages.frame.cards import card, head, heading, label
from pages.frame.escape import joined, markup
from pages.frame.show import Show

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
    "simulated": "simulated_market",
    "calculated": "rs_calculated",
    "research": "rs_by_research",
}
_NARROWEST = 1.2
"""Percent of the axis: an answer out of a folder takes a moment, and is seen all the same."""
_SLACK = timedelta(milliseconds=50)


def source_name(source: str, show: Show) -> str:
    """Return a source as it calls itself."""
    return _NAMES.get(source) or (show.say(_WORDS[source]) if source in _WORDS else source)


@dataclass(frozen=True, slots=True)
class SourceTile:
    """A source and its state. sign: ✓ it answered, ✕ it did not, ○ it was not asked. said: what it gave, or why it gave nothing. whole: the
    reason in full, "" where `said` is all of it."""

    name: str
    sign: str
    said: str
    whole: str = ""


def sources_panel(view: ResearchView, show: Show) -> Markup:
    """Return a tile a source with its state, and a bar of time each; of a plan its tools. Nothing before one has answered."""
    tiles = _tools(view, show) if view.is_plan else _sources(view, show)
    if not tiles:
        return Markup()
    title, answered = show.say("rs_sources"), sum(each.sign == "✓" for each in tiles)
    of = label(show.say("rs_answered", n=answered, of=len(tiles)))
    return card(
        head(heading(title), of), markup('<div class="tb-tiles">{}</div>', joined(map(_tile, tiles))), _bars(view, show), label=title
    )


def _tile(tile: SourceTile) -> Markup:
    css_class = {"✕": " bad", "○": " off"}.get(tile.sign, "")
    return markup(
        '<div class="tile{}"><b><span aria-hidden="true">{}</span> {}</b><span title="{}">{}</span></div>',
        css_class,
        tile.sign,
        tile.name,
        tile.whole,
        tile.said,
    )


def _sources(view: ResearchView, show: Show) -> list[SourceTile]:
    """Return the sources of a search, then those that have no tool."""
    found, asked = list[SourceTile](), set[str]()
    for each in view.searches:
        name = source_name(each.source, show) + (f" · {show.say('rs_optional')}" if each.optional else "")
        asked.add(each.source)
        if each.error is not None:
            found.append(_unanswered(name, "✕", show.say("rs_tile_failed"), str(each.error), show))
            continue
        took = numbers.seconds(each.ms / 1000) if each.ms is not None else ""
        parts = (show.say("rs_tile_found", n=numbers.number(each.found)), took)
        found.append(SourceTile(name, "✓", " · ".join(part for part in parts if part)))
    missing = ((name, why) for name, why in view.missing.items() if name not in asked)
    return found + [_unanswered(source_name(name, show), "○", show.say("rs_tile_missing"), str(why), show) for name, why in missing]


def _tools(view: ResearchView, show: Show) -> list[SourceTile]:
    """Return the tools of a plan as it is: how many results each gave and from where, or that it gave none."""
    tasks = [task for factor in view.factors for task in factor.tasks if not task.old]
    found = []
    for tool in dict.fromkeys(task.tool for task in tasks):
        own = [task for task in tasks if task.tool == tool]
        done = [task for task in own if task.state == "done"]
        if done:
            places = dict.fromkeys(source_name(task.source, show) for task in done if task.source)
            parts = (show.say("rs_tile_results", n=numbers.number(len(done))), show.say("list_comma").join(places))
            found.append(SourceTile(tool_name(tool, show), "✓", " · ".join(part for part in parts if part)))
        elif all(task.state in ("error", "skipped") for task in own):
            why = next((task.error or task.reason for task in reversed(own) if task.error or task.reason), "")
            found.append(_unanswered(tool_name(tool, show), "✕", show.say("rs_tile_failed"), why, show))
    return found


def _unanswered(name: str, sign: str, state: str, why: str, show: Show) -> SourceTile:
    """Return the tile of a source that gave nothing. What its network said is shown in a tooltip."""
    shown = show.translated(why)
    opened, closed = (shown.find("（"), shown.rfind("）")) if "（" in shown else (shown.find(" ("), shown.rfind(")"))
    words = shown[:opened] + shown[closed + 1 :] if 0 <= opened < closed else shown
    words = words.removeprefix(name).lstrip(" :")
    return SourceTile(name, sign, f"{state}{show.say('colon')}{words}" if words else state, shown)


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
    words = (" · ".join(_left_behind(view, counts, show)), _reranked(view, show))
    feet = joined(markup('<p class="tb-lab">{}</p>', line) for line in words if line)
    return card(head(heading(title)), markup('<div class="tb-fun">{}</div>', lines), feet, label=title)


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
    """Return why documents that were found were left out."""
    say = show.say
    later = read.count(counts, "dated_later")
    twice = read.count(counts, "searched") - later - read.count(counts, "merged") if counts else 0
    unsaved = sum(read.words(each, "not_saved") is not None for each in view.documents)
    least, scores = view.rerank.threshold, view.rerank.dropped_scores
    below = sum(score < least for score in scores) if least is not None else 0
    rows = (
        ("rs_lost_twice", twice),
        ("rs_lost_later", later),
        ("rs_lost_below", below),
        ("rs_left_out", view.rerank.dropped - below),
        ("rs_lost_unsaved", unsaved),
    )
    return [say(key, n=n) for key, n in rows if n > 0]


def _reranked(view: ResearchView, show: Show) -> str:
    """Return who ordered the documents, how long that took and how many had a score; or why the order is that of the sources."""
    say, rerank = show.say, view.rerank
    if rerank.note:
        return say("rs_no_rerank", why=show.translated(rerank.note))
    scored = len(rerank.dropped_scores) + sum(read.number(each, "rerank_score") is not None for each in rerank.kept)
    if not scored:
        return ""
    spent = numbers.seconds(rerank.ms / 1000) if rerank.ms is not None else ""
    least = say("rs_threshold", value=numbers.number(rerank.threshold, 2)) if rerank.threshold is not None else ""
    return " · ".join(word for word in (rerank.model, say("rs_scored", n=scored), least, spent) if word)
