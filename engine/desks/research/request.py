"""What the research desk can be asked, and what its runs are about."""

from datetime import datetime
from typing import Annotated, ClassVar, Literal

from pydantic import AwareDatetime, Field

from engine.domain.inputs import Instant, ModelInputs
from engine.domain.market.instrument import FeedName
from engine.domain.research.document import Document
from engine.domain.run import RunRequest
from engine.domain.text.reason import Said

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

    def takes(self, source: str) -> bool:
        """Return whether a source may take part."""
        return self.sources is None or source in self.sources

    @property
    def market_clock(self) -> datetime | None:
        """What `at` says."""
        return self.at


class ResearchInputs(ModelInputs):
    """What a run is about before anything is searched. at: the clock, aware UTC. is_present: it is the instant at which the run began.
    facts: what was measured of the market, as a document; None without a market. missing: source -> why there is nothing of it."""

    kind: ClassVar[str] = "research"
    question: str
    at: Instant
    is_present: bool
    facts: Document | None = None
    missing: dict[str, Said] = Field(default_factory=dict)
