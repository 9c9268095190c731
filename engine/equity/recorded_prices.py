"""The prices of one symbol in one file, and what they say without a word: ex-dividend days, absent sessions, splits no one states."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import NoReturn

import numpy as np

from engine.domain.equity.series import Constituent
from engine.domain.equity.share_events import Dividend, Split
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.errors import BadMarketData
from engine.domain.market.candles import Candles
from engine.domain.text.reason import Reason
from engine.equity.adjustment import DAY_MS, day_ms, day_of, in_shares_of
from engine.equity.price_files import DailyPrices
from engine.equity.sessions import SessionCalendar

CONSTITUENT_SESSIONS = 64
_LEAST_STATED_GAP = 1e-9
_LEAST_KEPT = 0.85  # a dividend takes less than 15 percent of the price
_MOST_SPLIT = 200.0  # new shares for an old one, or old ones for a new one
_MOST_PAID = 0.5  # of the close before
_MOST_MOVED = 5.0  # times, from one close to any price of the next session
_MOST_NAMED = 5


@dataclass(frozen=True, eq=False)
class RecordedPrices:
    """One file that has a symbol's prices. factors: the file of its splits and dividends, or None."""

    source: str
    prices: DailyPrices
    factors: Path | None

    @property
    def days(self) -> tuple[date, date]:
        """First and last date."""
        opened = self.prices.candles.opened_at
        return day_of(opened[0]), day_of(opened[-1])

    def count_to(self, day: date) -> int:
        """Return how many rows stand up to a date, it included."""
        return int(self.prices.candles.opened_at.searchsorted(day_ms(day), side="right"))

    def has(self, day: date) -> bool:
        """Return whether there is a row of that date."""
        count = self.count_to(day)
        return count > 0 and int(self.prices.candles.opened_at[count - 1]) == day_ms(day)


def stated_events(prices: DailyPrices, start: int, stop: int) -> tuple[tuple[Split, ...], tuple[Dividend, ...]]:
    """Return what the previous closes that an exchange stated say: one below the close before is an ex-dividend day, one far below it a
    split (shares out of reserves, in tenths)."""
    splits, dividends = [], []
    stated, candles = prices.stated, prices.candles
    assert stated is not None
    for index in range(start + 1, stop):
        before, said = float(candles.close[index - 1]), float(stated[index])
        if np.isnan(said) or abs(before - said) < _LEAST_STATED_GAP:
            continue
        day = day_of(candles.opened_at[index])
        if not _LEAST_KEPT < said / before < 1 / _LEAST_KEPT:
            splits.append(Split(date=day, ratio=round(before / said, 1) or before / said))
        elif said < before:
            dividends.append(Dividend(ex_date=day, amount=round(before - said, 6)))
    return tuple(splits), tuple(dividends)


def constituent_of(symbol: str, recording: RecordedPrices, moment: TradingMoment) -> Constituent:
    """Return a company with its last closes, in shares of the trade date."""
    stop = recording.count_to(moment.last_session)
    start = max(0, stop - CONSTITUENT_SESSIONS)
    candles = recording.prices.candles.slice(start, stop)
    if recording.prices.stated is not None:
        candles = in_shares_of(candles, stated_events(recording.prices, start, stop)[0], moment.trade_date)
    days = tuple(day_of(opened) for opened in candles.opened_at.tolist())
    return Constituent(symbol=symbol, name=symbol, dates=days, closes=tuple(candles.close.tolist()))


def refuse_strange_days(recording: RecordedPrices, start: int, stop: int, calendar: SessionCalendar) -> None:
    """Refuse a row on a date on which the exchange was closed. Raises BadMarketData."""
    days = recording.prices.candles.opened_at[start:stop] // DAY_MS
    strange = ~np.isin(days, calendar.days) & (days >= calendar.days[0])
    if strange.any():
        index = start + int(np.argmax(strange))
        day = day_of(recording.prices.candles.opened_at[index])
        raise BadMarketData(Reason("has_no_session_at", index=recording.prices.row_label(index), day=day, name=calendar.name))


def absent_sessions(candles: Candles, calendar: SessionCalendar) -> tuple[str, ...]:
    """Return how many sessions between the candles have no row: days without trading, or days that are missing."""
    days = candles.opened_at // DAY_MS
    sessions = calendar.days[calendar.days.searchsorted(days[0]) : calendar.days.searchsorted(days[-1], side="right")]
    absent = sessions[~np.isin(sessions, days)]
    if len(absent) == 0:
        return ()
    last = date(1970, 1, 1) + timedelta(days=int(absent[-1]))
    return (f"{len(absent)} sessions since {day_of(candles.opened_at[0])} have no row (not traded, or missing), the last one {last}",)


def odd_values(candles: Candles, splits: Sequence[Split], dividends: Sequence[Dividend]) -> tuple[str, ...]:
    """Return what can be right and hardly is, a note each: a split, a dividend or a move of the price that companies do not have."""
    closes, opened = candles.close, candles.opened_at
    notes = [
        Reason("recordings_have_split_of", ratio=f"{split.ratio:.4g}", date=split.date)
        for split in splits
        if not 1 / _MOST_SPLIT <= split.ratio <= _MOST_SPLIT
    ]
    for dividend in dividends:
        last = int(opened.searchsorted(day_ms(dividend.ex_date))) - 1
        paid = dividend.amount / float(closes[last]) if last >= 0 else 0.0
        if paid >= _MOST_PAID:
            notes.append(Reason("recordings_have_dividend_of_of_price_on", paid=f"{paid:.2%}", ex_date=dividend.ex_date))
    whole = in_shares_of(candles, splits, date.max)
    earlier, highest, lowest = whole.close[:-1], whole.high[1:], whole.low[1:]
    for index in np.flatnonzero((highest / earlier >= _MOST_MOVED) | (earlier / lowest >= _MOST_MOVED)):
        times = max(float(highest[index] / earlier[index]), float(earlier[index] / lowest[index]))
        notes.append(Reason("recordings_have_price_times_its_neighbour_on", times=f"{times:.4g}", opened=day_of(opened[index + 1])))
    more = Reason("recordings_have_more_values_that_are_hardly", notes=len(notes) - _MOST_NAMED)
    return (*notes[:_MOST_NAMED], *([more] if len(notes) > _MOST_NAMED else []))


def refuse_jump(recording: RecordedPrices, index: int, ratio: float) -> NoReturn:
    prices = recording.prices
    before, after = float(prices.candles.close[index - 1]), float(prices.candles.open[index])
    said = f"{ratio:g}:1" if ratio >= 1 else f"1:{1 / ratio:g}"
    where = recording.factors.name if recording.factors is not None else Reason("no_file_of_factors_stands_beside_it")
    lacks = Reason("has_no_factor_for_it", where=where) if recording.factors is not None else where
    raise BadMarketData(
        Reason(
            "price_goes_from",
            index=prices.row_label(index),
            before=f"{before:g}",
            after=f"{after:g}",
            opened_at=day_of(prices.candles.opened_at[index]),
            said=said,
            lacks=lacks,
        )
    )
