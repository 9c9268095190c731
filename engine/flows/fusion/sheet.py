"""The fact sheet of the desk: the daily price and its indicators, what the company reported, and how the account stands. Pure.

It is the only truth that what is said here is checked against, and every prompt's fact lines are written from it.
"""

import math
from collections.abc import Iterator
from typing import Final

from engine.domain.equity.filing import Filing
from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.facts import Fact, FactSheet, Unit, write_fact_lines
from engine.facts.sheet import candle_facts
from engine.flows.fusion.account import CashAccount
from engine.grounding.tables.crypto import CRYPTO
from engine.grounding.tables.table import IndicatorTable

TABLE: Final[IndicatorTable] = CRYPTO
"""What the desk's texts are read for."""
PRICE_KEYS: Final = (
    "close", "previous_close", "change_1d_pct", "rsi_14", "macd", "macd_signal", "macd_hist", "ema_20", "ema_50", "ema_200", "sma_50", "sma_200",
    "atr_14", "atr_pct", "adx_14", "volume_ratio_20", "obv_trend", "support", "resistance",
)  # fmt: skip
ACCOUNT_KEYS: Final = (
    "account_cash", "account_total_value", "shares_held", "average_price", "position_value", "position_weight_pct", "max_drawdown_pct",
    "largest_allowed_order",
)  # fmt: skip
_AMOUNTS = frozenset({"market_cap", "enterprise_value", "revenue", "net_income", "free_cash_flow"})
_PER_SHARE = frozenset({"eps", "book_value_per_share", "fcf_per_share"})
_NOT_HELD: Final = "no shares are held"


def build_company_sheet(snapshot: EquitySnapshot, account: CashAccount, largest: float) -> FactSheet:
    """Return everything that was measured. largest: `largest_allowed_order`. Keys of the newest report are plain, the newest of each other
    period carries it as a prefix."""
    facts = [
        *candle_facts(snapshot.candles, snapshot.current_price),
        *_day(snapshot),
        *_reported(snapshot),
        *_account(snapshot, account, largest),
    ]
    step = snapshot.listing.price_step
    return FactSheet(
        symbol=snapshot.listing.symbol,
        timeframe="1d",
        timeframe_htf=None,
        facts={fact.key: fact for fact in facts},
        price_step=float(step) if step is not None else None,
        notes=snapshot.notes,
    )


def company_lines(sheet: FactSheet) -> str:
    """Return the price and the reports as `key = value` lines, without the account."""
    reported = [fact.key for fact in sheet if fact.key not in ACCOUNT_KEYS and fact.key not in PRICE_KEYS and fact.formula == "reported"]
    return write_fact_lines(sheet, [*PRICE_KEYS, *reported])


def account_lines(sheet: FactSheet) -> str:
    """Return the account and the last price as `key = value` lines."""
    return write_fact_lines(sheet, ["close", *ACCOUNT_KEYS])


def _day(snapshot: EquitySnapshot) -> Iterator[Fact]:
    before = snapshot.previous_close
    change = (snapshot.current_price / before - 1.0) * 100.0 if before else None
    yield _fact("previous_close", before, "price", "close of the session before", "there is none")
    yield _fact("change_1d_pct", change, "percent", "last close against the one before", "there is none before")


def _reported(snapshot: EquitySnapshot) -> Iterator[Fact]:
    newest: dict[str, Filing] = {}
    for filing in snapshot.filings:
        newest.setdefault(filing.period, filing)
    for index, filing in enumerate(sorted(newest.values(), key=lambda each: each.report_period, reverse=True)):
        for key, value in filing.values.items():
            if index == 0:
                yield _fact(key, value, _unit(key), "reported", "")
            yield _fact(f"{filing.period}.{key}", value, _unit(key), "reported in that period", "")


def _account(snapshot: EquitySnapshot, account: CashAccount, largest: float) -> Iterator[Fact]:
    holding = account.held(snapshot.listing.symbol)
    total = account.total_value
    weight = holding.market_value / total * 100.0 if holding is not None and total else 0.0
    yield _fact("account_cash", account.cash, "amount", "cash of the account", "")
    yield _fact("account_total_value", total, "amount", "cash and positions", "")
    yield _fact("shares_held", holding.quantity if holding is not None else 0.0, "bars", "shares in the account", "")
    yield _fact("average_price", holding.average_price if holding is not None else None, "price", "paid a share", _NOT_HELD)
    yield _fact("position_value", holding.market_value if holding is not None else 0.0, "amount", "shares times price", "")
    yield _fact("position_weight_pct", weight, "percent", "position in percent of the account", "")
    yield _fact("max_drawdown_pct", account.max_drawdown_pct, "percent", "worst fall of the account from a peak", "nobody has counted")
    yield _fact("largest_allowed_order", largest, "amount", "smallest of four bounds, in code", "")


def _unit(key: str) -> Unit:
    if key.endswith("_pct"):
        return "percent"
    return "amount" if key in _AMOUNTS else "price" if key in _PER_SHARE else "ratio"


def _fact(key: str, value: float | None, unit: Unit, formula: str, missing: str) -> Fact:
    known = value is not None and math.isfinite(value)
    return Fact(
        key=key, value=float(value) if known and value is not None else None, unit=unit, formula=formula, missing=None if known else missing
    )
