"""Stated confidence beside how often it gained: a chart with intervals, its figures as a table, and a sentence. HTML, without streamlit.

The chart is made of boxes, since `st.html` takes SVG out: a point for each bin is at its mean stated confidence and its hit rate.
"""

import math
from collections.abc import Callable
from typing import Final

from markupsafe import Markup

from engine.domain.calibration import ENOUGH, Calibration, CalibrationBin
from engine.domain.interval import wilson
from pages.frame import numbers
from pages.frame.cards import cell, label, table, titled
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show

_TICKS: Final = (0, 25, 50, 75, 100)
_HIGH: Final = 92.0  # percent that gained, above which there is no room over an interval
_LEAST_WIDTH: Final = 40.0  # percent of confidence that the axis spans at least


def calibration_panel(found: Calibration, show: Show, of: str = "") -> Markup:
    """Return the panel. Of a bin with few entries, and of few entries in all, it says that they are too few. of: the desk and the model
    whose entries these are, "" for all."""
    say = show.say
    title = say("calibration")
    few = markup('<p class="tb-few">{}</p>', say("calibration_few", n=numbers.number(found.n), least=ENOUGH))
    if not found.n:
        return titled(title, few, beside=label(of))
    said_of = say("calibration_scores", brier=numbers.number(found.brier, 3), rate=numbers.number(found.base_rate))
    scores = label(f"{of} · {said_of}" if of else said_of)
    said = markup("<p><b>{}</b> {}</p>", *_said(found, show)) if found.enough and found.skill is not None else few
    note = markup('<p class="tb-lab">{}</p>', say("calibration_note", least=ENOUGH))
    more = markup('<details class="tb-more"><summary>{}</summary>{}</details>', say("calibration_figures"), _figures(found, show))
    return titled(title, _chart(found, show), said, note, more, beside=scores)


def _said(found: Calibration, show: Show) -> tuple[str, str]:
    """Return a word for the stated confidence as a whole, and what it rests on."""
    stated, gained = sum(each.stated * each.n for each in found.bins) / found.n, found.base_rate or 0.0
    low, high = (share * 100 for share in wilson(round(gained * found.n / 100), found.n))
    word = "over" if stated > high else "under" if stated < low else "fits"
    better = show.say("calibration_better" if (found.skill or 0.0) < 0 else "calibration_worse")
    values = {"stated": numbers.number(stated), "gained": numbers.number(gained), "better": better}
    return show.say(f"calibration_{word}"), show.say("calibration_said", **values)


def _chart(found: Calibration, show: Show) -> Markup:
    first, last = found.bins[0].begins, found.bins[-1].ends
    last = min(100.0, max(last, first + _LEAST_WIDTH))
    first = min(first, last - _LEAST_WIDTH)
    width = last - first

    def x(stated: float) -> str:
        return f"{(stated - first) / width * 100:.1f}%"

    def y(share: float) -> str:
        return f"{100 - share:.1f}%"

    grid = [markup('<i class="g" style="top:{}"></i><span class="y" style="top:{}">{}</span>', y(each), y(each), each) for each in _TICKS]
    steps = range(math.ceil(first / 10) * 10, math.floor(last / 10) * 10 + 1, 10)
    below = [markup('<span style="left:{}">{}</span>', x(each), each) for each in steps]
    honest = markup(
        '<i class="d" style="clip-path:polygon(0 {},100% {},100% calc({} + 1.5px),0 calc({} + 1.5px))"></i>',
        y(first),
        y(last),
        y(last),
        y(first),
    )
    points = [_point(each, x(each.stated), y) for each in found.bins]
    sentence = show.say("list_comma").join(_sentence(each, show) for each in found.bins)
    plot = markup('<div class="plot" role="img" aria-label="{}">{}{}{}</div>', sentence, joined(grid), honest, joined(points))
    axis = markup('<div class="x" aria-hidden="true">{}</div>', joined(below))
    names = markup('<div class="names tb-lab"><span>{}</span><span>{}</span></div>', show.say("calibration_y"), show.say("calibration_x"))
    return markup('<div class="tb-cal">{}{}{}</div>', names, plot, axis)


def _point(each: CalibrationBin, left: str, y: Callable[[float], str]) -> Markup:
    """Return its interval, its point and, at an end of the interval, its count: beside the point it would lie on its neighbours."""
    few = " few" if each.n < ENOUGH else ""
    height = f"{each.high - each.low:.1f}"
    interval = markup('<i class="ci{}" style="left:{};top:{};height:{}%"></i>', few, left, y(each.high), height)
    point = markup('<i class="p{}" style="left:{};top:{}"></i>', few, left, y(each.hit_rate))
    where, top = ("", y(each.high)) if each.high <= _HIGH else (" under", y(each.low))
    count = markup('<span class="n{}{}" style="left:{};top:{}">n {}</span>', few, where, left, top, numbers.number(each.n))
    return interval + point + count


def _sentence(each: CalibrationBin, show: Show) -> str:
    shares = {name: numbers.number(getattr(each, name)) for name in ("hit_rate", "low", "high")}
    return show.say("calibration_bin", stated=_span(each), n=numbers.number(each.n), **shares)


def _figures(found: Calibration, show: Show) -> Markup:
    say = show.say
    heads = ((say("col_stated"), True), (say("col_gained"), True), (say("col_interval"), True), (say("col_n"), True))
    rows = [
        [
            cell(plain(_span(each)), "r"),
            cell(_of_bin(numbers.number(each.hit_rate), each.n), "r"),
            cell(_of_bin(f"{numbers.number(each.low)}–{numbers.number(each.high)}", each.n), "r"),
            cell(plain(numbers.number(each.n)), "r"),
        ]
        for each in found.bins
    ]
    return table(heads, rows)


def _span(each: CalibrationBin) -> str:
    return f"{each.begins:.0f}–{each.ends:.0f}"


def _of_bin(text: str, n: int) -> Markup:
    return plain(text) if n >= ENOUGH else markup('<span class="tb-muted">{}</span>', text)
