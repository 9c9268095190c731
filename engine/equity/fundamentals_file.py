"""Filings in a file of ratios: `ticker` or `symbol`, `report_period`, `period`, perhaps `filed` and `currency`, and a column a figure.

Gives filings by symbol, in the canonical keys and units of facts: 0.45 in a column of margins is 45 percent. An empty cell is a figure that
is not known; a word where a number belongs is BadMarketData with file and row.
"""

import math
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import get_args

from engine.domain.equity.filing import UNDATED_DELAY, Filing, FilingPeriod
from engine.domain.errors import BadMarketData
from engine.domain.text.reason import Reason
from engine.equity.listings import canonical_symbol
from engine.files.text_table import TextTable, read_text_table

_PERCENT = 100.0
_LAST_PERIOD = date.max - UNDATED_DELAY
FIGURES: Mapping[str, tuple[str, float]] = {
    "price_to_earnings_ratio": ("pe_ratio", 1.0),
    "price_to_book_ratio": ("pb_ratio", 1.0),
    "price_to_sales_ratio": ("ps_ratio", 1.0),
    "peg_ratio": ("peg_ratio", 1.0),
    "enterprise_value_to_ebitda_ratio": ("ev_to_ebitda", 1.0),
    "enterprise_value_to_revenue_ratio": ("ev_to_revenue", 1.0),
    "gross_margin": ("gross_margin_pct", _PERCENT),
    "operating_margin": ("operating_margin_pct", _PERCENT),
    "net_margin": ("net_margin_pct", _PERCENT),
    "return_on_equity": ("return_on_equity_pct", _PERCENT),
    "return_on_assets": ("return_on_assets_pct", _PERCENT),
    "return_on_invested_capital": ("return_on_invested_capital_pct", _PERCENT),
    "revenue_growth": ("revenue_growth_pct", _PERCENT),
    "earnings_growth": ("earnings_growth_pct", _PERCENT),
    "earnings_per_share_growth": ("eps_growth_pct", _PERCENT),
    "free_cash_flow_growth": ("fcf_growth_pct", _PERCENT),
    "free_cash_flow_yield": ("fcf_yield_pct", _PERCENT),
    "dividend_yield": ("dividend_yield_pct", _PERCENT),
    "payout_ratio": ("payout_ratio_pct", _PERCENT),
    "earnings_per_share": ("eps", 1.0),
    "book_value_per_share": ("book_value_per_share", 1.0),
    "free_cash_flow_per_share": ("fcf_per_share", 1.0),
    "current_ratio": ("current_ratio", 1.0),
    "quick_ratio": ("quick_ratio", 1.0),
    "debt_to_equity": ("debt_to_equity", 1.0),
    "interest_coverage": ("interest_coverage", 1.0),
    "market_cap": ("market_cap", 1.0),
    "enterprise_value": ("enterprise_value", 1.0),
    "revenue": ("revenue", 1.0),
    "net_income": ("net_income", 1.0),
    "free_cash_flow": ("free_cash_flow", 1.0),
}
"""Column -> canonical key, and what its numbers are multiplied by."""

_PERIODS: Mapping[str, FilingPeriod] = {**{name: name for name in get_args(FilingPeriod)}, "quarter": "quarterly", "year": "annual"}


def read_fundamentals_file(path: Path) -> Mapping[str, tuple[Filing, ...]]:
    """Return symbol -> its filings in the order of the file. Raises BadMarketData."""
    table = read_text_table(path, ("report_period", "period"), ("symbol", "ticker", "filed", "currency", *FIGURES))
    column = next((name for name in ("symbol", "ticker") if table.has(name)), None)
    if column is None:
        raise BadMarketData(Reason("has_no_column_ticker_or_symbol", name=path.name))
    found: dict[str, list[Filing]] = {}
    seen: dict[tuple[object, ...], int] = {}
    for index in range(len(table)):
        symbol = canonical_symbol(table.cell(index, column))
        if not symbol:
            table.refuse(index, Reason("column_is_empty", name=column))
        filing = _filing(table, index)
        same = (symbol, filing.report_period, filing.period, filing.filed, filing.filed_at)  # a later one is an amendment
        if same in seen:
            what = {"period": filing.period, "symbol": symbol, "report_period": filing.report_period}
            table.refuse(index, Reason("report_is_repeated", row=seen[same] + 1, **what))
        seen[same] = index
        found.setdefault(symbol, []).append(filing)
    return {symbol: tuple(filings) for symbol, filings in found.items()}


def _filing(table: TextTable, index: int) -> Filing:
    report_period = table.day(index, "report_period")
    if report_period is None:
        table.refuse(index, Reason("column_is_empty", name="report_period"))
    if report_period > _LAST_PERIOD:
        table.refuse(index, Reason("report_period_is_no_end", day=report_period))
    period = _PERIODS.get(table.cell(index, "period").lower())
    if period is None:
        table.refuse(index, Reason("period_is_not_known", cell=repr(table.cell(index, "period")[:40])))
    filed = table.day(index, "filed")
    if filed is not None and filed < report_period:
        table.refuse(index, Reason("filed_before_end_of_period", filed=filed, day=report_period))
    values = {}
    for column, (key, factor) in FIGURES.items():
        number = table.number(index, column)
        if number is None:
            continue
        if not math.isfinite(number * factor):
            table.refuse(index, Reason("number_is_out_of_range", name=column, cell=f"{number:.12g}"))
        values[key] = number * factor
    return Filing(
        report_period=report_period,
        period=period,
        filed=filed,
        filed_at=_instant(table, index),
        currency=table.cell(index, "currency").upper()[:8],
        values=values,
    )


def _instant(table: TextTable, index: int) -> datetime | None:
    """Return a filing time in UTC; without a zone it is UTC, as of news. A date alone is not an instant."""
    cell = table.cell(index, "filed")
    if len(cell) <= 10:
        return None
    try:
        stated = datetime.fromisoformat(cell)
        return (stated if stated.tzinfo is not None else stated.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        table.refuse(index, Reason("filed_is_no_date", cell=repr(cell[:40])))
