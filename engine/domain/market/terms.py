"""How a market is traded: its steps, its smallest order, its fees. Decimals, since they round money."""

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

from pydantic import Field

from engine.domain.frozen_model import FrozenModel
from engine.domain.holding import InstrumentKind
from engine.domain.market.share_terms import ShareTerms


def exact(value: float | Decimal) -> Decimal:
    """Return the decimal a person reads when the number is printed: 0.1 is 0.1, not the double next to it."""
    return value if isinstance(value, Decimal) else Decimal(str(value))


class MarketTerms(FrozenModel):
    """The terms of one market.

    price_step: quote units. amount_step, min_amount: base units. min_cost: quote units an order must be worth. taker_fee, maker_fee:
    fractions of the notional. maintenance_margin: fraction of the notional below which a position is liquidated. max_leverage: x.
    assumed: whether these are this program's assumptions because the feed does not state them. shares: the rules of shares, None for
    contracts; of shares, amount_step is the lot and min_amount the smallest buy.
    """

    price_step: Decimal = Field(gt=0)
    amount_step: Decimal = Field(gt=0)
    min_amount: Decimal = Field(ge=0)
    min_cost: Decimal = Field(ge=0)
    taker_fee: Decimal = Field(ge=0, lt=1)
    maker_fee: Decimal = Field(ge=0, lt=1)
    maintenance_margin: Decimal = Field(default=Decimal("0.005"), ge=0, lt=1)
    max_leverage: int = Field(default=125, ge=1)
    assumed: bool = False
    shares: ShareTerms | None = None

    @property
    def instrument(self) -> InstrumentKind:
        """What is traded: `contract` or `shares`."""
        return "shares" if self.shares is not None else "contract"

    def amount(self, value: Decimal) -> Decimal:
        """Return the amount, cut down to a whole number of steps: an order is never larger than it was sized."""
        return _stepped(value, self.amount_step, ROUND_FLOOR)

    def price(self, value: Decimal) -> Decimal:
        """Return the price, moved to the nearest step."""
        return _stepped(value, self.price_step, ROUND_HALF_EVEN)

    def price_towards(self, value: Decimal, sign: int) -> Decimal:
        """Return the price moved to the next step upwards (sign > 0) or downwards: for prices that a fill must not be better than."""
        return _stepped(value, self.price_step, ROUND_CEILING if sign > 0 else ROUND_FLOOR)

    def is_too_small(self, amount: Decimal, price: Decimal) -> bool:
        """Return whether the market would refuse an order of this amount."""
        return amount <= 0 or amount < self.min_amount or amount * price < self.min_cost


def _stepped(value: Decimal, step: Decimal, rounding: str) -> Decimal:
    return ((value / step).to_integral_value(rounding) * step).normalize() + 0
