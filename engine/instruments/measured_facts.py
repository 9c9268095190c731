"""What is measured of every open position, and its indicators. TA-Lib is loaded with the first one."""

from typing import Final

from engine.domain.facts import FactSheet
from engine.domain.market.candles import Candles
from engine.domain.market.snapshot import Snapshot

FACTS: Final = ("mfe_pct", "mae_pct", "drawdown_from_peak_pct", "hold_count", "profit_pct")


def no_facts() -> dict[str, float | None]:
    """Return every fact as not known."""
    return dict.fromkeys(FACTS)


def sheet_of(snapshot: Snapshot) -> FactSheet:
    """Return the fact sheet of a snapshot. Blocks while it is computed."""
    from engine.facts.sheet import build_sheet  # noqa: PLC0415 - no page need wait for TA-Lib

    return build_sheet(snapshot)


def series_of(candles: Candles) -> dict[str, list[float | None]]:
    """Return the indicators of candles, a value each. Blocks while they are computed."""
    from engine.facts.series import indicator_series  # noqa: PLC0415 - late, as above

    return dict(indicator_series(candles, None))
