"""What of filings, news and series was known at a moment: the one place where "by then" is decided. Pure."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta

from engine.domain.equity.filing import Filing
from engine.domain.equity.news_item import NewsItem
from engine.domain.equity.series import Constituent, MacroSeries
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.market.candles import Candles
from engine.domain.text.visible import one_line, shortened, visible

MOST_NEWS = 100
NEWS_REACH = timedelta(days=30)
MOST_FILINGS = 36  # three years of quarters, each quarterly, annual or of twelve months
MOST_TITLE, MOST_TEXT = 500, 4_000  # characters of a news item


def known_filings(filings: Iterable[Filing], moment: TradingMoment) -> tuple[Filing, ...]:
    """Return what was filed by then, newest period first."""
    known = [filing for filing in filings if is_filed(filing, moment)]
    order = {"ttm": 0, "annual": 1, "quarterly": 2}
    known.sort(key=lambda filing: (-filing.report_period.toordinal(), order[filing.period], -filing.known_from.toordinal()))
    return tuple(known[:MOST_FILINGS])


def is_filed(filing: Filing, moment: TradingMoment) -> bool:
    """Return whether a filing was published by the moment, and its period was over."""
    return filing.report_period <= moment.trade_date and filing.is_out(moment.known_at, moment.trade_date, moment.last_session)


def known_news(news: Iterable[NewsItem], moment: TradingMoment) -> tuple[NewsItem, ...]:
    """Return what was published by then, newest first: of the last 30 days, 100 items at most, without characters that hide others."""
    known = [item for item in news if moment.known_at - NEWS_REACH < item.published <= moment.known_at]
    known.sort(key=lambda item: (item.title, item.source, item.url))
    known.sort(key=lambda item: item.published, reverse=True)
    return tuple(_shown(item) for item in known[:MOST_NEWS])


def _shown(item: NewsItem) -> NewsItem:
    return item.model_copy(
        update={
            "title": shortened(one_line(item.title), MOST_TITLE),
            "source": shortened(one_line(item.source), MOST_TITLE),
            "url": one_line(item.url)[:MOST_TITLE],
            "text": shortened(visible(item.text), MOST_TEXT),
        }
    )


def known_closes(constituents: Iterable[Constituent], moment: TradingMoment) -> Iterable[Constituent]:
    """Yield constituents with their closes up to the last session, by symbol; none without any."""
    for constituent in sorted(constituents, key=lambda each: each.symbol):
        count = sum(day <= moment.last_session for day in constituent.dates)
        if count:
            yield constituent.model_copy(update={"dates": constituent.dates[:count], "closes": constituent.closes[:count]})


def known_points(macro: Iterable[MacroSeries], moment: TradingMoment) -> Iterable[MacroSeries]:
    """Yield macro figures with the points published by then, by key; none without any."""
    for series in sorted(macro, key=lambda each: (each.region, each.key)):
        points = tuple(point for point in series.points if point.published <= moment.known_at)
        if points:
            yield series.model_copy(update={"points": points})


def bars_between(candles: Candles, first: datetime, last: datetime) -> Candles:
    """Return the bars that opened at `first` or later and had closed by `last`, both aware."""
    opened = candles.opened_at
    start = int(opened.searchsorted(int(first.timestamp() * 1000)))
    stop = int((opened + candles.timeframe.ms).searchsorted(int(last.timestamp() * 1000), side="right"))
    return candles.slice(start, max(start, stop))


def end_of_day(day: date) -> datetime:
    """Return the end of a UTC date: when something dated by the day alone is certainly out."""
    return datetime.combine(day + timedelta(days=1), time(), UTC)
