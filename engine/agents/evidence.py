"""The part of a prompt that holds what was measured: the market's name and clock, fact lines, patterns, what is missing."""

from collections.abc import Iterable

from engine.domain.facts import FactSheet, Pattern, write_fact_lines
from engine.domain.text.language import Language
from engine.prompts.paragraphs import FACTS, MARKET, MISSING
from engine.prompts.render import render

_RECENT_BARS = 12
_MOST_PATTERNS = 12
_TURN = {1: "bullish", -1: "bearish", 0: "neutral"}


def evidence(
    sheet: FactSheet, at: str, language: Language, keys: Iterable[str], patterns: bool = False, *, is_complete: bool = False
) -> str:
    """Return the facts under `keys` in both timeframes, as every role reads them.

    at: the snapshot's clock, as text. patterns: list the candlestick patterns too. is_complete: what says the same as another line is
    listed all the same.
    """
    listed = with_timeframes(sheet, keys)
    wanted = listed if is_complete else _once(listed)
    parts = [
        render(MARKET[language], symbol=sheet.symbol, timeframe=" + ".join(filter(None, (sheet.timeframe, sheet.timeframe_htf))), at=at),
        FACTS[language] + "\n" + write_fact_lines(sheet, wanted),
    ]
    if patterns and (recent := recent_patterns(sheet, is_complete=is_complete)):
        parts.append("\n".join(pattern_line(pattern) for pattern in recent))
    missing = [key for key in wanted if (fact := sheet.get(key)) is not None and fact.value is None]
    if missing:
        parts.append(render(MISSING[language], keys=", ".join(missing)))
    return "\n\n".join(parts)


def with_timeframes(sheet: FactSheet, keys: Iterable[str]) -> list[str]:
    """Return each key, and its twin of the higher timeframe where the sheet has one, in the order given."""
    prefix = f"{sheet.timeframe_htf}." if sheet.timeframe_htf else None
    plain = [key for key in keys if sheet.get(key) is not None]
    higher = [f"{prefix}{key}" for key in plain if prefix and sheet.get(f"{prefix}{key}") is not None]
    return plain + higher


def _once(keys: list[str]) -> list[str]:
    """Return the keys without the middle band where the equal average is listed too."""
    return [key for key in keys if not key.endswith("bb_middle") or f"{key.removesuffix('bb_middle')}sma_20" not in keys]


def recent_patterns(sheet: FactSheet, *, is_complete: bool = False) -> list[Pattern]:
    """Return the latest patterns of the main timeframe: old ones have been answered by the market, and a prompt is not a catalogue. Of a
    candle without a turn the first name is enough: five names of one doji say one thing."""
    own = [pattern for pattern in sheet.patterns if pattern.timeframe == sheet.timeframe and pattern.bars_ago <= _RECENT_BARS]
    turning = {pattern.bars_ago for pattern in own if pattern.direction}
    neutral = {pattern.bars_ago: pattern for pattern in reversed(own) if pattern.bars_ago not in turning}
    kept = [pattern for pattern in own if is_complete or pattern.direction or neutral.get(pattern.bars_ago) is pattern]
    return sorted(kept, key=lambda pattern: pattern.bars_ago)[:_MOST_PATTERNS]


def pattern_line(pattern: Pattern) -> str:
    """Return `pattern = engulfing bullish 3`: name, turn, closed bars ago."""
    return f"pattern = {pattern.name} {_TURN[pattern.direction]} {pattern.bars_ago}"
