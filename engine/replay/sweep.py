"""Replays of the same time that differ in a few settings, as one table; and what the best of them is worth. Pure.

The best of many tries looks better than it is, because it was chosen by its result. What is said about it is the deflated Sharpe ratio of
Bailey and Lopez de Prado (2014): its own, against the one that the best of so many tries is expected to show by luck.
"""

from collections.abc import Mapping, Sequence
from math import e, sqrt
from statistics import NormalDist
from typing import Final

import numpy as np

from engine.domain.replay import DeflatedSharpe, ReplayReport, SweepReport, SweepRow
from engine.domain.text.reason import Reason
from engine.replay.measures import Floats, periods_a_year, returns_of, sharpe
from engine.replay.report import ENOUGH_TRADES

MANY_TRIES: Final = 2
_EULER: Final = 0.5772156649015329
_NORMAL: Final = NormalDist()


def make_sweep_report(
    name: str, keys: Mapping[str, Sequence[str]], settings: Sequence[Mapping[str, str]], reports: Sequence[ReplayReport]
) -> SweepReport:
    """Return the report. settings, reports: in the same order, at least one."""
    rows = [_row(setting, report) for setting, report in zip(settings, reports, strict=True)]
    known = [place for place, row in enumerate(rows) if row.sharpe is not None]
    best = max(known, key=lambda place: rows[place].sharpe or 0.0) if known else None
    deflated = _deflated(reports, best) if best is not None else None
    first = reports[0]
    return SweepReport(
        replay_id=name,
        symbol=first.symbol,
        desk=first.desk,
        ended=next((row.ended for row in rows if row.ended != "done"), "done"),
        keys={key: tuple(values) for key, values in keys.items()},
        rows=tuple(rows),
        best=best,
        deflated=deflated,
        warnings=tuple(_warnings(rows, best, deflated)),
        decisions_per_s=round(sum(report.decisions_per_s for report in reports) / len(reports), 3),
    )


def deflated_sharpe(value: float, periods: int, skew: float, kurtosis: float, variance: float, tries: int) -> tuple[float, float]:
    """Return (the Sharpe ratio that the best of so many tries is expected to show by luck, the probability that the true one of the best is
    above it), none of them a year's.

    value: of the best one. periods: its returns, at least two; skew, kurtosis: of them, 3 of a normal distribution. variance: of the ratios
    of all tries, at least two.
    """
    highest = (1 - _EULER) * _NORMAL.inv_cdf(1 - 1 / tries) + _EULER * _NORMAL.inv_cdf(1 - 1 / (tries * e))
    luck = sqrt(variance) * highest
    spread = sqrt(max(1e-12, 1 - skew * value + (kurtosis - 1) / 4 * value * value))
    return luck, _NORMAL.cdf((value - luck) * sqrt(periods - 1) / spread)


def _row(setting: Mapping[str, str], report: ReplayReport) -> SweepRow:
    return SweepRow(
        setting=dict(setting),
        replay_id=report.replay_id,
        ended=report.ended,
        decisions=report.decisions,
        return_pct=report.return_pct,
        max_drawdown_pct=report.max_drawdown_pct,
        sharpe=report.sharpe,
        sharpe_interval=report.intervals.get("sharpe"),
        expectancy_r=report.expectancy_r,
        trades=sum(each.closed_at is not None for each in report.trades),
        false_claims=report.false_claims,
        total_claims=report.total_claims,
        tokens=report.spent.tokens,
    )


def _returns(report: ReplayReport) -> Floats:
    return returns_of([value for _, value in report.equity])


def _deflated(reports: Sequence[ReplayReport], best: int) -> DeflatedSharpe | None:
    found = [value for report in reports if (value := sharpe(_returns(report), 1.0)) is not None]
    returns = _returns(reports[best])
    own, spread = sharpe(returns, 1.0), float(np.std(returns))
    if own is None or len(found) < MANY_TRIES or spread == 0.0:
        return None
    scaled = (returns - float(np.mean(returns))) / spread
    skew, kurtosis = float(np.mean(scaled**3)), float(np.mean(scaled**4))
    variance = float(np.var(found, ddof=1))
    luck, probability = deflated_sharpe(own, len(returns), skew, kurtosis, variance, len(reports))
    a_year = periods_a_year([at for at, _ in reports[best].equity])
    return DeflatedSharpe(luck=round(luck * sqrt(a_year), 6), probability=round(probability, 6))


def _warnings(rows: Sequence[SweepRow], best: int | None, deflated: DeflatedSharpe | None) -> list[Reason]:
    found = []
    if len(rows) >= MANY_TRIES:
        found.append(Reason("sweep_has_many_tries", n=len(rows)))
    if best is not None and deflated is not None:
        said = {"n": len(rows), "luck": f"{deflated.luck:+.2f}", "sharpe": f"{rows[best].sharpe or 0.0:+.2f}"}
        found.append(Reason("sweep_best_against_luck", **said, probability=f"{deflated.probability:.2f}"))
    few = sum(row.trades < ENOUGH_TRADES for row in rows)
    if few:
        found.append(Reason("sweep_has_few_trades", few=few, n=len(rows), enough=ENOUGH_TRADES))
    unfinished = sum(row.ended != "done" for row in rows)
    if unfinished:
        found.append(Reason("sweep_is_not_whole", n=unfinished, of=len(rows)))
    return found
