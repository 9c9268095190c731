"""Candle lengths: `15m`, `1h`, `1d`, `1w`. Arithmetic on UTC milliseconds only."""

import re
from dataclasses import dataclass, field

from engine.domain.errors import BadInput
from engine.domain.text.reason import Reason

MINUTE_MS = 60_000
_UNIT_MS = {"m": MINUTE_MS, "h": 60 * MINUTE_MS, "d": 1440 * MINUTE_MS, "w": 10_080 * MINUTE_MS}
_WEEK_ANCHOR_MS = 4 * 1440 * MINUTE_MS  # 1970-01-05, the first Monday: weeks open on Mondays, as on the exchanges
_PATTERN = re.compile(r"([1-9][0-9]{0,3})([mhdw])")


@dataclass(frozen=True, order=True)
class Timeframe:
    """A candle length. Compared by length; `str()` gives the name back.

    ms: length in milliseconds.
    """

    ms: int
    name: str = field(compare=False)

    @classmethod
    def parse(cls, text: str) -> "Timeframe":
        """Read `15m`, `4h`, `1d`, `1w`. Raises BadInput for anything else."""
        match = _PATTERN.fullmatch(text.strip())
        if match is None:
            raise BadInput(Reason("timeframe_is_not_known", text=f"{text!r}"))
        return cls(int(match[1]) * _UNIT_MS[match[2]], text.strip())

    def floor(self, ms: int) -> int:
        """Return the open of the candle that contains the instant `ms`, both in UTC milliseconds."""
        anchor = _WEEK_ANCHOR_MS if self.name.endswith("w") else 0
        return anchor + (ms - anchor) // self.ms * self.ms

    def last_closed_open(self, at_ms: int) -> int:
        """Return the open of the last candle that is closed at `at_ms`, both in UTC milliseconds."""
        return self.floor(at_ms) - self.ms

    def divides(self, longer: "Timeframe") -> bool:
        """Return whether candles of `longer` can be built from these: by length, and by where they open (`7d` and `1w` open on different
        days)."""
        opens = longer.floor(0)
        return longer.ms % self.ms == 0 and self.floor(opens) == opens

    def __str__(self) -> str:
        return self.name


def usual_higher(timeframe: str) -> str:
    """Return the higher timeframe that usually goes with a main one: about four to twelve times as long."""
    main = Timeframe.parse(timeframe)
    for name in ("5m", "15m", "1h", "4h", "1d", "1w"):
        higher = Timeframe.parse(name)
        if higher.ms >= 4 * main.ms and main.divides(higher):
            return name
    return f"{4 * int(str(main)[:-1])}{str(main)[-1]}"
