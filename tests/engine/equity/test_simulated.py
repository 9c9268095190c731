"""The simulated exchanges: figures that agree with each other, one history a seed, and quick."""

from datetime import UTC, date, datetime

import numpy as np
import pytest

from engine.equity.sessions import calendar_of
from engine.equity.simulated import SimulatedEquities
from engine.equity.simulation.companies import BASKETS
from engine.equity.snapshot import read_equity

NOW = datetime(2026, 11, 20, 23, 0, tzinfo=UTC)
DAY = date(2026, 11, 20)


def source(seed: int = 0, now: datetime = NOW) -> SimulatedEquities:
    return SimulatedEquities(seed, lambda: now)


@pytest.mark.parametrize("symbol", ["AAPL", "600519.SH", next(iter(BASKETS))])
async def test_candles_are_those_of_a_market(symbol: str) -> None:
    snapshot = await read_equity(source(), symbol, DAY)
    candles, calendar = snapshot.candles, calendar_of(snapshot.listing.calendar)
    assert len(candles) == 1000
    assert np.isin(candles.opened_at // 86_400_000, calendar.days).all()
    assert (candles.high >= np.maximum(candles.open, candles.close)).all()
    assert (candles.low <= np.minimum(candles.open, candles.close)).all()
    assert (candles.low > 0).all()
    assert (candles.volume > 0).all()
    limit = snapshot.listing.price_limit_pct or 30.0
    assert np.abs(np.diff(candles.close) / candles.close[:-1]).max() * 100 < limit + 2
    assert snapshot.notes == ()


@pytest.mark.parametrize(("symbol", "day"), [("NVDA", date(2024, 6, 7)), ("NVDA", date(2024, 6, 11)), ("600519.SH", DAY)])
async def test_ratios_are_what_price_and_figures_say(symbol: str, day: date) -> None:
    snapshot = await read_equity(source(), symbol, day)
    closes = dict(zip((snapshot.candles.opened_at // 86_400_000).tolist(), snapshot.candles.close.tolist(), strict=True))
    for filing in snapshot.filings:
        values = filing.values
        assert values["net_margin_pct"] == pytest.approx(values["net_income"] / values["revenue"] * 100, rel=1e-5)
        assert values["net_margin_pct"] < values["operating_margin_pct"] < values["gross_margin_pct"] < 100
        if filing.period == "quarterly":
            continue
        end = (filing.report_period - date(1970, 1, 1)).days
        close = closes[max(number for number in closes if number <= end)]
        assert values["pe_ratio"] == pytest.approx(close / values["eps"], rel=3e-3)  # prices are whole cents
        assert values["market_cap"] == pytest.approx(values["pe_ratio"] * values["net_income"], rel=1e-5)
        assert values["pb_ratio"] == pytest.approx(close / values["book_value_per_share"], rel=3e-3)
    years = {filing.report_period: filing for filing in snapshot.filings if filing.period == "annual"}
    for end, year in years.items():
        quarters = [
            filing.values["revenue"]
            for filing in snapshot.filings
            if filing.period == "quarterly" and end.year == filing.report_period.year
        ]
        if len(quarters) == 4:
            assert year.values["revenue"] == pytest.approx(sum(quarters), rel=1e-5)
