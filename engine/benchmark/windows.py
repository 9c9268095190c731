"""Directional accuracy on windows of candles: a model against always long, a coin and momentum, after fees.

Given a folder of CSV files, a window of some hundred candles each, as studies of trading agents publish them. The last candles of each are
held back: the predictor sees the others. Windows that overlap are not independent, so whole stretches of neighbours are resampled.
"""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from engine.benchmark.prompts import StruckQuestion
from engine.benchmark.resampling import DRAWS, SEED, Floats, Share, interval_of, of_ends
from engine.benchmark.sheets import FOLDER, StruckSheet
from engine.domain.errors import BadInput
from engine.domain.frozen_model import FrozenModel
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.domain.text.word_files import read_texts

AHEAD: Final = 3
"""Candles at a window's end that are held back."""
LEAST_BARS: Final = 30
_MOMENTUM: Final = 10
_PRICES: Final = ("open", "high", "low", "close")
_TIMES: Final = ("timestamp", "datetime", "date", "time")
_EDGE: Final = 0.03
"""What studies report as an edge."""
_POWER: Final = 1.96 + 0.84


@dataclass(frozen=True)
class CandleWindow:
    """name: of its file below the folder. market: of its folder. rows: (time as written, open, high, low, close). began: of the first
    candle, None where the time cannot be read."""

    name: str
    market: str
    rows: tuple[tuple[str, float, float, float, float], ...]
    began: datetime | None

    @property
    def known(self) -> Sequence[tuple[str, float, float, float, float]]:
        """What may be seen."""
        return self.rows[:-AHEAD]

    @property
    def move(self) -> float:
        """What became of the price behind the window, as a fraction."""
        return self.rows[-1][4] / self.known[-1][4] - 1


class Predictor(FrozenModel):
    """accuracy: share of the windows that were taken whose direction was right. return_pct: of a trade a window, after fees, in percent.
    taken: windows with a direction."""

    accuracy: Share
    return_pct: Share
    taken: int


class WindowResult(FrozenModel):
    """predictors: by name. overlapping: share of windows that overlap the one before them. block: neighbours that are resampled together.
    smallest_edge: the least difference in accuracy that so many windows would show 8 times of 10. can_show_three_points: whether that is
    three points or less."""

    windows: int
    markets: int
    fee: float
    overlapping: float
    block: int
    smallest_edge: float
    can_show_three_points: bool
    predictors: dict[str, Predictor]


def read_windows(folder: Path) -> list[CandleWindow]:
    """Return the windows of a folder, by market and time. Raises BadInput for a folder without any, and for a file that is none."""
    windows = [_read(path, folder) for path in sorted(folder.rglob("*.csv"))]
    if not windows:
        raise BadInput(Reason("struck_no_windows", folder=folder, bars=LEAST_BARS))
    return sorted(windows, key=lambda window: (window.market, window.began or datetime.min.replace(tzinfo=UTC), window.name))


def _read(path: Path, folder: Path) -> CandleWindow:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = [{str(name).strip().lower(): value for name, value in row.items()} for row in csv.DictReader(file)]
        time = next((name for name in _TIMES if rows and name in rows[0]), "")
        candles = tuple(_candle(row, time) for row in rows)
    except (OSError, UnicodeDecodeError, csv.Error, KeyError, TypeError, ValueError) as problem:
        raise BadInput(Reason("struck_bad_window", file=path, problem=f"{type(problem).__name__}: {problem}")) from None
    if len(candles) < LEAST_BARS or not all(_is_candle(*row) for row in candles):
        raise BadInput(Reason("struck_bad_window", file=path, problem=f"{len(candles)} candles"))
    return CandleWindow(str(path.relative_to(folder)), str(path.parent.relative_to(folder)), candles, _instant(candles[0][0]))


def _is_candle(time: str, *prices: float) -> bool:
    return all(math.isfinite(price) and price > 0 for price in prices)


def _candle(row: Mapping[str, str], time: str) -> tuple[str, float, float, float, float]:
    first, high, low, last = (float(row[name]) for name in _PRICES)
    return str(row.get(time, "")), first, high, low, last


def _instant(text: str) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(text) / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def question_of(window: CandleWindow, language: Language) -> StruckQuestion:
    """Return what a model is asked about a window."""
    words = read_texts(FOLDER, language, "windows")
    rows = "\n".join(" ".join([time, *(f"{price:g}" for price in prices)]) for time, *prices in window.known)
    sheet = StruckSheet(id=window.name, kind="entry", language=language, at=window.known[-1][0], facts={"close": window.known[-1][4]})
    user = words["question"].format(ahead=AHEAD, rows=f"time open high low close\n{rows}").strip()
    return StruckQuestion(sheet, "plain", 1, words["instructions"].format(ahead=AHEAD).strip(), user)


def result_of(
    windows: Sequence[CandleWindow], fee: float, verdicts: Mapping[str, str | None] | None = None, model: str = ""
) -> WindowResult:
    """Return what every predictor comes to. fee: of one side of a trade, as a share of the price. verdicts: of a model, by window."""
    sides = {
        "always_long": [1.0] * len(windows),
        "momentum": [math.copysign(1.0, each.known[-1][4] - each.known[-1 - _MOMENTUM][4]) for each in windows],
    }
    if verdicts is not None:
        sides[model] = [{"LONG": 1.0, "SHORT": -1.0}.get(verdicts.get(each.name) or "", 0.0) for each in windows]
    moves = np.asarray([window.move for window in windows])
    overlaps = [_overlaps(one, other) for one, other in pairwise(windows)]
    block = _block(windows)
    resamples = [_draws(len(windows), size) for size in (1, block)]
    spread = max(float(np.std(draws @ (moves > 0).astype(np.float64))) for draws in resamples) / len(windows)
    smallest = round(_POWER * spread, 4)
    predictors = {name: _predictor(np.asarray(side), moves, fee, resamples) for name, side in sides.items()}
    return WindowResult(
        windows=len(windows),
        markets=len({window.market for window in windows}),
        fee=fee,
        overlapping=round(sum(overlaps) / max(1, len(overlaps)), 4),
        block=block,
        smallest_edge=smallest,
        can_show_three_points=smallest <= _EDGE,
        predictors={**predictors, "coin": _coin(fee, len(windows))},
    )


def _overlaps(one: CandleWindow, other: CandleWindow) -> bool:
    """Return whether a window begins within the one before it."""
    if one.market != other.market or one.began is None or other.began is None:
        return False
    last = _instant(one.rows[-1][0])
    return last is not None and other.began <= last


def _block(windows: Sequence[CandleWindow]) -> int:
    """Return how many neighbours are resampled together: as many as share candles, and no fewer than the cube root of all."""
    reach = 1
    for place, window in enumerate(windows):
        later = 1
        while place + later < len(windows) and _overlaps(window, windows[place + later]):
            later += 1
        reach = max(reach, later)
    return min(len(windows), max(reach, round(math.cbrt(len(windows)))))


def _draws(count: int, block: int) -> Floats:
    """Return how often each window is in each draw: blocks of neighbours, around the end."""
    chosen = np.random.RandomState(SEED)
    starts = chosen.randint(0, count, (DRAWS, -(-count // block)))
    places = ((starts[:, :, None] + np.arange(block)) % count).reshape(DRAWS, -1)[:, :count]
    weights = np.zeros((DRAWS, count))
    np.add.at(weights, (np.arange(DRAWS)[:, None], places), 1.0)
    return weights


def _predictor(sides: Floats, moves: Floats, fee: float, resamples: Sequence[Floats]) -> Predictor:
    """Return what one comes to. resamples: the wider interval of them counts: few stretches vary less than they should."""
    taken = sides != 0
    right = (sides * moves > 0).astype(np.float64)
    gained = np.where(taken, 100 * (sides * moves - 2 * fee), 0.0)
    count = int(taken.sum())
    if not count:
        nothing = Share(value=None, low=None, high=None, n=0)
        return Predictor(accuracy=nothing, return_pct=nothing, taken=0)

    def share(values: Floats) -> Share:
        ends = []
        for draws in resamples:
            whole = draws @ taken.astype(np.float64)
            ends.append(interval_of(np.divide(draws @ values, whole, out=np.full(DRAWS, np.nan), where=whole > 0)))
        return of_ends(float(values.sum()) / count, (min(low for low, _ in ends), max(high for _, high in ends)), count)

    return Predictor(accuracy=share(right), return_pct=share(gained), taken=count)


def _coin(fee: float, count: int) -> Predictor:
    """Return what a coin comes to on average: it is right half the time, and pays the fees."""
    cost = -200 * fee
    return Predictor(accuracy=of_ends(0.5, (0.5, 0.5), count), return_pct=of_ends(cost, (cost, cost), count), taken=count)
