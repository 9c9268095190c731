"""What a market is called and what else but candles is known of it."""

import re
from collections.abc import Sequence
from typing import Any, Final, Literal

from engine.domain.errors import BadInput
from engine.domain.frozen_model import FrozenModel
from engine.domain.holding import NATURES, Nature
from engine.domain.text.reason import Reason

USUAL_MARKETS: Final = ("BTC/USDT:USDT", "BTC/USDT", "BTC/USD")
"""The markets to decide on when none is named, the first one that is listed."""
FeedName = Literal["simulated", "recorded", "live"]
MarketKind = Literal["perp", "spot"]

_SPOT = Nature(paid_in_full=True, in_sessions=False)
_SYMBOL = re.compile(r"([A-Za-z0-9.\-]{1,20})/([A-Za-z0-9]{1,12})(?::([A-Za-z0-9]{1,12}))?")


def usual_of(listed: Sequence[str]) -> str:
    """Return the usual market among those that a feed lists, else the first of them; "" where it lists none."""
    return next((each for each in USUAL_MARKETS if each in listed), listed[0] if listed else "")


class Market(FrozenModel):
    """One tradable instrument, named as ccxt names it: `BTC/USDT` (spot), `BTC/USDT:USDT` (perpetual).

    price_step: smallest price change in quote currency, None when the feed does not know it.
    """

    base: str
    quote: str
    settle: str | None = None
    price_step: float | None = None

    @classmethod
    def parse(cls, symbol: str) -> "Market":
        """Read a unified symbol. Raises BadInput when it is not one."""
        match = _SYMBOL.fullmatch(symbol.strip())
        if match is None:
            raise BadInput(Reason("symbol_is_not_readable", symbol=f"{symbol[:60]!r}"))
        base, quote, settle = match.groups()
        return cls(base=base.upper(), quote=quote.upper(), settle=settle.upper() if settle else None)

    @property
    def symbol(self) -> str:
        """The unified symbol."""
        return f"{self.base}/{self.quote}" + (f":{self.settle}" if self.settle else "")

    @property
    def kind(self) -> MarketKind:
        """`perp` when the contract settles in a currency, else `spot`."""
        return "perp" if self.settle else "spot"

    @property
    def nature(self) -> Nature:
        """What holds of what is bought in it: on a spot market it is paid in full."""
        return NATURES["contract"] if self.settle else _SPOT


class Surroundings(FrozenModel):
    """What is known at T beside candles. None = the feed does not know it: missing, never zero.

    funding_rate: last settled or running rate at T, a fraction per interval (0.0001 = 0.01 %).
    open_interest, open_interest_24h_ago: base units or quote value, the same unit in both.
    fear_greed: index 0-100.
    funding_past, open_interest_past: (UTC milliseconds from which it was known, value), oldest first, none after T; units as above. Empty
    where the feed keeps none.
    """

    funding_rate: float | None = None
    open_interest: float | None = None
    open_interest_24h_ago: float | None = None
    fear_greed: float | None = None
    funding_past: tuple[tuple[int, float], ...] = ()
    open_interest_past: tuple[tuple[int, float], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON. Empty pasts are left out, so that snapshots from before they were kept have the hash they had."""
        fields = self.model_dump(mode="json")
        return {name: value for name, value in fields.items() if not (name.endswith("_past") and not value)}
