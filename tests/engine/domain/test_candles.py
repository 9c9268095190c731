"""Candles know once and for all whether anything can be measured on them."""

import math

import pytest

from engine.domain.market.candles import COLUMNS, Candles
from engine.domain.market.timeframe import Timeframe


def candles(bars: int = 3, **changed: list[float]) -> Candles:
    columns = {name: [float(index + 1) for index in range(bars)] for name in COLUMNS} | changed
    return Candles.from_columns(Timeframe.parse("15m"), {"timestamp": [index * 900_000 for index in range(bars)], **columns})


@pytest.mark.parametrize(
    ("made", "fault"),
    [
        (candles(), None),
        (candles(0), "no closed bars of 15m"),
        (candles(low=[1.0, math.nan, 3.0]), "low is nan at bar 2 of 3"),
        (candles(high=[1.0, 2.0, math.inf]), "high is inf at bar 3 of 3"),
        (candles(volume=[1.0, math.inf, 3.0]), "volume is inf at bar 2 of 3"),
        (candles(volume=[-1.0, 2.0, 3.0]), "volume is -1.0 at bar 1 of 3"),
        (candles(close=[0.0, 2.0, 3.0]), "close is 0.0 at bar 1 of 3"),
        (candles(open=[1.0, 1e101, 3.0]), "open is 1e+101 at bar 2 of 3"),
    ],
)
def test_a_fault_names_the_first_value_that_cannot_be_measured(made: Candles, fault: str | None) -> None:
    assert made.fault == fault or (made.fault is not None and fault is not None and made.fault.endswith(fault))
