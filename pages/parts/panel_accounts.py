"""How the accounts have gone: equity now, since the beginning, and a line of bars. HTML, without streamlit."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from pages.parts import figures
from pages.parts.escape import plain
from pages.parts.panel_frame import card, head, heading
from pages.parts.showing import Show

BARS = 80
_LEAST_PCT = 6  # height of the lowest bar
Curve = Sequence[tuple[datetime, float]]


def accounts_panel(curves: Mapping[str, Curve], show: Show) -> str:
    """A line for every account that has traded; "" when none has."""
    if not curves:
        return ""
    return card(
        head(heading(show.say("accounts"))), *(_account(name, curve, show) for name, curve in curves.items()), label=show.say("accounts")
    )


def _account(name: str, curve: Curve, show: Show) -> str:
    first, last = curve[0][1], curve[-1][1]
    gone = figures.signed_percent((last / first - 1) * 100) if first else figures.DASH
    since = plain(show.say("since_when", when=figures.clock(curve[0][0])))
    said = plain(show.say("equity_line", first=figures.number(first), last=figures.number(last)))
    numbers = f'<b>{plain(figures.number(last, 2))}</b> <span>{plain(gone)}</span> <span class="tb-muted">{since}</span>'
    return (
        f'<div class="tb-acc"><span class="tb-tag">{plain(name)}</span> {numbers}'
        f'<div class="line" role="img" aria-label="{said}">{_bars([equity for _, equity in thinned(curve)])}</div></div>'
    )


def thinned(curve: Curve, most: int = BARS) -> Curve:
    """At most so many points, evenly taken; the first and the last among them."""
    if len(curve) <= most:
        return curve
    step = (len(curve) - 1) / (most - 1)
    return [curve[round(place * step)] for place in range(most)]


def _bars(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    span = high - low or 1.0
    heights = (_LEAST_PCT + (value - low) / span * (100 - _LEAST_PCT) for value in values)
    return "".join(f'<i style="height:{height:.0f}%"></i>' for height in heights)
