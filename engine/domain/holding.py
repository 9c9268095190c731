"""A position that is already held when a decision is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, Field

from engine.domain.frozen_model import FrozenModel

Side = Literal["long", "short"]
InstrumentKind = Literal["contract", "shares"]
"""contract: margin, leverage and funding (perpetuals, and what is traded like them). shares: paid in cash, long only."""


@dataclass(frozen=True)
class Nature:
    """What holds of everything of one kind. paid_in_full: a position costs its whole value in cash; it has no margin, leverage, funding or
    liquidation, and what is not held cannot be sold. in_sessions: traded in sessions, in whole lots and at a limit price where one is
    given, which is good for a session."""

    paid_in_full: bool
    in_sessions: bool


NATURES: Final[Mapping[InstrumentKind, Nature]] = {
    "contract": Nature(paid_in_full=False, in_sessions=False),
    "shares": Nature(paid_in_full=True, in_sessions=True),
}


Level = Annotated[float | None, Field(gt=0, strict=True, exclude_if=lambda level: level is None)]
"""A price, quote units; None = not known, and left out of JSON."""


class Holding(FrozenModel):
    """An open position, as the position file or the broker states it.

    entry_price: quote currency. size: base units, > 0. leverage: x. opened_at: aware UTC datetime. stop, target: as they are now.
    first_stop: the stop it was opened with. first_price: of its first fill, None = its entry price. A level that is not known is left out
    of JSON, so that a position without it keeps its hash.
    """

    side: Side
    entry_price: float = Field(gt=0, strict=True)
    size: float = Field(gt=0, strict=True)
    leverage: float = Field(default=1.0, ge=1, le=125, strict=True)
    opened_at: AwareDatetime
    stop: Level = None
    target: Level = None
    first_stop: Level = None
    first_price: Level = None

    @property
    def risk(self) -> float | None:
        """What was risked when it was opened: one R, quote units for each base unit; None without a first stop on its losing side."""
        if self.first_stop is None:
            return None
        distance = ((self.first_price or self.entry_price) - self.first_stop) * self.sign()
        return distance if distance > 0 else None

    @property
    def opened_ms(self) -> int:
        """UTC milliseconds of the opening."""
        return int(self.opened_at.timestamp() * 1000)

    def sign(self) -> int:
        """Return +1 for long, -1 for short."""
        return 1 if self.side == "long" else -1


def utc_ms(instant: datetime) -> int:
    """Return UTC milliseconds of an aware datetime. Raises ValueError for a naive one: a time without a zone is not an instant."""
    if instant.tzinfo is None:
        raise ValueError("a time without a zone is not an instant")
    return int(instant.timestamp() * 1000)
