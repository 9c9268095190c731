"""The fact sheet of the desk: the company as it was known, and how the account stands. The only truth that what is said here is checked
against, and that every prompt's fact lines are written from. Pure."""

import math
from collections.abc import Mapping
from typing import Final

from engine.domain.equity.cash_account import CashAccount
from engine.domain.equity.filing import FilingPeriod
from engine.domain.equity.snapshot import EquitySnapshot
from engine.domain.facts import FactSheet, number_text, write_fact_lines
from engine.domain.market.candles import Candles
from engine.domain.text.language import Language
from engine.facts.company import COMPANY_KEYS, account_facts, build_company_sheet, newest_report, next_report, reported_lines
from engine.grounding.tables.equity import EQUITY
from engine.grounding.tables.table import IndicatorTable
from engine.prompts.render import Text, render

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
_PRICES: Final = ("close", "previous_close")
_MARKET_KEYS: Final = ("close", "change_1d_pct", "atr_14", "atr_pct", "support", "resistance", "ema_50", "ema_200")
_RANGE_SESSIONS: Final = 20
_YEAR_MS: Final = 364 * 86_400_000
_WEEK_MS: Final = 7 * 86_400_000
_REPORT: Final[Text] = {
    "en": "Reported: {period} to {end}, filed {filed}",
    "zh": "已披露：{period}，截至 {end}，披露日 {filed}",
}
_UNDATED: Final[Text] = {"en": "on a date not known", "zh": "不详"}
_NEXT: Final[Text] = {
    "en": "Next report: about {date}, judged by the dates of the last ones",
    "zh": "下次财报：约 {date}，按以往披露日推算",
}
_PERIODS: Final[Mapping[FilingPeriod, Text]] = {
    "ttm": {"en": "twelve months", "zh": "近十二个月"},
    "annual": {"en": "year", "zh": "年报"},
    "quarterly": {"en": "quarter", "zh": "季报"},
}


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
    lines = [write_fact_lines(sheet, PRICE_KEYS, dict.fromkeys(_PRICES, currency)), *_range_of_a_year(sheet, snapshot)]
    if filing is not None:
        filed = str(filing.filed) if filing.filed is not None else _UNDATED[language]
        heading = render(_REPORT[language], period=_PERIODS[filing.period][language], end=str(filing.report_period), filed=filed)
        lines += [heading, reported_lines(filing, COMPANY_KEYS, language)]
    if due is not None:
        lines.append(render(_NEXT[language], date=str(due)))
    return "\n".join(lines)


def market_lines(sheet: FactSheet, snapshot: EquitySnapshot) -> str:
    """Return what a stop, a target and a size are set by: the last price, its usual move, the levels, the ranges of 20 sessions and of a
    year."""
    lines = write_fact_lines(sheet, _MARKET_KEYS, dict.fromkeys(_PRICES, snapshot.listing.currency))
    range_20d = _range_of(sheet, snapshot.candles.tail(_RANGE_SESSIONS), f"{_RANGE_SESSIONS}d")
    return "\n".join([lines, *range_20d, *_range_of_a_year(sheet, snapshot)])


def account_lines(sheet: FactSheet, currency: str) -> str:
    """Return the account as `key = value` lines, amounts with their currency."""
    return write_fact_lines(sheet, ACCOUNT_KEYS, dict.fromkeys(_MONEY_KEYS, currency))


def _range_of_a_year(sheet: FactSheet, snapshot: EquitySnapshot) -> list[str]:
    """Return `high_52w` and `low_52w`, or nothing if the candles cover less than 52 weeks."""
    opens = snapshot.candles.opened_at
    since = int(opens[-1]) - _YEAR_MS
    within = int((opens > since).sum())
    return _range_of(sheet, snapshot.candles.tail(within), "52w") if opens[0] <= since + _WEEK_MS else []


def _range_of(sheet: FactSheet, candles: Candles, name: str) -> list[str]:
    ends = {f"high_{name}": float(max(candles.high)), f"low_{name}": float(min(candles.low))}
    return [f"{key} = {number_text(value, 'price', sheet.price_step)}" for key, value in ends.items() if math.isfinite(value)]
