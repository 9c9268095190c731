"""How shares have gone since they were bought: their best and worst price on the way, and for how many sessions."""

import asyncio
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from engine.domain.account_ref import AccountRef
from engine.domain.errors import MarketError, StoreError
from engine.domain.holding import utc_ms
from engine.domain.market.candles import Candles
from engine.domain.market.terms import exact
from engine.domain.market.timeframe import Timeframe
from engine.domain.orders import Position
from engine.domain.text.reason import Reason
from engine.instruments.instrument import MarketAccess, Progress, Recall
from engine.instruments.measured_facts import no_facts, series_of
from engine.trading.protocol import MarketPath, ShareQuotes

_BEFORE_DAYS: Final = 120  # of a company's sessions before its shares were bought


async def progress_of_shares(access: MarketAccess, ref: AccountRef, position: Position, recall: Recall) -> Progress:
    """Measure shares against the average price that was paid, since their first fill. Where the source does not reach back to it, only
    at the last price, and `why` says so."""
    at, quotes, why = await access.broker(ref).instant(position.symbol), access.share_quotes(ref), ""
    terms = await quotes.terms(position.symbol)
    since = utc_ms(position.opened_at) if position.opened_at is not None else None
    try:
        path, known = await quotes.path(position.symbol, since, at), position
    except MarketError as problem:
        path, known = await quotes.path(position.symbol, None, at), position.model_copy(update={"opened_at": None})
        why = Reason("its_best_and_worst_price", problem=problem)
    thesis = None
    with suppress(StoreError):  # what it was bought for is shown where it is known
        _, thesis = await asyncio.to_thread(recall)
    candles = await _candles_since(quotes, position, at)
    return Progress(
        no_facts() | share_progress(known, path),
        price=path.price,
        at=path.at,
        thesis=thesis,
        why=why,
        currency=terms.shares.currency if terms.shares is not None else "",
        candles=candles,
        series=await asyncio.to_thread(series_of, candles) if candles is not None else {},
        terms=terms,
    )


async def _candles_since(quotes: ShareQuotes, position: Position, at: datetime | None) -> Candles | None:
    """Return the sessions of a company from some before its shares were bought; as far back as the source reaches, None without any."""
    if position.opened_at is None:
        return None
    for days in (_BEFORE_DAYS, 0):
        with suppress(MarketError):
            return share_candles(await quotes.path(position.symbol, utc_ms(position.opened_at - timedelta(days=days)), at))
    return None


def share_progress(position: Position, path: MarketPath) -> dict[str, float | None]:
    """Return `profit_pct`, `mfe_pct`, `mae_pct`, `drawdown_from_peak_pct` (percent of the average price that was paid, dividends left out)
    and `hold_count`: sessions that opened at or after the first fill and are over.

    path: from the first fill on. Of the session the fill fell into only its close counts: its high and low may have come before. Everything
    is compared in shares of today: prices of before a split are divided by it. Without a first fill all but the profit are None.
    """
    entry, opened_at = position.entry_price, position.opened_at
    profit = _gain(path.price, entry)
    unknown = dict.fromkeys(("mfe_pct", "mae_pct", "drawdown_from_peak_pct", "hold_count"))
    if opened_at is None:
        return unknown | {"profit_pct": profit}
    prices, count, ratio = [path.price, entry], 0, Decimal(1)
    for session in reversed(path.sessions):
        if session.candle is not None and session.closes > opened_at:
            whole = session.opens >= opened_at
            count += whole
            candle = session.candle
            seen = (candle.high, candle.low) if whole else (candle.close,)
            prices += [exact(float(price)) / ratio for price in seen]
        ratio *= session.ratio or Decimal(1)
    best, worst = _gain(max(prices), entry), _gain(min(prices), entry)
    return {"profit_pct": profit, "mfe_pct": best, "mae_pct": worst, "drawdown_from_peak_pct": best - profit, "hold_count": float(count)}


def share_candles(path: MarketPath) -> Candles | None:
    """Return the sessions of a path as daily candles, oldest first, in shares of its end; None without any."""
    ratio, rows = Decimal(1), []
    for session in reversed(path.sessions):
        if session.candle is not None:
            rows.append((session.candle, float(ratio)))
        ratio *= session.ratio or Decimal(1)
    if not rows:
        return None
    names = ("open", "high", "low", "close")
    columns = {name: [getattr(candle, name) / by for candle, by in reversed(rows)] for name in names}
    columns |= {
        "timestamp": [float(candle.opened_at) for candle, _ in reversed(rows)],
        "volume": [candle.volume * by for candle, by in reversed(rows)],
    }
    return Candles.from_columns(Timeframe.parse("1d"), columns)


def _gain(price: Decimal, entry: Decimal) -> float:
    return float((price - entry) / entry * 100)
