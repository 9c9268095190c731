"""Yahoo through yfinance: prices, splits, dividends, statements and news of shares, funds and indices anywhere.

Yahoo gives prices and dividends in today's shares; here they become what was traded on each day. Statements come without their filing date,
so they count as known 60 days after their period. Figures of today that carry no date (its "info") are not read, but for the sector.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from engine.domain.equity.filing import Filing, FilingPeriod
from engine.domain.equity.listing import Listing
from engine.domain.equity.news_item import NewsItem
from engine.domain.equity.share_events import Dividend, Split
from engine.domain.errors import BadInput
from engine.domain.market.candles import Candles
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.reason import Reason
from engine.equity.adjustment import DAY_MS
from engine.equity.websites.table import LiveHistory, candles_of, column, figures, is_empty, later_factor

_ROWS: Mapping[str, str] = {
    "Total Revenue": "revenue",
    "Net Income": "net_income",
    "Free Cash Flow": "free_cash_flow",
    "Diluted EPS": "eps",
}
_NEWS = 50
_REACH: Mapping[str, int] = {"1m": 7, "5m": 59, "1h": 729}
"""Bars within a session -> for how many days Yahoo keeps them."""
_COLUMNS = ("Open", "High", "Low", "Close", "Volume")
_FLOWS = ("Total Revenue", "Gross Profit", "Operating Income", "Net Income", "Free Cash Flow", "Diluted EPS", "EBITDA", "Interest Expense")
Statements = dict[date, dict[str, float]]


class YahooLibrary:
    """yfinance behind the face of `LiveLibrary`. library: the module, or what has its `Ticker`."""

    name = "yfinance"

    def __init__(self, library: Any, timeout_s: float) -> None:
        self._library = library
        self._timeout_s = timeout_s

    def _ticker(self, listing: Listing) -> Any:
        symbol = listing.symbol
        return self._library.Ticker(f"{symbol[:-3]}.SS" if symbol.endswith(".SH") else symbol)

    def history(self, listing: Listing, first: date, last: date) -> LiveHistory:
        frame = self._ticker(listing).history(
            start=first.isoformat(),
            end=(last + timedelta(days=1)).isoformat(),
            interval="1d",
            auto_adjust=False,
            actions=True,
            raise_errors=True,
            timeout=self._timeout_s,
        )
        who = f"Yahoo (yfinance) for {listing.symbol}"
        if is_empty(frame):
            candles_of((), {name.lower(): () for name in _COLUMNS}, who)
        days = [stamp.date() for stamp in frame.index.tolist()]
        candles, dropped = candles_of(days, {name.lower(): column(frame, name, who) for name in _COLUMNS}, who)
        ratios = column(frame, "Stock Splits", who) if "Stock Splits" in list(frame.columns) else []
        paid = column(frame, "Dividends", who) if "Dividends" in list(frame.columns) else []
        splits = tuple(Split(date=day, ratio=float(ratio)) for day, ratio in zip(days, ratios, strict=False) if ratio > 0)
        factor = later_factor(candles.opened_at, splits)
        raw = Candles(
            candles.timeframe,
            candles.opened_at,
            candles.open * factor,
            candles.high * factor,
            candles.low * factor,
            candles.close * factor,
            candles.volume / factor,
        )
        by_day = dict(zip((candles.opened_at // DAY_MS).tolist(), factor.tolist(), strict=True))
        dividends = tuple(
            Dividend(ex_date=day, amount=float(amount) * by_day.get((day - date(1970, 1, 1)).days, 1.0))
            for day, amount in zip(days, paid, strict=False)
            if amount > 0
        )
        return LiveHistory(raw, splits, dividends, dropped)

    def intraday(self, listing: Listing, day: date, today: date) -> Candles:
        """Return the bars of a day's session, the finest that Yahoo still has, in shares of that day. Raises BadInput for a day too long
        past, MarketUnreachable for an answer without a row."""
        who, age = f"Yahoo (yfinance) for {listing.symbol}", (today - day).days
        name = next((name for name, days in _REACH.items() if age < days), None)
        if name is None:
            raise BadInput(Reason("keeps_bars_within_session_for_days", who=who, reach=max(_REACH.values()), day=day, age=age))
        frame = self._ticker(listing).history(
            start=day.isoformat(),
            end=(day + timedelta(days=1)).isoformat(),
            interval=name,
            auto_adjust=False,
            actions=False,
            prepost=False,
            raise_errors=True,
            timeout=self._timeout_s,
        )
        columns = {each.lower(): [] if is_empty(frame) else column(frame, each, who) for each in _COLUMNS}
        stamps = [] if is_empty(frame) else [stamp.to_pydatetime() for stamp in frame.index.tolist()]
        bars, _ = candles_of(stamps, columns, who, Timeframe.parse(name))
        later = math.prod(split.ratio for split in self.history(listing, day, today).splits if split.date > day)
        opened, high, low, close = (each * later for each in (bars.open, bars.high, bars.low, bars.close))
        return Candles(bars.timeframe, bars.opened_at, opened, high, low, close, bars.volume / later)

    def filings(self, listing: Listing) -> Sequence[Filing]:
        """Return quarters, years, and twelve months where four quarters in a row are there. Per-share values as Yahoo restates them."""
        if listing.kind != "stock":
            return ()
        ticker = self._ticker(listing)
        quarters = _statements(ticker.quarterly_income_stmt, ticker.quarterly_balance_sheet, ticker.quarterly_cash_flow)
        years = _statements(ticker.income_stmt, ticker.balance_sheet, ticker.cash_flow)
        found = [_filing(listing, end, "quarterly", rows, quarters) for end, rows in quarters.items()]
        found += [_filing(listing, end, "annual", rows, years) for end, rows in years.items()]
        found += [_filing(listing, end, "ttm", rows, {}) for end, rows in _twelve_months(quarters).items()]
        return [filing for filing in found if filing.values]

    def news(self, listing: Listing) -> Sequence[NewsItem]:
        found = []
        for article in self._ticker(listing).get_news(count=_NEWS) or ():
            content = article.get("content") or {}
            published = content.get("pubDate") or content.get("displayTime")
            if not published or not content.get("title"):
                continue
            found.append(
                NewsItem(
                    published=datetime.fromisoformat(published).astimezone(UTC),
                    symbol=listing.symbol,
                    source=str((content.get("provider") or {}).get("displayName") or "Yahoo"),
                    title=str(content["title"]),
                    url=str((content.get("canonicalUrl") or {}).get("url") or ""),
                    text=str(content.get("summary") or ""),
                )
            )
        return found

    def sector(self, listing: Listing) -> str | None:
        info = self._ticker(listing).info or {}
        return str(info["sector"]) if info.get("sector") else None


def _statements(*frames: Any) -> Statements:
    """Return period end -> all figures of the three statements."""
    found: Statements = {}
    for frame in frames:
        for end, values in figures(frame):
            found.setdefault(end, {}).update(values)
    return dict(sorted(found.items(), reverse=True))


def _twelve_months(quarters: Statements) -> Statements:
    """Return the sums of four quarters that follow each other, with the newest one's balance sheet."""
    ends = list(quarters)
    found: Statements = {}
    for index, end in enumerate(ends):
        four = ends[index : index + 4]
        if len(four) < 4 or (end - four[-1]).days > 290:
            continue
        sums = {name: sum(quarters[each][name] for each in four) for name in _FLOWS if all(name in quarters[each] for each in four)}
        found[end] = {name: value for name, value in quarters[end].items() if name not in _FLOWS} | sums
    return found


def _filing(listing: Listing, end: date, period: FilingPeriod, rows: Mapping[str, float], others: Statements) -> Filing:
    values = {key: rows[name] for name, key in _ROWS.items() if name in rows}
    revenue, equity = rows.get("Total Revenue"), rows.get("Stockholders Equity")

    def put(key: str, above: str, below: float | None, factor: float = 100.0) -> None:
        if above in rows and below:
            values[key] = rows[above] / below * factor

    put("gross_margin_pct", "Gross Profit", revenue)
    put("operating_margin_pct", "Operating Income", revenue)
    put("net_margin_pct", "Net Income", revenue)
    put("current_ratio", "Current Assets", rows.get("Current Liabilities"), 1.0)
    put("debt_to_equity", "Total Debt", equity, 1.0)
    put("book_value_per_share", "Stockholders Equity", rows.get("Ordinary Shares Number"), 1.0)
    if period != "quarterly":
        put("return_on_equity_pct", "Net Income", equity)
        put("return_on_assets_pct", "Net Income", rows.get("Total Assets"))
        put("interest_coverage", "Operating Income", rows.get("Interest Expense"), 1.0)
    before = next((rows for other, rows in others.items() if abs((end - other).days - 365) <= 10), {})
    for name, key in (("Total Revenue", "revenue"), ("Net Income", "earnings"), ("Diluted EPS", "eps"), ("Free Cash Flow", "fcf")):
        if name in rows and before.get(name, 0.0) > 0:
            values[f"{key}_growth_pct"] = (rows[name] / before[name] - 1.0) * 100.0
    return Filing(report_period=end, period=period, currency=listing.currency, values=values)
