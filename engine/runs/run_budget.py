"""What runs may spend: tokens and money, for one run and for one day (UTC).

Given prices and limits; every role asks before it speaks whether there is anything left, and notes what it has cost. What has been spent
already today is asked of the journal once a day; runs of this process are counted as they go. Lives on the engine's loop.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from engine.domain.opinion import Usage

MILLION = 1_000_000


@dataclass(frozen=True)
class Limits:
    """None = no limit. Tokens are those sent and received; costs are in the money of the prices."""

    run_tokens: int | None = None
    run_cost: float | None = None
    day_tokens: int | None = None
    day_cost: float | None = None


@dataclass
class Spent:
    """A sum."""

    tokens: int = 0
    cost: float = 0.0


Prices = Mapping[str, tuple[float, float]]
"""Model -> price of a million tokens sent, and of a million received."""


def cost_of(usage: Usage, prices: Prices) -> float | None:
    """Return what a role's calls cost; None where the model has no price and was asked."""
    if usage.model not in prices:
        return None if usage.requests and usage.model != "scripted" else 0.0
    sent, received = prices[usage.model]
    return (usage.prompt_tokens * sent + usage.completion_tokens * received) / MILLION


class Day:
    """What this day has cost so far. before: (a day) -> what the journal knows of it."""

    def __init__(self, clock: Callable[[], datetime], before: Callable[[date], Spent]) -> None:
        self._clock, self._before = clock, before
        self._date: date | None = None
        self._spent = Spent()

    def spent(self) -> Spent:
        """Today's sum."""
        today = self._clock().date()
        if today != self._date:
            self._date, self._spent = today, self._before(today)
        return self._spent


class RunBudget:
    """One run's: implements `engine.agents.access.Budget`."""

    def __init__(self, limits: Limits, prices: Prices, day: Day) -> None:
        self._limits, self._prices, self._day = limits, prices, day
        self._spent = Spent()

    def note(self, usage: Usage) -> None:
        """A role has spoken, or tried to."""
        self._add(usage, self._spent)
        if self._counts_days:
            self._add(usage, self._day.spent())

    def carry(self, usage: Usage) -> None:
        """What the run had cost before it was interrupted; its day has been told by the process that spent it."""
        self._add(usage, self._spent)

    def _add(self, usage: Usage, spent: Spent) -> None:
        spent.tokens += usage.prompt_tokens + usage.completion_tokens
        spent.cost += cost_of(usage, self._prices) or 0.0

    def cost(self, usage: Usage) -> float | None:
        """Return what calls cost, None where their model has no price."""
        return cost_of(usage, self._prices)

    def refusal(self) -> str | None:
        """Return why nobody may be asked any more, None while there is something left."""
        limits = self._limits
        found = _over("run", self._spent, limits.run_tokens, limits.run_cost)
        if found is None and self._counts_days:
            found = _over("day", self._day.spent(), limits.day_tokens, limits.day_cost)
        return found

    @property
    def _counts_days(self) -> bool:
        return self._limits.day_tokens is not None or self._limits.day_cost is not None


def _over(what: str, spent: Spent, tokens: int | None, cost: float | None) -> str | None:
    if tokens is not None and spent.tokens >= tokens:
        return f"the token budget of this {what} is spent: {spent.tokens:,} of {tokens:,} (TRIBUNAL_{what.upper()}_TOKENS)"
    if cost is not None and spent.cost >= cost:
        return f"the money of this {what} is spent: {spent.cost:.4f} of {cost:g} (TRIBUNAL_{what.upper()}_COST)"
    return None
