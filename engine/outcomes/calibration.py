"""How well stated confidence agrees with what happened. Pure.

A bin is ten percent wide. Decisions are taken as independent of each other, which those of one market in one week are not: the intervals
are a little too narrow.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from engine.domain.calibration import ENOUGH, Calibration, CalibrationBin, Cases
from engine.domain.interval import wilson

_WIDTH: Final = 10.0
_BINS: Final = 10


def calibration_of(cases: Sequence[Cases]) -> Calibration:
    """Return the calibration of decisions that are over."""
    if not cases:
        return Calibration(n=0)
    by_bin: dict[int, list[Cases]] = defaultdict(list)
    for case in cases:
        by_bin[min(_BINS - 1, int(case.stated // _WIDTH))].append(case)
    n, hits = sum(case.n for case in cases), sum(case.hits for case in cases)
    brier = sum(case.hits * (1 - case.stated / 100) ** 2 + (case.n - case.hits) * (case.stated / 100) ** 2 for case in cases) / n
    of_base_rate = hits / n * (1 - hits / n)
    return Calibration(
        n=n,
        bins=tuple(_bin(index, by_bin[index]) for index in sorted(by_bin)),
        base_rate=_percent(hits / n),
        brier=round(brier, 6),
        skill=round(1 - brier / of_base_rate, 6) if of_base_rate > 0 else None,
        enough=n >= ENOUGH,
    )


def _bin(index: int, cases: Sequence[Cases]) -> CalibrationBin:
    n, hits = sum(case.n for case in cases), sum(case.hits for case in cases)
    low, high = wilson(hits, n)
    return CalibrationBin(
        begins=index * _WIDTH,
        ends=(index + 1) * _WIDTH,
        n=n,
        stated=round(sum(case.stated * case.n for case in cases) / n, 4),
        hit_rate=_percent(hits / n),
        low=_percent(low),
        high=_percent(high),
    )


def _percent(share: float) -> float:
    return round(share * 100, 4)
