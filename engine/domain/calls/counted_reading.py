"""How far a run has come in reading what it is about, before it says its first word: what is read, from whom, and a count of the parts."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

T = TypeVar("T")

PartName = Literal[
    "market", "candles", "surroundings",
    "listing", "prices", "filings", "news", "constituents", "macro", "sector",
]  # fmt: skip


@dataclass(frozen=True)
class ReadingPart:
    """One thing that is read. timeframe: of candles, "" for everything else."""

    name: PartName
    timeframe: str = ""


@dataclass(frozen=True)
class ReadingProgress:
    """subject: a symbol. source: who is asked, as the feed names it. being_read: what was asked for and has not come yet. done: parts that
    have come, out of `total`."""

    subject: str
    source: str
    being_read: tuple[ReadingPart, ...]
    done: int
    total: int


Report = Callable[[ReadingProgress], None]
"""Takes every step of a reading; never raises."""


def unreported(progress: ReadingProgress) -> None:
    """Drop it."""


class CountedReading:
    """The parts of one reading as they come. Reports the first parts as soon as they are asked for."""

    def __init__(self, subject: str, source: str, total: int, report: Report = unreported) -> None:
        self._subject, self._source, self._total, self._report = subject, source, total, report
        self._asked: list[ReadingPart] = []
        self._done = 0

    async def read(self, part: ReadingPart, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask, and return the answer, counted. One that raises is not counted."""
        self._asked.append(part)
        self._say()
        found = await ask()
        self._asked.remove(part)
        self._done += 1
        self._say()
        return found

    def _say(self) -> None:
        self._report(ReadingProgress(self._subject, self._source, tuple(self._asked), self._done, self._total))
