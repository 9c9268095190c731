"""How the account stands that a decision is made for: cash, positions and drawdown, as they are frozen into the inputs of a run."""

from typing import Any

from pydantic import Field

from engine.domain.equity.listing import Listing
from engine.domain.frozen_model import FrozenModel


class ShareHolding(FrozenModel):
    """Shares of one company. quantity: shares. average_price: paid a share. market_value, unrealized_pnl: at the last known price.
    sellable: shares that may be sold in the session that is decided for."""

    quantity: float = Field(ge=0)
    average_price: float = Field(ge=0)
    market_value: float
    unrealized_pnl: float
    sellable: float = Field(ge=0)


class CashAccount(FrozenModel):
    """A cash account, long only. Money in the listing's currency. max_drawdown_pct: the worst fall of its total value from a peak, percent
    >= 0; None where nobody has counted. drawdown_pct: how far it is below its peak now. halted: the kill switch. notes: what a reader
    should know of it."""

    account: str
    cash: float = Field(ge=0)
    total_value: float = Field(ge=0)
    positions: dict[str, ShareHolding] = Field(default_factory=dict)
    max_drawdown_pct: float | None = Field(default=None, ge=0)
    drawdown_pct: float = Field(default=0.0, ge=0)
    halted: bool = False
    notes: tuple[str, ...] = ()

    def held(self, symbol: str) -> ShareHolding | None:
        """Return the position in a company, None without one."""
        return self.positions.get(symbol)


def untouched_account(equity: float, listing: Listing) -> CashAccount:
    """Return an account that holds nothing but money. equity: in the listing's currency."""
    return CashAccount(account=f"cash {listing.currency}", cash=equity, total_value=equity)


def positions_of(account: CashAccount) -> dict[str, dict[str, Any]]:
    """Return the specification's `portfolio_positions`."""
    return {symbol: holding.model_dump(mode="json") for symbol, holding in account.positions.items()}
