"""A share with its interval (Wilson)."""

import math
from typing import Final

_Z: Final = 1.959963984540054
"""Of the normal distribution, for 95 %."""


def wilson(k: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of `k` in `n`, n > 0."""
    share, z2 = k / n, _Z * _Z
    middle, spread = share + z2 / (2 * n), _Z * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max(0.0, (middle - spread) / (1 + z2 / n)), min(1.0, (middle + spread) / (1 + z2 / n))


def counted_share(k: int, n: int) -> dict[str, float | None]:
    """Return `k` in `n` as the shell prints it: `count`, `share`, and its interval `low`, `high`; None for a share of none."""
    low, high = wilson(k, n) if n else (None, None)
    return {"count": k, "share": k / n if n else None, "low": low, "high": high}
