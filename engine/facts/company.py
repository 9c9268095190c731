"""The fact sheet of a listed company: its price, indicators on daily candles, what it reported, and the account that may trade it.

Given an equity snapshot, gives the one truth that prompts are written from and claims are checked against. Daily candles are in shares of
the trade date. Reported figures are those of the newest period under plain keys (of twelve months before a year before a quarter), and of
the newest of each kind under `ttm.`, `annual.` and `quarterly.`: what a period does not state is missing, never taken from another one.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from itertools import pairwise
from statistics import median_low

import numpy as np

from engine.domain.equity.filing import Filing, FilingPeriod
from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.facts import Fact, FactSheet, Unit, write_fact_lines
from engine.domain.market.candles import Candles
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.facts.sheet import patterns_of, plain_fact, timeframe_facts

TIMEFRAME = "1d"
_NEWEST: tuple[FilingPeriod, ...] = ("ttm", "annual", "quarterly")

COMPANY_KEYS: Mapping[str, tuple[Unit, str]] = {
    "pe_ratio": ("amount", "price over earnings per share"),
    "pb_ratio": ("amount", "price over book value per share"),
    "ps_ratio": ("amount", "market value over revenue"),
    "peg_ratio": ("amount", "price over earnings, over growth of earnings in percent"),
    "ev_to_ebitda": ("amount", "enterprise value over EBITDA"),
    "ev_to_revenue": ("amount", "enterprise value over revenue"),
    "gross_margin_pct": ("percent", "gross profit over revenue"),
    "operating_margin_pct": ("percent", "operating income over revenue"),
    "net_margin_pct": ("percent", "net income over revenue"),
    "return_on_equity_pct": ("percent", "net income over equity"),
    "return_on_assets_pct": ("percent", "net income over assets"),
    "return_on_invested_capital_pct": ("percent", "operating income after tax over invested capital"),
    "revenue_growth_pct": ("percent", "revenue against the same period a year before"),
    "earnings_growth_pct": ("percent", "net income against the same period a year before"),
    "eps_growth_pct": ("percent", "earnings per share against the same period a year before"),
    "fcf_growth_pct": ("percent", "free cash flow against the same period a year before"),
    "fcf_yield_pct": ("percent", "free cash flow over market value"),
    "dividend_yield_pct": ("percent", "dividends of a year over market value"),
    "payout_ratio_pct": ("percent", "dividends over net income"),
    "eps": ("amount", "net income a share"),
    "book_value_per_share": ("amount", "equity a share"),
    "fcf_per_share": ("amount", "free cash flow a share"),
    "current_ratio": ("amount", "current assets over current liabilities"),
    "quick_ratio": ("amount", "current assets without inventory over current liabilities"),
    "debt_to_equity": ("amount", "debt over equity, 1.5 = 150 percent"),
    "interest_coverage": ("amount", "operating income over interest"),
    "market_cap": ("amount", "price times shares"),
    "enterprise_value": ("amount", "market value and debt, less cash"),
    "revenue": ("amount", "revenue of the period"),
    "net_income": ("amount", "net income of the period"),
    "free_cash_flow": ("amount", "free cash flow of the period"),
}
"""Canonical key -> unit and formula, in the order of the convention."""

_MONEY_KEYS = (
    "eps", "book_value_per_share", "fcf_per_share", "market_cap", "enterprise_value", "revenue", "net_income", "free_cash_flow",
)  # fmt: skip
_REPORTS_FOR_A_HABIT = 3
_YEAR_MS = 364 * 86_400_000
_WEEK_MS = 7 * 86_400_000


def build_company_sheet(snapshot: EquitySnapshot, account: Iterable[Fact] = ()) -> FactSheet:
    """Measure everything that may be known at the snapshot's moment. account: what `account_facts` gives, none without an account.

    Company keys exist for a stock only. Never raises for candles it cannot measure: those facts are missing, with the reason.
    """
    with np.errstate(all="ignore"):  # what overflows ends as a missing fact, not as a warning
        facts = [*_price_facts(snapshot), *timeframe_facts(snapshot.candles, snapshot.current_price, main=True)]
        if snapshot.listing.kind == "stock":
            facts += _reported(snapshot)
        patterns = patterns_of(snapshot.candles)
    facts += account
    step = snapshot.listing.price_step
    return FactSheet(
        symbol=snapshot.listing.symbol,
        timeframe=TIMEFRAME,
        timeframe_htf=None,
        facts={fact.key: fact for fact in facts},
        patterns=patterns,
        price_step=float(step) if step is not None and _on_grid(snapshot.current_price, float(step)) else None,
        notes=snapshot.notes,
        name=snapshot.listing.name,
    )


def account_facts(
    price: float,
    *,
    cash: float,
    total_value: float,
    shares: float,
    average_price: float | None,
    max_drawdown_pct: float | None,
    largest_allowed_order: float | None,
) -> Iterator[Fact]:
    """Yield the account keys. price: what shares are valued at. Amounts in the account's currency; None = not known, or nothing held."""
    position = shares * price
    weight = position / total_value * 100.0 if total_value > 0 else None
    rows: tuple[tuple[str, Unit, float | None, str, str], ...] = (
        ("account_cash", "amount", cash, "cash that may be spent", ""),
        ("account_total_value", "amount", total_value, "cash and the market value of all positions", ""),
        ("position_value", "amount", position, "shares held times price", ""),
        ("shares_held", "amount", shares, "shares held", ""),
        ("average_price", "amount", average_price, "average price paid a share", "no shares are held"),
        ("position_weight_pct", "percent", weight, "position over the account's value", "the account is worth nothing"),
        ("max_drawdown_pct", "percent", max_drawdown_pct, "largest fall of the account's value", "no value of the account is known"),
        ("largest_allowed_order", "amount", largest_allowed_order, "largest order the limits allow", "not worked out"),
    )
    for key, unit, value, formula, missing in rows:
        yield plain_fact(key, unit, value if value is None else float(value), formula, missing)


def _price_facts(snapshot: EquitySnapshot) -> Iterator[Fact]:
    price, previous = snapshot.current_price, snapshot.previous_close
    last = int(snapshot.candles.opened_at[-1])
    common = {"timeframe": TIMEFRAME, "bar_time": last, "bars": 1}
    yield Fact(
        key="close",
        value=price,
        unit="price",
        formula="last price" if snapshot.intraday is not None else "close of the last session",
        **common,
    )
    yield from _range_of_a_year(snapshot.candles)
    if previous is None:
        missing = Reason("there_is_no_session_before")
        yield Fact(key="previous_close", value=None, unit="price", missing=missing)
        yield Fact(key="change_1d_pct", value=None, unit="percent", missing=missing)
        return
    yield Fact(key="previous_close", value=previous, unit="price", formula="close of the session before, as the exchange counts", **common)
    change = (price / previous - 1.0) * 100.0
    yield Fact(key="change_1d_pct", value=change + 0.0, unit="percent", formula="close against the previous close", **common)


def _range_of_a_year(candles: Candles) -> Iterator[Fact]:
    """Yield the highest high and the lowest low of 52 weeks, missing if the candles cover less."""
    opened_at = candles.opened_at
    since, missing = int(opened_at[-1]) - _YEAR_MS, "the candles cover less than 52 weeks"
    year = candles.tail(int((opened_at > since).sum())) if opened_at[0] <= since + _WEEK_MS else None
    highest, lowest = (float(max(year.high)), float(min(year.low))) if year is not None else (None, None)
    yield plain_fact("high_52w", "price", highest, "highest high of 52 weeks", missing)
    yield plain_fact("low_52w", "price", lowest, "lowest low of 52 weeks", missing)


def newest_report(snapshot: EquitySnapshot) -> Filing | None:
    """Return the report whose figures have plain keys: of the newest period, of twelve months before a year before a quarter."""
    known = [filing for filing in _newest_of_each(snapshot).values() if filing is not None]
    return max(known, key=lambda filing: (filing.report_period, -_NEWEST.index(filing.period)), default=None)


def next_report(snapshot: EquitySnapshot) -> date | None:
    """Estimate the date of the next report: the last filing date plus the median interval of the last five filings.

    Returns None with fewer than three dated filings, or if the estimate is before the trade date.
    """
    filed = sorted({filing.report_period: filing.filed for filing in snapshot.filings if filing.filed is not None}.values())
    if len(filed) < _REPORTS_FOR_A_HABIT:
        return None
    expected = filed[-1] + median_low([after - before for before, after in pairwise(filed[-5:])])
    return expected if expected >= snapshot.moment.trade_date else None


def _reported(snapshot: EquitySnapshot) -> Iterator[Fact]:
    """Yield the newest period under plain keys, and the newest of each kind under its prefix."""
    yield from _figures("", newest_report(snapshot), snapshot.missing.get("filings", Reason("nothing_was_filed_by_then")))
    for period, filing in _newest_of_each(snapshot).items():
        if filing is not None:
            yield from _figures(f"{period}.", filing, "")


def _newest_of_each(snapshot: EquitySnapshot) -> dict[FilingPeriod, Filing | None]:
    """Of two reports of one period the one that came later."""
    reports = {period: [filing for filing in snapshot.filings if filing.period == period] for period in _NEWEST}
    return {period: max(own, key=lambda filing: (filing.report_period, filing.known_from), default=None) for period, own in reports.items()}


def reported_lines(filing: Filing, keys: Iterable[str], language: Language) -> str:
    """Return figures of one report as `key = value` lines, money with its currency; what the report does not state is left out."""
    facts = {fact.key: fact for fact in _figures("", filing, "")}
    sheet = FactSheet(symbol="", timeframe=TIMEFRAME, timeframe_htf=None, facts=facts)
    return write_fact_lines(sheet, keys, dict.fromkeys(_MONEY_KEYS, filing.currency), language)


def _figures(prefix: str, filing: Filing | None, why: str) -> Iterator[Fact]:
    for key, (unit, formula) in COMPANY_KEYS.items():
        value = filing.values.get(key) if filing is not None else None
        of = f", {filing.period} to {filing.report_period}" if filing is not None else ""
        missing = why if filing is None else Reason("report_to_does_not_state_it", period=filing.period, report_period=filing.report_period)
        yield plain_fact(f"{prefix}{key}", unit, value, f"{formula}{of}", missing)


def _on_grid(price: float, step: float) -> bool:
    """Return whether prices lie on the exchange's steps: those before a split do not, in shares of after it."""
    return abs(price / step - round(price / step)) < 1e-6
