"""How the accounts have gone: equity now, since the beginning, and what it was in between. HTML, without streamlit."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from markupsafe import Markup

from pages.frame import numbers
from pages.frame.cards import card, head, heading
from pages.frame.escape import markup, plain
from pages.frame.show import Show

POINTS = 120
_LEAST_PCT = 8  # height of the lowest point
Curve = Sequence[tuple[datetime, float]]


def accounts_panel(curves: Mapping[str, Curve], show: Show) -> Markup:
    """Return a line for every account that has traded; "" when none has."""
    if not curves:
        return Markup()
    return card(
        head(heading(show.say("accounts"))), *(_account(name, curve, show) for name, curve in curves.items()), label=show.say("accounts")
    )


def _account(name: str, curve: Curve, show: Show) -> Markup:
    values = [equity for _, equity in thinned(curve)]
    first, last = values[0], values[-1]
    gone = numbers.signed_percent((last / first - 1) * 100) if first else numbers.DASH
    since = plain(show.say("since_when", when=numbers.clock(curve[0][0])))
    span = plain(show.say("equity_span", low=numbers.number(min(values), 2), high=numbers.number(max(values), 2)))
    said = plain(show.say("equity_line", first=numbers.number(first), last=numbers.number(last)))
    equity_now = markup('<b>{}</b> <span>{}</span> <span class="tb-muted">{} · {}</span>', numbers.number(last, 2), gone, since, span)
    line = markup('<div class="line" role="img" aria-label="{}"><i style="clip-path:polygon({})"></i></div>', said, _outline(values))
    return markup('<div class="tb-acc"><span class="tb-tag">{}</span> {}{}</div>', name, equity_now, line)


def thinned(curve: Curve, most: int = POINTS) -> Curve:
    """Return at most so many points, evenly taken; the first and the last among them."""
    if len(curve) <= most:
        return curve
    step = (len(curve) - 1) / (most - 1)
    return [curve[round(index * step)] for index in range(most)]


def _outline(values: Sequence[float]) -> str:
    """Return the ground under the equity, from its lowest to its highest: every value holds until the next one."""
    low, high = min(values), max(values)
    span, width = high - low or 1.0, 100 / len(values)
    steps = []
    for index, value in enumerate(values):
        top = 100 - _LEAST_PCT - (value - low) / span * (100 - _LEAST_PCT)
        steps += [f"{index * width:.2f}% {top:.1f}%", f"{(index + 1) * width:.2f}% {top:.1f}%"]
    return ",".join(["0% 100%", *steps, "100% 100%"])
