"""What the bench found out about a model: measures with their intervals, which roles it fits, settings that would help."""

import json
from typing import Literal

from pydantic import AwareDatetime, Field, JsonValue

from engine.domain.frozen_model import FrozenModel

Fit = Literal["yes", "no", "unsure"]
"""yes: every measure that counts for the role is good. no: at least one is bad beyond its interval. unsure: too little is known."""
BenchEnd = Literal["done", "minutes", "stopped", "budget", "lost"]
"""Why a bench ended: everything was asked, its minutes were over, someone stopped it, a budget was spent, the model gave nothing."""


class BenchMeasure(FrozenModel):
    """value: a share from 0 to 1, or a number in 100; None where nothing was measured. low, high: its 95 % interval (Wilson). n: how many
    answers, pairs of answers or claims it rests on."""

    value: float | None
    low: float | None
    high: float | None
    n: int


class BenchResult(FrozenModel):
    """fit: by role. failed: role -> the measures that speak against it. settings: the environment's names and the values proposed.
    prompts_hash: of every system text that was used. asked: questions answered or lost, of `planned`. tokens: sent and received;
    cached_tokens: of those sent, where the endpoint reports them. cost: in the money of the price table, None without a price. at: its
    end."""

    model: str
    prompts_hash: str
    measures: dict[str, BenchMeasure]
    fit: dict[str, Fit]
    failed: dict[str, list[str]] = Field(default_factory=dict)
    settings: dict[str, JsonValue]
    calls: int
    tokens: int
    cached_tokens: int | None = None
    cost: float | None
    seconds: float
    asked: int
    planned: int
    ended: BenchEnd
    at: AwareDatetime

    @property
    def has_answers(self) -> bool:
        """Whether the model said anything: a bench without a word has measured nothing."""
        return bool(self.measures["refused"].n)

    @property
    def env(self) -> dict[str, str]:
        """The proposed settings as the environment has them."""
        return {name: value if isinstance(value, str) else json.dumps(value) for name, value in self.settings.items()}


class BenchEstimate(FrozenModel):
    """What a bench usually takes: questions, tokens sent and received, money (None without a price)."""

    questions: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
