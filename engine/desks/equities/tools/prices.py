"""Prices: daily candles, measured indicators, splits and dividends."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from engine.desks.equities.tools.protocol import Argument, DataTool, Known
from engine.domain.facts import write_fact_lines

_GROUPS: Mapping[str, tuple[str, ...]] = {
    "trend": (
        "close",
        "previous_close",
        "change_1d_pct",
        "ema_20",
        "ema_50",
        "ema_200",
        "sma_50",
        "sma_200",
        "adx_14",
        "plus_di",
        "minus_di",
    ),
    "momentum": ("close", "rsi_14", "macd", "macd_signal", "macd_hist", "stoch_k", "stoch_d", "cci_20", "mfi_14"),
    "volatility": ("close", "atr_14", "atr_pct", "bb_upper", "bb_middle", "bb_lower", "support", "resistance"),
    "volume": ("close", "volume_ratio_20", "obv_trend", "mfi_14"),
}


async def price_history(known: Known, arguments: Mapping[str, Any]) -> str:
    """Return the last daily candles, oldest first, in shares of the trade date."""
    candles, listing = known.snapshot.candles.tail(arguments["days"]), known.snapshot.listing
    rows = [
        f"daily prices of {listing.symbol} in {listing.currency}, in shares of {known.snapshot.moment.trade_date}",
        "date open high low close volume",
    ]
    for index in range(len(candles)):
        bar = candles[index]
        day = datetime.fromtimestamp(bar.opened_at / 1000, UTC).date()
        rows.append(f"{day} {bar.open:.6g} {bar.high:.6g} {bar.low:.6g} {bar.close:.6g} {bar.volume:.0f}")
    return "\n".join(rows)


async def indicators(known: Known, arguments: Mapping[str, Any]) -> str:
    """Return measured indicators as `key = value` lines; what cannot be measured is named with the reason."""
    group = arguments["group"]
    keys = list(dict.fromkeys(key for name, own in _GROUPS.items() if group in (name, "all") for key in own))
    lines = write_fact_lines(known.sheet, keys, dict.fromkeys(("close", "previous_close"), known.snapshot.listing.currency))
    missing = [fact for key in keys if (fact := known.sheet.get(key)) is not None and fact.value is None]
    return lines + (f"\nnot measurable: {', '.join(fact.key for fact in missing)} ({missing[0].missing})" if missing else "")


async def share_events(known: Known, arguments: Mapping[str, Any]) -> str:
    """Return splits and dividends in effect by the trade date."""
    snapshot = known.snapshot
    rows = [f"split on {each.date}: {each.ratio:g} new shares for one" for each in reversed(snapshot.splits)]
    rows += [
        f"dividend, ex-date {each.ex_date}: {each.amount:g} {snapshot.listing.currency} a share" for each in reversed(snapshot.dividends)
    ]
    return "\n".join(rows[:20]) or "no split and no dividend is known of"


PRICE_TOOLS = (
    DataTool(
        "get_price_history",
        "Daily open, high, low, close and volume, oldest first, split-adjusted.",
        price_history,
        (Argument("days", "integer", "how many sessions, newest last", 1, 120, default=20),),
    ),
    DataTool(
        "get_indicators",
        "Measured daily indicators as `key = value` lines.",
        indicators,
        (Argument("group", "string", "which of them", choices=("trend", "momentum", "volatility", "volume", "all"), default="all"),),
    ),
    DataTool("get_share_events", "Splits and dividends by the trade date.", share_events),
)
