"""Figures on the axes of a still picture: round, evenly apart, within the picture, and neither one nor a crowd of them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.chart.still import round_prices, round_times, spread

QUARTER_MS = 900_000


def test_prices_are_those_a_person_would_choose() -> None:
    assert round_prices(86_012.4, 88_330.1, 6) == [86_500.0, 87_000.0, 87_500.0, 88_000.0]
    assert round_prices(131.19, 141.9, 6) == [132.0, 134.0, 136.0, 138.0, 140.0]
    assert round_prices(0.00231, 0.00259, 6) == [0.00235, 0.0024, 0.00245, 0.0025, 0.00255]
    assert round_prices(5.0, 5.0, 6) == []


@given(low=st.floats(1e-6, 1e6), share=st.floats(1e-4, 2.0), most=st.integers(3, 10))
def test_prices_lie_within_at_equal_distances(low: float, share: float, most: int) -> None:
    high = low * (1 + share)
    found = round_prices(low, high, most)
    assert 1 <= len(found) <= most
    assert all(low * (1 - 1e-6) <= price <= high * (1 + 1e-6) for price in found)
    gaps = [after - before for before, after in pairwise(found)]
    assert all(gap == pytest.approx(gaps[0], rel=1e-3) for gap in gaps)


@given(start=st.integers(0, 10**7), bars=st.integers(10, 200), minutes=st.sampled_from([1, 5, 15, 60, 240, 1440]))
def test_times_are_full_quarters_hours_or_days(start: int, bars: int, minutes: int) -> None:
    times = [(start * 15 + index * minutes) * 60_000 for index in range(bars)]
    found = round_times(times, 8)
    assert 1 <= len(found) <= 8
    on_quarters = any(at % QUARTER_MS == 0 for at in times)
    assert all(times[place] % QUARTER_MS == 0 for place in found) or not on_quarters
    assert 1 <= len(round_times([at + 1 for at in times], 8)) <= 8, "bars that begin at odd moments have figures, too"


wanted_places = st.lists(st.floats(0, 300), max_size=7).map(sorted)


@given(wanted=wanted_places, gap=st.floats(1, 30))
def test_tags_stand_apart_in_the_order_of_their_prices_and_as_near_as_can_be(wanted: list[float], gap: float) -> None:
    found = spread(wanted, gap, 0, 300)
    assert len(found) == len(wanted)
    assert all(after - before >= gap - 1e-6 for before, after in pairwise(found))
    assert all(-1e-6 <= at <= 300 + 1e-6 for at in found)
    if all(after - before >= gap for before, after in pairwise(wanted)):
        assert found == pytest.approx(wanted), "what does not touch stays where it belongs"
    middle = [(wanted[0] + wanted[-1]) / 2 - gap * (len(wanted) - 1) / 2 + index * gap for index in range(len(wanted))] if wanted else []
    if wanted and middle[0] >= 0 and middle[-1] <= 300:

        def missed(places: list[float]) -> float:
            return sum((place - at) ** 2 for place, at in zip(places, wanted, strict=True))

        assert missed(found) <= missed(middle) + 1e-6, "no pile in their middle is nearer"
