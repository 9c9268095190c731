"""The scores of the rerank as a histogram, with the line below which documents were left out."""

from collections import Counter
from typing import NamedTuple

from markupsafe import Markup

from pages.desks.research.research_view import ResearchView
from pages.frame import json_fields as read
from pages.frame import numbers
from pages.frame.cards import card, head, heading, label, message
from pages.frame.escape import joined, markup
from pages.frame.show import Show

_BINS = 10


class Histogram(NamedTuple):
    """counts: documents a bin, from the lowest score to the highest. low, high: where the first bin begins and the last one ends.
    passing: number of the first bin whose documents were kept. threshold: in percent of the way from low to high, None = not known."""

    counts: tuple[int, ...]
    low: float
    high: float
    passing: int
    threshold: float | None


def histogram(kept: list[float], dropped: list[float], threshold: float | None) -> Histogram:
    """Return scores counted by bins of one width; a threshold is a border between two of them, so that no bin is on both sides of it.
    kept, dropped: at least one score together."""
    scores = kept + dropped
    low, high = min(scores), max(scores)
    if threshold is None or not low < threshold <= high:
        low, high = (min(low, threshold), max(high, threshold)) if threshold is not None else (low, high)
        width = (high - low) / _BINS or 1.0
        counts = Counter(min(_BINS - 1, int((score - low) / width)) for score in scores)
        at = None if threshold is None else 0.0 if threshold <= low else 100.0
        passing = 0 if threshold is None or threshold <= low else _BINS
        return Histogram(tuple(counts[place] for place in range(_BINS)), low, high, passing, at)
    below = min(_BINS - 1, max(1, round(_BINS * (threshold - low) / (high - low))))
    width = max((threshold - low) / below, (high - threshold) / (_BINS - below)) or 1.0  # scores closer than a float can divide
    low, high = threshold - below * width, threshold + (_BINS - below) * width
    places = Counter(_bin(score, threshold, width, below) for score in scores)
    return Histogram(tuple(places[place] for place in range(_BINS)), low, high, below, 100 * below / _BINS)


def _bin(score: float, threshold: float, width: float, below: int) -> int:
    """Return the bin of a score, on its own side of the threshold whatever rounding does."""
    place = below + int((score - threshold) // width)
    return max(below, min(_BINS - 1, place)) if score >= threshold else max(0, min(below - 1, place))


def rerank_panel(view: ResearchView, show: Show) -> Markup:
    """Return the scores with the threshold; why there are none; nothing before the rerank."""
    if not view.rerank:
        return Markup()
    say, model, note = show.say, read.words(view.rerank, "model") or "", read.words(view.rerank, "note") or ""
    title, spent = say("rs_rerank"), read.number(view.rerank, "ms")
    kept = [score for each in view.kept if (score := read.number(each, "rerank_score")) is not None]
    dropped = _scores(view.rerank)
    unscored = len(view.kept) - len(kept)
    words = [model, numbers.seconds(spent / 1000) if spent is not None else ""]
    words += [say("rs_left_out", n=view.dropped)] if view.dropped > len(dropped) else []
    words += [say("rs_unscored", n=unscored)] if unscored and not note else []
    parts = [_drawn(histogram(kept, dropped, read.number(view.rerank, "threshold")), view, show)] if kept or dropped else []
    parts += [message(say("rs_no_rerank"), note)] if note else []
    count = label(say("rs_scored_pass", n=len(kept) + len(dropped), kept=len(kept)) if kept or dropped else say("rs_none_scored"))
    foot = markup('<p class="tb-lab">{}</p>', " · ".join(word for word in words if word))
    return card(head(heading(title), count), joined(parts), foot, label=title)


def _scores(rerank: read.Fields) -> list[float]:
    found = rerank.get("dropped_scores")
    return [float(each) for each in found if isinstance(each, int | float)] if isinstance(found, list) else []


def _drawn(found: Histogram, view: ResearchView, show: Show) -> Markup:
    highest = max(found.counts)
    bars = joined(
        markup(
            '<span class="{}" style="height:{}%">{}</span>',
            "on" if place >= found.passing else "lo",
            f"{100 * n / highest:.0f}",
            markup("<em>{}</em>", n) if n else "",
        )
        for place, n in enumerate(found.counts)
    )
    value = read.number(view.rerank, "threshold")
    line = markup('<i style="left:{}%"></i>', f"{found.threshold:.1f}") if found.threshold is not None else Markup()
    words = show.say("rs_threshold", value=numbers.number(value, 2)) if value is not None else ""
    at = min(78.0, max(22.0, found.threshold)) if found.threshold is not None else 50.0  # the words stay within the card
    mark = markup('<span class="m" style="left:{}%">{}</span>', f"{at:.1f}", words) if words else Markup()
    ends = markup('<span>{}</span>{}<span class="e">{}</span>', numbers.number(found.low, 2), mark, numbers.number(found.high, 2))
    counts = {"n": sum(found.counts), "above": sum(found.counts[found.passing :])}
    said = show.say("rs_scores_say", **counts) if value is not None else show.say("rs_scores_n", n=counts["n"])
    shown = f"{said} {words}".strip()
    return markup('<div class="tb-hist" role="img" aria-label="{}">{}{}</div><div class="tb-axis">{}</div>', shown, bars, line, ends)
