"""The fact sheet of a company: periods apart, percent as percent, prices from the daily candles."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from engine.domain.equity.filing import Filing
from engine.domain.facts import FactSheet
from engine.equity.recorded import RecordedEquities
from engine.equity.simulated import SimulatedEquities
from engine.equity.snapshot import read_equity
from engine.facts.company import COMPANY_KEYS, build_company_sheet

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
