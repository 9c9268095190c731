"""What a flow is to the rest of the engine: runs, bundles and pages name this and never a flow.

A flow holds no state of its own: what it needs from the process comes with `RunDeps`, what belongs to one run with its context. Adding one
is a folder beside this module, an entry in `bootstrap/flows.py`, and a page.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

from engine.agents.access import ModelAccess
from engine.agents.child_run import Children
from engine.domain.account_ref import AccountRef, MarketRequest, PriceSource
from engine.domain.calls.counted_reading import Report, unreported
from engine.domain.chaos import ChaosKind
from engine.domain.ended import Ended, Memory
from engine.domain.equity.cash_account import CashAccount
from engine.domain.equity.listing import Listing
from engine.domain.equity.share_ticket import ShareTicket
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.events import Event, RunStarted
from engine.domain.facts import FactSheet
from engine.domain.holding import Holding
from engine.domain.inputs import Inputs
from engine.domain.invalidation import Thesis
from engine.domain.market.instrument import FeedName
from engine.domain.market.snapshot import Snapshot
from engine.domain.orders import AccountView
from engine.domain.proposal import NewProposal, Proposal
from engine.domain.research.dossier import Dossier
from engine.domain.risk import RiskConfig
from engine.domain.roles import Role
from engine.domain.run import Origin, RunRecord, RunRequest
from engine.domain.text.language import Language
from engine.equity.protocol import EquitySource
from engine.llm.lie import PlantedSentence
from engine.llm.protocol import ModelCall, Voice
from engine.market.protocol import Feed
from engine.search.protocol import SearchRoom

if TYPE_CHECKING:  # it takes long to import, and pages ask for seats only
    from langgraph.checkpoint.base import BaseCheckpointSaver

Json = dict[str, Any]


class Account(Protocol):
    """The state of an account in one market. holding: None = flat. account: None where nothing can be ordered. thesis: why the position was
    entered, None where nobody knows. notes: what a reader should know of it."""

    @property
    def holding(self) -> Holding | None:
        """The position."""
        ...

    @property
    def account(self) -> AccountView | None:
        """What the account allows."""
        ...

    @property
    def thesis(self) -> Thesis | None:
        """Why the position was entered."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        ...


class Approvals(Protocol):
    """What flows ask of the room that answers for proposals."""

    async def account_state(self, request: MarketRequest) -> Account | None:
        """Return the state of the account that the request is about; None when the request states its position itself. Raises
        TribunalError."""
        ...

    async def prepare(
        self, final: Mapping[str, Any], request: MarketRequest, snapshot: Snapshot, sheet: FactSheet, thesis: str
    ) -> NewProposal | None:
        """Return what was decided as a proposal, None when there is no order in it. Nothing is written: it is filed with the end of its
        run. thesis: why, in words that those who decide about the position later are shown. Raises TribunalError."""
        ...

    async def cash_account(self, ref: AccountRef, listing: Listing, moment: TradingMoment, risk: RiskConfig) -> CashAccount:
        """Return how an account stands for the shares of a listing at a moment. risk: its `equity` is what an account begins with. Raises
        TribunalError."""
        ...

    async def prepare_shares(self, final: Mapping[str, Any], ticket: ShareTicket) -> NewProposal:
        """Return an order for shares as a proposal. Nothing is written: it is filed with the end of its run. final: the state it was
        decided in, without `proposal_id` and `execution_record`. Raises TribunalError."""
        ...

    async def approve_unattended(self, proposal: Proposal) -> dict[str, Any] | None:
        """Approve a proposal that was filed and that no person has to approve (`NewProposal.unattended`). Returns how its order for shares
        was carried out; None where it was not, and for contracts. Never raises a TribunalError: then it waits, or says itself why not."""
        ...


@dataclass(frozen=True)
class RunDeps:
    """What flows get from the process; a flow takes what it needs. feed: the market behind a request's source of prices. equities: (feed,
    data_dir, seed) -> the source of listed companies. approvals: accounts and proposals. newest_memory: (flow, subject, name) -> the newest
    memory of that name, None when there is none; blocking. memories: (flow, subject, name, until=, limit=) -> memories that knew nothing
    later, newest first; blocking. search: (folder of a library, None = the configured one) -> what searches for documents, made at its
    first use. clock: aware UTC now. past_runs: (flow, subject, limit) -> finished runs with their results, newest first; blocking; None
    where there is no journal. dossier: (run) -> the statements of a finished run; raises BadInput; blocking; None where there is no
    journal. report: told how far the reading of a run's inputs has come."""

    feed: Callable[[PriceSource], Feed]
    equities: Callable[[FeedName, str | None, int], EquitySource]
    approvals: Approvals
    newest_memory: Callable[[str, str, str], Memory | None]
    memories: Callable[..., list[Memory]]
    search: Callable[[str | None], SearchRoom]
    clock: Callable[[], datetime]
    past_runs: Callable[[str, str, int], list[RunRecord]] | None = None
    dossier: Callable[[str], Dossier] | None = None
    report: Report = unreported


@dataclass(frozen=True)
class Earlier:
    """The inputs that a node's words are about, where they are not the run's own: it took them over from a run on other inputs."""

    run_id: str
    inputs: Inputs


@dataclass(frozen=True)
class RunParts:
    """What a flow makes its context of. access: the models. earlier: node -> what its words are about. deps, children (runs of other
    flows that nodes ask for, `agents/child_run.py`): None where a run is only verified: then nothing may be read that is not recorded."""

    record: RunRecord
    inputs: Inputs
    access: ModelAccess
    clock: Callable[[], datetime]
    earlier: Mapping[str, Earlier] = field(default_factory=dict)
    deps: RunDeps | None = None
    children: Children | None = None


@dataclass(frozen=True)
class Failure:
    """Why a graph did not come to its end. kind: its deadline passed (detail: seconds), or it broke (detail: the exception in words).
    inside: node -> what the part that was cut off had in its private state."""

    kind: Literal["deadline", "broke"]
    detail: str
    inside: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class Fork:
    """What a run made from another does anew. again: nodes that are asked, where others give their recorded answer. texts: node -> what is
    said there instead of its answer. since: node -> the turn (from 1) from which on it is asked: it spoke before what is asked anew, and
    answered that later."""

    again: frozenset[str]
    texts: Mapping[str, str] = field(default_factory=dict)
    since: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Seat:
    """One role in the order of speaking. node: where it speaks. stage: which part of the flow that is. title: in each language."""

    role: str
    node: str
    stage: str
    title: Mapping[Language, str]


class Flow(Protocol):
    """One flow. `Any` stands for its own context, which only the flow itself looks into.

    name: of the flow, a word; the `flow` of its request class and of its runs in the journal. recursion_limit: steps of its graph at most,
    those of subgraphs included.
    """

    name: str
    recursion_limit: int

    def load(self) -> None:
        """Import what runs of the flow need and no page does. Called on the way to the first run, in the background where there is time."""
        ...

    def admit(self, request: Any, ceiling: RiskConfig) -> None:
        """Raise BadInput when a request asks for more than the process allows. ceiling: its limits (TRIBUNAL_RISK)."""
        ...

    def tighten(self, request: RunRequest, ceiling: RiskConfig) -> RunRequest:
        """Return a request that was made from an earlier run, bound by what has been tightened since."""
        ...

    def seats(self) -> Sequence[Seat]:
        """Return every role, in speaking order."""
        ...

    def voices(self, request: Any) -> Mapping[Role, Voice]:
        """Return role -> what the scripted model says for it in a run of the request. A role that is missing is refused by that model."""
        ...

    def lie(self, call: ModelCall, kind: ChaosKind) -> PlantedSentence | None:
        """Return one false sentence to stand before the answer to a call, for a run with `chaos`; None where the call holds nothing that
        could be stated falsely."""
        ...

    async def prepare(self, request: Any, deps: RunDeps) -> Inputs:
        """Return everything the run is about, read once and frozen, before any model is asked. Raises a TribunalError."""
        ...

    def read_inputs(self, data: Mapping[str, Any]) -> Inputs:
        """Return the inputs that `Inputs.to_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        ...

    def context(self, parts: RunParts) -> Any:
        """Return what the nodes of a run get beside its state. May block for a moment: it is called on a thread."""
        ...

    def opening(self, context: Any, request: Any) -> RunStarted:
        """Return how the run begins: its request, and what readers of its page should know of its inputs."""
        ...

    def first_state(self, context: Any, request: Any) -> Json:
        """Return the state before anybody speaks."""
        ...

    def shape(self, request: Any) -> Hashable:
        """Return what the graph of a request depends on: requests of one shape share their graph."""
        ...

    def build(self, request: Any, saver: "BaseCheckpointSaver[str]") -> Any:
        """Return the compiled graph of a request."""
        ...

    def conclude(self, state: Mapping[str, Any], context: Any, events: Sequence[Event], failure: Failure | None) -> Ended:
        """Return how a run ended whose graph left `state`; with a failure, the flow's safe outcome and why. events: what happened in it.
        Never raises."""
        ...

    async def file(self, ended: Ended, context: Any, request: Any, deps: RunDeps) -> Ended:
        """Return the end with what follows from it (`filing`). A feed or a broker may be read for it; nothing is written yet. What cannot
        be done is said in the state."""
        ...

    def fork(self, origin: Origin) -> Fork:
        """Return what a run with this origin does anew. Raises BadInput for a node or a role that there is not, and for a text that
        nothing can be made of. Not asked about an origin that names no node."""
        ...

    def forked(self, parent: RunRequest, origin: Origin) -> Mapping[str, object]:
        """Return the fields of the parent's request that are different in a run made from it, beside `origin`."""
        ...

    def pack(self, inputs: Inputs, earlier: Mapping[str, Inputs]) -> Json:
        """Return the part of a bundle that holds the inputs. earlier: by hash, what words that were taken over are about."""
        ...

    def unpack(self, bundle: Mapping[str, Any]) -> tuple[Inputs, Mapping[str, Inputs]]:
        """Return what `pack` was given. Raises KeyError, TypeError or ValueError."""
        ...

    def inputs_hash(self, written: Mapping[str, Any]) -> str:
        """Return the hash of the inputs that a final state, or an entry of its `said_on`, names; '' where it names none."""
        ...

    def as_written(self, played: Json, written: Json) -> Json:
        """Return a state that was played again as the version that wrote `written` would have written it."""
        ...
