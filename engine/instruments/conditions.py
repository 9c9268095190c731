"""The conditions a proposal is answered in, as they are now."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from engine.domain.equity.cash_account import CashAccount
from engine.domain.holding import Holding
from engine.domain.market.terms import exact
from engine.domain.orders import AccountView
from engine.domain.proposal import Basis, OrderPlan
from engine.domain.risk import RiskConfig


@dataclass(frozen=True)
class LiveConditions:
    """The conditions a proposal is answered in. price: last price, quote units. holding: what the broker holds in this market.

    price_gap_pct: last price against the last closed candle. market_at: the market's instant, None = that of the snapshot. newer_run: a run
    of the same market that ended later. cash: the account for shares, None for contracts. risk: the limits that bind now, None =
    those it was decided with. session_prices: lowest and highest price that the session of shares allows, None where that has no bounds.
    agreement_pct: in how many percent of its repetitions the decision came to its action again, None where it was never repeated.
    """

    price: float
    account: AccountView
    holding: Holding | None
    price_gap_pct: float | None
    market_at: datetime | None = None
    newer_run: str | None = None
    cash: CashAccount | None = None
    risk: RiskConfig | None = None
    session_prices: tuple[Decimal, Decimal] | None = None
    agreement_pct: float | None = None

    def limits(self, basis: Basis) -> RiskConfig:
        """Return the limits a proposal is measured against."""
        return self.risk or basis.risk

    @property
    def current_stop(self) -> Decimal | None:
        """The stop that the position has, quote units; None without one."""
        return exact(self.holding.stop) if self.holding is not None and self.holding.stop is not None else None


def drift_atr(basis: Basis, price: float) -> float | None:
    """Return how far the price has moved since the decision, in ATR; None where the ATR is not known."""
    return abs(price - basis.price) / basis.atr if basis.atr else None


def drift_collar(plan: OrderPlan, basis: Basis, risk: RiskConfig) -> Decimal | None:
    """Return the collar of an order at market that adds risk; None for any other."""
    if plan.reduce_only or plan.limit is not None:
        return None
    room, sign = exact(risk.max_drift_atr) * exact(basis.atr or 0.0), 1 if plan.side == "buy" else -1
    return max(basis.terms.price_towards(exact(basis.price) + sign * room, -sign), basis.terms.price_step)
