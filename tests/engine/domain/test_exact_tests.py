"""Exact tests against published values and against counting everything."""

from math import comb

import pytest

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


@pytest.mark.parametrize(("there", "back"), [(1, 0), (3, 0), (3, 1), (6, 1), (5, 5)])
def test_two_words_are_mcnemars(there: int, back: int) -> None:
    n = there + back
    tail = sum(comb(n, k) for k in range(max(there, back), n + 1)) / 2**n
    moves = [("wait", "long")] * there + [("long", "wait")] * back + [("wait", "wait")] * 7
    assert one_sided_moves(moves) == pytest.approx(min(1.0, 2 * tail))
