"""How the accounts have gone: equity over time, every change at its own instant."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from markupsafe import Markup

from pages.chart.curves import PANE_HEIGHT, Curve, curves_figure, draw_curves
from pages.frame import numbers
from pages.frame.cards import card, head, heading
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.positions.position_money import tone
from pages.trading.account_names import account_name

POINTS = 240
Equity = Sequence[tuple[datetime, float]]


def draw_accounts(accounts: Mapping[str, Equity], show: Show) -> None:
    """Draw a line for every account that has traded; nothing when none has."""
    if curves := [equity_curve(account_name(name, show), equity, show) for name, equity in accounts.items()]:
        draw_curves(accounts_panel(curves, show), curves, "accounts", 60 + PANE_HEIGHT * len(curves))


def accounts_panel(curves: Sequence[Curve], show: Show) -> Markup:
    """Return the card with those lines."""
    return card(head(heading(show.say("accounts"))), curves_figure(curves, show), label=show.say("accounts"), css_class="tb-acc")


def equity_curve(name: str, equity: Equity, show: Show) -> Curve:
    """Return the equity of an account: a value holds until the next one."""
    say, values = show.say, [value for _, value in equity]
    gone = (values[-1] / values[0] - 1) * 100 if values[0] else None
    note = markup(
        '<span class="{}">{}</span> <b>{}</b> {} · {}',
        tone(gone),
        numbers.signed_percent(gone),
        numbers.number(values[-1], 2),
        say("as_of_since", at=numbers.clock(equity[-1][0]), when=numbers.clock(equity[0][0])),
        say("equity_span", low=numbers.number(min(values), 2), high=numbers.number(max(values), 2)),
    )
    points: list[tuple[int, float]] = []
    for at, value in thinned(equity):
        ms = int(at.timestamp() * 1000)
        points += [(ms, points[-1][1])] if points else []
        points.append((ms, value))
    at_once = points[0][0] == points[-1][0]  # everything at one instant: what it came to
    return Curve(name, "", tuple(points[-1:] if at_once else points), note=note)


def day_result(curve: Equity, now: datetime) -> float | None:
    """Return what an account has gained or lost since 00:00 UTC of a day: against what it began with where it began on it, 0 where its
    present lies before. None without a point."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    before = [value for at, value in curve if at < midnight]
    return curve[-1][1] - (before[-1] if before else curve[0][1]) if curve else None


def thinned(curve: Equity, most: int = POINTS) -> Equity:
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
