"""What a flow is to the rest of the engine: runs, bundles and pages name this and never a flow.

A flow is stateless: what it needs from the process comes with `RunDeps`, and what belongs to one run with its context.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from engine.agents.access import ModelAccess
from engine.agents.child_run import Children
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
from engine.llm.protocol import ModelCall, PlantedSentence, Voice
from engine.market.protocol import Feed
from engine.prompts.versions import Templates
from engine.search.protocol import SearchRoom

if TYPE_CHECKING:  # it takes long to import, and pages ask for seats only
    from langgraph.checkpoint.base import BaseCheckpointSaver

Json = dict[str, Any]


class Account(Protocol):
    """The state of an account in one market. holding: None = flat. account: None where nothing can be ordered. thesis: why the position was
    entered, None if unknown. notes: what a reader should know of it."""

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
    """Accounts and proposals, as flows use them."""

    async def account_state(self, request: MarketRequest) -> Account | None:
        """Return the account that the request is about; None if the request states its own position. Raises TribunalError."""
        ...

    async def instant(self, request: MarketRequest) -> datetime | None:
        """Return the instant that a request is about; None for the market's present, where the market goes on by itself. Raises
        TribunalError."""
        ...

    async def prepare(
        self, final: Mapping[str, Any], request: MarketRequest, snapshot: Snapshot, sheet: FactSheet, thesis: str
    ) -> NewProposal | None:
        """Make a proposal of a decision. Nothing is written: it is filed at the end of the run.

        Args:
            final: The final state.
            thesis: The reason, in words shown to later decisions about the position.

        Returns:
            The proposal; None if the decision contains no order.

        Raises:
            TribunalError: The account or the market could not be read.
        """
        ...

    async def cash_account(self, ref: AccountRef, listing: Listing, moment: TradingMoment, risk: RiskConfig) -> CashAccount:
        """Return the account for the shares of a listing at a moment. risk: `equity` is the balance of a new account. Raises
        TribunalError."""
        ...

    async def prepare_shares(self, final: Mapping[str, Any], ticket: ShareTicket) -> NewProposal:
        """Make a proposal of an order for shares. Nothing is written: it is filed at the end of the run.

        Args:
            final: The final state, without `proposal_id` and `execution_record`.

        Raises:
            TribunalError: The account or the market could not be read.
        """
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
        """Return it in words."""
        key, values = ("deadline", {"seconds": self.detail}) if self.kind == "deadline" else ("run_broke", {"reason": self.detail})
        return Reason(key, **values).said_in(language)


@dataclass(frozen=True)
class Fork:
    """What a fork repeats.

    Attributes:
        again: Nodes that are asked again. Others repeat their recorded answer.
        texts: Node -> text that replaces its answer.
        since: Node -> first turn (from 1) that is asked again, for a node that spoke both before and after what is repeated.
    """

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


def texts_of(origin: Origin, roles: Sequence[str]) -> dict[str, str]:
    """Return node -> the text that replaces its answer. roles: the nodes that speak. Raises BadInput for another one, or for an empty
    text."""
    for name, text in origin.texts.items():
        if name not in roles:
            raise BadInput(Reason("role_is_not_known", side=f"{name[:40]!r}", known=", ".join(roles)))
        if not text.strip():
            raise BadInput(Reason("text_of_is_empty", side=name))
    return dict(origin.texts)


class Flow(ABC):
    """One flow. `Any` is the flow's own request and context, which only the flow looks into.

    The defaults are those of a flow that answers a question: its inputs are the question, its nodes work one after another, and its answer
    is the field `answer` of its state.

    Attributes:
        name: One word: the `flow` of its request class and of its runs in the journal.
        recursion_limit: Steps of its graph at most, including subgraphs.
    """

    name: str
    recursion_limit: int = 25

    @abstractmethod
    def seats(self) -> Sequence[Seat]:
        """Return every role, in speaking order."""

    @abstractmethod
    def voices(self, request: Any) -> Mapping[Role, Voice]:
        """Return role -> what the scripted model says for it in a run of the request. The model refuses a role without an entry."""

    def templates(self, language: Language) -> Templates:
        """Return what its roles are asked with whatever the inputs are, of which their prompts' versions are made; none for a flow whose
        prompts have no versions."""
        return {}

    async def clock(self, request: Any, deps: RunDeps) -> datetime | None:
        """Return the instant of its market that a request is about; None for the market's present. The end of a recorded market is read.
        Raises TribunalError."""
        asked: datetime | None = request.market_clock
        return asked

    async def prepare(self, request: Any, deps: RunDeps) -> Inputs:
        """Read and freeze everything the run is about, before any model is asked. Raises TribunalError."""
        return AskedInputs(request.subject)

    def read_inputs(self, data: Mapping[str, Any]) -> Inputs:
        """Read inputs written by `Inputs.to_json`. Raises KeyError, TypeError or ValueError for anything else."""
        return AskedInputs(str(data["subject"]))

    @abstractmethod
    def build(self, request: Any, saver: "BaseCheckpointSaver[str]") -> Any:
        """Return the compiled graph of a request."""

    def conclude(self, state: Mapping[str, Any], context: Any, events: Sequence[Event], failure: Failure | None) -> Ended:
        """Return the end of a run. Never raises.

        Args:
            state: What the graph left.
            events: The events of the run.
            failure: If given, the end is the flow's safe outcome, with the reason.
        """
        from engine.agents.recording import recorded  # noqa: PLC0415 - it reads answers, which no page does
        from engine.domain.opinion import call_metrics, total_cost  # noqa: PLC0415 - late, as above

        record, answer = context.record, state.get("answer")
        language, is_valid = record.request.language, answer is not None and failure is None
        why = failure.said_in(language) if failure is not None else Reason("run_unfinished").said_in(language)
        spent = [each.usage for each in recorded(events).answers.values()]
        duration_ms = round((context.clock() - record.created_at).total_seconds() * 1000, 3)
        final: Json = {"flow": self.name, "run_id": record.run_id, "inputs_hash": context.inputs.hash, **state}
        final |= {"answer": answer, "is_valid": is_valid, "errors": [] if is_valid else [why], "warnings": []}
        final |= {"total_cost": total_cost(spent), "metrics": {**call_metrics(spent), "total_duration_ms": duration_ms}}
        return Ended(final, answer, is_valid, duration_ms, final["metrics"]["total_tokens"], final["total_cost"])

    def nodes(self) -> Sequence[str]:
        """Return the nodes that a run can be forked from, in the order in which they work."""
        return [seat.node for seat in self.seats()]

    def fork(self, origin: Origin) -> Fork:
        """Return what a run with this origin repeats, by default the node and all behind it. Called only if the origin names a node or
        texts.

        Raises:
            BadInput: The node or role does not exist, or a text cannot be used.
        """
        texts, nodes = texts_of(origin, [seat.node for seat in self.seats()]), list(self.nodes())
        if origin.from_node is None:
            return Fork(frozenset(), texts)
        own = origin.from_node.strip()
        if own not in nodes:
            raise BadInput(Reason("node_is_not_known", node=f"{own[:40]!r}", known=", ".join(nodes)))
        return Fork(frozenset(nodes[nodes.index(own) :]), texts)

    def first_state(self, context: Any, request: Any) -> Json:
        """Return the state before the first node runs."""
        return {}

    def load(self) -> None:  # noqa: B027 - a flow that imports nothing late has nothing to do
        """Import what only runs need. Called before the first run, in the background if there is time."""

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

    def context(self, parts: RunParts) -> Any:
        """Return the context of a run's nodes. It may block for a moment, since it is called on a thread."""
        return parts

    def opening(self, context: Any, request: Any) -> RunStarted:
        """Return the first event: the request, and what the page shows of the inputs."""
        return RunStarted(request=request.model_dump(mode="json"), inputs_hash=context.inputs.hash)

    def shape(self, request: Any) -> Hashable:
        """Return what the graph of a request depends on. Requests with equal shapes share a graph."""
        return None

    async def file(self, ended: Ended, context: Any, request: Any, deps: RunDeps) -> Ended:
        """Add what follows from the end of a run, such as a proposal (`filing`). May read a feed or a broker, and writes nothing.

        Returns:
            The end. What could not be done is recorded in its state.
        """
        return ended

    async def planned(self, record: RunRecord, inputs: Any, approvals: Approvals) -> Planned | None:
        """Return what a finished run decided as it would be ordered, out of what the run froze; None for a flow that decides no orders.
        Nothing is written. Raises TribunalError."""
        return None

    async def review(self, record: RunRecord, inputs: Any, events: Sequence[Event], ended_at: datetime, deps: RunDeps) -> Review:
        """Return what the reasoning of a finished run rested on. ended_at: the instant at which what it decided was over. Nothing is
        written. Raises TribunalError."""
        return Review()

    def repeat_node(self, request: Any, start: RepeatFrom) -> str | None:
        """Return the node from which the roles of a decision are asked again; None where they cannot be, on what the run froze."""
        return None

    def repeated(self, state: Mapping[str, Any], context: Any) -> RepeatedAnswer:
        """Return what a final state came to, without its cost. Called only if `repeat_node` names a node."""
        raise NotImplementedError(f"the flow {self.name} decides nothing")

    async def alone(self, final: Mapping[str, Any], context: Any) -> LoneAnswer:
        """Ask one voice for a decision on the inputs of a finished run, in place of everybody who spoke in it. final: its state. Raises
        BadInput for a flow without a debate, and for a run that came to no decision; another TribunalError where the voice gives no usable
        answer."""
        raise BadInput(Reason("desk_has_no_debate", flow=self.name))

    def forked(self, parent: RunRequest, origin: Origin) -> Mapping[str, object]:
        """Return the fields, besides `origin`, in which a fork's request differs from its parent's. Only a fork on fresh inputs proposes
        again, and is repeated before it does."""
        usual = {"propose": False, "stability": 0}
        return {name: getattr(parent, name) if origin.fresh else none for name, none in usual.items() if hasattr(parent, name)}

    def pack(self, inputs: Inputs, earlier: Mapping[str, Inputs]) -> Json:
        """Return the part of a bundle with the inputs. earlier: hash -> inputs that words taken over from other runs are about."""
        return {"inputs": dict(inputs.to_json())}

    def unpack(self, bundle: Mapping[str, Any]) -> tuple[Inputs, Mapping[str, Inputs]]:
        """Return the arguments of `pack`. Raises KeyError, TypeError or ValueError."""
        return self.read_inputs(bundle["inputs"]), {}

    def inputs_hash(self, written: Mapping[str, Any]) -> str:
        """Return the hash of the inputs that a final state, or an entry of its `said_on`, names; "" if it names none."""
        return str(written.get("inputs_hash", ""))
