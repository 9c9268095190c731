"""Funding, open interest, and fear and greed of the simulated market.

Pure functions of the path and an instant. Funding follows the three days before its settlement, fear and greed the two weeks before its
day; open interest drifts on its own. None of them looks at a price after the instant.
"""

import numpy as np

from engine.domain.market.instrument import MarketKind, Surroundings
from engine.market.protocol import HistoryReading, SeriesName
from engine.market.simulated_path import DAY_MS, CoinPath

_SETTLEMENT_MS = 8 * 3_600_000
_STEP_MS = 300_000  # open interest is published every five minutes


def surroundings_at(path: CoinPath, kind: MarketKind, at_ms: int) -> Surroundings:
    """Return all of them at `at_ms` (UTC milliseconds); a spot market has neither funding nor open interest."""
    mood = fear_greed(path, at_ms)
    if kind == "spot":
        return Surroundings(fear_greed=mood)
    return Surroundings(
        funding_rate=funding(path, at_ms),
        open_interest=open_interest(path, at_ms),
        open_interest_24h_ago=open_interest(path, at_ms - DAY_MS),
        fear_greed=mood,
    )


def funding(path: CoinPath, at_ms: int) -> float:
    """Return the rate settled last, a fraction per 8 hours: around 0.0001, higher after a rise, negative after a fall."""
    number = at_ms // _SETTLEMENT_MS
    settled = number * _SETTLEMENT_MS
    rise = float(np.log(path.price_at(settled) / path.price_at(settled - 3 * DAY_MS)))
    noise = float(path.draws("funding", number).standard_normal())
    return round(0.00008 + 0.0004 * float(np.tanh(rise / path.coin.restless * 8)) + 0.00003 * noise, 8)


def open_interest(path: CoinPath, at_ms: int) -> float:
    """Return the open interest, base units, as last published at `at_ms`."""
    published = at_ms // _STEP_MS * _STEP_MS
    typical = path.coin.turnover * 900 / path.coin.price
    drift = sum(
        size * _wave(path, f"interest {hours}", published, hours * 3_600_000) for hours, size in ((240, 0.15), (36, 0.06), (6, 0.015))
    )
    return round(float(typical * np.exp(drift)), 3)


def fear_greed(path: CoinPath, at_ms: int) -> float:
    """Return the index of the day, a whole number 4-96, published at 00:00 UTC: from the last 14 days' return and its volatility."""
    day = at_ms // DAY_MS
    logs = np.array([path.log_price(each) for each in range(day - 14, day + 1)])
    steps = np.diff(logs)
    spread = max(float(steps.std()), 1e-4)
    tone = float(logs[-1] - logs[0]) / path.coin.restless
    noise = float(path.draws("mood", day).standard_normal())
    return float(np.clip(round(50 + 170 * tone - 250 * (spread - 0.025) + 4 * noise), 4, 96))


def history(path: CoinPath, what: SeriesName, first_ms: int, at_ms: int, points: int) -> HistoryReading:
    """Return a series that ends at `at_ms`: funding by settlement, open interest by the hour; nothing before `first_ms`."""
    step, value = (_SETTLEMENT_MS, funding) if what == "funding_rate" else (12 * _STEP_MS, open_interest)
    last = at_ms // step * step
    stamps = range(max(last - (points - 1) * step, -(-first_ms // step) * step), last + 1, step)
    return HistoryReading(tuple((stamp, value(path, stamp)) for stamp in stamps), step, "simulated")


def _wave(path: CoinPath, stream: str, ms: int, period_ms: int) -> float:
    """Return a smooth wave through one random knot per period."""
    knot, rest = divmod(ms, period_ms)
    x = rest / period_ms
    before, after = (float(path.draws(stream, each).standard_normal()) for each in (knot, knot + 1))
    return before + (after - before) * x * x * (3 - 2 * x)
