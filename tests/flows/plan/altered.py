"""Sources of plans that are sound but for what a test alters: the simulated market and a company made by hand."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any

from engine.domain.equity.filing import Filing
from engine.domain.equity.news_item import NewsItem
from engine.equity.protocol import Layer
from engine.equity.simulated import SimulatedEquities
from engine.market.protocol import CandleReading, HistoryReading
from engine.market.simulated import SimulatedFeed
from tests.flows.plan.material import AT

TICKER = "AAPL"
_HOUR_MS = 3_600_000
FIGURES = {
    "revenue": 90e9, "net_income": 22.5e9, "net_margin_pct": 25.0, "revenue_growth_pct": 5.0, "gross_margin_pct": 45.0,
    "operating_margin_pct": 30.0, "return_on_equity_pct": 150.0, "pe_ratio": 28.0,
}  # fmt: skip
FILING = Filing(report_period=date(2026, 3, 31), period="quarterly", filed=date(2026, 5, 1), currency="USD", values=FIGURES)


def headline(hours: float, title: str, source: str, tone: float | None = None) -> NewsItem:
    """A headline of so many hours before the instant."""
    return NewsItem(published=AT - timedelta(hours=hours), symbol=TICKER, source=source, title=title, tone=tone)


NEWS = tuple(headline(24 + n, f"Headline {n}", source) for n, source in enumerate(("Wire", "Post", "Times", "Wire")))


class AlteredFeed(SimulatedFeed):
    """The simulated market. late: hours that its candles and series end too early. fewer: how many are left of what is asked for. twin:
    what closes of less than an hour are multiplied with. values: of volumes and series, instead of their own. around: what is otherwise
    beside the candles."""

    def __init__(
        self,
        late: float = 0.0,
        fewer: int | None = None,
        twin: float = 1.0,
        values: Callable[[float], float] | None = None,
        around: Mapping[str, float | None] | None = None,
    ) -> None:
        super().__init__(0, lambda: AT)
        self._late, self._fewer, self._twin, self._values, self._around = timedelta(hours=late), fewer, twin, values, dict(around or {})

    async def candles(self, market: Any, timeframe: Any, at: datetime, bars: int) -> CandleReading:
        reading = await super().candles(market, timeframe, at - self._late, min(bars, self._fewer or bars))
        closed, values = reading.closed, self._values or (lambda value: value)
        close = closed.close * (self._twin if timeframe.ms < _HOUR_MS else 1.0)
        volume = [values(float(each)) for each in closed.volume]
        return CandleReading(replace(closed, close=close, volume=type(close)((len(volume),), buffer=_bytes(volume))), None)

    async def history(self, market: Any, what: Any, at: datetime, points: int) -> HistoryReading:
        reading = await super().history(market, what, at - self._late, min(points, self._fewer or points))
        values = self._values or (lambda value: value)
        return replace(reading, points=tuple((known, values(value)) for known, value in reading.points))

    async def surroundings(self, market: Any, at: datetime) -> Any:
        return (await super().surroundings(market, at)).model_copy(update=self._around)


def _bytes(values: Sequence[float]) -> Any:
    import numpy as np

    return np.array(values, dtype=np.float64)


class AlteredEquities(SimulatedEquities):
    """The simulated company with reports and news made by hand."""

    def __init__(self, filings: Sequence[Filing] = (FILING,), news: Sequence[NewsItem] = NEWS) -> None:
        super().__init__(0, lambda: AT)
        self._filings, self._news = filings, news

    async def filings(self, listing: Any, moment: Any) -> Layer[Filing]:
        return Layer(self._filings, "by hand", None if self._filings else "nothing was filed")

    async def news(self, listing: Any, moment: Any) -> Layer[NewsItem]:
        return Layer(self._news, "by hand", None if self._news else "nothing was published")


@dataclass
class Sources:
    """Implements `PlanSources`. past: decisions; answer: of the research agent."""

    market: SimulatedFeed = field(default_factory=AlteredFeed)
    company: SimulatedEquities = field(default_factory=AlteredEquities)
    past: Sequence[Any] = ()
    answer: Mapping[str, Any] = field(default_factory=dict)

    def feed(self) -> SimulatedFeed:
        return self.market

    def equities(self) -> SimulatedEquities:
        return self.company

    async def decisions(self, subject: str, until: datetime, limit: int) -> Sequence[Any]:
        return self.past[:limit]

    async def research(self, question: str, n: int) -> Mapping[str, Any]:
        return self.answer
