"""The company itself: its prices and measured indicators, splits and dividends, what it reported, and what was decided about it before."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from engine.desks.equities.tools.tool import Known, plain_name, tool
from engine.domain.facts import write_fact_lines
from engine.prompts.render import quoted

_GROUPS: Mapping[str, tuple[str, ...]] = {
    "trend": (
        "close", "previous_close", "change_1d_pct", "ema_20", "ema_50", "ema_200", "sma_50", "sma_200", "adx_14", "plus_di", "minus_di",
    ),
    "momentum": ("close", "rsi_14", "macd", "macd_signal", "macd_hist", "stoch_k", "stoch_d", "cci_20", "mfi_14"),
    "volatility": ("close", "atr_14", "atr_pct", "bb_upper", "bb_middle", "bb_lower", "support", "resistance"),
    "volume": ("close", "volume_ratio_20", "obv_trend", "mfi_14"),
}  # fmt: skip
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


@tool("Daily open, high, low, close and volume, oldest first, split-adjusted.")
async def get_price_history(
    known: Known, days: Annotated[int, Field(ge=1, le=120, description="how many sessions, newest last; 20 if left out")] = 20
) -> str:
    """Return the last daily candles, oldest first, in shares of the trade date."""
    candles, listing = known.snapshot.candles.tail(days), known.snapshot.listing
    rows = [
        f"daily prices of {listing.symbol} in {listing.currency}, in shares of {known.snapshot.moment.trade_date}",
        "date open high low close volume",
    ]
    for index in range(len(candles)):
        bar = candles[index]
        day = datetime.fromtimestamp(bar.opened_at / 1000, UTC).date()
        rows.append(f"{day} {bar.open:.6g} {bar.high:.6g} {bar.low:.6g} {bar.close:.6g} {bar.volume:.0f}")
    return "\n".join(rows)


@tool("Measured daily indicators as `key = value` lines.")
async def get_indicators(
    known: Known,
    group: Annotated[
        Literal["trend", "momentum", "volatility", "volume", "all"], Field(description="which of them; all if left out")
    ] = "all",
) -> str:
    """Return measured indicators as `key = value` lines; what cannot be measured is named with the reason."""
    keys = list(dict.fromkeys(key for name, own in _GROUPS.items() if group in (name, "all") for key in own))
    lines = write_fact_lines(known.sheet, keys, dict.fromkeys(("close", "previous_close"), known.snapshot.listing.currency))
    missing = [fact for key in keys if (fact := known.sheet.get(key)) is not None and fact.value is None]
    return lines + (f"\nnot measurable: {', '.join(fact.key for fact in missing)} ({missing[0].missing})" if missing else "")


@tool("Splits and dividends by the trade date.")
async def get_share_events(known: Known) -> str:
    """Return splits and dividends in effect by the trade date."""
    snapshot = known.snapshot
    rows = [f"split on {each.date}: {each.ratio:g} new shares for one" for each in reversed(snapshot.splits)]
    rows += [
        f"dividend, ex-date {each.ex_date}: {each.amount:g} {snapshot.listing.currency} a share" for each in reversed(snapshot.dividends)
    ]
    return "\n".join(rows[:20]) or "no split and no dividend is known of"


@tool("Figures of a reported period: income, ratios or valuation.")
async def get_fundamentals(
    known: Known,
    part: Annotated[Literal["income", "ratios", "valuation", "all"], Field(description="which figures; all if left out")] = "all",
    period: Annotated[
        Literal["ttm", "quarterly", "annual"] | SkipJsonSchema[None],
        Field(description="which kind of report; the newest of any kind if left out"),
    ] = None,
    back: Annotated[int, Field(ge=0, le=40, description="how many reports before the newest; 0 if left out")] = 0,
) -> str:
    """Return one part of the newest report of a period, as `key = value` lines."""
    from engine.facts.company import reported_lines  # noqa: PLC0415 - no page need wait for TA-Lib

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
    filed = f"filed {filing.filed}" if filing.filed is not None else "filing date not known, counted as known after 60 days"
    return f"{filing.period} report to {filing.report_period}, {filed}, in {filing.currency}{sector}\n{lines}"


@tool("What this desk decided about it before.")
async def get_past_decisions(known: Known, limit: Annotated[int, Field(ge=1, le=20, description="how many; 5 if left out")] = 5) -> str:
    """Return what was decided about it before this moment, newest first."""
    found = await known.decisions(limit)
    rows = [
        f"{each.get('trade_date')} {each.get('trading_session')}: {each.get('action')} at {each.get('price')}; {each.get('reason')}"
        for each in found
    ]
    return quoted("journal", "\n".join(rows)) if rows else "no earlier decision about it is in the journal"
