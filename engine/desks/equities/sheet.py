"""The fact sheet of the desk: the company as it was known, and the state of the account. The only truth that what is said here is checked
against, and that every prompt's fact lines are written from. Pure."""

import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from engine.domain.equity.cash_account import CashAccount
from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.facts import FactSheet, number_text, write_fact_lines
from engine.domain.market.candles import Candles
from engine.domain.text.language import Language
from engine.domain.text.word_files import read_paragraphs
from engine.facts.company import COMPANY_KEYS, account_facts, build_company_sheet, newest_report, next_report, reported_lines
from engine.grounding.tables.markets import EQUITY
from engine.grounding.tables.table import IndicatorTable
from engine.prompts.render import render

TABLE: Final[IndicatorTable] = EQUITY
"""What the desk's texts are read for."""
PRICE_KEYS: Final = (
    "close", "previous_close", "change_1d_pct", "rsi_14", "macd", "macd_signal", "macd_hist", "ema_20", "ema_50", "ema_200", "sma_50",
    "sma_200", "atr_14", "atr_pct", "adx_14", "volume_ratio_20", "obv_trend", "support", "resistance",
    "high_52w", "low_52w",
)  # fmt: skip
ACCOUNT_KEYS: Final = (
    "account_cash", "account_total_value", "shares_held", "average_price", "position_value", "position_weight_pct", "max_drawdown_pct",
    "largest_allowed_order",
)  # fmt: skip

_MONEY_KEYS: Final = frozenset({"account_cash", "account_total_value", "average_price", "position_value", "largest_allowed_order"})
_PRICES: Final = ("close", "previous_close")
_MARKET_KEYS: Final = ("close", "change_1d_pct", "atr_14", "atr_pct", "support", "resistance", "ema_50", "ema_200", "high_52w", "low_52w")
_RANGE_SESSIONS: Final = 20
_SHOWN_BARS: Final = 30
TEXTS: Final = read_paragraphs(Path(__file__).parent, "sheet")


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


def company_lines(sheet: FactSheet, snapshot: EquitySnapshot, language: Language) -> str:
    """Return the price, its range of a year, and the newest report under a line that names its period, without the account."""
    currency, filing, due = snapshot.listing.currency, newest_report(snapshot), next_report(snapshot)
    lines = [write_fact_lines(sheet, PRICE_KEYS, dict.fromkeys(_PRICES, currency))]
    if filing is not None:
        filed = str(filing.filed) if filing.filed is not None else TEXTS["undated"][language]
        heading = render(
            TEXTS["report"][language], period=TEXTS["period"][filing.period][language], end=str(filing.report_period), filed=filed
        )
        lines += [heading, reported_lines(filing, COMPANY_KEYS, language)]
    if due is not None:
        lines.append(render(TEXTS["next_report"][language], date=str(due)))
    return "\n".join(lines)


def market_lines(sheet: FactSheet, snapshot: EquitySnapshot) -> str:
    """Return what a stop, a target and a size are set by: the last price, its usual move, the levels, the ranges of 20 sessions and of a
    year."""
    lines = write_fact_lines(sheet, _MARKET_KEYS, dict.fromkeys(_PRICES, snapshot.listing.currency))
    range_20d = _range_of(sheet, snapshot.candles.tail(_RANGE_SESSIONS), f"{_RANGE_SESSIONS}d")
    return "\n".join([lines, *range_20d])


def account_lines(sheet: FactSheet, currency: str) -> str:
    """Return the account as `key = value` lines, amounts with their currency."""
    return write_fact_lines(sheet, ACCOUNT_KEYS, dict.fromkeys(_MONEY_KEYS, currency))


def session_lines(bars: Candles, currency: str, language: Language) -> str:
    """Return the session so far and its last bars within it, oldest first, times in UTC."""
    shown = bars.tail(_SHOWN_BARS)
    heading = render(
        TEXTS["so_far"][language],
        until=f"{datetime.fromtimestamp(bars.closed_at / 1000, UTC):%H:%M}",
        timeframe=str(bars.timeframe),
        currency=currency,
        open=f"{bars.open[0]:.6g}",
        high=f"{max(bars.high):.6g}",
        low=f"{min(bars.low):.6g}",
        close=f"{bars.close[-1]:.6g}",
        volume=f"{sum(bars.volume):.0f}",
    )
    rows = ["time open high low close volume"]
    for index in range(len(shown)):
        bar = shown[index]
        at = datetime.fromtimestamp(bar.opened_at / 1000, UTC)
        rows.append(f"{at:%H:%M} {bar.open:.6g} {bar.high:.6g} {bar.low:.6g} {bar.close:.6g} {bar.volume:.0f}")
    return "\n".join([heading, *rows])


def portfolio_lines(account: CashAccount, currency: str, language: Language) -> str:
    """Return every position of the account, a line each, and what is open or ordered beside them."""
    total = account.total_value
    lines = [
        render(
            TEXTS["held"][language],
            symbol=symbol,
            quantity=f"{each.quantity:g}",
            weight=f"{each.market_value / total * 100.0 if total else 0.0:.1f}",
            result=f"{each.unrealized_pnl:+.2f} {currency}",
        )
        for symbol, each in account.positions.items()
    ]
    if account.contracts:
        lines.append(render(TEXTS["contracts"][language], count=str(account.contracts), value=f"{account.contracts_value:.2f} {currency}"))
    if account.waiting:
        lines.append(render(TEXTS["resting"][language], symbols=", ".join(account.waiting), value=f"{account.reserved:.2f} {currency}"))
    return "\n".join(lines) or TEXTS["nothing_held"][language]


def _range_of(sheet: FactSheet, candles: Candles, name: str) -> list[str]:
    ends = {f"high_{name}": float(max(candles.high)), f"low_{name}": float(min(candles.low))}
    return [f"{key} = {number_text(value, 'price', sheet.price_step)}" for key, value in ends.items() if math.isfinite(value)]
