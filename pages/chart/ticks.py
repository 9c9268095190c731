"""Where the axes of a still picture have their figures: at round prices, and at round times in UTC; and where tags stand on them. Pure."""

import math
from collections.abc import Sequence
from typing import Final

_HOUR_MS: Final = 3_600_000
_SPANS_MS: Final = tuple(round(hours * _HOUR_MS) for hours in (0.25, 0.5, 1, 2, 3, 4, 6, 8, 12, 24, 48, 168, 336, 672, 1344, 2688, 5376))
_MONDAY_MS: Final = 4 * 24 * _HOUR_MS  # 5 January 1970


def round_prices(low: float, high: float, most: int) -> list[float]:
    """Return prices between two others, `most` of them at most, at equal distances of 1, 2, 2.5 or 5 times a power of ten; [] where there
    is no room between them. most: at least 2."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return []
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    for factor in (1, 2, 2.5, 5, 10, 20):
        step = factor * power
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first + 1 <= most:
            return [round(index * step, 12) for index in range(first, last + 1)]
    return []


def round_times(times: Sequence[float], most: int) -> list[int]:
    """Return the places of those times that lie on full quarters, hours, days or weeks of UTC, the shortest span of which `most` or fewer
    are in them; where none of them does, places at equal distances. times: UTC milliseconds, rising."""
    for span in _SPANS_MS:
        found = [place for place, at in enumerate(times) if (at - (_MONDAY_MS if span >= 7 * 24 * _HOUR_MS else 0)) % span == 0]
        if 0 < len(found) <= most:
            return found
    return list(range(0, len(times), max(1, -(-len(times) // most))))


def spread(wanted: Sequence[float], gap: float, first: float, last: float) -> list[float]:
    """Return places for tags on an axis: as near to where they belong as they can be (least squares), `gap` apart, and never in another
    order. wanted: rising. first, last: they stay between, where there is room for them. `spread` of assets/chart/labels.js is the same."""
    blocks: list[tuple[float, int]] = []  # tags that touch one another move as one: (sum of what they want without the gaps, how many)
    for index, at in enumerate(wanted):
        total, count = at - index * gap, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            before = blocks.pop()
            total, count = before[0] + total, before[1] + count
        blocks.append((total, count))
    most = max(first, last - (len(wanted) - 1) * gap)
    places = [min(max(total / count, first), most) for total, count in blocks for _ in range(count)]
    return [at + index * gap for index, at in enumerate(places)]
