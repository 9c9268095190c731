"""What a replay may still spend, by what its decisions have taken so far. Pure.

Nobody knows what the next decision will take: it is counted as the largest so far.
"""

from collections.abc import Sequence

from engine.domain.replay import ReplayBudget, ReplayStep


def is_spent(budget: ReplayBudget, steps: Sequence[ReplayStep]) -> bool:
    """Return whether one more decision would go beyond the budget. The first one is always made."""
    return bool(steps) and not _has_room(budget, steps, 1)


def part_of_rest(budget: ReplayBudget, steps: Sequence[ReplayStep], parts: int, windows: int) -> ReplayBudget | None:
    """Return what each of several parts may spend of what the steps have left; None where that is less than a decision in each of its
    windows. steps: at least one."""
    if not _has_room(budget, steps, parts * windows):
        return None
    rest = ReplayBudget(
        calls=budget.calls - sum(each.calls for each in steps) if budget.calls is not None else None,
        tokens=budget.tokens - sum(each.tokens for each in steps) if budget.tokens is not None else None,
        money=budget.money - sum(each.cost or 0.0 for each in steps) if budget.money is not None else None,
    )
    return rest.part(parts)


def _has_room(budget: ReplayBudget, steps: Sequence[ReplayStep], n: int) -> bool:
    """Return whether n more decisions as large as the largest so far are within the budget."""
    bounds = (
        (budget.calls, [each.calls for each in steps]),
        (budget.tokens, [each.tokens for each in steps]),
        (budget.money, [each.cost or 0.0 for each in steps]),
    )
    return all(bound is None or (sum(taken) < bound and sum(taken) + n * max(taken) <= bound) for bound, taken in bounds)
