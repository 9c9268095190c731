"""How a run ended: what its flow says of it, and the journal keeps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.domain.memory import Memory


@dataclass(frozen=True)
class Ended:
    """How a run ended. state: its whole final state, strict JSON. headline: what it came to, in the flow's own words, for a list of runs.
    shown: what `run.finished` tells of the state. tokens: sent and received. cost: in the money of the price table, None where a model that
    was asked has no price. memories: what is written down with the end of the run, in the same transaction."""

    state: dict[str, Any]
    headline: str | None
    is_valid: bool
    duration_ms: float
    tokens: int
    cost: float | None
    shown: Mapping[str, Any] = field(default_factory=dict)
    memories: Sequence[Memory] = ()
