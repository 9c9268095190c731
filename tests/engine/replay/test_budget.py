"""What a replay may still spend: never more than its budget, and enough for what it begins."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.replay import ReplayBudget, ReplayStep
from engine.replay.budget import is_spent, part_of_rest

AT = datetime(2026, 1, 1, tzinfo=UTC)
STEPS = st.lists(
    st.builds(
        ReplayStep,
        number=st.just(0),
        at=st.just(AT),
        equity=st.just(1.0),
        calls=st.integers(1, 40),
        tokens=st.integers(1, 9_000),
        cost=st.floats(0, 2),
    ),
    min_size=1,
    max_size=8,
)
BUDGETS = st.builds(
    ReplayBudget,
    calls=st.none() | st.integers(1, 3_000),
    tokens=st.none() | st.integers(1, 900_000),
    money=st.none() | st.floats(0.001, 200),
)


@pytest.mark.full
@given(steps=STEPS, budget=BUDGETS, parts=st.integers(1, 9), windows=st.integers(1, 4))
def test_parts_of_the_rest_are_within_it_and_each_can_make_a_decision_in_every_window(
    steps: list[ReplayStep], budget: ReplayBudget, parts: int, windows: int
) -> None:
    part = part_of_rest(budget, steps, parts, windows)
    for bound, own, taken in (
        (budget.calls, part and part.calls, [each.calls for each in steps]),
        (budget.tokens, part and part.tokens, [each.tokens for each in steps]),
        (budget.money, part and part.money, [each.cost or 0.0 for each in steps]),
    ):
        if part is not None:
            assert (own is None) == (bound is None)
        if own is not None and bound is not None:
            assert sum(taken) + parts * own <= bound + 1e-9
            assert own >= windows * max(taken) - 1e-9
    if part is None:
        assert is_spent(budget, steps * (1 + parts * windows))


def test_the_first_decision_is_always_made() -> None:
    assert not is_spent(ReplayBudget(calls=1, money=0.01), [])
