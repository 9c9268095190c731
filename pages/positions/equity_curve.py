"""How the accounts have gone: equity over time, every change at its own instant. HTML, without streamlit."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from markupsafe import Markup

from pages.chart.curves import time_ticks
from pages.frame import numbers
from pages.frame.cards import card, head, heading
from pages.frame.escape import joined, markup, plain
from pages.frame.show import Show
from pages.positions.position_money import tone
from pages.trading.account_names import account_name

POINTS = 240
_TICKS = 4
_TOP, _FOOT = 6.0, 94.0  # percent of the height that the highest and the lowest equity stand at
Curve = Sequence[tuple[datetime, float]]


def accounts_panel(curves: Mapping[str, Curve], show: Show) -> Markup:
    """Return a line for every account that has traded; "" when none has."""
    if not curves:
        return Markup()
    accounts = (_account(name, curve, show) for name, curve in curves.items())
    return card(head(heading(show.say("accounts"))), *accounts, label=show.say("accounts"))


def _account(name: str, curve: Curve, show: Show) -> Markup:
    say, shown = show.say, thinned(curve)
    values = [equity for _, equity in shown]
    first, last, low, high = values[0], values[-1], min(values), max(values)
    gone = (last / first - 1) * 100 if first else None
    since = plain(say("as_of_since", at=numbers.clock(curve[-1][0]), when=numbers.clock(curve[0][0])))
    span = plain(say("equity_span", low=numbers.number(low, 2), high=numbers.number(high, 2)))
    said = plain(say("equity_line", first=numbers.number(first, 2), last=numbers.number(last, 2)))
    top = markup(
        '<b>{}</b> <span class="{}">{}</span> <span class="tb-muted">{} · {}</span>',
        numbers.number(last, 2),
        tone(gone),
        numbers.signed_percent(gone),
        since,
        span,
    )
    line, ground = outline(shown)
    drawn = markup(
        '<div class="line" role="img" aria-label="{}"><i class="ground" style="clip-path:polygon({})"></i>'
        '<i class="edge {}" style="clip-path:polygon({})"></i></div>',
        said,
        ground,
        tone(gone),
        line,
    )
    start, end = (int(at.timestamp() * 1000) for at in (shown[0][0], shown[-1][0]))
    times = time_ticks(start, end, _TICKS) if start < end else [(start, numbers.clock(shown[0][0]))]
    places = [(((ms - start) / (end - start) if end > start else 0.0) * 100, words) for ms, words in times]
    ticks = joined(markup('<span style="left:{}%">{}</span>', f"{at:.1f}", words) for at, words in places)
    scale = markup('<div class="scale"><span>{}</span><span>{}</span></div>', numbers.number(high, 0), numbers.number(low, 0))
    axis = markup('<div class="axis" aria-hidden="true">{}</div>', ticks)
    return markup(
        '<div class="tb-acc"><span class="tb-tag">{}</span> {}<div class="curve">{}{}{}</div></div>',
        account_name(name, show),
        top,
        drawn,
        scale,
        axis,
    )


def day_result(curve: Curve, now: datetime) -> float | None:
    """Return what an account has gained or lost since 00:00 UTC of a day: against what it began with where it began on it, 0 where its
    present lies before. None without a point."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    before = [value for at, value in curve if at < midnight]
    return curve[-1][1] - (before[-1] if before else curve[0][1]) if curve else None


def thinned(curve: Curve, most: int = POINTS) -> Curve:
    """Return at most so many points: the first and the last, and of every stretch of time between them the highest and the lowest, so that
    no fall is left out."""
    if len(curve) <= most:
        return curve
    begins, ends = curve[0][0], curve[-1][0]
    stretches = max(1, (most - 2) // 2)
    width = (ends - begins) / stretches or timedelta(seconds=1)
    parts: dict[int, list[tuple[datetime, float]]] = {}
    for point in curve[1:-1]:
        parts.setdefault(min(int((point[0] - begins) / width), stretches - 1), []).append(point)
    kept = [curve[0]]
    for place in sorted(parts):
        ends_of = {min(parts[place], key=lambda each: each[1]), max(parts[place], key=lambda each: each[1])}
        kept += sorted(ends_of, key=lambda each: each[0])
    return [*kept, curve[-1]]


def outline(curve: Curve) -> tuple[str, str]:
    """Return the line of the equity and the ground under it as polygons of CSS, in percent: across by the instants, up by the values. A
    value holds until the next one."""
    begins, span_s = curve[0][0], (curve[-1][0] - curve[0][0]).total_seconds() or 1.0
    low, high = min(value for _, value in curve), max(value for _, value in curve)
    steps: list[tuple[float, float]] = []
    for at, value in curve:
        across = (at - begins).total_seconds() / span_s * 100
        height = _TOP + (high - value) / (high - low) * (_FOOT - _TOP) if high > low else (_TOP + _FOOT) / 2
        if steps:
            steps.append((across, steps[-1][1]))
        steps.append((across, height))
    if curve[0][0] == curve[-1][0]:  # everything at one instant: what it came to
        steps = [(0.0, steps[-1][1]), (100.0, steps[-1][1])]
    forth = [f"{across:.2f}% {height:.1f}%" for across, height in steps]
    back = [f"calc({across:.2f}% - 1px) calc({height:.1f}% + 2px)" for across, height in reversed(steps)]
    return ",".join([*forth, *back]), ",".join(["0% 100%", *forth, "100% 100%"])
