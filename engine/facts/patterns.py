"""Candlestick patterns: TA-Lib's 61 functions, each pattern with the bar it was found on.

Given closed candles, gives the patterns of the last 24 of them, newest first. Directions are TA-Lib's sign, except for shapes of which its
own documentation says that the sign is only the colour of the body or a constant: those are neutral.
"""

from typing import Literal

import numpy as np
import talib

from engine.domain.facts import Pattern
from engine.facts.bars import Bars

RECENT = 24
_CONTEXT = 128  # bars before them: the functions compare a candle with averages over 10 earlier ones, the longest shape has 15
_NEUTRAL = frozenset(
    {
        "doji",
        "dragonflydoji",
        "gravestonedoji",
        "longleggeddoji",
        "rickshawman",
        "takuri",
        "spinningtop",
        "highwave",
        "shortline",
    }
)
_GROUPS = talib.get_function_groups()  # type: ignore[no-untyped-call]
_FUNCTIONS = {name.removeprefix("CDL").lower(): getattr(talib, name) for name in _GROUPS["Pattern Recognition"]}


def recent_patterns(bars: Bars) -> tuple[Pattern, ...]:
    """Return the patterns on the last 24 closed bars, newest bar first, then by name.

    A pattern that needs more bars than there are is never found. bars: at least one.
    """
    columns = [np.ascontiguousarray(getattr(bars, name)[-(RECENT + _CONTEXT) :]) for name in ("open", "high", "low", "close")]
    last = len(bars) - 1
    found: list[Pattern] = []
    for name, function in _FUNCTIONS.items():
        signs = function(*columns)[-RECENT:]
        for position in np.flatnonzero(signs):
            ago = len(signs) - 1 - int(position)
            found.append(
                Pattern(
                    name=name,
                    direction=_direction(name, int(signs[position])),
                    timeframe=str(bars.candles.timeframe),
                    bar_time=int(bars.candles.opened_at[last - ago]),
                    bars_ago=ago,
                )
            )
    return tuple(sorted(found, key=lambda pattern: (pattern.bars_ago, pattern.name)))


def _direction(name: str, sign: int) -> Literal[-1, 0, 1]:
    if name in _NEUTRAL:
        return 0
    return 1 if sign > 0 else -1
