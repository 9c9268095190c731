"""A table of indicators: everything a text can be read for.

Reading takes a table as a parameter. `CRYPTO` (`crypto.py`) is the one of the decision flow; another market is another list of
`IndicatorSpec` entries, and `ValueWord`s where it has words of its own. Every table has the price and the position (`REQUIRED`), of which
sentences speak without naming them; all other entries are optional, and rules about an indicator that a table lacks do nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from engine.grounding.tables.indicator import IndicatorSpec, NamedIndicator

REQUIRED = frozenset({"close", "side", "entry_price", "profit_pct", "loss_pct", "mfe_pct", "mae_pct", "leverage", "size", "hold_count"})


@dataclass(frozen=True, slots=True)
class ValueWord:
    """A word for a range of values (`cheap`). words: phrases in the notation of `lexer/notation.py`. kinds: the kinds of indicator it is
    said of; what it means in numbers is in the `bands` of each of them, under `name`. label: what it is called, English and Chinese.
    alone: base key of the indicator it is said of where none is named (`the company is profitable`); empty when one has to be."""

    name: str
    words: str
    kinds: frozenset[str]
    label: tuple[str, str]
    alone: str = ""


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
    words: tuple[tuple[str, object, str], ...] = ()
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
