"""A position that is already held when a decision is asked for."""

from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime, Field

from engine.domain.frozen_model import FrozenModel

Side = Literal["long", "short"]
InstrumentKind = Literal["contract", "shares"]
"""contract: margin, leverage and funding (perpetuals, and what is traded like them). shares: paid in cash, long only."""


class Holding(FrozenModel):
    """An open position, as the position file or the broker states it.

    entry_price: quote currency. size: base units, > 0. leverage: x. opened_at: aware UTC datetime.
    """

    side: Side
    entry_price: float = Field(gt=0, strict=True)
    size: float = Field(gt=0, strict=True)
    leverage: float = Field(default=1.0, ge=1, le=125, strict=True)
    opened_at: AwareDatetime

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
