"""What is written about simulated companies: a pure function of (seed, symbol, date), in the language of the company's market.

Reports on a session's move come out after its close and on a quarter with its filing; the rest is talk of the day, good or bad by a draw
that knows nothing of what comes.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

from engine.domain.equity.news_item import NewsItem
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.market.draws import draws_of
from engine.equity.adjustment import in_shares_of
from engine.equity.known import NEWS_REACH
from engine.equity.sessions import SessionCalendar
from engine.equity.simulation.filings import CompanyReports, period_end
from engine.equity.simulation.prices import CompanyPath

_TALK = {
    "en": (
        (-0.7, "{name} faces an inquiry by regulators into how it deals with suppliers"),
        (-0.5, "{name} delays a product that was announced for this quarter"),
        (-0.4, "Analysts cut their estimates for {name} on weaker demand"),
        (-0.2, "{name} loses a senior manager to a rival"),
        (0.0, "{name} presents its plans at an industry conference"),
        (0.0, "What to watch at {name} in the weeks ahead"),
        (0.3, "{name} signs a supply agreement for several years"),
        (0.4, "Analysts raise their estimates for {name}"),
        (0.6, "{name} wins a large order and adds capacity"),
        (0.7, "{name} announces a buyback of its shares"),
    ),
    "zh": (
        (-0.7, "监管部门就供应商往来问题约谈{name}"),
        (-0.5, "{name}推迟原定于本季度发布的产品"),
        (-0.4, "多家机构因需求走弱下调{name}盈利预测"),
        (-0.2, "{name}一名高管离任"),
        (0.0, "{name}在行业大会上介绍发展规划"),
        (0.0, "{name}未来数周有哪些看点"),
        (0.3, "{name}签订多年期供货协议"),
        (0.4, "多家机构上调{name}盈利预测"),
        (0.6, "{name}中标大额订单并扩充产能"),
        (0.7, "{name}公告股份回购计划"),
    ),
}
_SOURCES = {"en": ("Simulated Wire", "Simulated Journal", "Simulated Street"), "zh": ("模拟财经", "模拟证券报", "模拟快讯")}
_PER_DAY = 0.45
_WORTH_TELLING = 0.02  # of a session's return


def news_of(seed: int, path: CompanyPath, reports: CompanyReports, calendar: SessionCalendar, moment: TradingMoment) -> Iterator[NewsItem]:
    """Yield what was written about a company in the 30 days before the moment."""
    first = (moment.known_at - NEWS_REACH).date()
    days = [first + timedelta(days=offset) for offset in range((moment.known_at.date() - first).days + 1)]
    items = [*_talk(seed, path, days), *_moves(path, calendar, first, moment), *_quarters(path, reports, moment)]
    yield from (item for item in items if item.published <= moment.known_at)


def _language(symbol: str) -> str:
    return "zh" if "." in symbol else "en"


def _talk(seed: int, path: CompanyPath, days: list[date]) -> Iterator[NewsItem]:
    symbol, language = path.company.symbol, _language(path.company.symbol)
    for day in days:
        draws = draws_of(seed, symbol, "news", day.toordinal())
        for _ in range(int(draws.poisson(_PER_DAY))):
            tone, title = _TALK[language][int(draws.integers(len(_TALK[language])))]
            minute = int(draws.integers(24 * 60))
            source = _SOURCES[language][int(draws.integers(len(_SOURCES[language])))]
            published = datetime.combine(day, time(), UTC) + timedelta(minutes=minute)
            yield NewsItem(published=published, symbol=symbol, source=source, title=title.format(name=path.company.name), tone=tone)


def _moves(path: CompanyPath, calendar: SessionCalendar, first: date, moment: TradingMoment) -> Iterator[NewsItem]:
    company, language = path.company, _language(path.company.symbol)
    start = int(calendar.days.searchsorted((first - date(1970, 1, 1)).days)) - 1
    stop = int(calendar.days.searchsorted((moment.last_session - date(1970, 1, 1)).days, side="right"))
    days, closes = calendar.days[start:stop], calendar.closes[start:stop]
    candles = in_shares_of(path.raw(days), company.splits, moment.trade_date)
    for index in range(1, len(days)):
        change = float(candles.close[index] / candles.close[index - 1]) - 1.0
        if abs(change) < _WORTH_TELLING:
            continue
        if language == "en":
            title = f"{company.name} shares {'rise' if change > 0 else 'fall'} {abs(change) * 100:.1f} % on the day"
        else:
            title = f"{company.name}股价今日{'上涨' if change > 0 else '下跌'}{abs(change) * 100:.1f}%"
        published = datetime.fromtimestamp(int(closes[index]), UTC) + timedelta(minutes=35)
        tone = max(-1.0, min(1.0, round(change * 12, 2)))
        yield NewsItem(published=published, symbol=company.symbol, source=_SOURCES[language][0], title=title, tone=tone)


def _quarters(path: CompanyPath, reports: CompanyReports, moment: TradingMoment) -> Iterator[NewsItem]:
    company, language = path.company, _language(path.company.symbol)
    newest = moment.trade_date.year * 4 + (moment.trade_date.month - 1) // 3
    for number in range(newest - 2, newest + 1):
        published = reports.filed_at(number)
        if published > moment.known_at:
            continue
        values = reports.filing(number, "quarterly", moment.trade_date).values
        growth, margin = values["revenue_growth_pct"], values["net_margin_pct"]
        if language == "en":
            verb = "up" if growth >= 0 else "down"
            title = f"{company.name} reports quarterly revenue {verb} {abs(growth):.1f} % on the year, net margin {margin:.1f} %"
        else:
            verb = "增长" if growth >= 0 else "下降"
            title = f"{company.name}发布季报：营收同比{verb}{abs(growth):.1f}%，净利率{margin:.1f}%（{period_end(number)}）"
        tone = max(-1.0, min(1.0, round(growth / 30, 2)))
        yield NewsItem(published=published, symbol=company.symbol, source=_SOURCES[language][1], title=title, tone=tone)
