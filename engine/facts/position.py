"""Facts of the position that is held: how far it went for and against its side since it was opened.

Given the holding, the last price and the candles, gives one fact per position key. Percentages are of the price move from the entry, signed
for the side and never times leverage. What counts as "since entry":
- every closed candle that opened at or after the entry, with its high and low; the forming candle likewise; the last price; the entry
  itself (so mae <= 0 <= mfe always);
- of the candle in which the entry fell only its close: its high and low may have come before the position existed;
- where the main candles begin after the entry, the candles of the higher timeframe stand in for the earlier part; where those begin
  after it too, the excursions are missing.
No liquidation price is given: the maintenance margin and the margin mode decide it, and a position does not state them.
"""

import math
from collections.abc import Iterator

from engine.domain.facts import Fact, FactValue, Unit
from engine.domain.holding import Holding, utc_ms
from engine.domain.market.candles import Candle, Candles
from engine.domain.market.snapshot import Snapshot
from engine.domain.text.reason import Reason

_NO_LIQUIDATION = Reason("depends_on_venue_maintenance_margin_and_margin")
_EXCURSION = "high and low of candles opened since entry, their {end}, percent of the entry price"


def position_facts(snapshot: Snapshot, holding: Holding, price: float | None) -> tuple[Fact, ...]:
    """Return all position keys. price: the last price, None when it is not known."""
    stated: tuple[tuple[str, FactValue, Unit], ...] = (
        ("side", holding.side, "word"),
        ("entry_price", holding.entry_price, "price"),
        ("size", holding.size, "amount"),
        ("leverage", holding.leverage, "multiple"),
    )
    return (
        *(Fact(key=key, value=value, unit=unit, formula="as the position states it") for key, value, unit in stated),
        *_measured(snapshot, holding, price),
        Fact(key="liquidation_price", value=None, unit="price", missing=_NO_LIQUIDATION),
    )


def _measured(snapshot: Snapshot, holding: Holding, price: float | None) -> Iterator[Fact]:
    formulas = {
        "profit_pct": "price move from entry to last price, percent, signed for the side, without leverage",
        "mfe_pct": _EXCURSION.format(end="best"),
        "mae_pct": _EXCURSION.format(end="worst"),
        "drawdown_from_peak_pct": "mfe_pct - profit_pct",
        "hold_count": "closed candles that opened at or after the entry",
    }
    values, reasons, bars = _values(snapshot, holding, price)
    last = int(snapshot.candles.opened_at[-1]) if len(snapshot.candles) else None
    for key, formula in formulas.items():
        value = values.get(key)
        reason = reasons.get(key, reasons.get("all"))
        if value is not None and not math.isfinite(value):
            value, reason = None, "the result is not a finite number"
        unit: Unit = "bars" if key == "hold_count" else "percent"
        known = value is not None
        timeframe = str(snapshot.timeframe) if key == "hold_count" else None
        yield Fact(
            key=key,
            value=value,
            unit=unit,
            timeframe=timeframe,
            bar_time=last if known else None,
            formula=formula,
            bars=bars if known else 0,
            missing=None if known else reason,
        )


def _values(snapshot: Snapshot, holding: Holding, price: float | None) -> tuple[dict[str, float], dict[str, str], int]:
    """Return known values by key, reasons for the others (`all` speaks for every key left), and the closed bars since entry."""
    if price is None:
        return {}, {"all": "the last price is not known"}, 0
    if holding.opened_ms > utc_ms(snapshot.at):
        return {}, {"all": "the position was opened after the clock of this sheet"}, 0
    sign = holding.sign()
    values = {"profit_pct": _gain(sign, price, holding.entry_price)}
    held = snapshot.candles.since(holding.opened_ms)
    if _reaches(snapshot.candles, holding.opened_ms):
        values["hold_count"] = float(len(held))
    prices = _prices_since(snapshot, holding.opened_ms)
    if prices is None:
        return values, {"all": "the candles begin after the entry"}, len(held)
    prices += [price, holding.entry_price]
    if snapshot.forming is not None:
        prices += _extremes(snapshot.forming, holding.opened_ms)
    best, worst = (max(prices), min(prices)) if sign > 0 else (min(prices), max(prices))
    values["mfe_pct"] = _gain(sign, best, holding.entry_price)
    values["mae_pct"] = _gain(sign, worst, holding.entry_price)
    values["drawdown_from_peak_pct"] = values["mfe_pct"] - values["profit_pct"]
    return values, {"all": "the candles begin after the entry"}, len(held)


def _gain(sign: int, price: float, entry: float) -> float:
    return sign * (price - entry) / entry * 100.0 + 0.0  # + 0.0: no negative zero


def _prices_since(snapshot: Snapshot, opened_ms: int) -> list[float] | None:
    """Return extremes of the closed candles since the entry; None when no timeframe reaches back to it."""
    main, higher = snapshot.candles, snapshot.candles_htf
    if _reaches(main, opened_ms):
        return _attributable(main, opened_ms)
    if higher is None or not _reaches(higher, opened_ms):
        return None
    return _attributable(main, opened_ms) + _attributable(higher, opened_ms)


def _reaches(candles: Candles, opened_ms: int) -> bool:
    """Return whether the candles are sound and the first of them contains the entry or came before it."""
    return candles.fault is None and int(candles.opened_at[0]) <= opened_ms


def _attributable(candles: Candles, opened_ms: int) -> list[float]:
    """Return prices that certainly traded after the entry: extremes of later candles, and the close of the one it fell into."""
    later = candles.since(opened_ms)
    prices = [float(later.high.max()), float(later.low.min())] if len(later) else []
    row = len(candles) - len(later) - 1
    if row >= 0 and int(candles.opened_at[row]) + candles.timeframe.ms > opened_ms:
        prices.append(float(candles.close[row]))
    return prices


def _extremes(forming: Candle, opened_ms: int) -> list[float]:
    if forming.opened_at < opened_ms or not (math.isfinite(forming.high) and math.isfinite(forming.low)):
        return []
    return [forming.high, forming.low]
