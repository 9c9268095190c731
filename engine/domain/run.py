"""A run of any flow: what was asked, and its state.

Every flow has a request class of its own, a `RunRequest` whose `flow` has a default: that default is the name under which the journal, a
bundle and a run's record read it back.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AwareDatetime, BeforeValidator, Field, SerializeAsAny

from engine.domain.account_ref import MOST_PRACTICE, AccountRef
from engine.domain.broker_capabilities import DEFAULT_BROKER
from engine.domain.calibration import Calibration
from engine.domain.chaos import Chaos
from engine.domain.frozen_model import FrozenModel
from engine.domain.holding import Holding
from engine.domain.honesty import RoleHonesty
from engine.domain.market.instrument import FeedName
from engine.domain.orders import BrokerName
from engine.domain.proposal import WAITING, ProposalState
from engine.domain.risk import RiskConfig
from engine.domain.similar import SimilarUse
from engine.domain.stability import MOST_REPETITIONS
from engine.domain.text.language import Language
from engine.domain.text.reason import Said

RunState = Literal["starting", "running", "interrupted", "stopped", "finished", "failed"]
"""stopped: by a person. interrupted: its process has ended; worked out when asked, never written. Both can be continued."""
OPEN: tuple[RunState, ...] = ("starting", "running", "interrupted")
Openings = Literal["alternate", "together"]
"""How a debate begins: each side hears the one before it, or both open at once and neither hears the other."""
Lookups = Literal["asked", "planned"]
"""Whether an analyst asks for its tools, or the calls of its plan are made before it is asked."""
ReaderMode = Literal["rules", "confirmed"]
"""Whether what is false by the rules is struck at once, or only after a second reader was asked (`agents/claim_reader.py`)."""
Correcting = Literal["each_turn", "after_debate"]
"""When words are put right for others: before the next role hears them, or when all have spoken."""


class Origin(FrozenModel):
    """The run another is made from: on its snapshot, with its answers.

    from_node: the first node that is asked again, with everything behind it; None = nothing is, the run is played again. texts: role ->
    what it says instead of its answer. fresh: on the market as it is now instead of the snapshot of that run. remembers: those that are
    asked again know of the past what they knew then, and nothing that was kept since.
    """

    run_id: str
    from_node: str | None = None
    texts: dict[str, str] = Field(default_factory=dict)
    fresh: bool = False
    remembers: bool = False


Attached = Annotated[tuple[str, ...], Field(max_length=8)]
"""Runs of research or of a plan whose statements a run is given as evidence: those that were known at its clock."""


class RunRequest(FrozenModel):
    """What every flow can be asked with. Subclass it once per flow, with `flow: Literal["name"] = "name"`.

    language: of prompts and texts. lies: share of false values a scripted model states, 0-1. seed: of the scripted model and of whatever is
    simulated. chaos: one lie, planted in one role of any model. origin: the run it is made from, None for a run of its own. instructions:
    node -> what it is asked instead of its own instructions.
    """

    flow: str
    model: str = "scripted"
    language: Language = "en"
    lies: float = Field(default=0.0, ge=0, le=1)
    seed: int = 0
    chaos: Chaos | None = None
    origin: Origin | None = None
    instructions: dict[str, str] = Field(default_factory=dict)

    _by_flow: ClassVar[dict[str, type["RunRequest"]]] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Make the class known under its flow's name."""
        super().__pydantic_init_subclass__(**kwargs)
        name = cls.model_fields["flow"].default
        if isinstance(name, str):
            cls._by_flow[name] = cls

    @property
    def subject(self) -> str:
        """What the run is about, in a list of runs: a symbol, a ticker or a question. By default the field `question`."""
        return str(getattr(self, "question"))  # noqa: B009 - which a request about something else does not have

    @property
    def candles(self) -> str | None:
        """The timeframe of the candles that the run is about, None for a run about something else."""
        return None

    @property
    def account_ref(self) -> AccountRef | None:
        """Where what it decides would be ordered; None for a run that orders nothing."""
        return None

    @property
    def plants_lies(self) -> bool:
        """Whether false values are planted in what its roles say."""
        return self.chaos is not None or self.lies > 0

    @property
    def market_clock(self) -> datetime | None:
        """The instant of its market that it asks about, aware; None = the present, or the end of a recorded one."""
        return None

    @staticmethod
    def read(given: Mapping[str, Any] | str) -> "RunRequest":
        """Return the request that JSON or its text holds, of the class of its flow.

        Raises ValueError for a flow that is not known here, and pydantic's ValidationError for fields that it does not have.
        """
        fields = json.loads(given) if isinstance(given, str) else given
        name = fields.get("flow")
        if name not in RunRequest._by_flow:
            raise ValueError(f"the flow {str(name)[:40]!r} is not known to this version")
        return RunRequest._by_flow[name].model_validate(fields)


def _read_request(given: Any) -> Any:
    return RunRequest.read(given) if isinstance(given, Mapping) else given


AnyRequest = Annotated[SerializeAsAny[RunRequest], BeforeValidator(_read_request)]
"""A request of whatever flow: written with all its fields, read as the class of its flow."""


class DecideRequest(RunRequest):
    """One decision asked for. Everything a run needs beside the settings of the process.

    at: the clock; None = now, or the end of a recorded market. timeframe_htf: None = one timeframe only. depth: rounds of the debate.
    openings: of the debate. broker: whose account and positions it is decided for. practice: which of its accounts, where they are for
    practice (`AccountRef`). propose: whether what it decides is filed as a proposal. stability: how often its roles are asked again before
    that; 0 = not at all.
    holding: a position that only the request states; None = what the broker holds. evidence: runs whose statements analysts are given.
    reader: by whom claims are struck. correct: when debaters and judge hear corrected words. calibration: how often earlier decisions of
    the desk and model gained, None where there are too few. honesty: how often its analysts were wrong before, where that weighs them; ()
    where it does not. similar: what becomes of earlier decisions in markets like this one.
    """

    flow: Literal["decision"] = "decision"
    symbol: str
    feed: FeedName
    data_dir: str | None = None
    exchange: str | None = None
    at: AwareDatetime | None = None
    timeframe: str = "15m"
    timeframe_htf: str | None = "1h"
    holding: Holding | None = None
    risk: RiskConfig = Field(default_factory=RiskConfig)
    vision: bool = False
    depth: int = Field(default=1, ge=1, le=3)
    openings: Openings = "alternate"
    broker: BrokerName = DEFAULT_BROKER
    practice: int = Field(default=0, ge=0, lt=MOST_PRACTICE)
    propose: bool = False
    stability: int = Field(default=0, ge=0, le=MOST_REPETITIONS)
    evidence: Attached = ()
    reader: ReaderMode = "rules"
    correct: Correcting = "after_debate"
    calibration: Calibration | None = None
    honesty: tuple[RoleHonesty, ...] = ()
    similar: SimilarUse = "shown"

    @property
    def subject(self) -> str:
        """The market."""
        return self.symbol

    @property
    def market_clock(self) -> datetime | None:
        """What `at` says."""
        return self.at

    @property
    def candles(self) -> str:
        """The main timeframe."""
        return self.timeframe

    @property
    def account_ref(self) -> AccountRef:
        """Where it would be ordered."""
        return AccountRef(
            broker=self.broker,
            feed=self.feed,
            data_dir=self.data_dir,
            exchange=self.exchange,
            seed=self.seed,
            practice=self.practice,
        )


class RunRecord(FrozenModel):
    """A run as the journal keeps it. result: the final state of a finished run. error: why a failed one failed."""

    run_id: str
    created_at: AwareDatetime
    finished_at: AwareDatetime | None = None
    status: RunState
    request: AnyRequest
    result: dict[str, Any] | None = None
    error: Said | None = None

    @property
    def is_open(self) -> bool:
        """Whether more of it is to come, by itself or once its process is replaced."""
        return self.status in OPEN

    @property
    def known_at(self) -> datetime:
        """The instant after which it knew nothing: the clock that was asked for, else when it began. Aware."""
        return self.request.market_clock or self.created_at


class RunSummary(FrozenModel):
    """A run in a list. subject: what it is about. headline: what it came to in a word or a line, in the words of its flow; None for a run
    without an end. is_valid: whether that is what the flow is meant to give, not a safe outcome instead. timeframe: of its candles, None
    where it is about something else. confidence: 0-100. claims, false_claims: numbers that were checked, and how many were false; None
    where the flow has no such thing, and before its end. proposal: the state of what it was filed as, as it is written down; None where it
    was not. expires_at: when that is over."""

    run_id: str
    flow: str
    created_at: AwareDatetime
    finished_at: AwareDatetime | None
    status: RunState
    subject: str
    headline: str | None
    is_valid: bool | None
    duration_ms: float | None
    tokens: int | None = None
    cost: float | None = None
    model: str | None = None
    parent: str | None = None
    error: Said | None
    timeframe: str | None = None
    confidence: float | None = None
    claims: int | None = None
    false_claims: int | None = None
    proposal: ProposalState | None = None
    expires_at: AwareDatetime | None = None

    @property
    def is_open(self) -> bool:
        """Whether more of it is to come, by itself or once its process is replaced."""
        return self.status in OPEN

    def waits(self, now: datetime) -> bool:
        """Return whether what it was filed as can still be answered at an instant."""
        return self.proposal in WAITING and self.expires_at is not None and now < self.expires_at
