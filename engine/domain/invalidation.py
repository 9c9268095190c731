"""Why a position was entered, and what would prove that wrong: written down at the entry, checked by code ever after."""

from typing import Literal

from pydantic import AwareDatetime, Field

from engine.domain.frozen_model import FrozenModel


class Invalidation(FrozenModel):
    """One condition under which the entry's thesis no longer holds.

    kind: `level` (the last close against a price), `indicator` (one fact against another), `time` (bars held). key: the fact that is looked
    at. relation: how it must stand for the thesis to be broken. bound: quote units or bars; other: the fact to compare with.
    """

    kind: Literal["level", "indicator", "time"]
    key: str
    relation: Literal["below", "above"]
    bound: float | None = None
    other: str | None = None


class Thesis(FrozenModel):
    """Why a position was entered. text: the words it was decided with, from a model, shortened. run_id: the run that decided. at: when it
    was entered. invalidations: what would prove it wrong."""

    run_id: str
    at: AwareDatetime
    text: str = ""
    invalidations: tuple[Invalidation, ...] = ()


class InvalidationCheck(FrozenModel):
    """An invalidation, measured. broken: None when a fact it needs is missing. measured, against: the two values that were compared, in the
    unit of the fact; None where one is missing."""

    invalidation: Invalidation
    broken: bool | None
    measured: float | None = Field(default=None)
    against: float | None = Field(default=None)
