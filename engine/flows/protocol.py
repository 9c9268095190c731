"""What a flow is to the rest of the engine: runs, bundles and pages name this and never a flow.

A flow is stateless: what it needs from the process comes with `RunDeps`, and what belongs to one run with its context.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, TypeVar

from engine.agents.access import ModelAccess
from engine.agents.child_run import Children
from engine.agents.reader_nodes import ROLE, STAGE, TITLE, reader_before, reader_of
from engine.domain.account_ref import AccountRef, MarketRequest, PriceSource
from engine.domain.calls.counted_reading import Report, unreported
from engine.domain.chaos import ChaosKind
from engine.domain.claims import Claim
from engine.domain.ended import Ended, Memory
from engine.domain.equity.cash_account import CashAccount
from engine.domain.equity.listing import Listing
from engine.domain.equity.share_ticket import ShareTicket
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.errors import BadInput
from engine.domain.events import Event, RunStarted
from engine.domain.facts import FactSheet
from engine.domain.holding import Holding
from engine.domain.inputs import AskedInputs, Inputs
from engine.domain.invalidation import InvalidationCheck, Thesis
from engine.domain.market.instrument import FeedName
from engine.domain.market.snapshot import Snapshot
from engine.domain.orders import AccountView
from engine.domain.proposal import NewProposal, Planned, Proposal
from engine.domain.research.dossier import Dossier
from engine.domain.risk import RiskConfig, looser, stricter
from engine.domain.roles import Role
from engine.domain.run import Origin, RunRecord, RunRequest
from engine.domain.similar import PastCase
from engine.domain.stability import LoneAnswer, RepeatedAnswer, RepeatFrom
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.equity.protocol import EquitySource
from engine.flows.forking import Fork, Forking
from engine.llm.protocol import ModelCall, PlantedSentence, Voice
from engine.market.protocol import Feed
from engine.prompts.versions import Templates
from engine.search.protocol import SearchRoom

if TYPE_CHECKING:  # it takes long to import, and pages ask for seats only
    from langgraph.checkpoint.base import BaseCheckpointSaver

Json = dict[str, Any]


@dataclass(frozen=True)
class AccountState:
    """The state of an account in one market. holding: None = flat. account: None where nothing can be ordered. thesis: why the position was
    entered, None if unknown. notes: what a reader should know of it."""

    holding: Holding | None
    account: AccountView | None
    thesis: Thesis | None = None
    notes: tuple[str, ...] = ()


class Approvals(Protocol):
    """Accounts and proposals, as flows use them."""

    async def account_state(self, request: MarketRequest) -> AccountState | None:
        """Return the account that the request is about; None if the request states its own position. Raises TribunalError."""
        ...

    async def instant(self, request: MarketRequest) -> datetime | None:
        """Return the instant that a request is about; None for the market's present, where the market goes on by itself. Raises
        TribunalError."""
        ...

    async def prepare(
        self, final: Mapping[str, Any], request: MarketRequest, snapshot: Snapshot, sheet: FactSheet, thesis: str
    ) -> NewProposal | None:
        """Make a proposal of a decision; None if it contains no order. Nothing is written: it is filed at the end of the run. final: the
        final state. thesis: the reason, in words shown to later decisions about the position. Raises TribunalError if the account or the
        market could not be read."""
        ...

    async def cash_account(self, ref: AccountRef, listing: Listing, moment: TradingMoment, risk: RiskConfig) -> CashAccount:
        """Return the account for the shares of a listing at a moment. risk: `equity` is the balance of a new account. Raises
        TribunalError."""
        ...

    async def prepare_shares(self, final: Mapping[str, Any], ticket: ShareTicket) -> NewProposal:
        """Make a proposal of an order for shares. Nothing is written: it is filed at the end of the run. final: the final state, without
        `proposal_id` and `execution_record`. Raises TribunalError if the account or the market could not be read."""
        ...

    async def plan(self, final: Mapping[str, Any], request: MarketRequest, snapshot: Snapshot, sheet: FactSheet) -> Planned:
        """Return what was decided as it would be ordered, sized and priced as a proposal would be. No account is asked and nothing is
        written. Raises TribunalError."""
        ...

    async def plan_shares(self, final: Mapping[str, Any], ticket: ShareTicket) -> Planned:
        """Return an order for shares as it would be placed. No account is asked and nothing is written. Raises TribunalError."""
        ...

    async def approve_unattended(self, proposal: Proposal) -> None:
        """Approve a filed proposal that needs no person (`NewProposal.unattended`). Never raises a TribunalError: if it fails, the proposal
        waits, or records the reason."""
        ...

    async def announce(self, proposal: Proposal) -> None:
        """Tell people that a filed proposal waits for a signature. Never raises a TribunalError and waits for no service."""
        ...


FindPrevious = Callable[[RunRequest, datetime], tuple[RunRecord, Mapping[str, Any]] | None]
"""(request, clock) -> the decision before one that is being made, with its inputs as JSON. Blocking."""


@dataclass(frozen=True)
class RunDeps:
    """What flows get from the process.

    Attributes:
        feed: The market behind a request's source of prices.
        equities: (feed, data_dir, seed) -> the source of listed companies.
        approvals: Accounts and proposals.
        newest_memory: (flow, subject, name) -> the newest memory of that name, or None. Blocking.
        memories: (flow, subject, name, until=, limit=) -> memories from no later than `until`, newest first. Blocking.
        search: (folder of a library, None for the configured one) -> the search, created at its first use.
        clock: Aware UTC now.
        past_runs: (flow, subject, feed, until, limit) -> finished runs with results, on prices of that kind, that knew nothing later than
            `until`; newest first. Blocking; None without a journal.
        previous: Finds the decision before (`runs/previous.py`); None without a journal.
        past_cases: (flow, feed, timeframe, before, limit) -> entries in such a market that were over before an instant, newest first.
            Blocking; None without a journal.
        dossier: (run id) -> the statements of a finished run. Blocking; raises BadInput; None without a journal.
        charts: Folder for the images that models were shown; None to keep none.
        report: Called with the progress of reading a run's inputs.
    """

    feed: Callable[[PriceSource], Feed]
    equities: Callable[[FeedName, str | None, int], EquitySource]
    approvals: Approvals
    newest_memory: Callable[[str, str, str], Memory | None]
    memories: Callable[..., list[Memory]]
    search: Callable[[str | None], SearchRoom]
    clock: Callable[[], datetime]
    past_runs: Callable[[str, str, str, datetime, int], list[RunRecord]] | None = None
    previous: FindPrevious | None = None
    past_cases: Callable[[str, FeedName, str, datetime, int], list[PastCase]] | None = None
    dossier: Callable[[str], Dossier] | None = None
    charts: Path | None = None
    report: Report = unreported


@dataclass(frozen=True)
class Review:
    """What the reasoning of an entry that is over rested on. claims: what was stated for it by who decided, as it was judged. words: of
    that. checks: what was to prove it wrong, measured when it was over. features: what later decisions find it by."""

    claims: tuple[Claim, ...] = ()
    words: str = ""
    checks: tuple[InvalidationCheck, ...] = ()
    features: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Earlier:
    """Inputs that a node's words are about if they were taken over from a run on other inputs."""

    run_id: str
    inputs: Inputs


Asked = TypeVar("Asked", bound=RunRequest)
Frozen = TypeVar("Frozen", bound=Inputs)


@dataclass(frozen=True)
class RunContext(Generic[Asked, Frozen]):
    """What the nodes of a run get beside its state; desks add what is theirs. clock: aware UTC "now", for timestamps and durations only."""

    run_id: str
    request: Asked
    inputs: Frozen
    access: ModelAccess
    clock: Callable[[], datetime]

    @property
    def language(self) -> Language:
        return self.access.language

    def now(self) -> str:
        """Return a timestamp for the state."""
        return self.clock().isoformat()

    def since(self, started: str) -> float:
        """Return milliseconds from an earlier timestamp of the state to now."""
        return round((self.clock() - datetime.fromisoformat(started)).total_seconds() * 1000, 3)


@dataclass(frozen=True)
class RunParts:
    """What a flow makes its context of.

    Attributes:
        access: The models.
        earlier: Node -> the inputs that its words are about, if not the run's own.
        deps, children: None if a run is only verified, when nothing may be read that is not recorded. `children` are runs of other flows
            that nodes ask for (`agents/child_run.py`).
    """

    record: RunRecord
    inputs: Inputs
    access: ModelAccess
    clock: Callable[[], datetime]
    earlier: Mapping[str, Earlier] = field(default_factory=dict)
    deps: RunDeps | None = None
    children: Children | None = None


@dataclass(frozen=True)
class Failure:
    """Why a graph did not finish. kind: its deadline passed (detail: seconds), or it failed (detail: the exception in words). inside:
    node -> the private state of the part that was interrupted."""

    kind: Literal["deadline", "broke"]
    detail: str
    inside: Mapping[str, Json] = field(default_factory=dict)

    def said_in(self, language: Language) -> str:
        key, values = ("deadline", {"seconds": self.detail}) if self.kind == "deadline" else ("run_broke", {"reason": self.detail})
        return Reason(key, **values).said_in(language)


@dataclass(frozen=True)
class Seat:
    """One role in the order of speaking. node: where it speaks. stage: which part of the flow that is. title: in each language."""

    role: str
    node: str
    stage: str
    title: Mapping[Language, str]


def with_readers(judge: Seat) -> tuple[Seat, Seat, Seat]:
    """Return a judge's seat with those of the second reader of claims, before it and behind it."""
    before, behind = (Seat(ROLE, node, STAGE, TITLE) for node in (reader_before(judge.node), reader_of(judge.node)))
    return before, judge, behind


async def _asked(request: Any, deps: RunDeps) -> Inputs:
    return AskedInputs(subject=request.subject)


def _opening(context: Any, request: Any) -> RunStarted:
    return RunStarted(request=request.model_dump(mode="json"), inputs_hash=context.inputs.hash)


def _undecided(state: Mapping[str, Any], context: Any) -> RepeatedAnswer:
    raise NotImplementedError("the flow decides nothing")


async def _unfiled(ended: Ended, context: Any, request: Any, deps: RunDeps) -> Ended:
    return ended


async def _unplanned(record: RunRecord, inputs: Any, approvals: Approvals) -> None:
    return None


async def _unreviewed(record: RunRecord, inputs: Any, events: Sequence[Event], ended_at: datetime, deps: RunDeps) -> Review:
    return Review()


@dataclass(frozen=True)
class Work:
    """What only the runs of a flow need: functions, with what takes long to import behind them. `Any` is the flow's own request and
    context.

    The defaults are those of a flow that answers a question: its inputs are the question, its context is `RunParts`, and its answer is the
    field `answer` of its state.

    Attributes:
        build: (request, saver) -> the compiled graph of a request.
        prepare: Reads and freezes everything the run is about, before any model is asked. Raises TribunalError.
        context: Makes the context of a run's nodes. It may block for a moment, since it is called on a thread.
        opening: (context, request) -> the first event: the request, and what the page shows of the inputs.
        first_state: (context, request) -> the state before the first node runs.
        conclude: (state that the graph left, context, events of the run, failure) -> the end of the run; with a failure the flow's safe
            outcome and the reason. Never raises. None: `conclude_answer` of `ending`.
        file: Adds what follows from the end of a run, such as a proposal (`filing`), and returns the end. What could not be done is
            recorded in its state. May read a feed or a broker, and writes nothing.
        planned: What a finished run decided as it would be ordered, out of what the run froze; None for a flow that decides no orders.
            Nothing is written. Raises TribunalError.
        review: (record, inputs, events, the instant at which what it decided was over, deps) -> what the reasoning of a finished run rested
            on. Nothing is written. Raises TribunalError.
        repeated: (final state, context) -> what it came to, without its cost. Called only if `Flow.repeat_node` names a node.
        alone: (final state, context) -> the decision of one voice on the inputs of a finished run, in place of everybody who spoke in it;
            None for a flow without a debate. Raises BadInput for a run that came to no decision, another TribunalError where the voice
            gives no usable answer.
        templates: Language -> what its roles are asked with whatever the inputs are, of which their prompts' versions are made; empty for a
            flow whose prompts have no versions.
    """

    build: Callable[[Any, "BaseCheckpointSaver[str]"], Any]
    prepare: Callable[[Any, RunDeps], Awaitable[Inputs]] = _asked
    context: Callable[[RunParts], Any] = lambda parts: parts
    opening: Callable[[Any, Any], RunStarted] = _opening
    first_state: Callable[[Any, Any], Json] = lambda context, request: {}
    conclude: Callable[[Mapping[str, Any], Any, Sequence[Event], Failure | None], Ended] | None = None
    file: Callable[[Ended, Any, Any, RunDeps], Awaitable[Ended]] = _unfiled
    planned: Callable[[RunRecord, Any, Approvals], Awaitable[Planned | None]] = _unplanned
    review: Callable[[RunRecord, Any, Sequence[Event], datetime, RunDeps], Awaitable[Review]] = _unreviewed
    repeated: Callable[[Mapping[str, Any], Any], RepeatedAnswer] = _undecided
    alone: Callable[[Mapping[str, Any], Any], Awaitable[LoneAnswer]] | None = None
    templates: Callable[[Language], Templates] = lambda language: {}


class Flow(ABC):
    """One flow. `Any` is the flow's own request, which only the flow looks into.

    Attributes:
        name: One word: the `flow` of its request class and of its runs in the journal.
        inputs: The class of its inputs.
        recursion_limit: Steps of its graph at most, including subgraphs.
    """

    name: str
    inputs: ClassVar[type[Inputs]] = AskedInputs
    recursion_limit: int = 25

    @abstractmethod
    def work(self) -> Work:
        """Return what only runs need, and import it. Called before the first run, in the background if there is time."""

    @abstractmethod
    def seats(self) -> Sequence[Seat]:
        """Return every role, in speaking order."""

    @abstractmethod
    def voices(self, request: Any) -> Mapping[Role, Voice]:
        """Return role -> what the scripted model says for it in a run of the request. The model refuses a role without an entry."""

    async def clock(self, request: Any, deps: RunDeps) -> datetime | None:
        """Return the instant of its market that a request is about; None for the market's present. The end of a recorded market is read.
        Raises TribunalError."""
        asked: datetime | None = request.market_clock
        return asked

    def forking(self) -> Forking:
        """Return the order in which its nodes work, by default that of its seats."""
        return Forking([(seat.node,) for seat in self.seats()])

    def fork(self, origin: Origin) -> Fork:
        """Return what a run with this origin repeats: the node and all behind it. Called only if the origin names a node or texts. Raises
        BadInput for a node or role that does not exist, and for a text that cannot be used."""
        return self.forking().fork(origin)

    def admit(self, request: Any, ceiling: RiskConfig) -> None:
        """Raise BadInput when a request asks for more than the process allows. ceiling: its limits (TRIBUNAL_RISK)."""
        risk = getattr(request, "risk", None)
        if risk is not None and (beyond := looser(risk, ceiling)):
            raise BadInput(Reason("tribunal_risk_decision_own_limits_can_only", beyond=beyond))

    def tighten(self, request: RunRequest, ceiling: RiskConfig) -> RunRequest:
        """Return a request that was made from an earlier run, bound by what has been tightened since."""
        risk = getattr(request, "risk", None)
        return request if risk is None else request.model_copy(update={"risk": stricter(risk, ceiling)})

    def lie(self, call: ModelCall, kind: ChaosKind) -> PlantedSentence | None:
        """Return a false sentence to put before an answer, for a run with `chaos`; None if the call has nothing to state falsely."""
        return None

    def shape(self, request: Any) -> Hashable:
        """Return what the graph of a request depends on. Requests with equal shapes share a graph."""
        return None

    def repeat_node(self, request: Any, start: RepeatFrom) -> str | None:
        """Return the node from which the roles of a decision are asked again; None where they cannot be, on what the run froze."""
        return None

    def forked(self, parent: RunRequest, origin: Origin) -> Mapping[str, object]:
        """Return the fields, besides `origin`, in which a fork's request differs from its parent's. Only a fork on fresh inputs proposes
        again, and is repeated before it does."""
        usual = {"propose": False, "stability": 0}
        return {name: getattr(parent, name) if origin.fresh else none for name, none in usual.items() if hasattr(parent, name)}

    def read_inputs(self, data: Mapping[str, Any]) -> Inputs:
        """Read inputs written by `Inputs.to_json`. Raises KeyError, TypeError or ValueError for anything else."""
        return self.inputs.from_json(dict(data))

    def pack(self, inputs: Inputs, earlier: Mapping[str, Inputs]) -> Json:
        """Return the part of a bundle with the inputs. earlier: hash -> inputs that words taken over from other runs are about."""
        return {"inputs": dict(inputs.to_json())}

    def unpack(self, bundle: Mapping[str, Any]) -> tuple[Inputs, Mapping[str, Inputs]]:
        """Return the arguments of `pack`. Raises KeyError, TypeError or ValueError."""
        return self.read_inputs(bundle["inputs"]), {}

    def inputs_hash(self, written: Mapping[str, Any]) -> str:
        """Return the hash of the inputs that a final state, or an entry of its `said_on`, names; "" if it names none."""
        return str(written.get("inputs_hash", ""))
