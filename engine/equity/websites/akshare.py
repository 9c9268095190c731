"""Chinese sites through akshare: prices as traded, dividends and shares out of reserves, yearly figures and news of mainland listings.

Prices come unadjusted from Eastmoney, volume in lots of 100. Figures of a year that is not over are sums from its beginning and are not
read as a quarter's; they come without their filing date and count as known 60 days after their period, though mainland companies may take
longer for a year: 120 days are waited for there.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from engine.domain.equity.filing import Filing
from engine.domain.equity.listing import Listing
from engine.domain.equity.news_item import NewsItem
from engine.domain.equity.share_events import Dividend, Split
from engine.domain.errors import BadMarketData
from engine.domain.text.reason import Reason
from engine.equity.websites.table import LiveHistory, as_date, candles_of, column, figures, is_empty

_COLUMNS: Mapping[str, str] = {"开盘": "open", "最高": "high", "最低": "low", "收盘": "close", "成交量": "volume"}
_LOT = 100
_YEARLY_DELAY = timedelta(days=120)  # the end of April
_SHANGHAI = ZoneInfo("Asia/Shanghai")
_FIGURES: Mapping[str, str] = {
    "营业总收入": "revenue",
    "归母净利润": "net_income",
    "基本每股收益": "eps",
    "每股净资产": "book_value_per_share",
    "毛利率": "gross_margin_pct",
    "销售净利率": "net_margin_pct",
    "净资产收益率(ROE)": "return_on_equity_pct",
    "流动比率": "current_ratio",
    "速动比率": "quick_ratio",
}


class AkshareLibrary:
    """akshare behind the face of `LiveLibrary`. library: the module, or what has its functions."""

    name = "akshare"

    def __init__(self, library: Any, timeout_s: float) -> None:
        self._library = library
        self._timeout_s = timeout_s

    def history(self, listing: Listing, first: date, last: date) -> LiveHistory:
        code = listing.symbol[:6]
        asked = {"symbol": code, "period": "daily", "start_date": f"{first:%Y%m%d}", "end_date": f"{last:%Y%m%d}"}
        if listing.kind == "index":
            frame = self._library.index_zh_a_hist(**asked)
        elif listing.kind == "fund":
            frame = self._library.fund_etf_hist_em(**asked, adjust="")
        else:
            frame = self._library.stock_zh_a_hist(**asked, adjust="", timeout=self._timeout_s)
        who = f"Eastmoney (akshare) for {listing.symbol}"
        if is_empty(frame):
            candles_of((), dict.fromkeys(_COLUMNS.values(), ()), who)
        days = [as_date(value) for value in column(frame, "日期", who)]
        if None in days:
            raise BadMarketData(Reason("gave_row_without_date", who=who))
        columns = {ours: column(frame, theirs, who) for theirs, ours in _COLUMNS.items()}
        columns["volume"] = [cell * _LOT for cell in columns["volume"]]
        candles, dropped = candles_of([day for day in days if day is not None], columns, who)
        splits, dividends = self._share_events(code) if listing.kind == "stock" else ((), ())
        return LiveHistory(candles, splits, dividends, dropped)

    def _share_events(self, code: str) -> tuple[tuple[Split, ...], tuple[Dividend, ...]]:
        """Return what was distributed. Amounts are stated for ten shares; the ex-date is that of both."""
        frame = self._library.stock_history_dividend_detail(symbol=code, indicator="分红")
        if is_empty(frame):
            return (), ()
        who = f"Sina (akshare) for {code}"
        splits, dividends = [], []
        cells = zip(*(column(frame, name, who) for name in ("除权除息日", "送股", "转增", "派息")), strict=True)
        for day_cell, given, converted, paid in cells:
            day = as_date(day_cell)
            if day is None:  # decided, and not yet done
                continue
            new = (_positive(given) + _positive(converted)) / 10
            cash = _positive(paid) / 10
            if new > 0:
                splits.append(Split(date=day, ratio=1 + new))
            if cash > 0:
                dividends.append(Dividend(ex_date=day, amount=round(cash / (1 + new), 6)))
        return tuple(sorted(splits, key=lambda split: split.date)), tuple(sorted(dividends, key=lambda each: each.ex_date))

    def filings(self, listing: Listing) -> Sequence[Filing]:
        """Return full years."""
        if listing.kind != "stock":
            return ()
        frame = self._library.stock_financial_abstract(symbol=listing.symbol[:6])
        if is_empty(frame):
            return ()
        found = []
        for end, rows in figures(frame.drop_duplicates("指标").set_index("指标")):
            values = {key: rows[name] for name, key in _FIGURES.items() if name in rows}
            if values and (end.month, end.day) == (12, 31):
                filed = end + _YEARLY_DELAY
                found.append(Filing(report_period=end, period="annual", filed=filed, currency=listing.currency, values=values))
        return found

    def news(self, listing: Listing) -> Sequence[NewsItem]:
        """See the protocol. Times are Shanghai's."""
        frame = self._library.stock_news_em(symbol=listing.symbol[:6])
        if is_empty(frame):
            return ()
        who = f"Eastmoney (akshare) for {listing.symbol}"
        names = ("发布时间", "文章来源", "新闻标题", "新闻链接", "新闻内容")
        found = []
        for at, source, title, url, text in zip(*(column(frame, name, who) for name in names), strict=True):
            published = datetime.fromisoformat(str(at)).replace(tzinfo=_SHANGHAI).astimezone(UTC)
            item = NewsItem(published=published, symbol=listing.symbol, source=str(source), title=str(title), url=str(url), text=str(text))
            found.append(item)
        return found

    def sector(self, listing: Listing) -> str | None:
        if listing.kind != "stock":
            return None
        frame = self._library.stock_individual_info_em(symbol=listing.symbol[:6], timeout=self._timeout_s)
        if is_empty(frame):
            return None
        who = f"Eastmoney (akshare) for {listing.symbol}"
        stated = dict(zip(column(frame, "item", who), column(frame, "value", who), strict=True))
        return str(stated["行业"]) if stated.get("行业") else None


def _positive(cell: Any) -> float:
    """Return a number above zero, 0 for what is missing."""
    value = float(cell) if isinstance(cell, int | float) else 0.0
    return value if value > 0 else 0.0
