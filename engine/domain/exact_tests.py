"""Exact tests of whether something changed, for counts that may be small. Pure."""

import math
from collections import Counter
from collections.abc import Iterable
from typing import Final

_EQUAL: Final = 1 + 1e-9  # what rounding of doubles can do to equal probabilities


def fisher(k: int, n: int, other_k: int, other_n: int) -> float:
    """Return how often two shares differ at least as unlikely as `k` in `n` and `other_k` in `other_n`, if both come of one: Fisher's exact
    test, two-sided."""
    hits, total = k + other_k, n + other_n
    least, most = max(0, hits - other_n), min(n, hits)
    chances = [_log_choose(n, each) + _log_choose(other_n, hits - each) - _log_choose(total, hits) for each in range(least, most + 1)]
    seen = chances[k - least]
    return min(1.0, math.fsum(math.exp(each) for each in chances if each <= seen + math.log(_EQUAL)))


def one_sided_moves(moves: Iterable[tuple[str, str]]) -> float | None:
    """Return how often the counts of words shift at least as far as they did, if each that changed may as well have changed back; None
    where nothing changed.

    moves: (before, now) of every pair. How far: the squared shifts of all counts, added up. With two words this is McNemar's exact test.
    """
    changed = Counter((before, now) for before, now in moves if before != now)
    if not changed:
        return None
    words = sorted({word for move in changed for word in move})
    pairs = {tuple(sorted(move)) for move in changed}
    ways: dict[tuple[int, ...], float] = {(0,) * len(words): 1.0}
    for one, other in sorted(pairs):
        n = changed[one, other] + changed[other, one]
        ways = _shifted(ways, words.index(one), words.index(other), n)
    shift = [0] * len(words)
    for (before, now), count in changed.items():
        shift[words.index(before)] -= count
        shift[words.index(now)] += count
    seen = sum(each * each for each in shift)
    return min(1.0, math.fsum(chance for each, chance in ways.items() if sum(one * one for one in each) >= seen))


def _shifted(ways: dict[tuple[int, ...], float], one: int, other: int, n: int) -> dict[tuple[int, ...], float]:
    """Return the chances of all shifts after `n` more pairs that go from one word to the other or back."""
    found: dict[tuple[int, ...], float] = {}
    for shift, chance in ways.items():
        for k in range(n + 1):
            moved = list(shift)
            moved[one] += n - 2 * k
            moved[other] -= n - 2 * k
            key = tuple(moved)
            found[key] = found.get(key, 0.0) + chance * math.comb(n, k) / 2**n
    return found


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
