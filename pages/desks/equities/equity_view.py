"""What the page knows of one run of the equities desk: what every run has (`pages.run.reducer`), and the desk's own part beside it: claims
that are known before a turn has ended, or that a second reader has read, and the memory of the analysts. No clock, no I/O, no streamlit."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Final, Self

from pydantic import AwareDatetime, Field, JsonValue, ValidationError

from engine.api import role_of
from engine.domain.claims import Claim
from engine.domain.events import Event, GroundingCorrected, MemoryRead, MemoryWritten, NodeFailed, NodeFinished, Opening
from engine.domain.text.reason import Said
from engine.domain.text.wire import Number, Numbers, Texts, WireModel
from pages.frame import json_fields
from pages.frame.json_fields import Fields
from pages.run.reducer import ViewReducer
from pages.run.view import READER, Call, RunView, Turn

AGAIN, MEMORY = "_again", "_memory"
"""Ends of node names: an analyst's second try, and its Memory Controller."""
ADVISOR = "strategy"
_MUTE = "fusion"
"""The node that says nothing."""
ROOMS = {
    "research": ("bull_researcher", "bear_researcher", "research_manager"),
    "risk": ("risky", "safe", "neutral", "risk_judge"),
}
"""Debate -> who speaks in it, the judge last."""


class LargestOrder(WireModel):
    """What one buy may cost. value: money, None where the run did not say it. bounds: by each rule. binding: the smallest of them."""

    value: Number | None = None
    bounds: Numbers = Field(default_factory=dict)
    binding: str = ""


class EquityOpening(Opening):
    """What a run of the desk says at its beginning. price: in `currency`. facts: a few by key, for the market line.
    account: the fields of a cash account. listing: those of a listing. missing: layer -> why. similar: of earlier buys in markets like this
    one."""

    symbol: str = ""
    name: str = ""
    currency: str = ""
    at: AwareDatetime | None = None
    trade_date: str = ""
    trading_session: str = ""
    price: Number | None = None
    feed: str = ""
    preset: str = "stock"
    depth: int = 1
    tool_limit: int = 0
    analysts: Texts = ()
    facts: Numbers = Field(default_factory=dict)
    account: dict[str, JsonValue] = Field(default_factory=dict)
    listing: dict[str, JsonValue] = Field(default_factory=dict)
    largest_order: LargestOrder = LargestOrder()
    missing: dict[str, Said] = Field(default_factory=dict)
    snapshot_hash: Annotated[str, Field(alias="inputs_hash")] = ""
    similar: tuple[dict[str, JsonValue], ...] = ()

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
class EquityView(RunView):
    """A run of the desk. opening: before the run has said it, what is asked for. memory_read: analyst -> what was held of it.
    memory_written: name -> what was left. final: the final state, empty until there is one."""

    reads = EquityOpening

    opening: EquityOpening | None = None
    memory_read: Mapping[str, Fields] = field(default_factory=dict)
    memory_written: Mapping[str, Fields] = field(default_factory=dict)
    final: Fields = field(default_factory=dict)

    def at_end(self, state: Fields) -> Self:
        """Return the same with the final state."""
        return replace(self, final=state)

    @property
    def is_index(self) -> bool:
        """Whether five analysts and an advisor speak, and nobody orders."""
        return self.opening is not None and self.opening.preset == "index"

    @property
    def rooms(self) -> Mapping[str, tuple[str, ...]]:
        """The debates of the run, by the nodes that speak in them; those about a company end with a judge."""
        if not self.is_index:
            return ROOMS
        held = self.opening is not None and self.opening.depth > 1
        return {"research": ROOMS["research"][:-1]} if held else {}

    @property
    def analysts(self) -> tuple[str, ...]:
        """The keys of the analysts, in the order they are shown, an advisor left out."""
        return tuple(key for key in (self.opening.analysts if self.opening else ()) if key != ADVISOR)

    @property
    def speeches(self) -> tuple[Turn, ...]:
        """What was said, in the order of its beginning."""
        return tuple(turn for turn in self.turns if turn.name != _MUTE and not turn.is_reader)

    def last_by(self, node: str) -> Turn | None:
        """Return what a node says now, or said last; None before it speaks."""
        return next((turn for turn in reversed(self.turns) if turn.name == node), None)

    def calls_of(self, *nodes: str) -> tuple[Call, ...]:
        """Return the calls that nodes asked for."""
        return tuple(call for node in nodes for turn in self.said_by(node) for call in turn.calls)

    @property
    def order(self) -> Fields:
        """The order that the run came to, empty without one: before the end that which the trader's node settled."""
        return json_fields.inner(self.ending.shown if self.ending else self.turn("trader").result, "order")

    @property
    def in_order(self) -> tuple[Turn, ...]:
        """What was said, of analysts in the order they are shown: they work at once, and which of them begins first is chance."""
        rank = {key: index for index, key in enumerate(self.analysts)}
        return tuple(sorted(self.speeches, key=lambda turn: rank.get(role_of_node(turn.name), len(rank))))

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every claim that was checked."""
        return tuple(claim for turn in self.in_order for claim in turn.claims)


def role_of_node(node: str) -> str:
    """Return whose colour, shape and name a node has: `bull_researcher` -> `bull`, `market_again` -> `market`."""
    if role_of(node) == READER:
        return READER
    plain = node.removesuffix(AGAIN).removesuffix(MEMORY)
    return {"bull_researcher": "bull", "bear_researcher": "bear"}.get(plain, plain)


def _each(view: EquityView, change: Callable[[Turn], Turn]) -> EquityView:
    return replace(view, turns=tuple(change(turn) for turn in view.turns))


def _read(view: EquityView, event: Event, data: NodeFinished | NodeFailed) -> EquityView:
    """Return the view with what a second reader said of claims of others."""
    read = {claim.id: claim for claim in data.claims}
    if not read or not view.turn(event.node or "").is_reader:
        return view
    return _each(view, lambda turn: replace(turn, claims=tuple(read.get(claim.id, claim) for claim in turn.claims)))


def _memory_read(view: EquityView, event: Event, data: MemoryRead) -> EquityView:
    return replace(view, memory_read={**view.memory_read, event.node or data.name: data.body or {}})


def _memory_written(view: EquityView, event: Event, data: MemoryWritten) -> EquityView:
    return replace(view, memory_written={**view.memory_written, data.name: data.body})


def _corrected(view: EquityView, event: Event, data: GroundingCorrected) -> EquityView:
    """Keep a false claim of a turn that has not told its claims yet."""
    speaking = view.turn(event.node or "")
    if speaking.ended or data.start is None or data.end is None:
        return view
    fields = {**data.to_json(), "value_start": data.start, "value_end": data.end, "relation": "=", "verdict": "false"}
    try:
        claim = Claim.model_validate({name: fields[name] for name in Claim.model_fields if name in fields})
    except ValidationError:
        return view
    return _each(view, lambda turn: replace(turn, claims=(*turn.claims, claim)) if turn is speaking else turn)


EQUITIES: Final = ViewReducer(
    EquityView(),
    {
        NodeFinished: _read,
        NodeFailed: _read,
        MemoryRead: _memory_read,
        MemoryWritten: _memory_written,
        GroundingCorrected: _corrected,
    },
)
"""How the log of a run of the desk is read."""
