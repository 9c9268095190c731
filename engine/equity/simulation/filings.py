"""What simulated companies report: a pure function of (seed, company, quarter), in agreement with their prices.

A quarter's revenue follows the company's growth and season, margins sway around its own; twelve months are four quarters, ratios are what
the definitions say of these sums and of the close on the period's last session. Per-share values are in the shares of the day of reading.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from math import exp

import numpy as np

from engine.domain.equity.filing import Filing, FilingPeriod
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.market.draws import draws_of
from engine.equity.sessions import SessionCalendar
from engine.equity.simulation.companies import EPOCH_YEAR
from engine.equity.simulation.prices import CompanyPath

QUARTERS_KEPT = 12
_ENDS = ((3, 31), (6, 30), (9, 30), (12, 31))
_SEASON = (0.97, 0.98, 0.98, 1.07)
_AMERICAN_DELAY, _CHINESE_DELAY = (31, 32, 30, 45), (28, 58, 27, 105)  # days from a quarter's end to its report
_RATE_ON_DEBT = 0.045
_DEPRECIATION = 0.16  # of operating income
_CASH_SHARE = 0.35  # of debt
_ASSETS_OVER_CAPITAL = 1.35


@dataclass(frozen=True)
class Quarter:
    """The figures of one quarter, currency."""

    revenue: float
    gross: float
    operating: float
    net: float
    free_cash: float


class CompanyReports:
    """The reports of one company. A quarter is numbered year * 4 + 0..3."""

    def __init__(self, seed: int, path: CompanyPath, calendar: SessionCalendar) -> None:
        self._seed = seed
        self._path = path
        self._calendar = calendar
        self.company = path.company
        self.quarter = lru_cache(256)(self._make_quarter)

    def known(self, moment: TradingMoment) -> Iterator[Filing]:
        """Yield the reports of the last twelve quarters that were filed by then: of the quarter, of twelve months, and of the year."""
        newest = moment.trade_date.year * 4 + (moment.trade_date.month - 1) // 3
        reported = [number for number in range(newest, newest - QUARTERS_KEPT - 4, -1) if self.filed_at(number) <= moment.known_at]
        for number in reported[:QUARTERS_KEPT]:
            yield self.filing(number, "ttm", moment.trade_date)
            yield self.filing(number, "quarterly", moment.trade_date)
            if number % 4 == 3:
                yield self.filing(number, "annual", moment.trade_date)

    def filed_at(self, number: int) -> datetime:
        """Return when a quarter was reported: after the close of its exchange."""
        american = "." not in self.company.symbol
        delay = (_AMERICAN_DELAY if american else _CHINESE_DELAY)[number % 4]
        return datetime.combine(period_end(number) + timedelta(days=delay), time(21, 30) if american else time(10, 30), UTC)

    def filing(self, number: int, period: FilingPeriod, day: date) -> Filing:
        """Return one report. day: in whose shares the per-share values are."""
        count = 1 if period == "quarterly" else 4
        figures, before = self._sum(number, count), self._sum(number - 4, count)
        return Filing(
            report_period=period_end(number),
            period=period,
            filed=self.filed_at(number).date(),
            filed_at=self.filed_at(number),
            currency="USD" if "." not in self.company.symbol else "CNY",
            values={key: _rounded(value) for key, value in self._values(number, period, figures, before, day).items()},
        )

    def _values(self, number: int, period: FilingPeriod, now: Quarter, before: Quarter, day: date) -> dict[str, float]:
        shares = self.company.shares
        for split in self.company.splits:
            shares /= split.ratio if split.date > day else 1.0
        margins = {
            "revenue": now.revenue,
            "net_income": now.net,
            "free_cash_flow": now.free_cash,
            "eps": now.net / shares,
            "fcf_per_share": now.free_cash / shares,
            "gross_margin_pct": now.gross / now.revenue * 100,
            "operating_margin_pct": now.operating / now.revenue * 100,
            "net_margin_pct": now.net / now.revenue * 100,
            "revenue_growth_pct": (now.revenue / before.revenue - 1) * 100,
            "earnings_growth_pct": (now.net / before.net - 1) * 100,
            "eps_growth_pct": (now.net / before.net - 1) * 100,
            "fcf_growth_pct": (now.free_cash / before.free_cash - 1) * 100,
        }
        return margins if period == "quarterly" else margins | self._ratios(number, now, before, shares)

    def _ratios(self, number: int, now: Quarter, before: Quarter, shares: float) -> dict[str, float]:
        """Return what needs a balance sheet or a price: of twelve months only."""
        company, draws = self.company, draws_of(self._seed, self.company.symbol, "balance", number)
        sway = np.exp(0.05 * draws.standard_normal(4))
        market_cap = self._close_at_end(number) * company.shares
        equity = company.price * company.shares * company.equity_share * (1 + company.growth * 0.8) ** _years(number) * float(sway[0])
        debt = equity * company.debt_to_equity * float(sway[1])
        enterprise = market_cap + debt * (1 - _CASH_SHARE)
        growth = (now.net / before.net - 1) * 100
        current = (0.95 + 0.9 * company.gross) * float(sway[2])
        dividends = now.net * company.payout
        values = {
            "market_cap": market_cap,
            "enterprise_value": enterprise,
            "pe_ratio": market_cap / now.net,
            "pb_ratio": market_cap / equity,
            "ps_ratio": market_cap / now.revenue,
            "ev_to_ebitda": enterprise / (now.operating * (1 + _DEPRECIATION)),
            "ev_to_revenue": enterprise / now.revenue,
            "fcf_yield_pct": now.free_cash / market_cap * 100,
            "dividend_yield_pct": dividends / market_cap * 100,
            "payout_ratio_pct": company.payout * 100,
            "return_on_equity_pct": now.net / equity * 100,
            "return_on_assets_pct": now.net / ((equity + debt) * _ASSETS_OVER_CAPITAL) * 100,
            "return_on_invested_capital_pct": now.operating * 0.8 / (equity + debt) * 100,
            "book_value_per_share": equity / shares,
            "debt_to_equity": debt / equity,
            "current_ratio": current,
            "quick_ratio": current * (0.7 + 0.1 * float(sway[3])),
        }
        if debt > 0:
            values["interest_coverage"] = now.operating / (debt * _RATE_ON_DEBT)
        if growth > 1:
            values["peg_ratio"] = values["pe_ratio"] / growth
        return values

    def _sum(self, number: int, count: int) -> Quarter:
        parts = [self.quarter(each) for each in range(number - count + 1, number + 1)]
        return Quarter(*(sum(getattr(part, name) for part in parts) for name in ("revenue", "gross", "operating", "net", "free_cash")))

    def _make_quarter(self, number: int) -> Quarter:
        company, draws = self.company, draws_of(self._seed, self.company.symbol, "quarter", number)
        sway = draws.standard_normal(5)
        earnings = company.price * company.shares / company.pe
        revenue = earnings / company.net / 4 * (1 + company.growth) ** _years(number) * _SEASON[number % 4] * exp(0.03 * sway[0])
        operating = revenue * company.operating * exp(0.06 * sway[1])
        net = operating * company.net / company.operating * exp(0.04 * sway[2])
        gross = max(revenue * min(0.97, company.gross * exp(0.015 * sway[3])), operating * 1.05)
        return Quarter(revenue, gross, operating, net, net * (0.92 + 0.12 * float(np.tanh(sway[4]))))

    def _close_at_end(self, number: int) -> float:
        """Return the close of the period's last session, in the shares of after the last split."""
        last = (period_end(number) - date(1970, 1, 1)).days
        session = self._calendar.days[self._calendar.days.searchsorted(last, side="right") - 1 :][:1]
        return float(self._path.columns(session)[3][0])


def period_end(number: int) -> date:
    """Return the last day of a quarter."""
    return date(number // 4, *_ENDS[number % 4])


def _years(number: int) -> float:
    return (number + 1) / 4 - EPOCH_YEAR


def _rounded(value: float) -> float:
    return float(f"{value:.7g}")
