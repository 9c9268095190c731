"""The simulated exchanges: figures that agree with each other, one history a seed, and quick."""

import time
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

from engine.domain.errors import ClockOutOfRange
from engine.equity.sessions import calendar_of
from engine.equity.simulated import START, SimulatedEquities
from engine.equity.simulation.companies import BASKETS, COMPANIES, SYMBOLS
from engine.equity.snapshot import read_equity

NOW = datetime(2026, 11, 20, 23, 0, tzinfo=UTC)
DAY = date(2026, 11, 20)


def source(seed: int = 0, now: datetime = NOW) -> SimulatedEquities:
    return SimulatedEquities(seed, lambda: now)


def test_there_are_twelve_companies_of_two_markets_and_two_indices() -> None:
    assert len(COMPANIES) == 12
    assert [symbol for symbol in BASKETS if symbol[0] == "^" or symbol.startswith("000")] == ["^GSPC", "000300.SH"]
    assert sum(bool(company.splits) for company in COMPANIES.values()) == 1


@pytest.mark.parametrize("symbol", SYMBOLS)
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


@pytest.mark.parametrize("symbol", COMPANIES)
@pytest.mark.parametrize("day", [date(2024, 6, 7), date(2024, 6, 11), DAY])
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


@pytest.mark.parametrize("symbol", BASKETS)
async def test_an_index_moves_as_its_members_do(symbol: str) -> None:
    snapshot = await read_equity(source(), symbol, DAY)
    assert sum(each.weight_pct or 0 for each in snapshot.constituents) == pytest.approx(100, abs=0.01)
    weighted = sum((each.weight_pct or 0) / 100 / (1 + (each.return_pct(1) or 0) / 100) for each in snapshot.constituents)
    assert snapshot.current_price / float(snapshot.candles.close[-2]) == pytest.approx(1 / weighted, abs=2e-4)
    assert snapshot.missing.keys() == {"filings", "sector"}


async def test_a_shanghai_ex_dividend_day_counts_from_the_close_less_the_dividend() -> None:
    snapshot = await read_equity(source(), "600519.SH", date(2026, 6, 22))
    paid = snapshot.dividends[-1]
    assert paid.ex_date == date(2026, 6, 22)
    assert snapshot.previous_close == pytest.approx(float(snapshot.candles.close[-2]) - paid.amount, abs=0.006)


async def test_news_come_with_a_tone_and_about_what_was_reported() -> None:
    snapshot = await read_equity(source(), "AAPL", date(2026, 11, 2))
    reported = [item for item in snapshot.news if "quarterly revenue" in item.title]
    growth = next(filing for filing in snapshot.filings if filing.period == "quarterly").values["revenue_growth_pct"]
    assert f"{abs(growth):.1f} %" in reported[0].title
    assert all(item.tone is not None for item in snapshot.news)
    assert {item.symbol for item in snapshot.news} == {"AAPL"}


async def test_a_seed_is_a_history() -> None:
    hashes = [(await read_equity(source(seed), "AAPL", DAY)).hash for seed in (0, 0, 1)]
    assert hashes[0] == hashes[1] != hashes[2]


async def test_what_has_not_come_and_what_was_before_are_refused() -> None:
    with pytest.raises(ClockOutOfRange, match="future"):
        await read_equity(source(), "AAPL", DAY + timedelta(days=3), "pre_open")
    with pytest.raises(ClockOutOfRange, match=str(START)):
        await read_equity(source(), "AAPL", date(2015, 12, 31))


async def test_a_snapshot_is_quick() -> None:
    reader = source()
    await read_equity(reader, "MSFT", DAY)  # imports, calendar
    spent = []
    for symbol in ("AAPL", "600028.SH", "JPM", "NVDA"):
        before = time.process_time()
        await read_equity(reader, symbol, DAY)
        spent.append(time.process_time() - before)
    assert min(spent) < 0.05
