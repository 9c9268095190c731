"""What the company reported: income, ratios and valuation, by period."""

from collections.abc import Mapping
from typing import Any

from engine.desks.equities.tools.protocol import Argument, DataTool, Known, plain_name
from engine.domain.equity.filing import Filing

_PARTS: Mapping[str, tuple[str, ...]] = {
    "income": (
        "revenue", "net_income", "free_cash_flow", "eps", "gross_margin_pct", "operating_margin_pct", "net_margin_pct",
        "revenue_growth_pct", "earnings_growth_pct", "eps_growth_pct", "fcf_growth_pct",
    ),
    "ratios": (
        "return_on_equity_pct", "return_on_assets_pct", "return_on_invested_capital_pct", "current_ratio", "quick_ratio",
        "debt_to_equity", "interest_coverage", "payout_ratio_pct",
    ),
    "valuation": (
        "pe_ratio", "pb_ratio", "ps_ratio", "peg_ratio", "ev_to_ebitda", "ev_to_revenue", "fcf_yield_pct", "dividend_yield_pct",
        "market_cap", "enterprise_value", "book_value_per_share", "fcf_per_share",
    ),
}  # fmt: skip


async def fundamentals(known: Known, arguments: Mapping[str, Any]) -> str:
    """Return one part of the newest report of a period, as `key = value` lines."""
    from engine.facts.company import reported_lines  # noqa: PLC0415 - no page need wait for TA-Lib

    period, part, back = arguments.get("period"), arguments["part"], arguments["back"]
    filings = [filing for filing in known.snapshot.filings if period in (None, filing.period)]
    if not filings:
        there = ", ".join(sorted({filing.period for filing in known.snapshot.filings})) or "none"
        of_period = f" of the period {period}" if period else ""
        return f"no report is known{of_period}: {known.snapshot.missing.get('filings', f'there are {there}')}"
    if back >= len(filings):
        return f"only {len(filings)} reports are known"
    filing, sector = filings[back], f", sector {plain_name(known.snapshot.sector)}" if known.snapshot.sector else ""
    keys = [key for name, own in _PARTS.items() if part in (name, "all") for key in own]
    lines = reported_lines(filing, keys, known.language) or "nothing of that"
    return f"{filing.period} report to {filing.report_period}, {_filed(filing)}, in {filing.currency}{sector}\n{lines}"


def _filed(filing: Filing) -> str:
    return f"filed {filing.filed}" if filing.filed is not None else "filing date not known, counted as known after 60 days"


FUNDAMENTALS_TOOLS = (
    DataTool(
        "get_fundamentals",
        "Figures of a reported period: income, ratios or valuation.",
        fundamentals,
        (
            Argument("part", "string", "which figures", choices=("income", "ratios", "valuation", "all"), default="all"),
            Argument(
                "period", "string", "which kind of report; the newest of any kind if left out", choices=("ttm", "quarterly", "annual")
            ),
            Argument("back", "integer", "how many reports before the newest", 0, 40, default=0),
        ),
    ),
)
