"""Macro figures of the simulated economies: monthly, a pure function of (seed, region, figure, month), published in the month after."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from math import pi, sin

from engine.domain.equity.series import MacroPoint, MacroSeries
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.market.draws import draws_of

MONTHS_KEPT = 24


@dataclass(frozen=True)
class Figure:
    """One figure. level, swing, noise: in its unit; it comes and goes in `months`. step: what it is rounded to. day: of the next month, on
    which it is published."""

    region: str
    key: str
    name: str
    unit: str
    level: float
    swing: float
    noise: float
    months: int
    step: float
    day: int


FIGURES = (
    Figure("US", "policy_rate_pct", "Federal funds rate, upper bound", "percent", 3.5, 1.75, 0.0, 84, 0.25, 1),
    Figure("US", "cpi_yoy_pct", "Consumer prices, change on the year", "percent", 2.9, 1.2, 0.15, 66, 0.1, 12),
    Figure("US", "unemployment_pct", "Unemployment rate", "percent", 4.3, 0.6, 0.08, 90, 0.1, 5),
    Figure("US", "pmi_manufacturing", "Manufacturing PMI", "index, 50 = no change", 50.5, 3.0, 0.8, 40, 0.1, 1),
    Figure("CN", "lpr_1y_pct", "1年期LPR", "percent", 3.45, 0.35, 0.0, 96, 0.05, 20),
    Figure("CN", "cpi_yoy_pct", "CPI同比", "percent", 1.2, 1.1, 0.15, 60, 0.1, 10),
    Figure("CN", "m2_yoy_pct", "M2同比", "percent", 8.6, 1.4, 0.2, 72, 0.1, 14),
    Figure("CN", "pmi_manufacturing", "制造业PMI", "index, 50 = no change", 50.0, 1.2, 0.4, 36, 0.1, 1),
)


def macro_of(seed: int, region: str, moment: TradingMoment) -> Iterator[MacroSeries]:
    """Yield the figures of a region with the months that were published by then; a region without any of its own gets the American ones."""
    own = {figure.region for figure in FIGURES}
    for figure in FIGURES:
        if figure.region == (region if region in own else "US"):
            yield _series(seed, figure, moment)


def _series(seed: int, figure: Figure, moment: TradingMoment) -> MacroSeries:
    newest = moment.trade_date.year * 12 + moment.trade_date.month - 1
    points = (_point(seed, figure, month) for month in range(newest - MONTHS_KEPT - 1, newest + 1))
    known = tuple(point for point in points if point.published <= moment.known_at)
    return MacroSeries(key=figure.key, name=figure.name, unit=figure.unit, region=figure.region, points=known)


def _point(seed: int, figure: Figure, month: int) -> MacroPoint:
    """Return one month, numbered year * 12 + 0..11."""
    phase = float(draws_of(seed, figure.region, figure.key, "phase").uniform(0, 2 * pi))
    noise = float(draws_of(seed, figure.region, figure.key, month).standard_normal())
    value = figure.level + figure.swing * sin(2 * pi * month / figure.months + phase) + figure.noise * noise
    following = date((month + 1) // 12, (month + 1) % 12 + 1, 1)
    published = datetime.combine(following + timedelta(days=figure.day - 1), time(13, 30) if figure.region == "US" else time(1, 30), UTC)
    return MacroPoint(period=following - timedelta(days=1), published=published, value=round(round(value / figure.step) * figure.step, 4))
