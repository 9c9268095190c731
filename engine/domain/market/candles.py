"""Candles as columns: what every reader of a market works on.

Everybody knows of candles, also pages and commands that hold none: numpy comes in with the first ones.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.domain.market.timeframe import Timeframe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COLUMNS = ("open", "high", "low", "close", "volume")
_LOWEST_PRICE, _HIGHEST_PRICE = 1e-100, 1e100  # outside, products of prices leave the range of a double


@dataclass(frozen=True, slots=True)
class Candle:
    """One candle. opened_at: UTC milliseconds of its open; prices in quote currency; volume in base units."""

    opened_at: int
    open: float
    high: float
    low: float
    close: float
    volume: float


@dataclass(frozen=True, eq=False, slots=True)
class Candles:
    """Closed candles of one timeframe, oldest first, evenly spaced unless the source says otherwise.

    opened_at: int64[n], UTC milliseconds of each open. The others: float64[n]; prices in quote currency, volume in base units. Anyone who
    makes them leaves the columns as they are from then on: `fault` is worked out once.
    """

    timeframe: Timeframe
    opened_at: "NDArray[np.int64]"
    open: "NDArray[np.float64]"
    high: "NDArray[np.float64]"
    low: "NDArray[np.float64]"
    close: "NDArray[np.float64]"
    volume: "NDArray[np.float64]"
    _fault: list[str | None] = field(default_factory=list, init=False, repr=False)  # one entry once it is known

    def __len__(self) -> int:
        return len(self.opened_at)

    def __getitem__(self, index: int) -> Candle:
        values = (float(getattr(self, name)[index]) for name in COLUMNS)
        return Candle(int(self.opened_at[index]), *values)

    def slice(self, start: int | None, stop: int | None = None) -> "Candles":
        """Return candles [start:stop] by position, as views (nothing is copied)."""
        part = slice(start, stop)
        return Candles(self.timeframe, self.opened_at[part], *(getattr(self, name)[part] for name in COLUMNS))

    def tail(self, count: int) -> "Candles":
        """Return the last `count` candles (all of them when there are fewer)."""
        return self.slice(max(0, len(self) - count))

    def followed_by(self, later: "Candles") -> "Candles":
        """Return these candles and those that come after them."""
        import numpy as np  # noqa: PLC0415 - see above

        pairs = ((getattr(self, name), getattr(later, name)) for name in ("opened_at", *COLUMNS))
        return Candles(self.timeframe, *(np.concatenate(pair) for pair in pairs))

    def since(self, ms: int) -> "Candles":
        """Return candles that opened at or after `ms`."""
        return self.slice(int(self.opened_at.searchsorted(ms)))

    @property
    def fault(self) -> str | None:
        """Why nothing can be measured on these candles: there are none, a value is no number, a price lies outside any market, or a volume
        is negative. None when they are sound."""
        if not self._fault:
            self._fault.append(self._find_fault())
        return self._fault[0]

    def _find_fault(self) -> str | None:
        if len(self) == 0:
            return f"no closed bars of {self.timeframe}"
        for name in COLUMNS:
            column = getattr(self, name)
            low, high = (0.0, math.inf) if name == "volume" else (_LOWEST_PRICE, _HIGHEST_PRICE)
            sound = (column >= low) & (column <= high) & (column < math.inf)  # false for NaN
            if not sound.all():
                row = int(sound.argmin())
                return f"the {self.timeframe} candles are broken: {name} is {float(column[row])!r} at bar {row + 1} of {len(self)}"
        return None

    @property
    def closed_at(self) -> int:
        """UTC milliseconds at which the last candle closed. Raises IndexError if there are no candles."""
        return int(self.opened_at[-1]) + self.timeframe.ms

    def to_columns(self) -> dict[str, list[float]]:
        """Return plain lists, ready for JSON; `timestamp` first, as in the files."""
        return {"timestamp": self.opened_at.tolist()} | {name: getattr(self, name).tolist() for name in COLUMNS}

    @classmethod
    def from_columns(cls, timeframe: Timeframe, columns: Mapping[str, Sequence[float]]) -> "Candles":
        """Return the inverse of `to_columns`. Raises KeyError for a missing column."""
        import numpy as np  # noqa: PLC0415 - see above

        arrays = (np.asarray(columns[name], dtype=np.float64) for name in COLUMNS)
        return cls(timeframe, np.asarray(columns["timestamp"], dtype=np.int64), *arrays)
