"""What a language must bring so that the scripted analyst can speak it.

A lexicon is data only. In its clauses `{v}` is the value, `{tf}` the timeframe before a key of another timeframe (empty otherwise),
`{n}` the length of an average. Only clauses hold values, only states hold words that can be checked; tails, openings and closings hold
opinion alone, so nothing but a clause can be planted and nothing but a clause or a state can be false.
"""

from collections.abc import Mapping
from dataclasses import dataclass

Phrases = tuple[str, ...]
ByLean = Mapping[int, Phrases]
"""Phrases by where they lean: +1 up, -1 down, 0 neither."""

FAMILIES: Mapping[str, str] = {
    "rsi_14": "momentum",
    "adx_14": "strength",
    "plus_di": "momentum",
    "minus_di": "momentum",
    "macd": "momentum",
    "macd_signal": "momentum",
    "macd_hist": "momentum",
    "stoch_k": "momentum",
    "stoch_d": "context",
    "cci_20": "momentum",
    "mfi_14": "momentum",
    "bb_upper": "level",
    "bb_middle": "trend",
    "bb_lower": "level",
    "vwap": "trend",
    "atr_14": "measure",
    "atr_pct": "measure",
    "volume_ratio_20": "flow",
    "obv_trend": "flow",
    "change_24h_pct": "flow",
    "oi_change_pct": "flow",
    "funding_rate_pct": "crowd",
    "fear_greed": "crowd",
    "support": "level",
    "resistance": "level",
    "close": "measure",
    "profit_pct": "position",
    "mfe_pct": "position",
    "mae_pct": "position",
    "drawdown_from_peak_pct": "position",
    "hold_count": "position",
    "entry_price": "context",
    "liquidation_price": "context",
    "leverage": "context",
}
"""Which tails fit a key; averages (`ema_200`, `sma_50`) are `trend`. Keys that are not here are not stated."""

UNPAIRED = frozenset({"context", "measure", "strength"})
"""Families that point nowhere: their clauses stand alone."""

_STRETCH = {"rsi_14": (30, 70), "mfi_14": (20, 80), "stoch_k": (20, 80), "cci_20": (-100, 100)}

POSITION_KEYS = ("profit_pct", "mfe_pct", "mae_pct", "drawdown_from_peak_pct", "hold_count")


def family_of(bare: str) -> str | None:
    """Return the family of a key without its timeframe, None for what is no canonical key."""
    return "trend" if average_length(bare) else FAMILIES.get(bare)


def tone_of(bare: str, value: float | str) -> str:
    """Return the family whose tails fit this value: a stretched oscillator speaks of exhaustion, not of momentum."""
    low, high = _STRETCH.get(bare, (-1e300, 1e300))
    stretched = isinstance(value, float) and not low < value < high
    return "stretch" if stretched else family_of(bare) or "context"


def average_length(bare: str) -> str:
    """Return `200` for `ema_200` and `sma_200`, empty for other keys."""
    kind, _, length = bare.partition("_")
    return length if kind in ("ema", "sma") and length.isdigit() else ""


@dataclass(frozen=True)
class FactWords:
    """Words for measured values.

    tails: by family, then lean. joint: ends two clauses of one lean. contrast: joins two that differ; both joins two that agree. leads:
    connectives before a sentence that goes on. line: what a state calls the line it speaks of. words: of values that are words. units: a
    timeframe before a key, by name or by unit. stop, gap: the end of a sentence, the space before the next.
    """

    clauses: Mapping[str, Phrases]
    states: Mapping[str, Phrases]
    tails: Mapping[str, ByLean]
    joint: ByLean
    contrast: Phrases
    leads: Phrases
    both: str
    line: str
    words: Mapping[str, str]
    units: Mapping[str, str]
    stop: str
    gap: str


@dataclass(frozen=True)
class RoleWords:
    """Words of the roles. Every row is chosen by lean or by the word decided."""

    openings: Mapping[str, ByLean]
    closings: ByLean
    missing: Mapping[str, str]
    nothing: str
    pattern: ByLean
    no_pattern: Phrases
    ages: Phrases
    conviction: Phrases
    margin: Phrases
    case_opening: ByLean
    case_weak: ByLean
    case_concession: Phrases
    case_closing: ByLean
    consensus: Mapping[str, Phrases]
    answer: Phrases
    position_opening: ByLean
    position_stands: ByLean
    position_closing: ByLean
    judge_opening: Mapping[str, Phrases]
    judge_reason: ByLean
    judge_against: Phrases
    judge_closing: Mapping[str, Phrases]
    side_unknown: str
    vote_heading: str
    sections: Phrases


@dataclass(frozen=True)
class ExecutorWords:
    """Words of the executor. opening, risk: by action. why_not: by the reason for standing aside. factors: bullet texts by name."""

    opening: Mapping[str, Phrases]
    plan: Phrases
    why_not: Mapping[str, str]
    factors: Mapping[str, str]
    risk: Mapping[str, Phrases]
    penalty: str


@dataclass(frozen=True)
class Lexicon:
    """One language, whole."""

    facts: FactWords
    roles: RoleWords
    executor: ExecutorWords
