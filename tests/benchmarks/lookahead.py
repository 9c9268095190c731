"""A year of whole runs of the equities desk with everything later altered: on how many of its days the final state is another.

Twice every session of a recorded year (it needs the recordings of the tests, `TRIBUNAL_TEST_DATA`), and of a month of simulated companies.
"""

import os
import random
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

from tests.benchmarks.measured import Measured
from tests.conftest import ROOT
from tests.flows.fusion.later_altered import Pair, recorded_pairs, sessions_of, simulated_pairs


def measure(folder: Path) -> Iterator[Measured]:
    """folder: a place of its own."""
    data = Path(os.environ.get("TRIBUNAL_TEST_DATA", ROOT.parent / "shared" / "data"))
    what = "runs over a recorded year that see what is later"
    if (data / "equity").is_dir():
        year = sessions_of(date(2020, 3, 30), date(2021, 3, 30))
        yield _row(what, recorded_pairs(data, folder / "recorded", year, random.Random(17)))
    else:
        yield Measured(what, "", note=f"no recorded companies at {data}")
    for symbol, calendar in (("NVDA", "XNYS"), ("600028.SH", "XSHG")):
        month = sessions_of(date(2024, 3, 1), date(2024, 3, 29), calendar)
        yield _row(f"the same over a simulated month of {symbol}", simulated_pairs(folder / symbol, symbol, month))


def _row(what: str, pairs: Iterable[Pair]) -> Measured:
    seen, ordered, differing = 0, 0, []
    for pair in pairs:
        seen += 1
        ordered += pair.whole["execution_record"] is not None
        if pair.differing:
            differing.append(f"{pair.asked[0]} {pair.asked[1]}: {', '.join(pair.differing)}")
    note = f"{seen} sessions, {ordered} orders carried out" + "".join(f"; {each}" for each in differing[:5])
    return Measured(what, "", [len(differing)], 0, "maximum", note=note)
