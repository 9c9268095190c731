"""Doubts because something explains a number better: the right value elsewhere in the text, or a distance too large for an error."""

from math import inf
from typing import Final

from engine.grounding.checks.surroundings import FAR_PRICE, FEW, NEARBY, ROUNDED, ReadClaim, is_plain
from engine.grounding.tables.table import IndicatorSpec
from engine.grounding.words import categories as c
from engine.grounding.words.lists import cue_pattern

_LEVELS: Final = frozenset({"price", "line", "level", "signal"})
_FAR_PER_SHARE: Final = 3.0
_FAR_TRADE: Final = 10.0
_FAR: Final = 30.0
_FAR_PLAIN: Final = 50.0
_FAR_AS_DIFFERENCES: Final = {"percent": inf, "macd": 150.0}
_DEBATERS: Final = frozenset({"bull", "bear", "judge"})
_REACHING: Final = cue_pattern("reaching")


def is_too_far(reading: ReadClaim) -> str | None:
    """Doubt a value that is so far from the fact that it cannot have been said of it: a distance, an amount, a multiple."""
    actual, said, indicator = reading.result.actual, reading.raw.number, reading.indicator
    if not reading.is_number or not isinstance(actual, float) or not actual or not said or reading.raw.base is not None:
        return None
    far = _reach(indicator, plain=is_plain(reading) and not _is_compared(reading))
    least = 1 / far if indicator.kind != "funding" and indicator.unit != "index" else 0.0  # these may be close to nothing
    return None if least < abs(said / actual) < far else ""


def _is_compared(reading: ReadClaim) -> bool:
    """Return whether a comparison follows, as of a distance: `with price 9.72 and 10.41 over them`."""
    behind = [item.cat for item in reading.text.items[reading.at + 1 : reading.at + 1 + FEW]]
    ends = next((at for at, cat in enumerate(behind) if cat in {c.WEAK, c.STRONG}), FEW)
    return c.CMP in behind[:ends]


def _reach(indicator: IndicatorSpec, *, plain: bool) -> float:
    """Return how many times the fact a stated value may be. plain: `The price is 250.` leaves nothing to doubt but its size."""
    priced = indicator.unit == "price" and indicator.kind != "atr"
    if not plain:
        near = _FAR_TRADE if indicator.position else FAR_PRICE if indicator.kind in _LEVELS else _FAR_PER_SHARE
        return near if priced else _FAR
    if indicator.unit in _FAR_AS_DIFFERENCES:  # as near to nothing as it likes
        return _FAR_AS_DIFFERENCES[indicator.unit]
    if indicator.base == "average_price":
        return _FAR_PER_SHARE  # `成本约630美元`: of an order
    return _FAR_TRADE if priced and indicator.kind != "price" else _FAR_PLAIN


def is_said_rightly(reading: ReadClaim) -> str | None:
    """Doubt a second value of what the same speaker states rightly elsewhere, unless it is stated as plainly as can be."""
    confirmed = reading.text.confirmed.get((reading.result.key, reading.raw.speaker), 0)
    if not reading.is_number or not confirmed or is_plain(reading):
        return None
    bound = reading.raw.relation in {">", "<"}
    start = reading.item(reading.clause[0]).start
    return None if bound and not _REACHING.search(reading.text.normal, start, reading.item(reading.at).end) else ""


def is_only_its_size(reading: ReadClaim) -> str | None:
    """Doubt `It pays 0.0086%`, `0.0042% below zero` of a rate that is negative: words say which way, and they were not understood."""
    actual, said = reading.result.actual, reading.raw.number
    behind = reading.behind()
    if not reading.is_number or not isinstance(actual, float) or not said or actual * said >= 0:
        return None
    below = said > 0 and behind is not None and str(reading.item(behind).val) == "negative"
    if reading.item(reading.name).cat != c.IT and not below:
        return None
    written = reading.item(reading.at).number
    signed = written is not None and (written.signed or reading.first(range(*reading.clause), c.DIR) is not None)
    return None if signed or abs(abs(said) - abs(actual)) > reading.raw.step else reading.words(*reading.clause)


def is_answered(reading: ReadClaim) -> str | None:
    """Doubt `Bull says MFI is 18. It is 28.0.`: somebody is quoted, and the fact itself is written close by."""
    actual = reading.result.actual
    if not reading.is_number or not isinstance(actual, float):
        return None
    quoted = reading.raw.speaker is not None or reading.first(range(reading.sentence[0], reading.at), c.SPEAKER, c.SAY) is not None
    if not (quoted or _is_in_quotes(reading)):
        return None
    for at in range(reading.at + 1, min(reading.at + NEARBY, len(reading.text.items))):
        if reading.item(at).cat == c.SPEAKER and reading.item(at).val in _DEBATERS:
            return None
        number = reading.item(at).number if reading.item(at).cat == c.NUM else None
        if number is not None and number.value and abs(abs(number.value) - abs(actual)) <= number.step / 2 * ROUNDED:
            return reading.words(at, at + 1)
    return None


def is_quoted(reading: ReadClaim) -> str | None:
    """Doubt `he argues that the short is "already under water"`: a reading in somebody's quoted words."""
    said = None if reading.is_number or not _is_in_quotes(reading) else reading.first(range(*reading.sentence), c.SPEAKER, c.SAY)
    return reading.word(said) if said is not None else None


def _is_in_quotes(reading: ReadClaim) -> bool:
    """Return whether a quotation mark is open where the value is."""
    return reading.text.normal.count('"', reading.item(reading.sentence[0]).start, reading.item(reading.at).start) % 2 == 1
