"""Exact tests against published values and against counting everything."""

from fractions import Fraction
from itertools import product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.exact_tests import fisher, one_sided_moves

WORDS = ("long", "wait", "short")


@pytest.mark.parametrize(
    ("table", "p"),
    [
        ((3, 4, 1, 4), 0.4857),  # the lady who tastes tea: 17/35
        ((8, 10, 1, 6), 0.0350),
        ((1, 10, 11, 14), 0.0028),
        ((5, 5, 5, 5), 1.0),
        ((0, 7, 0, 3), 1.0),
    ],
)
def test_fisher_is_what_books_say(table: tuple[int, int, int, int], p: float) -> None:
    assert fisher(*table) == pytest.approx(p, abs=5e-5)


@given(st.integers(0, 14), st.integers(0, 14), st.data())
def test_fisher_adds_up_what_is_no_likelier(n: int, other: int, data: st.DataObject) -> None:
    k, other_k = data.draw(st.integers(0, n)), data.draw(st.integers(0, other))
    hits = k + other_k
    ways = {each: comb(n, each) * comb(other, hits - each) for each in range(max(0, hits - other), min(n, hits) + 1)}
    counted = Fraction(sum(way for way in ways.values() if way <= ways[k]), comb(n + other, hits))
    assert fisher(k, n, other_k, other) == pytest.approx(float(counted), rel=1e-6)
    assert fisher(other_k, other, k, n) == pytest.approx(float(counted), rel=1e-6)


def test_thousands_are_no_trouble() -> None:
    assert fisher(2000, 10_000, 2000, 10_000) == pytest.approx(1.0)
    assert fisher(2000, 10_000, 2300, 10_000) < 1e-6


@pytest.mark.parametrize(("there", "back"), [(1, 0), (3, 0), (3, 1), (6, 1), (5, 5)])
def test_two_words_are_mcnemars(there: int, back: int) -> None:
    n = there + back
    tail = sum(comb(n, k) for k in range(max(there, back), n + 1)) / 2**n
    moves = [("wait", "long")] * there + [("long", "wait")] * back + [("wait", "wait")] * 7
    assert one_sided_moves(moves) == pytest.approx(min(1.0, 2 * tail))


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)), max_size=8))
@settings(max_examples=60)
def test_more_words_count_every_way_back(moves: list[tuple[str, str]]) -> None:
    changed = [move for move in moves if move[0] != move[1]]

    def shift(turned: list[tuple[str, str]]) -> int:
        return sum(sum((now == word) - (before == word) for before, now in turned) ** 2 for word in WORDS)

    if not changed:
        assert one_sided_moves(moves) is None
        return
    kept = product((0, 1), repeat=len(changed))
    ways = [[move if each else move[::-1] for move, each in zip(changed, one, strict=True)] for one in kept]
    assert one_sided_moves(moves) == pytest.approx(sum(shift(way) >= shift(changed) for way in ways) / len(ways))
