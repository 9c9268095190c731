"""What someone looks for among the runs of a journal."""

from typing import Literal

from pydantic import AwareDatetime, Field

from engine.domain.frozen_model import FrozenModel
from engine.domain.run import RunSummary

ListedState = Literal["open", "waits", "done", "stopped", "failed", "ended"]
"""open: more is to come. waits: for an answer to what it was filed as. done: finished, whether something of it waits or not. ended: done,
stopped or failed."""


class RunFilter(FrozenModel):
    """What runs have to be like; None and "" = of any kind.

    text: parts of the market, the outcome, the model, the day (UTC) or the id, all of which must be there, in any case of letters. market:
    what it is about, as it is written there. since, until: when it was begun, the latter excluded. asked_by_people: without those that
    runs of other flows asked for.
    """

    text: str = Field(default="", max_length=200)
    market: str | None = None
    flows: tuple[str, ...] = ()
    state: ListedState | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    asked_by_people: bool = False


class FoundRuns(FrozenModel):
    """One page of what was looked for, newest first. total: how many there are on all pages."""

    runs: tuple[RunSummary, ...]
    total: int
