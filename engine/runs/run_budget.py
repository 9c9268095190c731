"""What runs may spend: tokens and money, for one run and for one day (UTC).

Given prices and limits. Every role asks before each call whether anything is left, and adds afterwards what the call has cost. What was
spent earlier today is read from the journal once a day; runs of this process are counted as they go. Lives on the engine's loop.
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
    """A sum. tokens: sent and received. cost: in the money of the prices."""

    tokens: int = 0
    cost: float = 0.0


Prices = Mapping[str, tuple[float, ...]]
"""Model -> price of a million tokens sent, of a million received, and, where it is another one, of a million that were sent and read from
the endpoint's cache."""


def cost_of(usage: Usage, prices: Prices) -> float | None:
    """Return what a role's calls cost, in the money of the prices; None where the model has no price and was asked."""
    if usage.model not in prices:
        return None if usage.requests and usage.model != "scripted" else 0.0
    sent, received, *more = prices[usage.model]
    cached = min(usage.cached_tokens, usage.prompt_tokens)
    of_cache = more[0] if more else sent
    return ((usage.prompt_tokens - cached) * sent + cached * of_cache + usage.completion_tokens * received) / MILLION


class DailySpend:
    """What all runs have spent today (UTC). before: (a day) -> what the journal has recorded for it; asked once a day."""

    def __init__(self, clock: Callable[[], datetime], before: Callable[[date], Spent]) -> None:
        self._clock, self._before = clock, before
        self._date: date | None = None
        self._spent = Spent()

    def spent(self) -> Spent:
        """Return today's sum so far; the caller adds to it."""
        today = self._clock().date()
        if today != self._date:
            self._date, self._spent = today, self._before(today)
        return self._spent


class RunBudget:
    """The budget of one run; implements `engine.agents.access.Budget`."""

    def __init__(self, limits: Limits, prices: Prices, day: DailySpend) -> None:
        self._limits, self._prices, self._day = limits, prices, day
        self._spent = Spent()

    def note(self, usage: Usage) -> None:
        """Add the cost of calls to the run and to the day."""
        self._add(usage, self._spent)
        if self._counts_days:
            self._add(usage, self._day.spent())

    def carry(self, usage: Usage) -> None:
        """Add what the run had cost before it was interrupted; the day has it already, from the journal."""
        self._add(usage, self._spent)

    def _add(self, usage: Usage, spent: Spent) -> None:
        spent.tokens += usage.prompt_tokens + usage.completion_tokens
        spent.cost += cost_of(usage, self._prices) or 0.0

    def cost(self, usage: Usage) -> float | None:
        """Return what calls cost, in the money of the prices; None where their model has no price."""
        return cost_of(usage, self._prices)

    def refusal(self) -> str | None:
        """Return why no model may be asked any more, None while there is something left."""
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
