"""The lens of a proof: everything that is later than an instant is another future.

Of a recording the rows themselves are altered as they come from the files, below everything that decides what was known when: later
candles, funding, open interest, fear and greed, prices of companies, factors, filings and news. Of any other source each reading is altered
as it leaves the source: whatever in it is later than the instant. A decision that plays fair sees none of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.domain.equity.filing import Filing
from engine.domain.equity.listing import Listing
from engine.domain.equity.news_item import NewsItem
from engine.domain.equity.series import Constituent, MacroSeries
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.market.candles import Candles
from engine.domain.market.instants import instant_ms
from engine.domain.market.instrument import Market
from engine.domain.market.timeframe import Timeframe
from engine.equity.adjustment import day_ms, day_of
from engine.equity.factor_file import Factors
from engine.equity.price_files import DailyPrices
from engine.equity.protocol import EquitySource, Layer, PriceReading
from engine.files.kept_files import KeptFiles
from engine.files.recorded_files import CandleFile, Series
from engine.market.protocol import CandleReading, Feed, HistoryReading, SeriesName, SurroundingsReading
from engine.replay.lens import Lens
from engine.replay.seen_feed import SeenEquities, SeenFeed

T = TypeVar("T")
_WORDS = "what nobody could know yet"


class Future:
    """What is later than an instant, made into something else. seed: of how. Before `begin` nothing is altered."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._ms: int | None = None
        self._day = date.max
        self._at = datetime.max.replace(tzinfo=UTC)

    def begin(self, at: datetime, last_day: date | None) -> None:
        """Alter everything later than `at` from now on. last_day: the last session whose close is known then, None = by the date of
        `at`."""
        self._at, self._ms, self._day = at, instant_ms(at), last_day or at.astimezone(UTC).date()

    @property
    def mark(self) -> tuple[int | None, date]:
        """What the alteration depends on."""
        return self._ms, self._day

    def candles(self, candles: Candles, known: int | None = None) -> Candles:
        """Return candles with other prices and volumes from the first one on that had not closed. known: how many stay, else by the
        instant."""
        if self._ms is None:
            return candles
        if known is None:
            known = int((candles.opened_at + candles.timeframe.ms).searchsorted(self._ms, side="right"))
        if known >= len(candles):
            return candles
        factor = self._factors(len(candles) - known, known)
        columns = []
        for name in ("open", "high", "low", "close", "volume"):
            column = getattr(candles, name).copy()
            column[known:] *= factor
            columns.append(column)
        return Candles(candles.timeframe, candles.opened_at, *columns)

    def days(self, candles: Candles) -> Candles:
        """Return daily candles with other prices from the session after the last known one on."""
        return (
            self.candles(candles, int(candles.opened_at.searchsorted(day_ms(self._day), side="right"))) if self._ms is not None else candles
        )

    def series(self, series: Series) -> Series:
        """Return values with other ones where they were not known yet; kept within the bounds that their files have."""
        if self._ms is None:
            return series
        known = int(series.known_at.searchsorted(self._ms, side="right"))
        value = series.value.copy()
        value[known:] *= np.linspace(0.1, 0.9, len(value) - known)
        return Series(series.known_at, value)

    def factors(self, factors: Factors) -> Factors:
        """Return factors of another later history. They are products up to the end of the file: what came later scales all rows alike, and
        only the quotients of rows that a later session separates are others."""
        if self._ms is None:
            return factors
        kept = next((index for index, day in enumerate(factors.days) if day >= self._day), len(factors.days) - 1) + 1
        price = factors.price * 0.97
        price[kept:] *= 0.9
        return replace(factors, price=price)

    def filing(self, filing: Filing) -> Filing:
        """Return a filing with other figures where it was not out yet."""
        if self._ms is None or filing.is_out(self._at, self._at.astimezone(UTC).date(), self._day):
            return filing
        return filing.model_copy(update={"values": {key: value * -3.0 + 1.0 for key, value in filing.values.items()}})

    def news(self, item: NewsItem) -> NewsItem:
        """Return other words where they had not been published."""
        if self._ms is None or item.published <= self._at:
            return item
        return item.model_copy(update={"title": _WORDS, "text": _WORDS, "tone": -item.tone if item.tone is not None else None})

    def is_later(self, at: datetime) -> bool:
        """Return whether an instant is later."""
        return self._ms is not None and at > self._at

    def is_later_day(self, day: date) -> bool:
        """Return whether a date's close was not known."""
        return self._ms is not None and day > self._day

    def _factors(self, n: int, known: int) -> NDArray[np.float64]:
        rng = np.random.default_rng([self._seed, known])
        return np.asarray(np.exp(rng.normal(0.0, 0.1, n).clip(-0.2, 0.2)))  # less than what would be read as a split


class AlteredFiles(KeptFiles):
    """Files whose later rows are altered as they are read."""

    def __init__(self, future: Future) -> None:
        super().__init__()
        self._future = future
        self._altered: dict[Path, tuple[object, object, object]] = {}

    def keep(self, path: Path, read: Callable[[], T]) -> T:
        """See KeptFiles."""
        real = super().keep(path, read)
        kept = self._altered.get(path)
        if kept is None or kept[0] is not real or kept[1] != self._future.mark:
            kept = (real, self._future.mark, self._of(real))
            self._altered[path] = kept
        return kept[2]  # type: ignore[return-value]  # of the same kind as what was read

    def clear(self) -> None:
        """See KeptFiles."""
        super().clear()
        self._altered.clear()

    def _of(self, real: Any) -> Any:  # noqa: PLR0911 - a line a kind
        future = self._future
        match real:
            case CandleFile():
                return replace(real, candles=future.candles(real.candles))
            case Series():
                return future.series(real)
            case DailyPrices():
                return replace(real, candles=future.days(real.candles), stated=self._stated(real))
            case Factors():
                return future.factors(real)
            case Filing():
                return future.filing(real)
            case NewsItem():
                return future.news(real)
            case Mapping():
                return {key: self._of(each) for key, each in real.items()}
            case tuple():
                return tuple(self._of(each) for each in real)
        return real

    def _stated(self, prices: DailyPrices) -> "NDArray[np.float64] | None":
        if prices.stated is None:
            return None
        later = np.array([self._future.is_later_day(day_of(int(ms))) for ms in prices.candles.opened_at], dtype=bool)
        return np.where(later, prices.stated * 0.5, prices.stated)


class AlteredLens(Lens):
    """Shows another future, of whatever source."""

    def __init__(self, seed: int = 0) -> None:
        self.future = Future(seed)

    def files(self) -> KeptFiles:
        return AlteredFiles(self.future)

    def feed(self, feed: Feed) -> Feed:
        return feed if feed.name == "recorded" else _AlteredFeed(feed, self.future)

    def equities(self, source: EquitySource) -> EquitySource:
        return source if source.name == "recorded" else _AlteredEquities(source, self.future)


class _AlteredFeed(SeenFeed):
    def __init__(self, inner: Feed, future: Future) -> None:
        super().__init__(inner)
        self._future = future

    async def candles(self, market: Market, timeframe: Timeframe, at: datetime, bars: int) -> CandleReading:
        reading = await super().candles(market, timeframe, at, bars)
        forming = reading.forming
        if forming is not None and self._future.is_later(at):
            forming = replace(forming, close=forming.low, volume=forming.volume * 2)
        return replace(reading, closed=self._future.candles(reading.closed), forming=forming)

    async def read_surroundings(self, market: Market, at: datetime) -> SurroundingsReading:
        reading = await super().read_surroundings(market, at)
        if not self._future.is_later(at):
            return reading
        found = reading.surroundings
        halved = {
            name: value / 2
            for name in ("funding_rate", "open_interest", "open_interest_24h_ago", "fear_greed")
            if (value := getattr(found, name)) is not None
        }
        return replace(reading, surroundings=found.model_copy(update=halved))

    async def history(self, market: Market, what: SeriesName, at: datetime, points: int) -> HistoryReading:
        reading = await super().history(market, what, at, points)
        known = self._future.mark[0]
        later = known if known is not None else 0
        if known is None:
            return reading
        return replace(reading, points=tuple((ms, value / 2 if ms > later else value) for ms, value in reading.points))


class _AlteredEquities(SeenEquities):
    def __init__(self, inner: EquitySource, future: Future) -> None:
        super().__init__(inner)
        self._future = future

    async def prices(self, listing: Listing, moment: TradingMoment, bars: int) -> PriceReading:
        reading = await super().prices(listing, moment, bars)
        return replace(reading, candles=self._future.days(reading.candles))

    async def filings(self, listing: Listing, moment: TradingMoment) -> Layer[Filing]:
        layer = await super().filings(listing, moment)
        return replace(layer, items=tuple(map(self._future.filing, layer.items)))

    async def news(self, listing: Listing, moment: TradingMoment) -> Layer[NewsItem]:
        layer = await super().news(listing, moment)
        return replace(layer, items=tuple(map(self._future.news, layer.items)))

    async def constituents(self, listing: Listing, moment: TradingMoment) -> Layer[Constituent]:
        layer = await super().constituents(listing, moment)
        return replace(layer, items=tuple(map(self._constituent, layer.items)))

    async def macro(self, listing: Listing, moment: TradingMoment) -> Layer[MacroSeries]:
        layer = await super().macro(listing, moment)
        return replace(layer, items=tuple(map(self._macro, layer.items)))

    def _constituent(self, item: Constituent) -> Constituent:
        closes = tuple(close * 2 if self._future.is_later_day(day) else close for day, close in zip(item.dates, item.closes, strict=True))
        return item.model_copy(update={"closes": closes})

    def _macro(self, item: MacroSeries) -> MacroSeries:
        points = tuple(
            each.model_copy(update={"value": each.value * 2 + 1}) if self._future.is_later(each.published) else each for each in item.points
        )
        return item.model_copy(update={"points": points})
