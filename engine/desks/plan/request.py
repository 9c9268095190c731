"""What a plan's run can be asked, and what it is about."""

from datetime import datetime
from typing import ClassVar, Final, Literal

from pydantic import AwareDatetime, Field, model_validator

from engine.domain.inputs import Instant, ModelInputs
from engine.domain.market.instrument import FeedName
from engine.domain.plan.plan import MOST_RETRIES, MOST_TEXT, DecompositionPlan
from engine.domain.run import RunRequest

DEFAULT_SYMBOL: Final = "BTC/USDT:USDT"
DEFAULT_THRESHOLD: Final = 0.6


class PlanRequest(RunRequest):
    """A question to decompose, or a plan to work through.

    question: "" = the plan's own. plan: None = it is made of the question. symbol: what the question is about unless its words say
    otherwise: a market or a ticker. at: after which nothing is known; None = now, or the end of the recording. threshold: confidence below
    which a result counts as an error. max_retries: of tasks that do not say. factor: the only one that is worked through, None = all.
    outage: a tool whose source fails at the first attempt of each of its tasks, a fault simulated to show what is done about it.
    """

    flow: Literal["plan"] = "plan"
    question: str = Field(default="", max_length=MOST_TEXT)
    plan: DecompositionPlan | None = None
    symbol: str = Field(default=DEFAULT_SYMBOL, min_length=1, max_length=40)
    feed: FeedName = "simulated"
    data_dir: str | None = None
    exchange: str | None = None
    at: AwareDatetime | None = None
    threshold: float = Field(default=DEFAULT_THRESHOLD, ge=0, le=1)
    max_retries: int = Field(default=1, ge=0, le=MOST_RETRIES)
    factor: str | None = Field(default=None, max_length=80)
    outage: str | None = Field(default=None, max_length=80)

    @model_validator(mode="after")
    def _asks_something(self) -> "PlanRequest":
        if self.plan is None and not self.question.strip():
            raise ValueError("give a plan, or a question to plan for")
        return self

    @property
    def subject(self) -> str:
        """The question."""
        return self.question or (self.plan.question if self.plan is not None else "")

    @property
    def market_clock(self) -> datetime | None:
        """What `at` says."""
        return self.at


class PlanInputs(ModelInputs):
    """Everything a plan's run is about: what was asked, of what, and the instant after which nothing is known. Frozen before a model is
    asked. What tools read is not part of it: that is in the run's log, reading by reading.

    plan: what was given, None = it is made of the question. factor: the only one to work through.
    """

    kind: ClassVar[str] = "plan"
    question: str
    symbol: str
    feed: FeedName
    at: Instant
    threshold: float
    max_retries: int
    plan: DecompositionPlan | None = None
    factor: str | None = None
