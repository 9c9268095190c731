"""`company_fundamentals`: what a company last reported, and its price then."""

from collections.abc import Mapping
from datetime import UTC, datetime, time
from typing import Any, Literal

from pydantic import Field

from engine.desks.plan.tools.company import read_company
from engine.desks.plan.tools.protocol import Json, NoData, PlanTool, ToolResult, ToolScope, listing_name
from engine.desks.plan.tools.quality import agreement, coverage, freshness, judged, possible_figures
from engine.domain.equity.filing import Filing
from engine.domain.frozen_model import FrozenModel
from engine.domain.plan.results import QualityCheck
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason

_KEYS = (
    "revenue", "revenue_growth_pct", "net_income", "net_margin_pct", "eps", "eps_growth_pct", "earnings_growth_pct", "gross_margin_pct",
    "operating_margin_pct", "return_on_equity_pct", "debt_to_equity", "pe_ratio", "free_cash_flow",
)  # fmt: skip
_ENOUGH = 6  # of these figures make a picture; few sources have all of them
_USUAL_S = 200 * 86_400.0  # a quarter, its 90 days until it is filed, and some
_SLACK_PCT = 2.0
_ASSUMED = 0.9


class FundamentalsArguments(FrozenModel):
    """period: which kind of report; None = the newest of any kind."""

    symbol: str = Field(min_length=1, max_length=40, description="ticker: AAPL, 600519.SH, 0700.HK")
    period: Literal["ttm", "quarterly", "annual"] | None = Field(default=None, description="kind of report; left out = the newest")


async def _run(scope: ToolScope, asked: FundamentalsArguments) -> ToolResult:
    snapshot = await read_company(scope, asked.symbol)
    filings = [filing for filing in snapshot.filings if asked.period in (None, filing.period)]
    if not filings:
        why = snapshot.missing.get("filings", Reason("no_report_is_known", period=asked.period))
        raise NoData(Reason("has_no_report_known_at", symbol=snapshot.listing.symbol, at=f"{scope.at:%Y-%m-%d}", why=why))
    filing = filings[0]
    figures = {key: filing.values[key] for key in _KEYS if key in filing.values}
    output: Json = {
        "symbol": snapshot.listing.symbol,
        "name": listing_name(snapshot.listing),
        "report_period": str(filing.report_period),
        "period": filing.period,
        "filed": str(filing.known_from),
        "currency": filing.currency,
        "figures": dict(figures),
        "price": snapshot.current_price,
        "previous_close": snapshot.previous_close,
    }
    ended = datetime.combine(filing.report_period, time(), UTC)
    checks = (
        freshness(ended, scope.at, _USUAL_S),
        coverage(min(len(figures), _ENOUGH), _ENOUGH, "main figures"),
        *_margin(filing),
        _shape(filing, {**figures, "price": snapshot.current_price}),
    )
    return ToolResult(output, checks, min(scope.at, snapshot.moment.known_at), snapshot.sources.get("filings", snapshot.feed))


def _margin(filing: Filing) -> tuple[QualityCheck, ...]:
    """Return whether the stated net margin is income over revenue; nothing where one of the three is missing."""
    income, revenue, margin = (filing.values.get(key) for key in ("net_income", "revenue", "net_margin_pct"))
    if income is None or not revenue or margin is None or margin == 0:
        return ()
    return (agreement(income / revenue * 100, margin, _SLACK_PCT, "stated net margin and income over revenue"),)


def _shape(filing: Filing, stated: Mapping[str, float]) -> QualityCheck:
    """Return whether the figures can be what they are; a filing date that is assumed takes a tenth off."""
    possible = possible_figures(stated)
    if filing.filed is not None:
        return possible
    return judged("shape", possible.score * _ASSUMED, Reason("and_filing_date_assumed", reason=possible.reason))


def _sentence(output: Mapping[str, Any], language: Language) -> str:
    figures, chinese = output["figures"], language == "zh"
    names = {
        "revenue_growth_pct": ("revenue growth", "营收增长"),
        "eps_growth_pct": ("EPS growth", "每股收益增长"),
        "net_margin_pct": ("net margin", "净利率"),
        "return_on_equity_pct": ("return on equity", "净资产收益率"),
    }
    parts = [f"{name[chinese]} {figures[key]:+.1f} %" for key, name in names.items() if key in figures]
    if "pe_ratio" in figures:
        parts.append(f"{'市盈率' if chinese else 'P/E'} {figures['pe_ratio']:.1f}")
    if chinese:
        return f"{output['name']} 截至 {output['report_period']} 的报告（{output['filed']} 可知）：{'，'.join(parts) or '无比率'}。"
    return f"{output['name']}, report to {output['report_period']} (known {output['filed']}): {', '.join(parts) or 'no ratios'}."


TOOL = PlanTool(
    "company_fundamentals",
    "What a listed company last reported: growth, margins, returns, valuation.",
    FundamentalsArguments,
    _run,
    _sentence,
)
