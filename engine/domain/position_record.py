"""A position from its first fill to its last: what went in, what came out, and what it cost on the way."""

from decimal import Decimal
from typing import Literal

from pydantic import AwareDatetime, Field

from engine.domain.frozen_model import FrozenModel
from engine.domain.holding import NATURES, InstrumentKind, Side

EndedBy = Literal["stop", "target", "liquidation", "order", "limit", "split", "venue"]
"""What closed it: `order` and `limit` are orders of ours, by hand or decided; `venue`: no order of ours; its price is not known where
the venue's fills do not say it."""


class PositionRecord(FrozenModel):
    """One position of one account. opened_by, closed_by: client ids of our orders, None where the market did it. orders: of every order of
    ours that was filled in it.

    size: base units, or shares, that were entered in all. entry_price: their average. first_size, first_stop: of the first fill, with the
    stop it was given. closed_size, exit_price: what was closed, and its average. fees: paid, quote units. funding: received, negative:
    paid; None where the venue does not say it. dividends: received. cash: what it has added to cash in all, None where that is not known:
    of shares their price is in it, of contracts only what they brought. closed_at, ended: None while it is open.
    """

    account: str
    symbol: str
    side: Side
    instrument: InstrumentKind = "contract"
    opened_at: AwareDatetime
    opened_by: str | None = None
    size: Decimal = Field(gt=0)
    entry_price: Decimal
    first_size: Decimal
    first_price: Decimal
    first_stop: Decimal | None = None
    closed_size: Decimal = Decimal(0)
    exit_price: Decimal | None = None
    fees: Decimal = Decimal(0)
    funding: Decimal | None = Decimal(0)
    dividends: Decimal = Decimal(0)
    cash: Decimal | None = Decimal(0)
    closed_at: AwareDatetime | None = None
    ended: EndedBy | None = None
    closed_by: str | None = None
    orders: tuple[str, ...] = ()

    @property
    def sign(self) -> int:
        """+1 for long, -1 for short."""
        return 1 if self.side == "long" else -1

    @property
    def result(self) -> Decimal | None:
        """What it has brought after fees and funding, quote units; None while it is open, and where that is not known."""
        return self.cash if self.closed_at is not None else None

    @property
    def risk(self) -> Decimal | None:
        """What was at risk when it was opened: one R, quote units; None without a stop on its losing side."""
        if self.first_stop is None:
            return None
        distance = (self.first_price - self.first_stop) * self.sign
        return distance * self.first_size if distance > 0 else None

    def in_r(self, money: Decimal | None) -> float | None:
        """Return money in units of what was at risk; None where either is not known."""
        return float(money / self.risk) if money is not None and self.risk is not None else None

    def result_at(self, price: Decimal) -> Decimal | None:
        """Return what it has come to after fees, funding and dividends, quote units: what is still open at a price. None where that is not
        known."""
        left = self.size - self.closed_size
        booked = self.booked(left, self.entry_price)
        return booked + (price - self.entry_price) * left * self.sign if booked is not None else None

    def booked(self, size: Decimal, entry_price: Decimal) -> Decimal | None:
        """Return what is realised of it so far, after fees, funding and dividends, quote units. size, entry_price: what is still held, and
        its average."""
        if self.cash is None:
            return None
        return self.cash + (size * entry_price if NATURES[self.instrument].paid_in_full else Decimal(0))
