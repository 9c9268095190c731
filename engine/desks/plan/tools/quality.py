"""How far a result can be relied on: checks of what was really read, each 0 to 1 with its reason. Pure.

A result is as reliable as its weakest check. freshness: 1 up to the age that is usual for such data, from there linearly to 0 at four times
that age. coverage: the share of what was asked for that was found. agreement: how close two sources, or two readings of one, are to each
other; not made where there is only one. shape: the share of a series that is possible; of named figures, half as much for each that is not.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import isfinite
from typing import Final

from engine.domain.plan.results import CheckName, QualityCheck
from engine.domain.text.reason import Reason

_TOO_OLD = 4.0
_PERCENT: Final = (0.0, 100.0)
_PRICE: Final = (1e-12, 1e15)
_CHANGE: Final = (-100.0, 1e5)
_ANY: Final = (-1e15, 1e15)
_BOUNDS: Final[Mapping[str, tuple[float, float]]] = {
    **dict.fromkeys(("rsi_14", "adx_14", "plus_di", "minus_di", "stoch_k", "stoch_d", "mfi_14", "fear_greed", "atr_pct"), _PERCENT),
    **dict.fromkeys(("close", "price", "previous_close", "vwap"), _PRICE),
    **dict.fromkeys(("change_24h_pct", "oi_change_pct", "revenue_growth_pct"), _CHANGE),
    "volume": (0.0, 1e18),
    "volume_ratio_20": (0.0, 1e9),
    "open_interest": (1e-12, 1e18),
    "funding_rate": (-0.05, 0.05),
    "funding_rate_pct": (-5.0, 5.0),
    "revenue": (0.0, 1e16),
    **dict.fromkeys(("gross_margin_pct", "operating_margin_pct"), (-1e4, 100.0)),
    **dict.fromkeys(("net_margin_pct", "return_on_equity_pct"), (-1e4, 1e4)),
    "pe_ratio": (-1e5, 1e5),
    "debt_to_equity": (-1e4, 1e4),
}
_AVERAGES: Final = ("ema_", "sma_", "bb_")


def judged(name: CheckName, score: float, reason: str) -> QualityCheck:
    """Return a check, its score held between 0 and 1."""
    return QualityCheck(name=name, score=round(min(1.0, max(0.0, score)), 4), reason=reason)


def freshness(newest: datetime, at: datetime, usual_s: float) -> QualityCheck:
    """Return the check of an age. usual_s: seconds that such data are usually old at most."""
    age = max(0.0, (at - newest).total_seconds())
    over = (age / usual_s - 1) / (_TOO_OLD - 1) if usual_s > 0 else 0.0
    return judged("freshness", 1 - over, Reason("newest_is_old", age=_span(age), usual=_span(usual_s)))


def coverage(found: int, asked: int, what: str) -> QualityCheck:
    """Return the check of how much there is. what: is counted, in the plural."""
    return judged("coverage", found / asked if asked else 0.0, Reason("counted", found=found, asked=asked, what=what))


def agreement(one: float, other: float, free_pct: float, what: str) -> QualityCheck:
    """Return the check of two readings of one value. free_pct: how far apart they may be, in percent; ten times that is 0."""
    apart = abs(one - other) / max(abs(one), abs(other), 1e-300) * 100
    return judged("agreement", 1 - (apart - free_pct) / (9 * free_pct), Reason("readings_apart", what=what, apart=f"{apart:.3g}"))


def series_shape(values: Sequence[float], name: str, what: str) -> QualityCheck:
    """Return the check that every value of a series is possible. what: the values, in the plural."""
    good = sum(_is_possible(name, value) for value in values)
    reason = Reason("values_possible", found=good, asked=len(values), what=what)
    return judged("shape", good / len(values) if values else 0.0, reason)


def figures_shape(values: Mapping[str, float | None]) -> QualityCheck:
    """Return the check that figures with a name can be what they are; None is one that is not there. Each that cannot be halves it: one of
    a handful says that the source is not to be relied on."""
    known = {key: value for key, value in values.items() if value is not None}
    wrong = [key for key, value in known.items() if not _is_possible(key, value)]
    counts = {"found": len(known) - len(wrong), "asked": len(known)}
    reason = Reason("figures_impossible", **counts, wrong=", ".join(wrong)) if wrong else Reason("figures_possible", **counts)
    return judged("shape", 0.5 ** len(wrong) if known else 0.0, reason)


def _is_possible(name: str, value: float) -> bool:
    """Return whether a value can be that of its canonical key, with or without a timeframe before it."""
    key = name.rpartition(".")[2]
    low, high = _BOUNDS.get(key, _PRICE if key.startswith(_AVERAGES) else _ANY)
    return isfinite(value) and low <= value <= high


def _span(seconds: float) -> str:
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.0f} s"
