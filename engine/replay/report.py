"""The report of a replay, out of its steps, the positions of its account and the market. Pure: the same inputs give the same report.

Money is the account's quote currency. What is missing is None, never 0; what is too little to mean anything is said in `warnings`.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import reduce
from operator import add
from typing import Final

import numpy as np

from engine.domain.interval import wilson
from engine.domain.position_record import PositionRecord
from engine.domain.replay import Baselines, Ending, PlayedPiece, RegimePart, ReplayReport, ReplayRequest, ReplayStep, ReplayTrade
from engine.domain.text.reason import Reason
from engine.outcomes.figures import EXIT_REASONS
from engine.replay.baselines import REGIMES, PastMarket, above_average, buy_and_hold, regimes
from engine.replay.measures import (
    RESAMPLES,
    Floats,
    interval,
    max_drawdown_pct,
    periods_a_year,
    returns_of,
    sharpe,
    sortino,
    total_return_pct,
    usual_block,
)

ENOUGH_TRADES: Final = 30
_DIGITS: Final = 6


@dataclass(frozen=True)
class _Held:
    """A position, with the instant up to which it was followed and the market's price then."""

    record: PositionRecord
    until: datetime
    last_price: float


@dataclass(frozen=True)
class _Joined:
    """The pieces of a replay as one: `equity` goes on from piece to piece, each of which began with the same money. A piece without a step
    says only that not everything was played."""

    steps: Sequence[ReplayStep]
    held: Sequence[_Held]
    instants: Sequence[datetime]
    equity: Sequence[float]
    ended: Ending
    decisions_per_s: float

    @property
    def records(self) -> list[PositionRecord]:
        return [each.record for each in self.held]


def _joined(pieces: Sequence[PlayedPiece], began: float) -> _Joined:
    instants, equity, scale = list[datetime](), list[float](), 1.0
    begun = [piece for piece in pieces if piece.steps]
    for piece in begun:
        worth = [began, *(each.equity for each in piece.steps[1:])]
        at = [each.at for each in piece.steps]
        if piece.ends_at > at[-1]:
            at, worth = [*at, piece.ends_at], [*worth, piece.equity]
        elif len(worth) > 1:
            worth[-1] = piece.equity
        instants += at
        equity += [scale * each for each in worth]
        scale = equity[-1] / began
    return _Joined(
        steps=[step for piece in pieces for step in piece.steps],
        held=[_Held(record, piece.ends_at, piece.last_price) for piece in pieces for record in piece.records],
        instants=instants,
        equity=equity,
        ended=next((piece.ended for piece in pieces if piece.ended != "done"), "done"),
        decisions_per_s=sum(piece.decisions_per_s for piece in begun) / len(begun),
    )


def make_report(replay_id: str, request: ReplayRequest, pieces: Sequence[PlayedPiece], began: float, market: PastMarket) -> ReplayReport:
    """Return the report. pieces: that follow one another in time, at least one of them with a step. began: the money of each before its
    first decision. market: of all of it."""
    played = _joined(pieces, began)
    instants, equity = played.instants, played.equity
    kinds = regimes(market, instants)
    trades = _trades(played, dict(zip(instants, kinds, strict=True)))
    returns, a_year, seed = returns_of(equity), periods_a_year(instants), request.base.seed
    closed = [each for each in trades if each.closed_at is not None]
    hits = sum(1 for each in closed if each.pnl is not None and each.pnl > 0)
    in_r = np.asarray([each.r for each in closed if each.r is not None], dtype=np.float64)
    intervals = _intervals(returns, in_r, a_year, seed) | {"hit_rate": wilson(hits, len(closed)) if closed else None}
    held, naive = (curve(market, instants) for curve in (buy_and_hold, above_average))
    return ReplayReport(
        replay_id=replay_id,
        symbol=request.base.subject,
        desk=request.base.flow,
        ended=played.ended,
        decisions=sum(each.run_id is not None for each in played.steps),
        trades=tuple(trades),
        equity=tuple(zip(instants, map(_rounded, equity), strict=True)),
        return_pct=_rounded((equity[-1] / equity[0] - 1) * 100),
        max_drawdown_pct=_rounded(max_drawdown_pct(returns)),
        sharpe=_maybe(sharpe(returns, a_year)),
        sortino=_maybe(sortino(returns, a_year)),
        hit_rate=_rounded(hits / len(closed)) if closed else None,
        expectancy_r=_rounded(float(np.mean(in_r))) if len(in_r) else None,
        costs=_rounded(float(sum((each.fees - (each.funding or Decimal(0)) for each in played.records), Decimal(0)))),
        exposure_pct=_rounded(_exposure(played)),
        turnover=_rounded(_turnover(played) / equity[0]),
        intervals={name: (_rounded(found[0]), _rounded(found[1])) for name, found in intervals.items() if found is not None},
        baselines=Baselines(buy_and_hold=_rounded((float(held[-1]) - 1) * 100), naive=_rounded((float(naive[-1]) - 1) * 100)),
        warnings=tuple(_warnings(played, trades, intervals)),
        decisions_per_s=round(played.decisions_per_s, 3),
        world=request.world,
        regimes=tuple(_by_regime(kinds, trades, seed)),
        header=_header(request, played, market),
        curves={"buy_and_hold": tuple(_rounded(float(each)) for each in held), "naive": tuple(_rounded(float(each)) for each in naive)},
        drawdowns={
            "buy_and_hold": _rounded(max_drawdown_pct(returns_of(held.tolist()))),
            "naive": _rounded(max_drawdown_pct(returns_of(naive.tolist()))),
        },
        spent=reduce(add, (each.spent for each in played.steps)),
        false_claims=sum(each.false_claims for each in played.steps),
        total_claims=sum(each.total_claims for each in played.steps),
    )


def _intervals(returns: Floats, in_r: Floats, a_year: float, seed: int) -> dict[str, tuple[float, float] | None]:
    return {
        "return_pct": interval(returns, total_return_pct, seed),
        "max_drawdown_pct": interval(returns, max_drawdown_pct, seed),
        "sharpe": interval(returns, lambda row: sharpe(row, a_year), seed),
        "sortino": interval(returns, lambda row: sortino(row, a_year), seed),
        "expectancy_r": interval(in_r, lambda row: float(np.mean(row)), seed),
    }


def _trades(played: _Joined, kinds: Mapping[datetime, str]) -> list[ReplayTrade]:
    run_of = {each.order: each.run_id for each in played.steps if each.order is not None}
    began = sorted(kinds)
    made = []
    for each in played.held:
        record = each.record
        place = bisect_right(began, record.opened_at) - 1
        pnl = record.result if record.closed_at is not None else record.result_at(Decimal(str(each.last_price)))
        made.append(
            ReplayTrade(
                run_id=run_of.get(record.opened_by) if record.opened_by is not None else None,
                opened_at=record.opened_at,
                closed_at=record.closed_at,
                side=record.side,
                entry_price=float(record.entry_price),
                exit_price=float(record.exit_price) if record.closed_at is not None and record.exit_price is not None else None,
                quantity=float(record.size),
                pnl=_rounded(float(pnl)) if pnl is not None else None,
                r=_maybe(record.in_r(pnl)),
                exit_reason=EXIT_REASONS[record.ended] if record.ended is not None else "open",
                regime=kinds[began[place]] if place >= 0 else None,
            )
        )
    return made


def _by_regime(kinds: Sequence[str], trades: Sequence[ReplayTrade], seed: int) -> list[RegimePart]:
    found = []
    for name in REGIMES:
        values = [each.r for each in trades if each.regime == name and each.closed_at is not None and each.r is not None]
        in_r = np.asarray(values, dtype=np.float64)
        low, high = interval(in_r, lambda row: float(np.mean(row)), seed, block=1.0) or (None, None)
        share = _rounded(sum(each == name for each in kinds) / len(kinds))
        mean = _rounded(float(np.mean(in_r))) if values else None
        found.append(RegimePart(name=name, share=share, n=len(values), mean_r=mean, low=_maybe(low), high=_maybe(high)))
    return found


def _exposure(played: _Joined) -> float:
    """Return the share of the time in which something was held, percent."""
    first, last = played.instants[0], played.instants[-1]
    span = (last - first).total_seconds()
    held = sum((min(each.record.closed_at or each.until, each.until) - each.record.opened_at).total_seconds() for each in played.held)
    return min(100.0, held / span * 100) if span > 0 else 0.0


def _turnover(played: _Joined) -> float:
    """Return the value of everything that was bought and sold, quote units."""
    records = played.records
    return float(sum((each.size * each.entry_price + each.closed_size * (each.exit_price or Decimal(0)) for each in records), Decimal(0)))


def _warnings(played: _Joined, trades: Sequence[ReplayTrade], intervals: Mapping[str, tuple[float, float] | None]) -> list[Reason]:
    closed = [each for each in trades if each.closed_at is not None]
    undecided = [each for each in played.steps if each.run_id is None]
    invalid = sum(each.is_valid is False for each in played.steps)
    found = []
    if played.ended == "budget":
        found.append(Reason("replay_budget_is_spent", at=f"{played.steps[-1].at:%Y-%m-%d %H:%M}"))
    if played.ended == "stopped":
        found.append(Reason("replay_was_stopped", at=f"{played.steps[-1].at:%Y-%m-%d %H:%M}"))
    if len(closed) < ENOUGH_TRADES:
        found.append(Reason("replay_has_few_trades", n=len(closed), enough=ENOUGH_TRADES))
    elif (bounds := intervals["expectancy_r"]) is not None and bounds[0] <= 0 <= bounds[1]:
        found.append(Reason("replay_holds_zero", low=f"{bounds[0]:+.2f}", high=f"{bounds[1]:+.2f}"))
    if (open_ones := len(trades) - len(closed)) > 0:
        found.append(Reason("replay_ends_with_open", n=open_ones))
    if invalid:
        found.append(Reason("replay_has_safe_actions", n=invalid, decisions=len(played.steps)))
    if undecided:
        found.append(Reason("replay_passed_over", n=len(undecided), why=undecided[0].why or "-"))
    return found


def _header(request: ReplayRequest, played: _Joined, market: PastMarket) -> dict[str, str]:
    """Return the seven columns that tell what a result rests on, in sentences."""
    base, first, last = request.base, played.instants[0], played.instants[-1]
    model, turnover = base.model, _turnover(played) / played.equity[0]
    execution = "replay_execution_shares" if market.in_sessions else "replay_execution_contracts"
    return {
        "point_in_time": Reason("replay_point_in_time_unproved"),
        "data_split": Reason("replay_data_split", first=f"{first:%Y-%m-%d}", last=f"{last:%Y-%m-%d}", world=request.world),
        "held_out": Reason("replay_held_out_scripted") if model == "scripted" else Reason("replay_held_out_model", model=model),
        "cost_and_turnover": Reason("replay_cost_and_turnover", fee=f"{market.fee * 100:.3g}", turnover=f"{turnover:.1f}"),
        "execution": Reason(execution),
        "universe": Reason("replay_universe", symbol=base.subject),
        "artefacts": Reason("replay_artefacts", seed=base.seed, resamples=RESAMPLES, block=f"{usual_block(max(1, len(played.steps))):.0f}"),
    }


def _maybe(value: float | None) -> float | None:
    return _rounded(value) if value is not None else None


def _rounded(value: float) -> float:
    return round(float(value), _DIGITS) + 0.0
