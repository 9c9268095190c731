"""How a run ended, and what it leaves for later runs: what its flow says of it, and the journal keeps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from engine.domain.frozen_model import FrozenModel
from engine.domain.honesty import ClaimTally
from engine.domain.proposal import NewProposal


class Memory(FrozenModel):
    """One thing that later runs may read. flow, subject: of the runs that read it. name: which of their memories it is. body: JSON.
    dated: the instant up to which it knew, ISO 8601 UTC, where its flow tells; "" otherwise. What is asked for by a date never comes from
    later."""

    flow: str
    subject: str
    name: str
    body: dict[str, Any]
    dated: str = ""

    @property
    def feed(self) -> str:
        """The kind of prices that it was made from: the first word of its body's `source`; "" where it has none."""
        return str(self.body.get("source") or "").partition(" ")[0]


@dataclass(frozen=True)
class Ended:
    """How a run ended.

    state: its whole final state, strict JSON. headline: what it came to, in the flow's own words, for a list of runs; None where it came to
    nothing. is_valid: whether that is what the flow is meant to give, not a safe outcome instead. duration_ms: milliseconds. tokens: sent
    and received. cost: in the money of the price table, None where a model that was asked has no price. shown: further fields of the event
    `run.finished`. memories: written into the journal in the same transaction as the end of the run. confidence: 0-100, of what it came to;
    claims, false_claims: numbers that were checked, and how many of them were false; None where the flow has no such thing. filing: the
    proposal that follows from it, written in that transaction too, or None. tallies: what each role stated of each indicator. at: the
    market's instant, aware; None for a run that is about no market. features: of an entry, what later decisions find it by.
    """

    state: dict[str, Any]
    headline: str | None
    is_valid: bool
    duration_ms: float
    tokens: int
    cost: float | None
    shown: Mapping[str, Any] = field(default_factory=dict)
    memories: Sequence[Memory] = ()
    confidence: float | None = None
    claims: int | None = None
    false_claims: int | None = None
    filing: NewProposal | None = None
    tallies: Sequence[ClaimTally] = ()
    at: datetime | None = None
    features: Mapping[str, float] = field(default_factory=dict)
