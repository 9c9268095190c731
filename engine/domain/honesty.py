"""How many of the numbers that were stated and checked were false, by who stated them."""

from typing import Final, Literal, NamedTuple

from engine.domain.calibration import ENOUGH
from engine.domain.frozen_model import FrozenModel

HonestyGroup = Literal["role", "model", "indicator", "language", "week"]
LEAST_FACTOR: Final = 0.5
"""No analyst weighs less than this share of its weight, however often it was wrong."""


class ClaimTally(NamedTuple):
    """What one role of a run stated about one indicator. model: that spoke it. indicator: the fact's key without its timeframe. claims:
    those that could be checked; false: those of them that were false when they were said."""

    role: str
    model: str
    indicator: str
    claims: int
    false: int


class ClaimCounts(NamedTuple):
    """Checked claims, and the false ones among them."""

    claims: int
    false: int


class HonestyRow(FrozenModel):
    """One line of the table. name: of the role, model, indicator, language, or ISO week (`2026-W48`). share: false / claims, 0 to 1; low,
    high: its interval at 95 % (Wilson). disputed: how many of the strikes a person disputes now."""

    by: HonestyGroup
    name: str
    claims: int
    false: int
    share: float
    low: float
    high: float
    disputed: int = 0


class RoleHonesty(FrozenModel):
    """How often a role has been wrong, frozen with a run's request. Counts of days before the run's clock."""

    role: str
    claims: int
    false: int

    @property
    def factor(self) -> float:
        """What the role's weight is multiplied by: 1 where there are too few claims, never below `LEAST_FACTOR`."""
        return max(LEAST_FACTOR, 1 - self.false / self.claims) if self.claims >= ENOUGH else 1.0
