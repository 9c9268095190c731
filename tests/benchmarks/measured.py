"""One measured number and the table it stands in.

A benchmark gives `Measured` rows. A row names its target and what is held to it: the median for what a person waits for, the minimum for
the cost of code, since another process on the machine can only add to it. A row without a target informs; one without values was skipped.
"""

import os
import platform
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

_HELD = {"minimum": min, "median": statistics.median, "maximum": max}


@dataclass(frozen=True)
class Measured:
    """One row. values: one for each repetition, in `unit`. target: the most (`fewest`: the least) that `held` of them may be."""

    what: str
    unit: str
    values: Sequence[float] = ()
    target: float | None = None
    held: Literal["minimum", "median", "maximum"] = "median"
    fewest: bool = False
    note: str = ""

    @property
    def missed(self) -> bool:
        """Whether the target is missed. What was skipped, or has no target, is not."""
        if self.target is None or not self.values:
            return False
        reached = _HELD[self.held](self.values)
        return reached < self.target if self.fewest else reached > self.target

    def row(self) -> str:
        """The row of the table."""
        bound = "-" if self.target is None else f"{self.held} {'>=' if self.fewest else '<='} {self.target:g} {self.unit}".rstrip()
        if not self.values:
            return f"| {self.what} | {bound} | - | - | - | 0 | skipped: {self.note} |"
        shown = (f"{part(self.values):.4g}" for part in (min, statistics.median, max))
        verdict = "-" if self.target is None else "**missed**" if self.missed else "met"
        told = f"{verdict}; {self.note}" if self.note else verdict
        return f"| {self.what} | {bound} | {' | '.join(shown)} | {len(self.values)} | {told} |"


def table(rows: Iterable[Measured]) -> str:
    """The whole report in Markdown: the machine and the date, then a row for each measurement."""
    head = ("| what | target | min | median | max | runs | verdict |", "|---|---|---:|---:|---:|---:|---|")
    return "\n".join((machine(), "", *head, *(row.row() for row in rows)))


def machine() -> str:
    """The processor, its cores, how busy they are, Python, and the date."""
    load = os.getloadavg()[0]
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{_processor()}, {os.cpu_count()} cores, load {load:.1f}; {python}; {datetime.now(UTC):%Y-%m-%d %H:%M} UTC"


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()
