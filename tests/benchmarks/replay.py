"""Replays with the scripted model without pauses: what a replayed decision costs the processor against the same from `decide --copies`, how
memory grows with the decisions, and what a second worker is worth.

Copies read one market and one fact sheet, and say the same sentences; replayed decisions share none of that, and each is answered, ordered
and followed besides. Memory is that of a process which has played nothing else.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import psutil

from engine.api import Engine
from engine.api.replay_hands import Hands, Workers
from engine.api.replays import Replays, Wanted
from engine.settings import Settings
from tests.benchmarks.measured import Measured

SYMBOL: Final = "BTC/USDT:USDT"
BEGINS: Final = datetime(2025, 1, 1, tzinfo=UTC)
ASKED: Final = {"feed": "simulated", "timeframe": "1h", "timeframe_htf": "4h", "model": "scripted"}
DECISIONS, PAIRS = 40, 3
MARKS: Final = (200, 1000, 3000)
"""Decisions after which memory is read."""
MOST_OF_COPIES, MOST_GROWTH, LEAST_EFFICIENCY = 0.5, 1.10, 0.85


class Rss:
    """Reads the memory of this process once so many decisions are done. marks: how many, rising."""

    def __init__(self, marks: tuple[int, ...] = ()) -> None:
        self._left, self.mb = list(marks), dict[int, float]()

    def begun(self, replay_id: str) -> None:
        """See `ReplayListener`."""

    def progress(self, part: str, done: int, total: int) -> None:
        """See `ReplayListener`."""
        if self._left and done >= self._left[0]:
            self.mb[self._left.pop(0)] = psutil.Process().memory_info().rss / 1e6


def measure(folder: Path) -> Iterator[Measured]:
    """folder: a place of its own."""
    settings = Settings(_env_file=None, home=folder / "home", pace=0)  # type: ignore[call-arg]
    replayed(settings, 3)  # imports, the first compiled graph
    copied(settings, 3)
    pairs = [(copied(settings, DECISIONS), replayed(settings, DECISIONS, seed)) for seed in range(PAIRS)]
    yield Measured("processor time of a decision among copies", "ms", [copies * 1000 for copies, _ in pairs])
    yield Measured("processor time of a replayed decision", "ms", [played * 1000 for _, played in pairs])
    shares = [played / copies for copies, played in pairs]
    yield Measured("a replayed decision, to one among copies", "x", shares, MOST_OF_COPIES, held="minimum")
    command = [sys.executable, "-m", "tests.benchmarks.replay", str(folder / "long"), *map(str, MARKS)]
    told = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, env=dict(os.environ)).stdout)
    for mark, mb in told.items():
        yield Measured(f"memory after {mark} replayed decisions", "MB", [mb])
    growth = [told[str(MARKS[-1])] / told[str(MARKS[0])]]
    yield Measured(f"memory after {MARKS[-1]}, against after {MARKS[0]}", "x", growth, MOST_GROWTH)
    one, two = (timed(settings, workers) for workers in (1, 2))
    yield Measured("one worker, against two of twice the speed", "x", [one / 2 / two], LEAST_EFFICIENCY, fewest=True)


def wanted(decisions: int, seed: int = 3, windows: int = 1) -> Wanted:
    """So many decisions, one an hour."""
    return Wanted(SYMBOL, {**ASKED, "seed": seed}, BEGINS, BEGINS + timedelta(hours=decisions - 1), windows=windows)


def replayed(settings: Settings, decisions: int, seed: int = 3) -> float:
    """Seconds of the processor for each decision of a replay, its report included."""
    began = time.process_time()
    Replays(settings).play(wanted(decisions, seed), Rss())
    return (time.process_time() - began) / decisions


def copied(settings: Settings, copies: int) -> float:
    """Seconds of the processor for each of several copies of a decision."""
    with closing(Engine(settings)) as engine:
        request = engine.decisions.request(SYMBOL, **ASKED, seed=3)
        began = time.process_time()
        for run_id in [engine.start(request) for _ in range(copies)]:
            engine.wait(run_id, 600)
        return (time.process_time() - began) / copies


def timed(settings: Settings, workers: int) -> float:
    """Seconds that workers take for a replay of four windows, once they have played one."""
    with Workers(workers) as hands:
        _played(settings, hands, 8)
        began = time.monotonic()
        _played(settings, hands, 4 * DECISIONS)
        return time.monotonic() - began


def _played(settings: Settings, hands: Hands, decisions: int) -> None:
    Replays(settings).play(wanted(decisions, windows=4), Rss(), hands)


def main() -> None:
    """Print the memory of this process after so many decisions of one replay: `HOME MARK...`."""
    home, marks = Path(sys.argv[1]), tuple(map(int, sys.argv[2:]))
    rss = Rss(marks)
    Replays(Settings(_env_file=None, home=home, pace=0)).play(wanted(marks[-1]), rss)  # type: ignore[call-arg]
    print(json.dumps(rss.mb))


if __name__ == "__main__":
    main()
