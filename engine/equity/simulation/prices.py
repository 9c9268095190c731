"""The price of one simulated company, as a pure function of (seed, symbol, date).

Nothing is walked from an origin. An era of 128 days is a bridge between two anchors drawn from its number alone; in it a day's step is the
market's and the company's own. So any window costs what it holds. Prices move on days without a session too: that is the gap after a
weekend. Everything is computed in the shares of after the last split and then written in the shares of its own day, in whole steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from math import log

import numpy as np
from numpy.typing import NDArray

from engine.domain.market.candles import Candles
from engine.domain.market.draws import draws_of
from engine.domain.market.timeframe import Timeframe
from engine.equity.adjustment import DAY_MS
from engine.equity.simulation.companies import BASKETS, COMPANIES, EPOCH_YEAR, Basket, Company

DAY = Timeframe.parse("1d")
ERA = 128  # days
_MARKET_SPREAD = 0.0065  # of an ordinary day's log return
_MOST_STEP = 0.03  # keeps a long weekend inside a price limit of 10 percent
_START = (date(EPOCH_YEAR, 1, 1) - date(1970, 1, 1)).days
_YEAR = 365.25

Column = NDArray[np.float64]
Days = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _PriceEra:
    """log_price: float64[ERA + 1], at the start of each day and at the end. spread, gap, up, down: float64[ERA], of each day. stir: its
    volume's noise."""

    log_price: Column
    spread: Column
    gap: Column
    up: Column
    down: Column
    stir: Column


class CompanyPath:
    """The history of one company under one seed. day: days since 1970-01-01."""

    def __init__(self, seed: int, company: Company) -> None:
        self.company = company
        self._seed = seed
        self._era = lru_cache(256)(self._make_era)

    def _anchor(self, era: int) -> float:
        years = (era * ERA - _START) / _YEAR
        sway = 0.14 * draws_of(self._seed, self.company.symbol, "anchor", era).uniform(-1, 1)
        return log(self.company.price) + log(1 + self.company.growth) * years + float(sway)

    def _make_era(self, era: int) -> _PriceEra:
        company, draws = self.company, draws_of(self._seed, self.company.symbol, "era", era)
        spread = company.restless * np.exp(0.3 * draws.standard_normal(ERA))
        market = _MARKET_SPREAD * draws_of(self._seed, _market_of(company.symbol), "market", era).standard_normal(ERA)
        steps = np.clip(company.beta * market + spread * draws.standard_normal(ERA), -_MOST_STEP, _MOST_STEP)
        path = np.r_[0.0, np.cumsum(steps)]
        start, end = self._anchor(era), self._anchor(era + 1)
        log_price = start + path + (end - start - path[-1]) * np.linspace(0, 1, ERA + 1)
        gap = 0.25 * spread * draws.standard_normal(ERA)
        up, down = (0.45 * spread * np.abs(draws.standard_normal(ERA)) for _ in range(2))
        return _PriceEra(log_price, spread, gap, up, down, draws.standard_normal(ERA))

    def columns(self, days: Days) -> tuple[Column, Column, Column, Column, Column]:
        """Return open, high, low, close and volume of these days, in the shares of after the last split, not yet in whole steps."""
        eras, inside = days // ERA, days % ERA
        first = int(eras[0]) if len(eras) else 0
        pieces = [self._era(number) for number in range(first, int(eras[-1]) + 1)] if len(eras) else []
        row, at = eras - first, inside

        def take(name: str, shift: int = 0) -> Column:
            return np.stack([getattr(piece, name) for piece in pieces])[row, at + shift]

        if not pieces:
            empty = np.empty(0)
            return empty, empty, empty, empty, empty
        opened, closed = take("log_price") + take("gap"), take("log_price", 1)
        high, low = np.maximum(opened, closed) + take("up"), np.minimum(opened, closed) - take("down")
        turnover = self.company.shares * 0.004 * np.exp(0.35 * take("stir") + 8 * np.abs(closed - opened))
        return np.exp(opened), np.exp(high), np.exp(low), np.exp(closed), turnover

    def raw(self, days: Days, decimals: int = 2) -> Candles:
        """Return candles of these days as they were traded: prices in the shares of each day, in whole steps."""
        factor = np.ones(len(days))
        for split in self.company.splits:
            factor[days < (split.date - date(1970, 1, 1)).days] *= split.ratio
        opened, high, low, closed, volume = self.columns(days)
        prices = [np.round(column * factor, decimals) for column in (opened, high, low, closed)]
        return Candles(DAY, days * DAY_MS, *prices, np.floor(volume / factor))  # type: ignore[call-arg]  # four prices


class BasketPath:
    """The history of an index or fund: the market value of its members over a divisor that is fixed at the beginning."""

    def __init__(self, basket: Basket, members: Sequence[CompanyPath]) -> None:
        self.basket = basket
        self.members = members
        start = sum(path.company.price * path.company.shares for path in members)
        self._divisor = start / basket.level

    def raw(self, days: Days, decimals: int = 2) -> Candles:
        """Return candles of these days. Highs and lows are those of the members where they happen together to a third."""
        opened, high, low, closed, volume = (np.zeros(len(days)) for _ in range(5))
        for path in self.members:
            columns = path.columns(days)
            for total, column in zip((opened, high, low, closed), columns[:4], strict=True):
                np.add(total, column * path.company.shares / self._divisor, out=total)
            volume += columns[4]
        top, bottom = np.maximum(opened, closed), np.minimum(opened, closed)
        prices = [np.round(column, decimals) for column in (opened, top + (high - top) / 3, bottom - (bottom - low) / 3, closed)]
        return Candles(DAY, days * DAY_MS, *prices, np.floor(volume))  # type: ignore[call-arg]  # four prices

    def weights_pct(self, day: int) -> dict[str, float]:
        """Return symbol -> its share of the basket's value at the day's close, percent."""
        values = {path.company.symbol: float(path.columns(np.array([day]))[3][0]) * path.company.shares for path in self.members}
        whole = sum(values.values())
        return {symbol: round(value / whole * 100.0, 4) for symbol, value in values.items()}


def paths_of(seed: int) -> tuple[dict[str, CompanyPath], dict[str, BasketPath]]:
    """Return all companies and all baskets of a seed."""
    companies = {symbol: CompanyPath(seed, company) for symbol, company in COMPANIES.items()}
    baskets = {symbol: BasketPath(basket, [companies[member] for member in basket.members]) for symbol, basket in BASKETS.items()}
    return companies, baskets


def _market_of(symbol: str) -> str:
    return "CN" if "." in symbol else "US"
