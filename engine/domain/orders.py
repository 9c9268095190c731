"""What is sent to a broker, what becomes of it, and what a broker holds. Money, prices and amounts are Decimal."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from engine.domain.frozen_model import FrozenModel
from engine.domain.holding import Holding, InstrumentKind, Side
from engine.domain.text.reason import Said

BrokerName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$")]
"""A broker's name in the registry (`engine/brokers`)."""
OrderSide = Literal["buy", "sell"]
OrderState = Literal["open", "filled", "refused", "cancelled"]


class Order(FrozenModel):
    """One order. client_id: ours, unique for ever; a retry carries the same one.

    amount: base units, or shares. limit: a price in quote units, None = at market; of shares it is good for one session. reduce_only: it
    may only make a position smaller. leverage: x, for an order that opens or enlarges. stop, target: what protects the position once it
    is open, None = leave what there is. opens: decided without a position, and refused if there is one. adds: decided with a position,
    and refused if that has been closed. collar: the worst price at which a market order may be filled, quote units; what cannot be filled
    within it stays unfilled. decided_at: last price of a market whose clock is paused, quote units. protects: it trades nothing: the
    position's stop and target become these; `amount` is its size.
    """

    client_id: str = Field(pattern=r"^[A-Za-z0-9_-]{8,36}$")
    symbol: str
    side: OrderSide
    amount: Decimal = Field(gt=0)
    limit: Decimal | None = None
    reduce_only: bool = False
    leverage: int | None = Field(default=None, ge=1, le=125)
    stop: Decimal | None = None
    target: Decimal | None = None
    opens: bool = False
    adds: bool = False
    collar: Decimal | None = Field(default=None, gt=0)
    decided_at: Decimal | None = None
    protects: bool = False


class OrderReport(FrozenModel):
    """The outcome of an order. filled: base units. price: average of the fills, quote units. fee: quote units. why: of a refusal.

    protected: whether the position it made has its stop in place; None where that was not asked for. Of an order that protects, `filled`
    is 0, and the state `filled` says that its levels are in place.
    """

    client_id: str
    state: OrderState
    at: AwareDatetime
    filled: Decimal = Decimal(0)
    price: Decimal | None = None
    fee: Decimal = Decimal(0)
    venue_id: str | None = None
    protected: bool | None = None
    why: Said | None = None


class Outcome(FrozenModel):
    """What an order has come to, or would have on paper. result: quote units after fees and funding, at the last known price while it is
    open. ended: `stop`, `target`, `liquidation`, or `order`; None while it is open."""

    result: Decimal
    ended: str | None = None


class Position(FrozenModel):
    """An open position as the broker records it.

    size: base units, > 0. entry_price: average, quote units. opened_at: of the first fill, None where the broker does not say. stop,
    target, liquidation_price: quote units, None if missing or unknown. instrument: what is held; of shares, size counts
    shares and leverage is 1.
    """

    symbol: str
    side: Side
    size: Decimal = Field(gt=0)
    entry_price: Decimal = Field(gt=0)
    leverage: float = Field(default=1.0, ge=1, le=125)
    opened_at: AwareDatetime | None = None
    stop: Decimal | None = None
    target: Decimal | None = None
    liquidation_price: Decimal | None = None
    instrument: InstrumentKind = "contract"

    @property
    def sign(self) -> int:
        """+1 for long, -1 for short."""
        return 1 if self.side == "long" else -1

    def holding(self) -> Holding | None:
        """Return the position as an input of a decision; None when `opened_at` is not known."""
        if self.opened_at is None:
            return None
        return Holding(
            side=self.side,
            entry_price=float(self.entry_price),
            size=float(self.size),
            leverage=self.leverage,
            opened_at=self.opened_at,
            stop=float(self.stop) if self.stop is not None else None,
            target=float(self.target) if self.target is not None else None,
        )


class AccountView(FrozenModel):
    """What an account allows at one instant; what the limits that look beyond one order are measured on.

    account: its name. equity: quote units, unrealised result included. margins: symbol -> margin in use, quote units. notionals: symbol ->
    size times price, and what orders that rest may add to it. stops: of snapshots that were
    taken before a holding had its levels. halted: the kill switch.
    day_loss_pct, drawdown_pct: percent of equity lost since 00:00 UTC and since the highest equity, 0 or above. cooldown_left_min: minutes
    of the cool-down after a loss that are left. orders_last_hour: orders that left in the last hour.
    """

    account: str
    broker: BrokerName
    equity: float = Field(gt=0)
    margins: dict[str, float] = Field(default_factory=dict)
    notionals: dict[str, float] = Field(default_factory=dict)
    stops: dict[str, float] = Field(default_factory=dict)
    halted: bool = False
    day_loss_pct: float = Field(default=0.0, ge=0)
    drawdown_pct: float = Field(default=0.0, ge=0)
    cooldown_left_min: float = Field(default=0.0, ge=0)
    orders_last_hour: int = Field(default=0, ge=0)

    def exposure(self) -> float:
        """Return the notional of all positions, quote units."""
        return sum(self.notionals.values())
