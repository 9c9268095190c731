"""What the research desk can be asked."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from engine.domain.market.instrument import FeedName
from engine.domain.run import RunRequest

MOST_OPTIONAL_CALLS = 8
SourceName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]


class ResearchRequest(RunRequest):
    """One question.

    symbol: a market (`BTC/USDT:USDT`) or a ticker it is about; of a market the measured facts are a document too, of either the past
    decisions. at: the clock: nothing dated later is used; None = now. sources: only these (`wikipedia`, `library`); None = all that are
    configured. library: a folder instead of the configured one. download: whether kept documents are fetched whole. max_optional_calls:
    tools the agent may call before it searches. feed, data_dir, exchange: where facts of the symbol come from.
    """

    flow: Literal["research"] = "research"
    question: str = Field(min_length=1, max_length=2000)
    symbol: str | None = Field(default=None, max_length=40)
    at: AwareDatetime | None = None
    sources: tuple[SourceName, ...] | None = Field(default=None, min_length=1, max_length=40)
    library: str | None = Field(default=None, max_length=1000)
    download: bool = True
    max_optional_calls: int = Field(default=MOST_OPTIONAL_CALLS, ge=0, le=MOST_OPTIONAL_CALLS)
    feed: FeedName = "simulated"
    data_dir: str | None = None
    exchange: str | None = None

    @property
    def market_clock(self) -> datetime | None:
        """What `at` says."""
        return self.at
