"""What the roles say: reports, arguments and verdicts, as the decision specification names them."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from engine.domain.frozen_model import FrozenModel
from engine.domain.text.reason import Said


class Direction(StrEnum):
    """Where a market or a decision points."""

    LONG = "LONG"
    SHORT = "SHORT"
    NEUTRAL = "NEUTRAL"


class DebateWinner(StrEnum):
    """The entry judge's verdict."""

    BULL = "BULL"
    BEAR = "BEAR"
    NEUTRAL = "NEUTRAL"


class PositionVerdict(StrEnum):
    """The position judge's verdict."""

    HOLD = "HOLD"
    EXIT = "EXIT"
    SCALE_IN = "SCALE_IN"
    PARTIAL_EXIT = "PARTIAL_EXIT"


class Usage(FrozenModel):
    """Cost of one role: requests sent (retries and a repair included), those that gave nothing usable, tokens, milliseconds.

    tokens are 0 when the endpoint reports none. cached_tokens: of those sent, read from the endpoint's cache. first_token_ms: from the
    role's start to its first token, None without one. queued_ms: of it, spent waiting for one of the endpoint's slots. cost: in the money
    of the price table, None where the model has no price."""

    model: str
    requests: int = 0
    failed: int = 0
    repairs: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    duration_ms: float = 0.0
    first_token_ms: float | None = None
    queued_ms: float = 0.0
    cost: float | None = None

    def __add__(self, later: "Usage") -> "Usage":
        """Return the cost of both; the first token is that of the earlier one, when it was asked at all."""
        return Usage(
            model=later.model,
            requests=self.requests + later.requests,
            failed=self.failed + later.failed,
            repairs=self.repairs + later.repairs,
            prompt_tokens=self.prompt_tokens + later.prompt_tokens,
            completion_tokens=self.completion_tokens + later.completion_tokens,
            cached_tokens=self.cached_tokens + later.cached_tokens,
            duration_ms=round(self.duration_ms + later.duration_ms, 3),
            first_token_ms=self.first_token_ms if self.requests else later.first_token_ms,
            queued_ms=round(self.queued_ms + later.queued_ms, 3),
            cost=None if self.cost is None or later.cost is None else round(self.cost + later.cost, 9),
        )


class AgentReport(FrozenModel):
    """One analyst's report. abstained: the analyst gave no usable answer; `reason` says why and the consensus goes on without it."""

    agent: str
    direction: Direction | None
    confidence: float | None = Field(default=None, ge=0, le=100)
    text: str
    support: float | None = None
    resistance: float | None = None
    abstained: bool = False
    reason: Said | None = None
    usage: Usage | None = None


class DebateArgument(FrozenModel):
    """One side's argument, all its rounds. round: rounds spoken. confidence: after the last one. attempt: the one that wrote the text."""

    side: Literal["bull", "bear"]
    round: int = 1
    text: str
    confidence: float = Field(ge=0, le=100)
    attempt: int = 1
    usage: Usage | None = None


class JudgeVerdict(FrozenModel):
    """The entry judge's ruling."""

    verdict: DebateWinner
    direction: Direction
    confidence: float = Field(ge=0, le=100)
    text: str
    usage: Usage | None = None


class PositionJudgeVerdict(FrozenModel):
    """The position judge's ruling. adjustment_pct: percent of the position to add (> 0) or close (< 0), for the adjusting verdicts."""

    verdict: PositionVerdict
    direction: Direction
    confidence: float = Field(ge=0, le=100)
    adjustment_pct: float | None = None
    text: str
    usage: Usage | None = None


def usages(records: Iterable[Mapping[str, Any] | None]) -> list[Usage]:
    """Return the usage inside reports, arguments and verdicts; those without one are left out."""
    return [Usage.model_validate(record["usage"]) for record in records if record and record.get("usage")]


def token_usage(spent: Iterable[Usage]) -> dict[str, int]:
    """Return the specification's token dictionary."""
    items = list(spent)
    prompt, completion = sum(item.prompt_tokens for item in items), sum(item.completion_tokens for item in items)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total": prompt + completion}


def total_cost(spent: Iterable[Usage]) -> float | None:
    """Return what they cost in money; None when a model that was asked has no price."""
    costs = [usage.cost for usage in spent]
    return None if None in costs else round(sum(cost for cost in costs if cost is not None), 6)


def call_metrics(spent: Iterable[Usage]) -> dict[str, int]:
    """Return the calls and tokens of a final state's `metrics`."""
    items = list(spent)
    tokens = token_usage(items)
    return {
        "llm_calls_count": sum(usage.requests for usage in items),
        "failed_llm_calls": sum(usage.failed for usage in items),
        "total_tokens": tokens["total"],
        "prompt_tokens": tokens["prompt_tokens"],
        "completion_tokens": tokens["completion_tokens"],
    }
