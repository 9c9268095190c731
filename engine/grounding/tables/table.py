"""A table of indicators: everything a text can be read for.

Reading takes a table as a parameter. `CRYPTO` and `EQUITY` (`markets.py`) are those of the desks; another market is another list of
`IndicatorSpec` entries, and `ValueWord`s where it has words of its own. Every table has the price and the position (`REQUIRED`), of which
sentences speak without naming them; all other entries are optional, and rules about an indicator that a table lacks do nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from engine.domain.facts import Unit
from engine.grounding.tables.thresholds import Band
from engine.grounding.words.lists import ValueWord, WordEntry

NEGATIVE = {
    "loss_pct": "profit_pct",
    "drop_24h_pct": "change_24h_pct",
    "net_loss": "net_income",
    "eps_loss": "eps",
    "cash_burn": "free_cash_flow",
}
"""Names that are negative by themselves, and the fact they speak of: a loss of 2 % is a profit of -2 %."""

REQUIRED = frozenset({"close", "side", "entry_price", "profit_pct", "loss_pct", "mfe_pct", "mae_pct", "leverage", "size", "hold_count"})


@dataclass(frozen=True, slots=True)
class IndicatorSpec:
    """One thing that can be measured and claimed.

    base: canonical key, without the period where `family` is set (then the key is `base_period`). names: in both languages, in the notation
    of `lexer/lexicon.py`; Chinese ones are matched character by character, Latin ones word by word, so `macd` is never found inside
    another word. label: what it is called, English and Chinese. kind: how sentences treat it: `line` (a price level the price can stand
    above), `price`, `oscillator`, `di`, `macd`, `trend`, `flow`, ... relative, absolute: tolerance, the larger counts. period: the
    default period, None when one has to be written. defaults: parameters that may be written out and change nothing. signed: a falling
    verb before the number makes it negative. magnitude: only the size is compared. position: exists only while a position is open. bare:
    a number without a unit is a ratio. bands: readings in words, by name. change: base key of its change in percent, so that
    `revenue grew 8%` is one of `revenue_growth_pct`; empty without one. either: base key of another indicator that the name may mean as
    well (`200 MA`: simple or exponential); empty where it can mean only this one.
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


@dataclass(frozen=True, eq=False)
class IndicatorTable:
    """indicators: the entries; of two with one base key the first is the one that counts. readings: words beside those every table has.

    words: categories, payloads and phrases that are read before those every text knows. periods: whether named quarters and years (`Q3`,
    `FY2023`, `2023年`) are frames of their own.
    record, record_position: keys whose values stand in every record of a debate, and those of an open position.
    Raises ValueError when one of `REQUIRED` is missing.
    """

    name: str
    indicators: tuple[IndicatorSpec, ...]
    readings: tuple[ValueWord, ...] = ()
    record: tuple[str, ...] = ()
    record_position: tuple[str, ...] = ()
    words: tuple[WordEntry, ...] = ()
    periods: bool = False
    _by_base: Mapping[str, IndicatorSpec] = field(init=False, repr=False)
    _named: Mapping[str, NamedIndicator] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        by_base = {indicator.base: indicator for indicator in reversed(self.indicators)}
        if missing := REQUIRED - by_base.keys():
            raise ValueError(f"the table {self.name} lacks {', '.join(sorted(missing))}")
        object.__setattr__(self, "_by_base", by_base)
        object.__setattr__(self, "_named", {base: NamedIndicator(indicator) for base, indicator in by_base.items()})

    def __contains__(self, base: object) -> bool:
        """Return whether there is an indicator with this base key."""
        return base in self._by_base

    def __getitem__(self, base: str) -> IndicatorSpec:
        """Return the indicator with this base key. Raises KeyError."""
        return self._by_base[base]

    def named(self, base: str) -> NamedIndicator:
        """Return it as a text names it that writes neither period nor timeframe. Raises KeyError."""
        return self._named[base]

    @cached_property
    def kinds(self) -> Mapping[str, frozenset[str]]:
        """Return a mapping: reading of this table -> the kinds of indicator they are said of."""
        return {reading.name: reading.kinds for reading in self.readings}

    @cached_property
    def alone(self) -> Mapping[str, str]:
        """Return a mapping: reading of this table -> base key of the indicator it is said of where none is named."""
        return {reading.name: reading.alone for reading in self.readings if reading.alone}

    @cached_property
    def labels(self) -> Mapping[str, tuple[str, str]]:
        """Return a mapping: reading of this table -> what they are called, English and Chinese."""
        return {reading.name: reading.label for reading in self.readings}

    def find(self, key: str) -> tuple[IndicatorSpec | None, str, int | None]:
        """Return the entry for a canonical key (`1h.ema_200`), its timeframe prefix (empty for the main one) and its period.

        None for the entry of a key the table does not know; None for the period where the key has none.
        """
        frame, _, bare = key.rpartition(".")
        if bare in self._by_base:
            return self._by_base[bare], frame, None
        base, _, period = bare.rpartition("_")
        indicator = self._by_base.get(base)
        return (indicator, frame, int(period)) if indicator is not None and period.isdigit() else (None, frame, None)
