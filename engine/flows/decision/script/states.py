"""Words that are true of a value: `oversold`, `price_above`, ...

Given a key and the record; gives the name of a state, or nothing. The bounds are those claims are checked by, with a margin: a word that
would be true only just is not said. `needs` says which other values the word rests on, so that it is left out where one of them was
stated falsely. Pure.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.flows.decision.script.record import Record, split_key
from engine.flows.decision.script.signals import Reading


@dataclass(frozen=True)
class State:
    """A true word. name: key of the phrase in a lexicon. needs: other keys it rests on."""

    name: str
    needs: tuple[str, ...] = ()


def state_of(key: str, record: Record) -> State | None:
    """Return the state that is true of `key`, if one is clearly."""
    timeframe, bare = split_key(key)
    value = record.number(key)
    rule = _average if bare.startswith(("ema_", "sma_")) or bare == "vwap" else _RULES.get(bare)
    if value is None or rule is None:
        return None
    found = rule(value, Reading(record, timeframe))
    if found is None:
        return None
    prefix = f"{timeframe}." if timeframe else ""
    return State(found.name, tuple(need if need == "close" else prefix + need for need in found.needs))


def _zones(low: float, high: float, margin: float) -> Callable[[float, Reading], State | None]:
    def zone(value: float, reading: Reading) -> State | None:
        if value < low - margin:
            return State("oversold")
        if value > high + margin:
            return State("overbought")
        return State("mid_zone") if low + 3 * margin < value < high - 3 * margin else None

    return zone


def _average(value: float, reading: Reading) -> State | None:
    close = reading.number("close")
    if close is None or value <= 0 or abs(close / value - 1) < 0.007:
        return None
    return State("price_above" if close > value else "price_below", ("close",))


def _adx(value: float, reading: Reading) -> State | None:
    if value < 17:
        return State("weak_trend")
    return State("strong_trend") if value > 27 else None


def _macd(value: float, reading: Reading) -> State | None:
    signal = reading.number("macd_signal")
    if signal is None or abs(value - signal) <= 0.05 * max(abs(value), abs(signal)):
        return None
    return State("over_signal" if value > signal else "under_signal", ("macd_signal", "macd_hist"))


def _signed(margin: float) -> Callable[[float, Reading], State | None]:
    def sign(value: float, reading: Reading) -> State | None:
        if abs(value) <= margin:
            return None
        return State("positive" if value > 0 else "negative")

    return sign


def _mood(value: float, reading: Reading) -> State | None:
    bands = ((0, 24, "extreme_fear"), (27, 43, "fear"), (57, 73, "greed"), (76, 100, "extreme_greed"))
    return next((State(name) for low, high, name in bands if low <= value <= high), None)


def _volume(value: float, reading: Reading) -> State | None:
    if value > 1.1:
        return State("above_average")
    return State("below_average") if value < 0.9 else None


def _profit(value: float, reading: Reading) -> State | None:
    if abs(value) < 0.1:
        return None
    return State("in_profit" if value > 0 else "in_loss")


def _drawdown(value: float, reading: Reading) -> State | None:
    peak = reading.number_or("mfe_pct", 0.0)
    if peak < 0.5:
        return None
    if abs(value) > 0.56 * peak:
        return State("gave_back_half", ("mfe_pct", "profit_pct"))
    return State("kept_half", ("mfe_pct", "profit_pct")) if abs(value) < 0.44 * peak else None


_RULES: Mapping[str, Callable[[float, Reading], State | None]] = {
    "rsi_14": _zones(30, 70, 0.7),
    "mfi_14": _zones(20, 80, 0.7),
    "stoch_k": _zones(20, 80, 0.7),
    "cci_20": _zones(-100, 100, 5),
    "adx_14": _adx,
    "macd": _macd,
    "macd_hist": _signed(1e-12),
    "funding_rate_pct": _signed(0.001),
    "fear_greed": _mood,
    "volume_ratio_20": _volume,
    "profit_pct": _profit,
    "drawdown_from_peak_pct": _drawdown,
}
