"""What the page knows of one run of the equities desk, as frozen values: what every run has, and the desk's own part beside it.

Made by `equity_reducer.reduce_equities`, read by the panels; no clock, no I/O, no streamlit. A log of an older version, or of a run that
broke off, may lack anything, so every value that comes out of an event may be missing.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from pydantic import JsonValue

from engine.api import role_of
from engine.domain.claims import Claim
from engine.domain.risk import LimitCheck
from engine.domain.similar import SimilarDecision
from pages.claims.planted import PlantedLie
from pages.frame import json_fields
from pages.frame.json_fields import Fields
from pages.run.view import READER, NodeState, NodeView, RunView

NOT_EXECUTED = "not executed: limit"
"""What a call is answered that the breaker did not let through."""
AGAIN, MEMORY = "_again", "_memory"
"""Ends of node names: an analyst's second try, and its Memory Controller."""
ADVISOR = "strategy"
ROOMS = {
    "research": ("bull_researcher", "bear_researcher", "research_manager"),
    "risk": ("risky", "safe", "neutral", "risk_judge"),
}
"""Debate -> who speaks in it, the judge last."""


@dataclass(frozen=True, slots=True)
class EquityFacts:
    """What the run said of itself at its beginning. request: the fields of a `EquitiesRequest`. price, previous_close: in `currency`.
    facts: a few by key, for the market line. account: the fields of a cash account. listing: those of a listing. bounds: name -> money,
    what one buy may cost by each rule; largest: the smallest of them, money; None where the run did not say it. missing: layer -> why.
    similar: earlier buys in markets like this one."""

    request: Fields = field(default_factory=dict)
    symbol: str = ""
    name: str = ""
    currency: str = ""
    at: datetime | None = None
    trade_date: str = ""
    session: str = ""
    price: float | None = None
    previous_close: float | None = None
    feed: str = ""
    preset: str = "stock"
    depth: int = 1
    tool_limit: int = 0
    model: str = ""
    analysts: tuple[str, ...] = ()
    facts: Mapping[str, float] = field(default_factory=dict)
    account: Fields = field(default_factory=dict)
    listing: Fields = field(default_factory=dict)
    bounds: Mapping[str, float] = field(default_factory=dict)
    largest: float | None = None
    binding: str = ""
    missing: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    inputs_hash: str = ""
    similar: tuple[SimilarDecision, ...] = ()

    @property
    def lot(self) -> int:
        """Shares an order is a multiple of; 1 where the run did not say."""
        return max(1, json_fields.count(self.listing, "lot"))

    @property
    def lot_unknown(self) -> bool:
        """Whether its exchange sets the lot share by share and this one is not known: nothing can be bought."""
        return json_fields.flag(self.listing, "lot_assumed")

    @property
    def step(self) -> float | None:
        """The smallest price change in currency, None where it follows the price or is not known."""
        words = json_fields.words(self.listing, "price_step")
        try:
            return float(words) if words else json_fields.number(self.listing, "price_step")
        except ValueError:
            return None

    def shares(self, value: float | None, price: float | None) -> int | None:
        """Return the whole lots that `value` buys at `price`, in shares, 0 below the smallest order; None where either is not known."""
        if value is None or not price or price <= 0:
            return None
        whole = int(value / price / self.lot + 1e-9) * self.lot
        return whole if whole >= json_fields.count(self.listing, "min_order") else 0


@dataclass(frozen=True, slots=True)
class ToolTrace:
    """One call that a model asked for. arguments: as it wrote them, or as they were read. executed: whether the tool ran. repeat: answered
    from the first of its kind. error: why there was no answer. ms: milliseconds the tool took."""

    tool: str
    arguments: JsonValue = None
    executed: bool = False
    answered: bool = False
    repeat: bool = False
    error: str | None = None
    preview: str = ""
    ms: float | None = None

    @property
    def refused(self) -> bool:
        """Whether the breaker did not let it through."""
        return self.error == NOT_EXECUTED

    @property
    def key(self) -> tuple[str, str]:
        """What makes two calls the same."""
        return self.tool, json.dumps(self.arguments, sort_keys=True)


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """What a node says: a turn of a debate, a ruling, a report. turn: of the debate, from 1 over all speakers; 0 outside of one. text: of
    the attempt that counts. claims: what was read in it and checked. result: the fields of its end. attempt: the one that counts. sent: the
    parts that the role was sent, by kind; None in a log that does not say."""

    node: str
    turn: int
    state: NodeState
    started_at: datetime | None
    ended_at: datetime | None = None
    text: str = ""
    attempt: int = 1
    claims: tuple[Claim, ...] = ()
    result: Fields = field(default_factory=dict)
    reason: str | None = None
    tokens: int = 0
    sent: Mapping[str, float] | None = None

    @property
    def words(self) -> str:
        """Its words without line ends around them: the text in which claims have their places."""
        return self.text.strip()


@dataclass(frozen=True, slots=True)
class EquityView(RunView):
    """A run of the desk. speeches: in the order of their beginning. trails: analyst node -> the calls it asked for. memory_read: analyst ->
    what was held of it. memory_written: name -> what was left. planted: what the script stated falsely on purpose. limits: as they were
    measured. ended_with: the fields of the run's end. final: the final state, empty until there is one."""

    equity: EquityFacts | None = None
    speeches: tuple[SpokenTurn, ...] = ()
    trails: Mapping[str, tuple[ToolTrace, ...]] = field(default_factory=dict)
    memory_read: Mapping[str, Fields] = field(default_factory=dict)
    memory_written: Mapping[str, Fields] = field(default_factory=dict)
    planted: tuple[PlantedLie, ...] = ()
    limits: tuple[LimitCheck, ...] = ()
    ended_with: Fields = field(default_factory=dict)
    final: Fields = field(default_factory=dict)

    @property
    def is_index(self) -> bool:
        """Whether five analysts and an advisor speak, and nobody orders."""
        return self.equity is not None and self.equity.preset == "index"

    @property
    def rooms(self) -> Mapping[str, tuple[str, ...]]:
        """The debates of the run, by the nodes that speak in them; those about a company end with a judge."""
        if not self.is_index:
            return ROOMS
        held = self.equity is not None and self.equity.depth > 1
        return {"research": ROOMS["research"][:-1]} if held else {}

    @property
    def analysts(self) -> tuple[str, ...]:
        """The keys of the analysts, in the order they are shown, an advisor left out."""
        return tuple(key for key in (self.equity.analysts if self.equity else ()) if key != ADVISOR)

    def said_by(self, *nodes: str) -> tuple[SpokenTurn, ...]:
        """Return what nodes say, in the order of its beginning."""
        return tuple(speech for speech in self.speeches if speech.node in nodes)

    def last_by(self, node: str) -> SpokenTurn | None:
        """Return what a node says now, or said last; None before it speaks."""
        found = self.said_by(node)
        return found[-1] if found else None

    def result_of(self, node: str) -> Fields:
        """Return the fields of a node's end, empty before it."""
        last = self.last_by(node)
        return last.result if last is not None else {}

    @property
    def order(self) -> Fields:
        """The order that the run came to, empty without one: before the end that which the trader's node settled."""
        return json_fields.inner(self.ended_with if self.ending else self.result_of("trader"), "order")

    @property
    def in_order(self) -> tuple[SpokenTurn, ...]:
        """What was said, of analysts in the order they are shown: they work at once, and which of them begins first is chance."""
        rank = {key: index for index, key in enumerate(self.analysts)}
        return tuple(sorted(self.speeches, key=lambda speech: rank.get(role_of_node(speech.node), len(rank))))

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every claim that was checked."""
        return tuple(claim for speech in self.in_order for claim in speech.claims)

    def node(self, name: str) -> NodeView:
        """Return a node of the run; a waiting one before it starts."""
        return self.nodes.get(name, NodeView(name))

    def at_end(self, final: Fields) -> "EquityView":
        """Return the same with the final state."""
        return replace(self, final=final)


def role_of_node(node: str) -> str:
    """Return whose colour, shape and name a node has: `bull_researcher` -> `bull`, `market_again` -> `market`."""
    if role_of(node) == READER:
        return READER
    plain = node.removesuffix(AGAIN).removesuffix(MEMORY)
    return {"bull_researcher": "bull", "bear_researcher": "bear"}.get(plain, plain)
