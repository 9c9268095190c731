"""A share, fund or index as an exchange lists it, and how it may be traded there."""

from decimal import Decimal
from typing import Literal

from pydantic import Field

from engine.domain.frozen_model import FrozenModel

ListingMarket = Literal["US", "CN", "HK"]
ListingKind = Literal["stock", "index", "fund"]


class Listing(FrozenModel):
    """One listed instrument.

    symbol: `AAPL`, `600028.SH`, `0700.HK`, `^GSPC`. name: of the company, the symbol where no source knows it. calendar: its name in
    exchange_calendars. currency: ISO code of its prices. time_zone: IANA name. lot: shares; an order is a multiple of it (a rest
    below a lot may be sold). min_order: shares of the smallest buy. sessions_until_sellable: 0 = shares may be sold in the session they
    were bought in, 1 = from the next session on ("T+1" in China). price_limit_pct: how far from the previous close a session's prices may
    go, percent; None = no limit. price_step: currency; None = it follows the price. lot_assumed: the exchange sets the lot share by share
    and this one is not known.
    """

    symbol: str
    name: str
    market: ListingMarket
    kind: ListingKind
    calendar: str
    currency: str
    time_zone: str
    lot: int = Field(ge=1)
    min_order: int = Field(ge=1)
    sessions_until_sellable: int = Field(ge=0)
    price_limit_pct: float | None = Field(default=None, gt=0)
    price_step: Decimal | None = Field(default=None, gt=0)
    lot_assumed: bool = False

    @property
    def is_tradable(self) -> bool:
        """Whether it can be ordered: an index cannot."""
        return self.kind != "index"
