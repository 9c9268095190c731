"""One history behind three sources: the simulated one, a recording of it, and libraries that answer as Yahoo and Eastmoney do.

A world is opened "as of" an instant: the recording ends there, the simulation and the websites have that present.
"""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from engine.domain.equity.filing import Filing
from engine.domain.equity.news_item import NewsItem
from engine.domain.equity.trading_session import TradingMoment
from engine.equity.adjustment import day_ms, day_of
from engine.equity.fundamentals_file import FIGURES
from engine.equity.live import LiveEquities
from engine.equity.protocol import PriceReading
from engine.equity.recorded import RecordedEquities
from engine.equity.sessions import calendar_of
from engine.equity.simulated import SimulatedEquities
from engine.equity.simulation.companies import COMPANIES
from engine.equity.simulation.filings import CompanyReports
from engine.equity.simulation.prices import CompanyPath

SEED = 3
AMERICAN, CHINESE = "NVDA", "600028.SH"
CALENDARS = {AMERICAN: "XNYS", CHINESE: "XSHG"}
FIRST = date(2023, 3, 1)
HEADING = "timestamp,open,high,low,close,volume"


def truth(now: datetime) -> SimulatedEquities:
    return SimulatedEquities(SEED, lambda: now)


def present(symbol: str, now: datetime) -> TradingMoment:
    """What is known at `now`: the last close, and what takes effect in a session that has opened since."""
    calendar = calendar_of(CALENDARS[symbol])
    closed = calendar.last_closed(now)
    opened = calendar.after(closed.date)
    day = opened.date if opened.open <= now else closed.date
    return TradingMoment(trade_date=day, trading_session="pre_open", known_at=now, last_session=closed.date)


async def history(symbol: str, now: datetime) -> PriceReading:
    """Everything since FIRST, as it was traded."""
    source, moment = truth(now), present(symbol, now)
    bars = len(calendar_of(CALENDARS[symbol]).between(FIRST, moment.last_session))
    return await source.prices(await source.listing(symbol), moment, bars)


def reports(symbol: str, now: datetime) -> list[Filing]:
    """Everything filed since 2022, in the shares of when it was filed first."""
    calendar = calendar_of(CALENDARS[symbol])
    made = CompanyReports(SEED, CompanyPath(SEED, COMPANIES[symbol]), calendar)
    numbers = [number for number in range(2022 * 4, now.year * 4 + 4) if made.filed_at(number) <= now]
    return [made.filing(number, "ttm", FIRST) for number in numbers]


async def articles(symbol: str, now: datetime) -> list[NewsItem]:
    """Everything written since April 2024."""
    source, calendar = truth(now), calendar_of(CALENDARS[symbol])
    listing = await source.listing(symbol)
    found: set[NewsItem] = set()
    for day in calendar.between(date(2024, 4, 1), present(symbol, now).last_session)[::15]:
        found |= set((await source.news(listing, calendar.moment(day, "post_close"))).items)
    found |= set((await source.news(listing, present(symbol, now))).items)
    return sorted(found, key=lambda item: (item.published, item.title))


def rows_of(reading: PriceReading) -> list[list[Any]]:
    candles = reading.candles
    columns = (candles.opened_at, candles.open, candles.high, candles.low, candles.close, candles.volume)
    return [list(row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def factor_lines(symbol: str, reading: PriceReading) -> list[str]:
    """What LEAN would write: products up to the end of the file, a row a day before each event."""
    calendar = calendar_of(CALENDARS[symbol])
    closes = {day_of(ms): close for ms, close in zip(reading.candles.opened_at.tolist(), reading.candles.close.tolist(), strict=True)}
    events: dict[date, tuple[float, float]] = {}
    for split in reading.splits:
        events[calendar.before(split.date).date] = (1.0, 1 / split.ratio)
    for dividend in reading.dividends:
        before = calendar.before(dividend.ex_date).date
        if before in closes:
            events[before] = (1 - dividend.amount / closes[before], 1.0)
    price, split_factor, lines = 1.0, 1.0, ["20501231,1,1,0"]
    for day in sorted(events, reverse=True):
        price, split_factor = price * events[day][0], split_factor * events[day][1]
        lines.append(f"{day:%Y%m%d},{price:.9f},{split_factor:.9f},{closes[day]}")
    return ["date,price_factor,split_factor,reference_price", *reversed(lines)]


def fundamentals_lines(symbol: str, filings: list[Filing]) -> list[str]:
    columns = list(FIGURES)
    lines = [",".join(["ticker", "report_period", "filed", "period", "currency", *columns])]
    for filing in filings:
        cells = [filing.values.get(FIGURES[name][0]) for name in columns]
        values = ["" if cell is None else repr(cell / FIGURES[name][1]) for name, cell in zip(columns, cells, strict=True)]
        filed = "" if filing.filed_at is None else filing.filed_at.isoformat()
        lines.append(",".join([symbol, filing.report_period.isoformat(), filed, filing.period, filing.currency, *values]))
    return lines


async def record(folder: Path, now: datetime) -> RecordedEquities:
    """A folder of what was known at `now`."""
    files: dict[str, list[str]] = {}
    news = ["published,symbol,source,title,url,text"]
    fundamentals: list[str] = []
    for symbol in (AMERICAN, CHINESE):
        reading = await history(symbol, now)
        lines = [",".join(map(repr, row)) for row in rows_of(reading)]
        if symbol == AMERICAN:
            files[f"sim_{symbol}_1d_raw.csv"] = [HEADING, *lines]
            files[f"sim_{symbol}_factors.csv"] = factor_lines(symbol, reading)
        else:
            closes = reading.candles.close
            paid = {each.ex_date: each.amount for each in reading.dividends}
            stated = [closes[0], *closes[:-1]]
            ends = [
                f"{symbol},{line},{round(before - paid.get(day_of(ms), 0.0), 2)}"
                for line, before, ms in zip(lines, stated, reading.candles.opened_at.tolist(), strict=True)
            ]
            files["sim_1d_shanghai.csv"] = [f"symbol,{HEADING},previous_close", *ends]
        fundamentals += fundamentals_lines(symbol, reports(symbol, now))[1 if fundamentals else 0 :]
        for item in await articles(symbol, now):
            news.append(f'{item.published.isoformat()},{symbol},{item.source},"{item.title}",https://example.org,')
    write(folder, files | {"news.csv": news, "fundamentals.csv": fundamentals})
    return RecordedEquities(folder)


def write(folder: Path, files: dict[str, list[str]]) -> None:
    """Write files of lines into a new folder."""
    folder.mkdir(parents=True)
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines))


class FakeYahoo:
    """yfinance as far as it is used: the same shapes, prices in the shares of `now`."""

    def __init__(self, now: datetime, readings: dict[str, PriceReading], news: dict[str, list[dict[str, Any]]]) -> None:
        self.readings, self.articles, self.asked = readings, news, []

    def Ticker(self, symbol: str) -> "FakeTicker":  # noqa: N802 - yfinance's own name
        return FakeTicker(self, symbol)


class FakeTicker:
    def __init__(self, library: FakeYahoo, symbol: str) -> None:
        self.library, self.symbol = library, symbol
        self.info = {"sector": "Technology"}

    def history(self, *, start: str, end: str, **options: Any) -> pd.DataFrame:
        self.library.asked.append(options)
        reading = self.library.readings.get(self.symbol)
        if reading is None:
            return pd.DataFrame()
        candles = reading.candles
        factor = np.ones(len(candles))
        for split in reading.splits:
            factor[candles.opened_at < day_ms(split.date)] *= split.ratio
        index = pd.DatetimeIndex(pd.to_datetime(candles.opened_at, unit="ms")).tz_localize("America/New_York")
        days = [stamp.date() for stamp in index]
        later = dict(zip(days, factor.tolist(), strict=True))
        frame = pd.DataFrame(
            {
                "Open": candles.open / factor,
                "High": candles.high / factor,
                "Low": candles.low / factor,
                "Close": candles.close / factor,
                "Volume": candles.volume * factor,
                "Dividends": [sum(each.amount / later[day] for each in reading.dividends if each.ex_date == day) for day in days],
                "Stock Splits": [sum(split.ratio for split in reading.splits if split.date == day) for day in days],
            },
            index=index,
        )
        return frame[(frame.index >= pd.Timestamp(start, tz=index.tz)) & (frame.index < pd.Timestamp(end, tz=index.tz))]

    def _statement(self, rows: dict[str, list[float]]) -> pd.DataFrame:
        ends = [pd.Timestamp("2024-04-28"), pd.Timestamp("2024-01-28"), pd.Timestamp("2023-10-29"), pd.Timestamp("2023-07-30")]
        return pd.DataFrame(rows, index=ends).T

    @property
    def quarterly_income_stmt(self) -> pd.DataFrame:
        return self._statement(
            {"Total Revenue": [26.0, 22.0, 18.0, 13.5], "Net Income": [14.9, 12.3, 9.2, 6.2], "Gross Profit": [20.4, 16.8, 13.4, 9.5]}
        )

    @property
    def quarterly_balance_sheet(self) -> pd.DataFrame:
        return self._statement({"Stockholders Equity": [49.0, 43.0, 33.0, 27.5], "Total Debt": [11.0, 11.0, 11.0, float("nan")]})

    @property
    def quarterly_cash_flow(self) -> pd.DataFrame:
        return self._statement({"Free Cash Flow": [14.9, 11.2, 7.0, 6.0]})

    @property
    def income_stmt(self) -> pd.DataFrame:
        return pd.DataFrame()

    balance_sheet = cash_flow = income_stmt

    def get_news(self, count: int) -> list[dict[str, Any]]:
        return self.library.articles.get(self.symbol, [])[:count]


class FakeAkshare:
    """akshare as far as it is used: the same columns, raw prices, volume in lots, Shanghai time."""

    def __init__(self, readings: dict[str, PriceReading], news: dict[str, list[Any]]) -> None:
        self.readings, self.articles = readings, news

    def stock_zh_a_hist(self, symbol: str, period: str, start_date: str, end_date: str, adjust: str, timeout: float) -> pd.DataFrame:
        assert (period, adjust) == ("daily", "")
        reading = next((each for name, each in self.readings.items() if name.startswith(symbol)), None)
        if reading is None:
            return pd.DataFrame()
        days = [day_of(ms) for ms in reading.candles.opened_at.tolist()]
        candles = reading.candles
        frame = pd.DataFrame({"日期": days, "股票代码": symbol, "开盘": candles.open, "收盘": candles.close})
        frame["最高"], frame["最低"], frame["成交量"] = candles.high, candles.low, candles.volume / 100
        return frame[[start_date <= f"{day:%Y%m%d}" <= end_date for day in days]]

    def stock_history_dividend_detail(self, symbol: str, indicator: str) -> pd.DataFrame:
        reading = next(each for name, each in self.readings.items() if name.startswith(symbol))
        paid = [{"除权除息日": each.ex_date, "送股": 0.0, "转增": 0.0, "派息": each.amount * 10} for each in reading.dividends]
        return pd.DataFrame([*paid, {"除权除息日": pd.NaT, "送股": 0.0, "转增": 0.0, "派息": 1.0}])

    def stock_financial_abstract(self, symbol: str) -> pd.DataFrame:
        rows = {
            "营业总收入": [3.2e12, 2.4e12],
            "归母净利润": [6.0e10, 5.0e10],
            "毛利率": [15.6, float("nan")],
            "基本每股收益": [0.51, 0.42],
        }
        table = [["常用指标", name, *values] for name, values in rows.items()]
        return pd.DataFrame([*table, table[0]], columns=["选项", "指标", "20231231", "20230930"])

    def stock_news_em(self, symbol: str) -> pd.DataFrame:
        rows = [
            {"关键词": symbol, "新闻标题": item.title, "新闻内容": "", "文章来源": item.source, "新闻链接": ""}
            | {"发布时间": item.published.astimezone(ZoneInfo("Asia/Shanghai")).strftime("%Y-%m-%d %H:%M:%S")}
            for item in self.articles.get(symbol, [])
        ]
        return pd.DataFrame(rows)

    def stock_individual_info_em(self, symbol: str, timeout: float) -> pd.DataFrame:
        return pd.DataFrame({"item": ["股票代码", "行业"], "value": [symbol, "石油石化"]})


async def websites(now: datetime) -> LiveEquities:
    """The live source over libraries whose present is `now`."""
    readings = {symbol: await history(symbol, now) for symbol in (AMERICAN, CHINESE)}
    items = {symbol: await articles(symbol, now) for symbol in readings}
    shown = [
        {
            "content": {
                "title": item.title,
                "pubDate": item.published.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "provider": {"displayName": item.source},
                "canonicalUrl": {"url": "https://example.org"},
                "summary": "",
            }
        }
        for item in items[AMERICAN]
    ]
    yahoo = FakeYahoo(now, readings, {AMERICAN: [*reversed(shown), {"content": None}]})
    akshare = FakeAkshare(readings, {CHINESE[:6]: list(items[CHINESE])})
    return LiveEquities(lambda: now, 10.0, yahoo=lambda: yahoo, akshare=lambda: akshare)
