"""The largest order that the account allows, in code: prompts of the risk debate state it, and every order is held to it after them.

Five bounds, in money; the smallest binds. Pure arithmetic, no text can raise it.
"""

import math
from dataclasses import dataclass
from typing import Any, Final

from engine.domain.equity.cash_account import CashAccount
from engine.domain.equity.listing import Listing
from engine.domain.risk import RiskConfig

RESERVE_PCT: Final = 10.0
"""Percent of the account that stays cash."""
DRAWDOWN_SHARE: Final = 0.25
"""Part of the drawdown that is left which one order may lose at its stop."""


@dataclass(frozen=True)
class OrderBounds:
    """What one buy may cost at most, in money. cash: keeping the reserve. one_name: until the company is `max_position_pct` of the account.
    holdings: until everything that is held or ordered is `max_exposure_pct` of the account; 0 for one company more than
    `max_open_positions`. loss_at_stop: `risk_per_trade_pct` of the account lost at the stop. drawdown: a quarter of the drawdown that is
    left lost there."""

    cash: float
    one_name: float
    holdings: float
    loss_at_stop: float
    drawdown: float

    @property
    def value(self) -> float:
        """The smallest of them, rounded down to the cent, never below 0."""
        return max(0.0, math.floor(min(self.cash, self.one_name, self.holdings, self.loss_at_stop, self.drawdown) * 100.0 + 1e-6) / 100.0)

    @property
    def binding(self) -> str:
        """The name of the bound that binds."""
        return min(self.to_json().items(), key=lambda item: item[1])[0]

    def to_json(self) -> dict[str, float]:
        """Return the five by name, rounded to the cent."""
        return {name: round(max(0.0, value), 2) for name, value in vars(self).items()}

    def ruling(self) -> dict[str, Any]:
        """Return what a ruling of the risk debate says of them."""
        return {"largest_allowed_order": self.value, "bounds": self.to_json(), "binding": self.binding}


def order_bounds(account: CashAccount, symbol: str, risk: RiskConfig, stop_distance_pct: float | None = None) -> OrderBounds:
    """Return the bounds of a buy.

    stop_distance_pct: how far below its price the buy is stopped, percent of price, > 0; None before a stop was named, which is reckoned
    with as the furthest that is allowed.
    """
    stop_distance_pct = risk.max_stop_distance_pct if stop_distance_pct is None else stop_distance_pct
    total, distance = account.total_value, max(stop_distance_pct, 0.01) / 100.0
    holding = account.held(symbol)
    in_name = holding.market_value if holding is not None else 0.0
    left_pct = max(0.0, risk.max_drawdown_pct - account.drawdown_pct)
    one_name = total * min(risk.max_position_pct, 100.0) / 100.0 - in_name
    room = total * risk.max_exposure_pct / 100.0 - account.exposure
    return OrderBounds(
        cash=account.cash - total * RESERVE_PCT / 100.0,
        one_name=min(one_name, risk.max_notional - in_name) if risk.max_notional is not None else one_name,
        holdings=room if account.names_with(symbol) <= risk.max_open_positions else 0.0,
        loss_at_stop=total * risk.risk_per_trade_pct / 100.0 / distance,
        drawdown=total * left_pct / 100.0 * DRAWDOWN_SHARE / distance,
    )


def shares_for(value: float, price: float, listing: Listing) -> int:
    """Return the whole lots that `value` buys at `price`, in shares; 0 below the smallest order."""
    if price <= 0 or value <= 0:
        return 0
    shares = math.floor(value / price / listing.lot + 1e-9) * listing.lot
    return shares if shares >= listing.min_order else 0
