"""How shares have gone since they were bought: their best and worst price on the way, and for how many sessions. Pure."""

from decimal import Decimal

from engine.domain.market.candles import Candles
from engine.domain.market.terms import exact
from engine.domain.market.timeframe import Timeframe
from engine.domain.orders import Position
from engine.trading.protocol import MarketPath


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
