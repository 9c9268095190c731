"""The fact sheet of the desk: the company as it was known, and how the account stands. The only truth that what is said here is checked
against, and that every prompt's fact lines are written from. Pure."""

import math
from typing import Final

from engine.domain.equity.cash_account import CashAccount
from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.facts import FactSheet, number_text, write_fact_lines
from engine.facts.company import COMPANY_KEYS, account_facts, build_company_sheet
from engine.grounding.tables.equity import EQUITY
from engine.grounding.tables.table import IndicatorTable

TABLE: Final[IndicatorTable] = EQUITY
"""What the desk's texts are read for."""
PRICE_KEYS: Final = (
    "close", "previous_close", "change_1d_pct", "rsi_14", "macd", "macd_signal", "macd_hist", "ema_20", "ema_50", "ema_200", "sma_50",
    "sma_200", "atr_14", "atr_pct", "adx_14", "volume_ratio_20", "obv_trend", "support", "resistance",
)  # fmt: skip
ACCOUNT_KEYS: Final = (
    "account_cash", "account_total_value", "shares_held", "average_price", "position_value", "position_weight_pct", "max_drawdown_pct",
    "largest_allowed_order",
)  # fmt: skip

_MONEY_KEYS: Final = frozenset({"account_cash", "account_total_value", "average_price", "position_value", "largest_allowed_order"})
_MARKET_KEYS: Final = ("close", "change_1d_pct", "atr_14", "atr_pct", "support", "resistance", "ema_50", "ema_200")
_RANGE_SESSIONS: Final = 20


def build_desk_sheet(snapshot: EquitySnapshot, account: CashAccount, largest: float) -> FactSheet:
    """Return everything that was measured. largest: `largest_allowed_order`, in the listing's currency."""
    holding = account.held(snapshot.listing.symbol)
    facts = account_facts(
        snapshot.current_price,
        cash=account.cash,
        total_value=account.total_value,
        shares=holding.quantity if holding is not None else 0.0,
        average_price=holding.average_price if holding is not None else None,
        max_drawdown_pct=account.max_drawdown_pct,
        largest_allowed_order=largest,
    )
    return build_company_sheet(snapshot, facts)


def company_lines(sheet: FactSheet) -> str:
    """Return the price and the newest report as `key = value` lines, without the account."""
    return write_fact_lines(sheet, [*PRICE_KEYS, *COMPANY_KEYS])


def market_lines(sheet: FactSheet, snapshot: EquitySnapshot) -> str:
    """Return what a stop, a target and a size are set by: the last price, its usual move, the levels and the range of 20 sessions."""
    candles = snapshot.candles.tail(_RANGE_SESSIONS)
    ends = {f"high_{_RANGE_SESSIONS}d": float(max(candles.high)), f"low_{_RANGE_SESSIONS}d": float(min(candles.low))}
    spread = [f"{name} = {number_text(value, 'price', sheet.price_step)}" for name, value in ends.items() if math.isfinite(value)]
    return "\n".join([write_fact_lines(sheet, _MARKET_KEYS), *spread])


def account_lines(sheet: FactSheet, currency: str) -> str:
    """Return the account as `key = value` lines, amounts with their currency."""
    lines = write_fact_lines(sheet, ACCOUNT_KEYS).splitlines()
    return "\n".join(f"{line} {currency}" if line.partition(" = ")[0] in _MONEY_KEYS else line for line in lines)
