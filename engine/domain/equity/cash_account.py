"""The state of an account in shares: its cash, what is held of each company, and how far it has fallen."""

from typing import Any

from pydantic import Field

from engine.domain.frozen_model import FrozenModel
from engine.domain.text.reason import Said


class ShareHolding(FrozenModel):
    """Shares of one company. quantity: shares. average_price: paid a share, in shares of today. market_value, unrealized_pnl: at the last
    known price. sellable: shares that may be sold in the session that is decided for."""

    quantity: float = Field(ge=0)
    average_price: float = Field(ge=0)
    market_value: float
    unrealized_pnl: float
    sellable: float = Field(ge=0)


class CashAccount(FrozenModel):
    """A cash account, long only. All money in one currency, the account's.

    cash: what may be spent: without the margin of open contracts and what resting orders keep for themselves. total_value: cash and the
    value of everything held. reserved: kept for resting buys, whose companies are `waiting`. contracts, contracts_value: how many contracts
    are open, and their size times price; their result is in total_value. max_drawdown_pct: the worst fall of its total value from
    a peak, percent >= 0; None if not counted. drawdown_pct: how far it is below its peak now. halted: the kill switch. notes:
    what a reader should know of it.
    """

    account: str
    cash: float = Field(ge=0)
    total_value: float = Field(ge=0)
    positions: dict[str, ShareHolding] = Field(default_factory=dict)
    reserved: float = Field(default=0.0, ge=0)
    waiting: tuple[str, ...] = ()
    contracts: int = Field(default=0, ge=0)
    contracts_value: float = Field(default=0.0, ge=0)
    max_drawdown_pct: float | None = Field(default=None, ge=0)
    drawdown_pct: float = Field(default=0.0, ge=0)
    halted: bool = False
    notes: tuple[Said, ...] = ()

    def held(self, symbol: str) -> ShareHolding | None:
        """Return the position in a company, None without one."""
        return self.positions.get(symbol)

    @property
    def exposure(self) -> float:
        """Value of all positions, contracts and resting buys included."""
        return sum(each.market_value for each in self.positions.values()) + self.contracts_value + self.reserved

    def names_with(self, symbol: str) -> int:
        """Return how many positions there would be with one in `symbol`, contracts and resting buys included."""
        return len({*self.positions, *self.waiting, symbol}) + self.contracts

    def state_fields(self) -> dict[str, Any]:
        """Return the fields that a decision's state carries, in JSON: `account_cash`, `account_total_value`, `portfolio_positions` (by
        symbol), `max_drawdown` (percent, None if not counted)."""
        return {
            "account_cash": self.cash,
            "account_total_value": self.total_value,
            "portfolio_positions": {symbol: holding.model_dump(mode="json") for symbol, holding in self.positions.items()},
            "max_drawdown": self.max_drawdown_pct,
        }
