"""How a value becomes clearly false: by two to four times its tolerance, and still plausible.

Given a key and its true value as the prompt writes it; gives another value, written with the same decimals. Pure: the dice decide.
"""

from collections.abc import Callable
from decimal import Decimal

from engine.flows.decision.script.record import split_key
from engine.llm.dice import Dice

_PRICES = frozenset({"close", "vwap", "support", "resistance", "entry_price", "liquidation_price"})
_PRICE_FAMILIES = ("ema_", "sma_", "bb_")
_FLOORS = {
    "change_24h_pct": 0.2,
    "atr_pct": 0.1,
    "volume_ratio_20": 0.1,
    "cci_20": 5.0,
    "funding_rate_pct": 0.005,
    "oi_change_pct": 0.3,
    "profit_pct": 0.2,
    "mfe_pct": 0.2,
    "mae_pct": 0.2,
    "drawdown_from_peak_pct": 0.2,
    "hold_count": 1.0,
}
_INDEXES = frozenset({"rsi_14", "rsi_7", "adx_14", "plus_di", "minus_di", "stoch_k", "stoch_d", "mfi_14", "fear_greed"})
_SIGNED = frozenset({"macd", "macd_signal", "macd_hist", "cci_20", "change_24h_pct", "funding_rate_pct", "oi_change_pct", "profit_pct"})
_OTHER_WORD = {"rising": "falling", "falling": "rising", "flat": "rising"}


def tolerance(key: str, true: float) -> float:
    """Return how far a stated value may be from the true one, in the value's own unit."""
    bare = split_key(key)[1]
    if bare in _PRICES or bare.startswith(_PRICE_FAMILIES):
        return abs(true) * 0.005
    return max(abs(true) * 0.05, 2.0 if bare in _INDEXES else _FLOORS.get(bare, 0.0))


def false_text(key: str, text: str, dice: Dice, liking: Callable[[str], float]) -> str:
    """Return a false value for `key`, written as `text` is.

    liking: how much a candidate suits the speaker; of two plausible ones the better liked is taken.
    """
    true = as_number(text)
    if true is None:
        return _OTHER_WORD.get(text, text)
    decimals = decimals_of(text)
    distance = max(tolerance(key, true) * (2.3 + 1.4 * dice.roll("lie", key)), 3 * 10.0**-decimals)
    low, high = _bounds(key, true)
    candidates = [written for step in (distance, -distance) if low <= float(written := f"{true + step:.{decimals}f}") <= high]
    return max(candidates, key=lambda written: (liking(written), dice.roll("lie", key, written)))


def can_lie(key: str, text: str) -> bool:
    """Return whether there is a false value for `key`: words without an opposite have none."""
    return as_number(text) is not None or text in _OTHER_WORD


def as_number(text: str) -> float | None:
    """Return the number `text` writes, None for a word."""
    try:
        return float(text)
    except ValueError:
        return None


def decimals_of(text: str) -> int:
    """Return digits after the decimal point of a written number."""
    exponent = Decimal(text).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _bounds(key: str, true: float) -> tuple[float, float]:
    bare = split_key(key)[1]
    if bare in _INDEXES:
        return 0.0, 100.0
    if bare == "mae_pct" and true <= 0:
        return -1e300, 0.0
    return (-1e300, 1e300) if bare in _SIGNED else (0.0, 1e300)
