"""The numbers of a text with their places, by the lexer that reads claims: `64,250`, `1.2 billion`, `百分之三`, `6.4万`, `12bp`.

A number that is part of a name (`Q3`, `BTC2`), of a citation or of a list's numbering is none.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.grounding.cited.sentences import without_citations
from engine.grounding.lexer.normal import normalise
from engine.grounding.lexer.numbers import SIGNS, Number, read_number
from engine.grounding.lexer.tokens import Token, spell_out, split_tokens

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
_MONTH = {word: number for number, name in enumerate(_MONTHS, 1) for word in (name, name[:3])}
_MATCHES = {"%": ("%",), "$": ("$", ""), "x": ("x", ""), "": ("", "$", "x")}
_NUMBERED = re.compile(r"^[ \t]*(?:[-*•][ \t]*)?\(?\d{1,2}[.)、]\s", re.MULTILINE)
_TO = frozenset({"-", "–", "—", "~", "to", "至", "到"})
_LARGEST = 1e300


@dataclass(frozen=True)
class FoundNumber:
    """start, end: offsets in the text."""

    number: Number
    start: int
    end: int


def numbers_of(text: str) -> list[FoundNumber]:
    """Return the numbers of a text, in order. Percentages are percent whether written `%`, `bp` or `成`."""
    masked = _NUMBERED.sub(lambda found: " " * len(found[0]), without_citations(text))
    normal = normalise(masked)
    tokens = spell_out(split_tokens(normal.text))
    found: list[FoundNumber] = []
    at = 0
    while at < len(tokens):
        read = read_number(tokens, at) if _may_begin(tokens, at) else None
        if read is None:
            at += 1
            continue
        number, after = read
        if abs(number.value) < _LARGEST:
            start, end = normal.original(tokens[at].start, tokens[after - 1].end)
            found.append(FoundNumber(_plain(number, tokens, after), start, end))
        at = after
    return found


def _may_begin(tokens: list[Token], at: int) -> bool:
    """Return whether a number may begin here: not inside a name, and a sign only where nothing comes directly before it."""
    before, glued = (tokens[at - 1], not tokens[at].gap) if at else (None, False)
    if before is None or not glued:
        return True
    if tokens[at].text in SIGNS:
        return before.kind not in {"n", "w"} and before.text not in {")", "%"}
    return before.kind != "w" and not (before.text in {"_", "."} and at > 1 and tokens[at - 2].kind in {"w", "n"})


def _plain(number: Number, tokens: list[Token], after: int) -> Number:
    """Return it with `成` as percent, and with the unit of the other end where it is the beginning of a range."""
    if number.unit == "tenth":
        return replace(number, value=number.value * 10, step=number.step * 10, unit="%")
    if number.unit == "" and after + 1 < len(tokens) and tokens[after].text in _TO and tokens[after + 1].kind == "n":
        other = read_number(tokens, after + 1)
        if other is not None and other[0].unit == "%":
            return replace(number, unit="%")
    return number


class NumberIndex:
    """The numbers of one document. A number is held that is the same in its own unit, or rounds to what is stated."""

    def __init__(self, text: str) -> None:
        numbers = [each.number for each in numbers_of(text)]
        months = (Number(float(_MONTH[word])) for word in re.findall(r"[a-z]{3,9}", text.lower()) if word in _MONTH)
        self._by_unit: dict[str, list[tuple[float, float]]] = {}
        for number in (*numbers, *months):
            unit = number.unit if number.unit in _MATCHES else ""
            sign = (1.0 if number.value >= 0 else -1.0) if number.signed or number.value < 0 else 0.0
            self._by_unit.setdefault(unit, []).append((abs(number.value), sign))
        for held in self._by_unit.values():
            held.sort()

    def holds(self, number: Number) -> bool:
        """Return whether the document holds a number. Where only one of the two has a sign, it is words that say which way it went."""
        value, slack = abs(number.value), number.step * 0.5 + abs(number.value) * 1e-9
        sign = (1.0 if number.value >= 0 else -1.0) if number.signed or number.value < 0 else 0.0
        return any(
            not (sign and held_sign and sign != held_sign)
            for unit in _MATCHES.get(number.unit, ("",))
            for held, held_sign in _between(self._by_unit.get(unit, []), value - slack, value + slack)
        )


def _between(held: list[tuple[float, float]], least: float, most: float) -> Iterable[tuple[float, float]]:
    at = bisect_left(held, (least, -1.0))
    while at < len(held) and held[at][0] <= most:
        yield held[at]
        at += 1
