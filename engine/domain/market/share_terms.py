"""How shares are traded beside their steps: when they may be sold, how far a session's prices may go, what an order costs."""

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal

from pydantic import Field

from engine.domain.frozen_model import FrozenModel

_CENT = Decimal("0.01")


class ShareFees(FrozenModel):
    """What an order for shares costs, a broker's commission and what the market takes.

    commission: fraction of the value. per_share: currency a share. least: currency an order (commission and per_share together are never
    less). both_sides: fraction of the value of buys and sales. on_sales: fraction of the value of sales, stamp duty for example.
    """

    commission: Decimal = Field(default=Decimal(0), ge=0, lt=1)
    per_share: Decimal = Field(default=Decimal(0), ge=0)
    least: Decimal = Field(default=Decimal(0), ge=0)
    both_sides: Decimal = Field(default=Decimal(0), ge=0, lt=1)
    on_sales: Decimal = Field(default=Decimal(0), ge=0, lt=1)

    def fee(self, quantity: Decimal, price: Decimal, *, buys: bool) -> Decimal:
        """Return the whole cost of an order, currency, in cents. quantity: shares. price: currency a share."""
        value = quantity * price
        commission = max(self.least, value * self.commission + quantity * self.per_share)
        taken = value * (self.both_sides if buys else self.both_sides + self.on_sales)
        return (commission + taken).quantize(_CENT, ROUND_HALF_UP)


class ShareTerms(FrozenModel):
    """The rules of one share.

    sessions_until_sellable: 0 = bought shares may be sold at once, 1 = from the next session on. price_limit_pct: how far from the previous
    close a session's prices may go, percent; None = no limit.
    """

    currency: str
    sessions_until_sellable: int = Field(default=0, ge=0, le=1)
    price_limit_pct: Decimal | None = Field(default=None, gt=0)
    fees: ShareFees = ShareFees()

    def limits(self, previous_close: Decimal | None, step: Decimal) -> tuple[Decimal, Decimal] | None:
        """Return the lowest and the highest price of a session, rounded to the market's step as exchanges do (half up). None where there is
        no limit, or no previous close it could be counted from."""
        if self.price_limit_pct is None or previous_close is None:
            return None
        room = self.price_limit_pct / 100
        low, high = (((previous_close * (1 + sign * room)) / step).quantize(Decimal(1), ROUND_HALF_UP) * step for sign in (-1, 1))
        return low, high


def whole_lots(quantity: Decimal, lot: Decimal) -> Decimal:
    """Return shares cut down to whole lots."""
    return (quantity / lot).to_integral_value(ROUND_FLOOR) * lot


def lots_at_least(quantity: Decimal, lot: Decimal) -> Decimal:
    """Return shares raised to whole lots."""
    return (quantity / lot).to_integral_value(ROUND_CEILING) * lot
