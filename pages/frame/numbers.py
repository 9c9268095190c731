"""Numbers and times as the desk writes them: 78,034.2 · −0.43 % · 4.1 s · 05-17 09:00 UTC · 11-20 16:00 New York (21:00 UTC).

The same in both languages, but for large amounts, which Chinese counts by 万 and 亿, and for the names of cities.

Thousands have a comma, the minus is U+2212, a thin space (U+2009) comes before a unit. Pure; None and non-finite numbers give a dash.
"""

import math
import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from engine.domain.facts import Unit, number_text
from engine.domain.text.language import Language

MINUS, THIN, DASH = "\u2212", "\u2009", "\u2014"
_WRITTEN = re.compile(r"(?<![\w.,:/\u2212-])([-\u2212])?(\d+)(\.\d+)?(?![\w:/]|[.,-]\d)")
_NAMED = re.compile(r"(?<![\w-])-(?=DI\b)")  # an indicator with a minus in its name
_MOST_UNGROUPED = 4  # digits of a whole number that may be a year
_LARGE = ((1e12, "万亿"), (1e8, "亿"), (1e4, "万"))
_LEAST_LARGE = 1e5
_CITIES = {"America/New_York": ("New York", "纽约"), "Asia/Shanghai": ("Shanghai", "上海"), "Asia/Hong_Kong": ("Hong Kong", "香港")}
_UNITS = {"percent": f"{THIN}%", "ratio": "×", "multiple": "×"}


def number(value: float | None, decimals: int = 0) -> str:
    """Return `−14,208`; a value that rounds to zero has no sign."""
    if value is None or not math.isfinite(value):
        return DASH
    return grouped(f"{value:.{decimals}f}")


def grouped(text: str) -> str:
    """ASCII digits with commas between the thousands and a true minus: `-1234.50` gives `−1,234.50`."""
    whole, dot, rest = text.lstrip("-").partition(".")
    if not (whole + rest).strip("0"):
        return f"{int(whole or 0):,}{dot}{rest}"
    return (MINUS if text.startswith("-") else "") + f"{int(whole or 0):,}{dot}{rest}"


def restyled(words: str) -> str:
    """Return words with the numbers in them written as the desk writes numbers: `-1234.5` gives `−1,234.5`. Digits stay what they are."""
    return _WRITTEN.sub(lambda found: (MINUS if found[1] else "") + grouped(found[2]) + (found[3] or ""), words)


def restyled_prose(words: str) -> str:
    """Return a text with its numbers as the desk writes them. What may be a year stays: a whole number of four digits is not grouped."""

    def written(found: re.Match[str]) -> str:
        whole, rest = found[2], found[3] or ""
        is_long = len(whole) > _MOST_UNGROUPED or bool(rest)
        return (MINUS if found[1] else "") + (grouped(whole) if is_long else whole) + rest

    return true_minus(_WRITTEN.sub(written, words))


def true_minus(words: str) -> str:
    """Return words with the minus in the name of an indicator as the desk writes it: `-DI` gives `−DI`."""
    return _NAMED.sub(MINUS, words)


def signed(value: float | None, decimals: int = 1) -> str:
    """As `number`, with a plus before what is above zero."""
    text = number(value, decimals)
    return f"+{text}" if value is not None and text != DASH and not text.startswith(MINUS) and text.strip("0.,") else text


def price(value: float | None, step: float | None = None) -> str:
    """Return a price with the decimals of the market's smallest step; six digits where it is not known."""
    if value is None or not math.isfinite(value):
        return DASH
    return grouped(number_text(value, "price", step))


def decimals(value: float | None, step: float | None = None) -> int:
    """Return digits after the point that a price of this market is written with."""
    return len(price(value, step).partition(".")[2])


def signed_price(value: float | None, step: float | None = None) -> str:
    """Return a distance between prices: `+550.0`."""
    text = price(value, step)
    return f"+{text}" if value is not None and value > 0 and text != DASH else text


def percent(value: float | None, decimals: int = 2) -> str:
    """Return `0.43 %`, of a value already in percent."""
    text = number(value, decimals)
    return text if text == DASH else f"{text}{THIN}%"


def share(value: float | None) -> str:
    """Return `79 %`, of a value from 0 to 1."""
    return percent(None if value is None else value * 100, 0)


def signed_percent(value: float | None, decimals: int = 2) -> str:
    """Return `−0.43 %` or `+0.43 %`."""
    text = signed(value, decimals)
    return text if text == DASH else f"{text}{THIN}%"


def large(value: float | None, language: Language, decimals: int = 0) -> str:
    """Return an amount or a volume: `2,110,000,000`, in Chinese `21.10亿`. What is below 100,000 is written in full in both."""
    if language == "zh" and value is not None and math.isfinite(value) and abs(value) >= _LEAST_LARGE:
        scale, word = next((scale, word) for scale, word in _LARGE if abs(value) >= scale)
        return f"{number(value / scale, 2)}{word}"
    return number(value, decimals)


def fact(value: float | str | None, unit: Unit | str, step: float | None = None, language: Language = "en") -> str:
    """Return a fact's value as the prompts write it, grouped, with its unit; words as they are. Amounts: see `large`."""
    if value is None or isinstance(value, str):
        return value or DASH
    if not math.isfinite(value):
        return DASH
    if unit == "amount" and language == "zh":
        return large(value, language)
    text = grouped(number_text(value, unit, step))  # type: ignore[arg-type]
    return text + _UNITS.get(unit, "")


def beside(value: float, fact_value: float, unit: Unit | str, step: float | None = None) -> str:
    """Return a difference from a fact, or a tolerance, with the decimals that the fact itself is written with: `−20.2`, `0.00 %`."""
    decimals = len(number_text(fact_value, unit, step).partition(".")[2])  # type: ignore[arg-type]
    return number(value, decimals) + _UNITS.get(unit, "")


def said(value: float, unit: Unit | str) -> str:
    """Return a stated number with no more digits than were stated: `77,850`, `28.4`, `0.004 %`."""
    if not math.isfinite(value):
        return DASH
    text = f"{value:.10f}".rstrip("0").rstrip(".")
    return grouped(text) + _UNITS.get(unit, "")


def seconds(value: float | None) -> str:
    """Return `8 ms`, `4.1 s`, `2:05`."""
    if value is None or not math.isfinite(value):
        return DASH
    if value < 0.0995:
        return f"{max(0.0, value) * 1000:.0f}{THIN}ms"
    if value < 99.95:
        return f"{value:.1f}{THIN}s"
    return f"{int(value) // 60}:{int(value) % 60:02d}"


def age(value: float) -> str:
    """Return how long ago, in its largest unit: `8 s`, `4 min`, `3 h`, `12 d`."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if value >= size:
            return f"{int(value // size)}{THIN}{unit}"
    return f"{int(max(0.0, value))}{THIN}s"


def clock(instant: datetime | None, zone: str = "", language: Language = "en") -> str:
    """Return `05-17 09:00 UTC`. zone: see `stamp`."""
    return _at(instant, "%m-%d ", zone, language)


def stamp(instant: datetime | None, zone: str = "", language: Language = "en") -> str:
    """Return `2026-05-17 09:00 UTC`.

    zone: IANA name of the exchange's time zone; its own time then comes first: `2026-11-20 16:00 New York (21:00 UTC)`.
    """
    return _at(instant, "%Y-%m-%d ", zone, language)


def to_the_second(instant: datetime) -> str:
    """Return `2026-05-17 09:00:00 UTC`."""
    return instant.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _at(instant: datetime | None, day: str, zone: str, language: Language) -> str:
    if instant is None:
        return DASH
    utc = instant.astimezone(UTC)
    if zone not in _CITIES:
        return utc.strftime(f"{day}%H:%M UTC")
    there = instant.astimezone(ZoneInfo(zone))
    beside = utc.strftime("%H:%M UTC" if utc.date() == there.date() else "%m-%d %H:%M UTC")
    city = _CITIES[zone][language == "zh"]
    return f"{there.strftime(f'{day}%H:%M')} {city}" + (f"（{beside}）" if language == "zh" else f" ({beside})")


def bar_time(ms: int | None) -> str:
    """Return `2026-05-17 08:45 UTC`, of UTC milliseconds."""
    return stamp(datetime.fromtimestamp(ms / 1000, UTC)) if ms is not None else DASH
