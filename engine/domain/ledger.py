"""The paper account's ledger: every change of it is one entry, and the account is nothing but the sum of its entries."""

from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import AwareDatetime, Field

from engine.domain.frozen_model import FrozenModel
from engine.domain.holding import InstrumentKind
from engine.domain.orders import OrderSide
from engine.domain.text.reason import Said

EntryKind = Literal["deposit", "accepted", "fill", "refused", "cancelled", "levels", "funding", "mark", "split", "dividend", "emptied"]
FillReason = Literal["order", "limit", "stop", "target", "liquidation", "venue"]
"""What made a fill: `venue`: no order of ours, at a venue that does not say which."""


class LedgerEntry(FrozenModel):
    """One change. at: the market's instant.

    deposit: cash. accepted: an order rests at its limit `price`, or waits for the next open where it has none, at `collar` at worst
    (reduce_only: it may only make the position smaller). fill: amount, price, fee, reason.
    refused, cancelled: of an order, with why. levels: the stop and target that protect the position from now on (None = none); low, high:
    of the candle they were set in, up to then, None where that is not known. funding:
    cash paid (negative) or received. mark: the market was followed to `marked_ms`, last price `price`; pinned: to an instant that was
    asked for, and not to the market's own present.

    emptied: the account begins anew: everything before counts no more.

    Of shares: split: `amount` shares are where there were others, each old one became `ratio` new ones; cash is paid for what is no whole
    share, at `price`; stop and target are those from now on. dividend: cash of `price` a share.

    cash: change of cash, quote units; a fill of shares pays or receives their whole value, one of a contract only what it brought. amount:
    base units, or shares. sellable_after: date of the session after which shares that were bought may be sold; None = at once. reserved:
    cash that a resting order for shares keeps for itself. instrument: what was traded.
    """

    kind: EntryKind
    at: AwareDatetime
    symbol: str = ""
    client_id: str | None = None
    side: OrderSide | None = None
    amount: Decimal | None = None
    price: Decimal | None = None
    fee: Decimal = Decimal(0)
    cash: Decimal = Decimal(0)
    leverage: int | None = Field(default=None, ge=1, le=125)
    stop: Decimal | None = None
    target: Decimal | None = None
    reason: FillReason | None = None
    marked_ms: int | None = None
    pinned: bool = False
    reduce_only: bool = False
    collar: Decimal | None = None
    why: Said | None = None
    instrument: InstrumentKind = "contract"
    ratio: Decimal | None = Field(default=None, gt=0)
    sellable_after: date | None = None
    reserved: Decimal = Decimal(0)
    low: Decimal | None = None
    high: Decimal | None = None
