"""What a venue answers, checked before anything believes it: rows of candles, and the terms of a market. Pure.

Rows are `[time, open, high, low, close, volume]`; a row that is not six finite numbers, is repeated or cannot be true is BadMarketData
with the row, and nothing is repaired. Of the terms, fees that a venue leaves out are taken to be like a large one's; steps never are.
"""

from collections.abc import Sequence
from decimal import Decimal
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.domain.errors import BadMarketData
from engine.domain.market.candles import Candles
from engine.domain.market.instants import utc_text
from engine.domain.market.instrument import Market
from engine.domain.market.terms import MarketTerms, exact
from engine.domain.market.timeframe import Timeframe
from engine.domain.text.reason import Reason

_TAKER, _MAKER = Decimal("0.0005"), Decimal("0.0002")


def read_rows(rows: object, timeframe: Timeframe, source: str) -> Candles:
    """Return the rows as candles, oldest first, perhaps none, perhaps with gaps. source: who answered what, for messages. Raises
    BadMarketData."""
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise BadMarketData(Reason("answer_is_no_list_of_rows", source=source))
    for number, row in enumerate(rows, 1):
        if not _is_numbers(row):
            raise BadMarketData(Reason("row_of_is_no_candle", source=source, number=number, rows=len(rows), row=str(row)[:80]))
    table = np.array([row[:6] for row in rows], dtype=np.float64).reshape(-1, 6)
    table = table[np.argsort(table[:, 0], kind="stable")]  # some venues answer newest first
    candles = Candles(timeframe, table[:, 0].astype(np.int64), *(table[:, column].copy() for column in range(1, 6)))
    _check(candles, table[:, 0], source)
    return candles


def _is_numbers(row: object) -> bool:
    if not isinstance(row, Sequence) or isinstance(row, str) or len(row) < 6:
        return False
    return all(isinstance(cell, (int, float)) and not isinstance(cell, bool) and isfinite(cell) for cell in row[:6])


def _check(candles: Candles, times: NDArray[np.float64], source: str) -> None:
    stamps, timeframe = candles.opened_at, candles.timeframe
    prices = np.stack([candles.open, candles.high, candles.low, candles.close])
    rules = (
        ((times != stamps) | ((stamps - timeframe.floor(0)) % timeframe.ms != 0), Reason("candle_off_its_timeframe", timeframe=timeframe)),
        (np.r_[False, np.diff(stamps) == 0][: len(stamps)], Reason("candle_is_repeated")),
        (prices.min(axis=0, initial=np.inf) <= 0, Reason("candle_price_is_not_above_zero")),
        (candles.high < candles.low, Reason("candle_high_is_below_low")),
        (
            (candles.high < prices.max(axis=0, initial=-np.inf)) | (candles.low > prices.min(axis=0, initial=np.inf)),
            Reason("candle_leaves_high_and_low"),
        ),
        (candles.volume < 0, Reason("candle_volume_is_negative")),
    )
    for broken, fault in rules:
        if broken.any():
            index = int(np.argmax(broken))
            raise BadMarketData(Reason("candle_is_wrong", source=source, stamps=utc_text(int(stamps[index])), fault=fault))


def listed_terms(entry: dict[str, Any], market: Market) -> MarketTerms:
    """Return the terms of a market. entry: of ccxt's table, with precision as step sizes. Raises BadMarketData without its steps."""
    price_step, amount_step = _step(entry, "price"), _step(entry, "amount")
    if price_step is None or amount_step is None:
        raise BadMarketData(Reason("venue_does_not_say_in_what_steps", symbol=market.symbol))
    limits: dict[str, Any] = entry.get("limits") or {}
    contract = _positive(entry.get("contractSize")) or Decimal(1)  # where amounts are counted in contracts: base units of one
    fees = (_positive(entry.get("taker")), _positive(entry.get("maker")))
    leverage = _positive((limits.get("leverage") or {}).get("max"))
    return MarketTerms(
        price_step=price_step,
        amount_step=amount_step * contract,
        min_amount=(_positive((limits.get("amount") or {}).get("min")) or amount_step) * contract,
        min_cost=_positive((limits.get("cost") or {}).get("min")) or Decimal(0),
        taker_fee=fees[0] if fees[0] is not None else _TAKER,
        maker_fee=fees[1] if fees[1] is not None else _MAKER,
        max_leverage=int(leverage) if leverage is not None and leverage >= 1 else 125 if market.kind == "perp" else 1,
        assumed=None in fees,
    )


def _step(entry: dict[str, Any], what: str) -> Decimal | None:
    return _positive((entry.get("precision") or {}).get(what))


def _positive(value: Any) -> Decimal | None:
    if value is None or isinstance(value, bool):
        return None
    try:
        number = exact(float(value))
    except (TypeError, ValueError):
        return None
    return number if number.is_finite() and number > 0 else None
