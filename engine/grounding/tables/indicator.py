"""What an entry of the indicator table says.

A new indicator is a new entry in `market.py`, `flows.py` or `position.py` and nothing else: canonical key,
names in both languages, unit, tolerance, the readings it can be said to have, and how a bare number after it is to be understood. Names are
lists of words in the notation of `lexicon.py`; Chinese ones are matched character by character, Latin ones word by word, so `macd` is never
found inside another word.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.domain.facts import Unit
from engine.grounding.tables.thresholds import Band

NEGATIVE = {
    "loss_pct": "profit_pct",
    "drop_24h_pct": "change_24h_pct",
    "net_loss": "net_income",
    "eps_loss": "eps",
    "cash_burn": "free_cash_flow",
}
"""Names that are negative by themselves, and the fact they speak of: a loss of 2 % is a profit of -2 %."""

PRICE = 0.005
"""Tolerance of a price: 0.5 percent of the actual value, nothing absolute."""

AVERAGE_PERIODS = frozenset(
    {5, 6, 7, 8, 9, 10, 12, 13, 14, 20, 21, 25, 26, 30, 34, 50, 55, 60, 89, 90, 99, 100, 120, 144, 150, 200, 233, 250}
)
OSCILLATOR_PERIODS = frozenset({1, 2, 3, 5, 6, 7, 8, 9, 10, 12, 13, 14, 20, 21, 24, 25, 28})


@dataclass(frozen=True, slots=True)
class IndicatorSpec:
    """One thing that can be measured and claimed.

    base: canonical key, without the period where `family` is set (then the key is `base_period`). kind: how sentences treat it: `line`
    (a price level the price can stand above), `price`, `oscillator`, `di`, `macd`, `trend`, `flow`, ... period: the default period, None
    when one has to be written. defaults: parameters that may be written out and change nothing. relative, absolute: tolerance, the larger
    counts. signed: a falling verb before the number makes it negative. sign: a name that is negative by itself ("loss"). magnitude: only
    the size is compared. position: exists only while a position is open. bands: readings in words, by name. change: base key of its change
    in percent, so that `revenue grew 8%` is one of `revenue_growth_pct`; empty without one. either: base key of another indicator that the
    name may mean as well (`200 MA`: simple or exponential); empty where it can mean only this one.
    """

    base: str
    names: str
    label: tuple[str, str]
    unit: Unit
    kind: str
    relative: float = 0.05
    absolute: float = 0.0
    family: bool = False
    period: int | None = None
    periods: frozenset[int] = frozenset()
    defaults: tuple[tuple[int, ...], ...] = ()
    signed: bool = False
    magnitude: bool = False
    position: bool = False
    bare: bool = False
    bands: Mapping[str, Band] = field(default_factory=dict)
    change: str = ""
    either: str = ""

    def key(self, period: int | None) -> str:
        """Return the canonical key for a period (`rsi_14`); the base itself when the indicator has none."""
        return f"{self.base}_{period}" if self.family and period is not None else self.base


@dataclass(frozen=True, slots=True)
class NamedIndicator:
    """An indicator as it was named. period: written or default; None where one is needed and missing. params: other than the usual ones,
    empty when they are the usual. frame: timeframe written inside the name."""

    indicator: IndicatorSpec
    period: int | None = None
    params: tuple[int, ...] = ()
    frame: str | None = None

    @property
    def key(self) -> str:
        """Return the canonical key without timeframe."""
        if self.params:
            return f"{self.indicator.base}_{'_'.join(map(str, self.params))}"
        return self.indicator.key(self.period)
