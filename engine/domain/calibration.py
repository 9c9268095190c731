"""Stated confidence beside how often it was right."""

from typing import Final, NamedTuple

from engine.domain.frozen_model import FrozenModel

ENOUGH: Final = 30
"""So many decisions are needed before anything is said of them; of a bin, too, before its hit rate is used."""
_MOST: Final = 100.0


class Cases(NamedTuple):
    """Entries that are over and stated the same confidence. stated: 0-100. hits: how many of the `n` gained after costs."""

    stated: float
    n: int
    hits: int


class CalibrationBin(FrozenModel):
    """Decisions whose confidence was from `begins` up to `ends` (the last bin: including it), percent. stated: their mean confidence;
    hit_rate: how many gained after costs, with its 95 % interval (Wilson); percent."""

    begins: float
    ends: float
    n: int
    stated: float
    hit_rate: float
    low: float
    high: float


class Calibration(FrozenModel):
    """bins: those with a decision in them, the lowest confidence first. base_rate: percent of all that gained. brier: mean squared distance
    of confidence and result, 0 to 1, 0 is best. skill: 1 - brier / the Brier score of always stating the base rate: 0 or below, the stated
    confidence says nothing more; None where all or none gained. enough: whether there are as many decisions as are needed to say so."""

    n: int
    bins: tuple[CalibrationBin, ...] = ()
    base_rate: float | None = None
    brier: float | None = None
    skill: float | None = None
    enough: bool = False

    def calibrated(self, stated: float) -> float | None:
        """Return how often decisions of that confidence gained, percent; None where there are too few."""
        for each in self.bins:
            if each.begins <= stated < each.ends or stated == each.ends == _MOST:
                return each.hit_rate if self.enough and each.n >= ENOUGH else None
        return None
