"""An indicator as a text names it: with its period, its parameters and the timeframe written inside the name."""

from dataclasses import dataclass

from engine.grounding.indicator import Indicator


@dataclass(frozen=True, slots=True)
class Named:
    """An indicator as it was named. period: written or default; None where one is needed and missing. params: other than the usual ones,
    empty when they are the usual. frame: timeframe written inside the name."""

    indicator: Indicator
    period: int | None = None
    params: tuple[int, ...] = ()
    frame: str | None = None

    @property
    def key(self) -> str:
        """The canonical key without timeframe."""
        if self.params:
            return f"{self.indicator.base}_{'_'.join(map(str, self.params))}"
        return self.indicator.key(self.period)
