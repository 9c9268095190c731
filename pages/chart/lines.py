"""The chart's lines: every indicator that has one. Three averages and the RSI are always drawn, the others when a statement is clicked.

Prices and averages go over the candles, everything else takes the pane below them, with its companions (MACD and its signal, the two DI)
and the levels at which it is read. A line of the higher timeframe is given at the bars where it changes.
"""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from engine.domain.text.language import Language
from pages.words.fact_names import fact_name, fact_timeframe

OVER_CANDLES = ("ema_", "sma_", "bb_", "vwap")
_BANDS = ("bb_upper", "bb_middle", "bb_lower")
_DIRECTIONAL = ("adx_14", "plus_di", "minus_di")
_MACD = ("macd", "macd_signal", "macd_hist")
_STOCHASTIC = ("stoch_k", "stoch_d")
_FAMILIES = (_BANDS, _DIRECTIONAL, _MACD, _STOCHASTIC)
_LEVELS: Mapping[str, tuple[float, ...]] = {
    "rsi_14": (30, 70),
    "mfi_14": (20, 80),
    **dict.fromkeys(_STOCHASTIC, (20, 80)),
    **dict.fromkeys(_DIRECTIONAL, (20, 40)),
    **dict.fromkeys(_MACD, (0,)),
    "cci_20": (-100, 100),
    "volume_ratio_20": (1,),
}


def chart_lines(series: Mapping[str, Sequence[float | None]], count: int, language: Language) -> JsonValue:
    """Return key -> `{"name","over","levels","with","at","v"}` for the last `count` values of every line.

    over: drawn over the candles. levels: where it is read. with: keys that belong to it. at: the bars of the values `v`; None = every bar.
    """
    return {key: _line(key, list(line)[-count:] if count else [], series, language) for key, line in series.items()}


def _line(key: str, values: list[float | None], series: Mapping[str, Sequence[float | None]], language: Language) -> JsonValue:
    timeframe, plain = fact_timeframe(key), key.rpartition(".")[2]
    prefix = f"{timeframe}." if timeframe else ""
    family = next((family for family in _FAMILIES if plain in family), ())
    bars: list[int] | None = None
    if timeframe:
        bars = [index for index, value in enumerate(values) if index == 0 or value != values[index - 1]]
        values = [values[index] for index in bars]
    return {
        "name": f"{timeframe} {fact_name(key, language)}" if timeframe else fact_name(key, language),
        "over": plain.startswith(OVER_CANDLES),
        "levels": list(_LEVELS.get(plain, ())),
        "with": [prefix + other for other in family if other != plain and prefix + other in series],
        "at": list(bars) if bars is not None else None,
        "v": _rounded(values),
    }


def _rounded(line: Sequence[float | None]) -> list[JsonValue]:
    """Seven digits, which is more than a screen can show."""
    return [None if value is None else float(f"{value:.7g}") for value in line]
