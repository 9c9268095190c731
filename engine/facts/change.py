"""Which facts moved between two decisions about one market. Pure.

A price has moved when it is at least a quarter of the ATR of its timeframe away from where it was, any other fact when it is at least half
a standard deviation of its own recent history away. Facts without a history (of the position and the account, words, Fear & Greed) are not
looked at; a reported figure of a company that differs counts as moved even where too few reports came before it to say how far.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal

import numpy as np

from engine.domain.change_of_mind import FactMove, PreviousDecision, SincePrevious
from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.facts import Fact, FactSheet
from engine.domain.market.candles import Candles
from engine.domain.market.instrument import Surroundings
from engine.domain.market.snapshot import Snapshot
from engine.facts.company import COMPANY_KEYS, newest_report
from engine.facts.series import indicator_series

MOVED: Final[Mapping[str, float]] = {"atr": 0.25, "sd": 0.5}
"""Unit -> how far is far enough."""
RECENT: Final = 100
"""Values of a history that count, the newest ones."""
LEAST: Final = 4
_EQUAL: Final = 1e-9
_ATR: Final = "atr_14"
_DAY_MS: Final = 86_400_000

History = Mapping[str, Sequence[float | None]]
"""Key of a fact -> its values up to now, oldest first; None where one is not known."""


def moved_facts(before: Mapping[str, float], now: FactSheet, history: History) -> tuple[FactMove, ...]:
    """Return the facts that moved, the farthest first. before: the numbers of the earlier sheet by key. history: of the facts of now."""
    moves = [move for fact in now if fact.key in before and (move := _move(before[fact.key], fact, now, history)) is not None]
    return tuple(sorted(moves, key=lambda move: -abs(move.moved) if move.moved is not None else 0.0))


def numbers_of(sheet: FactSheet) -> dict[str, float]:
    """Return the facts of a sheet that are known numbers."""
    return {fact.key: fact.number for fact in sheet if fact.number is not None}


def since_previous(previous: PreviousDecision | None, now: FactSheet, history: Callable[[], History]) -> SincePrevious | None:
    """Return what a limit needs to know of the decision before, or None. history: worked out only if it is needed."""
    if previous is None:
        return None
    return SincePrevious(stance=previous.stance, moved=len(moved_facts(previous.facts, now, history())))


def _move(before: float, fact: Fact, now: FactSheet, history: History) -> FactMove | None:
    value, frame = fact.number, fact.key.rpartition(".")[0]
    if value is None:
        return None
    is_price = fact.unit == "price" and fact.timeframe is not None and not fact.key.endswith(_ATR)
    if is_price:
        usual = now.number(f"{frame}.{_ATR}" if frame else _ATR)
    elif fact.key in history:
        usual = _deviation(history[fact.key])
    else:
        return None
    if not usual:
        reported = not is_price and fact.key in COMPANY_KEYS and abs(value - before) > _EQUAL * max(abs(value), abs(before))
        return FactMove(key=fact.key, before=before, now=value, moved=None, unit="sd") if reported else None
    unit: Literal["atr", "sd"] = "atr" if is_price else "sd"
    moved = (value - before) / usual
    if abs(moved) < MOVED[unit] * (1 - _EQUAL):
        return None
    return FactMove(key=fact.key, before=before, now=value, moved=round(moved, 4), unit=unit)


def _deviation(values: Sequence[float | None]) -> float | None:
    """Return the standard deviation of the recent ones; None where there are too few."""
    known = [value for value in values if value is not None][-RECENT:]
    return float(np.std(known, ddof=1)) if len(known) >= LEAST else None


def market_history(snapshot: Snapshot) -> dict[str, Sequence[float | None]]:
    """Return the histories that a market's snapshot holds."""
    found: dict[str, Sequence[float | None]] = {**indicator_series(snapshot.candles), "change_24h_pct": _daily_changes(snapshot.candles)}
    if snapshot.candles_htf is not None:
        prefix = str(snapshot.candles_htf.timeframe)
        found |= {f"{prefix}.{key}": line for key, line in indicator_series(snapshot.candles_htf).items()}
    return found | _positioning(snapshot.surroundings)


def company_history(snapshot: EquitySnapshot) -> dict[str, Sequence[float | None]]:
    """Return the histories that a company's snapshot holds; of a reported figure: in reports about a period of equal length."""
    found: dict[str, Sequence[float | None]] = {**indicator_series(snapshot.candles), "change_1d_pct": _daily_changes(snapshot.candles)}
    newest = newest_report(snapshot)
    if newest is None:
        return found
    alike = sorted((each for each in snapshot.filings if each.period == newest.period), key=lambda each: each.report_period)
    return found | {key: [each.values.get(key) for each in alike] for key in COMPANY_KEYS}


def _daily_changes(candles: Candles) -> list[float | None]:
    """Return the change over 24 hours at every candle, percent; empty where a day is no whole number of candles."""
    if candles.timeframe.ms > _DAY_MS or _DAY_MS % candles.timeframe.ms or candles.fault is not None:
        return []
    bars = _DAY_MS // candles.timeframe.ms
    changes = (candles.close[bars:] / candles.close[:-bars] - 1.0) * 100.0
    return [float(each) for each in changes[np.isfinite(changes)]]


def _positioning(around: Surroundings) -> dict[str, Sequence[float | None]]:
    interest = around.open_interest_past
    return {
        "funding_rate_pct": [rate * 100.0 for _, rate in around.funding_past],
        "oi_change_pct": list(_changes_in_a_day(interest)),
    }


def _changes_in_a_day(past: Sequence[tuple[int, float]]) -> Iterator[float]:
    times = [at for at, _ in past]
    for at, value in past:
        place = bisect_right(times, at - _DAY_MS) - 1
        if place >= 0 and past[place][1] > 0:
            yield (value / past[place][1] - 1.0) * 100.0
