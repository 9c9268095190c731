"""The fact sheet of a company: periods apart, percent as percent, prices from the daily candles."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from engine.domain.equity.filing import Filing
from engine.domain.facts import FactSheet
from engine.equity.recorded import RecordedEquities
from engine.equity.simulated import SimulatedEquities
from engine.equity.snapshot import read_equity
from engine.facts.company import COMPANY_KEYS, account_facts, build_company_sheet

NOW = datetime(2026, 11, 20, 23, 0, tzinfo=UTC)


async def sheet(symbol: str, filings: tuple[Filing, ...] | None = None) -> FactSheet:
    snapshot = await read_equity(SimulatedEquities(0, lambda: NOW), symbol)
    if filings is not None:
        object.__setattr__(snapshot, "filings", filings)
    return build_company_sheet(snapshot)


def filing(end: date, period: str, **values: float) -> Filing:
    return Filing(report_period=end, period=period, currency="USD", values=values)  # type: ignore[arg-type]


async def test_every_key_is_there_with_a_value_or_a_reason() -> None:
    facts = await sheet("AAPL")
    for key in COMPANY_KEYS:
        fact = facts.get(key)
        assert fact is not None
        assert (fact.value is None) == (fact.missing is not None)
    assert facts.number("close") is not None
    assert facts.number("rsi_14") is not None
    assert facts.timeframe == "1d"
    assert FactSheet.from_json(facts.to_json()) == facts


async def test_plain_keys_are_of_the_newest_period_and_prefixes_of_their_own() -> None:
    ends = date(2026, 6, 30), date(2026, 9, 30)
    facts = await sheet(
        "AAPL",
        (
            filing(ends[1], "quarterly", eps=1.5),
            filing(ends[0], "ttm", eps=6.0, pe_ratio=30.0),
            filing(date(2025, 12, 31), "annual", eps=5.0),
        ),
    )
    assert (facts.number("eps"), facts.number("quarterly.eps"), facts.number("ttm.eps"), facts.number("annual.eps")) == (1.5, 1.5, 6.0, 5.0)
    assert facts.number("pe_ratio") is None  # never taken from another period
    assert facts.number("ttm.pe_ratio") == 30.0
    same = await sheet("AAPL", (filing(ends[1], "quarterly", eps=1.5), filing(ends[1], "annual", eps=5.9), filing(ends[1], "ttm", eps=6.0)))
    assert same.number("eps") == 6.0


async def test_an_index_has_no_company_keys_and_a_company_without_filings_says_so() -> None:
    assert (await sheet("^GSPC")).get("pe_ratio") is None
    bare = (await sheet("AAPL", ())).get("pe_ratio")
    assert bare is not None
    assert bare.missing
    assert (await sheet("AAPL", ())).get("ttm.pe_ratio") is None


async def test_the_range_of_a_year_needs_a_year_of_candles() -> None:
    snapshot = await read_equity(SimulatedEquities(0, lambda: NOW), "AAPL")
    days = [datetime.fromtimestamp(at / 1000, UTC).date() for at in snapshot.candles.opened_at]
    year = [row for row, day in enumerate(days) if day > days[-1] - timedelta(weeks=52)]
    facts = build_company_sheet(snapshot)
    expected = max(snapshot.candles.high[row] for row in year), min(snapshot.candles.low[row] for row in year)
    assert (facts.number("high_52w"), facts.number("low_52w")) == pytest.approx(expected)
    object.__setattr__(snapshot, "candles", snapshot.candles.tail(200))
    assert build_company_sheet(snapshot).number("high_52w") is None


async def test_the_change_counts_from_the_stated_previous_close(company_data: Path) -> None:
    facts = build_company_sheet(await read_equity(RecordedEquities(company_data), "600028.SH", date(2025, 6, 18)))
    assert facts.number("previous_close") == 5.82
    assert facts.number("change_1d_pct") == pytest.approx((5.76 / 5.82 - 1) * 100)
    assert facts.number("sma_20") is None  # 109 sessions are too few to measure on


async def test_apples_figures_are_those_of_the_file(company_data: Path) -> None:
    facts = build_company_sheet(await read_equity(RecordedEquities(company_data), "AAPL", date(2024, 3, 6)))
    expected = {
        "pe_ratio": 29.673,
        "gross_margin_pct": 45.0,
        "return_on_equity_pct": 156.0,
        "debt_to_equity": 3.771,
        "market_cap": 2994371342560.0,
    }
    assert {key: facts.number(key) for key in expected} == pytest.approx(expected)
    assert facts.text("pe_ratio") == "29.67"


def test_the_account_is_measured_or_missing() -> None:
    facts = {
        fact.key: fact
        for fact in account_facts(
            50.0, cash=6_000.0, total_value=11_000.0, shares=100, average_price=None, max_drawdown_pct=3.5, largest_allowed_order=2_000.0
        )
    }
    assert facts["position_value"].value == 5_000.0
    assert facts["position_weight_pct"].value == pytest.approx(45.4545, abs=1e-3)
    assert facts["shares_held"].value == 100.0
    assert facts["average_price"].missing == "no shares are held"
