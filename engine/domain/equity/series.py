"""Series beside a listing's own prices: macro figures, and the closes of an index's constituents."""

from datetime import date

from pydantic import AwareDatetime, Field

from engine.domain.frozen_model import FrozenModel


class MacroPoint(FrozenModel):
    """period: last day of what it is about (a month, a quarter, the day itself). published: aware UTC. value: in its series' unit."""

    period: date
    published: AwareDatetime
    value: float


class MacroSeries(FrozenModel):
    """One macro figure, oldest point first. key: `policy_rate_pct`, `cpi_yoy_pct`. unit: in words. region: `US`, `CN`."""

    key: str
    name: str
    unit: str
    region: str
    points: tuple[MacroPoint, ...]


class Constituent(FrozenModel):
    """A company of an index and its daily closes, oldest first, in shares of the trade date. weight_pct: percent of the index, None where
    it is not known."""

    symbol: str
    name: str
    sector: str | None = None
    weight_pct: float | None = Field(default=None, ge=0, le=100)
    dates: tuple[date, ...]
    closes: tuple[float, ...]

    def return_pct(self, sessions: int) -> float | None:
        """Return the change over the last `sessions` closes, percent; None when there are not so many."""
        if len(self.closes) <= sessions:
            return None
        return (self.closes[-1] / self.closes[-1 - sessions] - 1.0) * 100.0
