"""A run: what was asked, and how it stands."""

from typing import Any, Literal

from pydantic import AwareDatetime, Field

from engine.domain.chaos import Chaos
from engine.domain.holding import Holding
from engine.domain.language import Language
from engine.domain.market import FeedName
from engine.domain.noun import Noun
from engine.domain.orders import BrokerName
from engine.domain.place import Place
from engine.domain.risk import RiskConfig

RunState = Literal["starting", "running", "interrupted", "stopped", "finished", "failed"]
"""stopped: by a person. interrupted: its process has ended; worked out when asked, never written. Both can be continued."""


class Origin(Noun):
    """The run another is made from: on its snapshot, with its answers.

    from_node: the first node that is asked again, with everything behind it; None = nothing is, the run is played again. texts: role ->
    what it says instead of its answer. fresh: on the market as it is now instead of the snapshot of that run.
    """

    run_id: str
    from_node: str | None = None
    texts: dict[str, str] = Field(default_factory=dict)
    fresh: bool = False


class DecideRequest(Noun):
    """One decision asked for. Everything a run needs beside the settings of the process.

    at: the clock; None = now, or the end of a recorded market. timeframe_htf: None = one timeframe only. depth: rounds of the debate.
    lies: share of false values a scripted model states, 0-1. seed: of the scripted model and the simulated market. chaos: one lie, planted
    in one role of any model. origin: the run it is made from. broker: whose account and positions it is decided for. propose: whether what
    it decides is filed as a proposal. holding: a position that only the request states; None = what the broker holds.
    """

    symbol: str
    feed: FeedName
    data_dir: str | None = None
    exchange: str | None = None
    at: AwareDatetime | None = None
    timeframe: str = "15m"
    timeframe_htf: str | None = "1h"
    holding: Holding | None = None
    risk: RiskConfig = Field(default_factory=RiskConfig)
    model: str = "scripted"
    language: Language = "en"
    vision: bool = False
    depth: int = Field(default=1, ge=1, le=3)
    lies: float = Field(default=0.0, ge=0, le=1)
    seed: int = 0
    chaos: Chaos | None = None
    origin: Origin | None = None
    broker: BrokerName = "paper"
    propose: bool = False

    @property
    def place(self) -> Place:
        """Where it would be ordered."""
        return Place(broker=self.broker, feed=self.feed, data_dir=self.data_dir, exchange=self.exchange, seed=self.seed)


class RunRecord(Noun):
    """A run as the journal keeps it. result: the final state of a finished run. error: why a failed one failed."""

    run_id: str
    created_at: AwareDatetime
    finished_at: AwareDatetime | None = None
    status: RunState
    request: DecideRequest
    result: dict[str, Any] | None = None
    error: str | None = None


class RunSummary(Noun):
    """A run in a list."""

    run_id: str
    created_at: AwareDatetime
    finished_at: AwareDatetime | None
    status: RunState
    symbol: str
    final_action: str | None
    is_valid: bool | None
    duration_ms: float | None
    tokens: int | None = None
    cost: float | None = None
    model: str | None = None
    parent: str | None = None
    error: str | None
