"""The smallest pieces of a normalised text: a Latin word, a run of digits, one Chinese character, one sign, a line end.

Numbers written as words become digits in their place where they count or measure something: `thirty-six bars`, `nine percent`, `the
fifty-day average`, `四小时`, `五十六根`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_TOKEN = re.compile(
    r"(?P<n>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|(?<![0-9a-z.])\.[0-9]+)|(?P<w>[a-z]+)|(?P<l>\n)|(?P<c>[^\s])"
)
_SMALL = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen")
_ONES = {word: value for value, word in enumerate((*_SMALL, "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"), 1)}
_DECADES = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_TENS = {word: value * 10 for value, word in enumerate(_DECADES, 2)}
_MULTIPLES = frozenset({"times", "fold"})
_COUNTED = frozenset({*_MULTIPLES, "bars", "candles", "candlesticks", "periods", "percent", "pct", "percentage"})
_DOZEN = 12
_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"两": 2}
_WEIGHTS = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
_NUMERALS = frozenset([*_DIGITS, *_WEIGHTS])
_LONGEST = 12
_SHARE = 3
_THOUSANDS = 4
_HUNDRED = 100


@dataclass(slots=True)
class Token:
    """kind: `n` digits, `w` Latin word, `c` any other character, `l` line end. gap: white space precedes it. start, end: offsets in
    the normalised text."""

    kind: str
    text: str
    start: int
    end: int
    gap: bool


def split_tokens(text: str) -> list[Token]:
    """Return all tokens of a normalised text, in order; white space other than line ends is only remembered as a gap."""
    tokens: list[Token] = []
    add = tokens.append
    last = -1
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        add(Token(match.lastgroup or "c", match[0], start, end, start != last))
        last = end
    return tokens


def spell_out(tokens: list[Token]) -> list[Token]:
    """Return the same text with such numbers as digits; offsets stay those of the words."""
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        unit = tokens[at]
        read = _english if unit.kind == "w" else _chinese if unit.text in _NUMERALS else _mixed
        found = read(tokens, at)
        if found is None:
            out.append(unit)
            at += 1
            continue
        value, after = found
        out.append(Token("n", str(value), unit.start, tokens[after - 1].end, unit.gap))
        at = after
    return out


def _english(tokens: Sequence[Token], at: int) -> tuple[int | str, int] | None:
    """Return a number from twenty on; a smaller one, and dozens, only before what is counted; `two and a half times`."""
    word = tokens[at].text
    if word in _TENS:
        ones = _past_dash(tokens, at + 1)
        small = _ONES.get(tokens[ones].text, 0) if ones < len(tokens) else 0
        return (_TENS[word] + small, ones + 1) if 0 < small < 10 else (_TENS[word], at + 1)
    value = _ONES.get(word)
    if value is None and word not in {"a", "half"}:
        return None
    after = _past_dash(tokens, at + 1)
    if [token.text for token in tokens[after : after + 4]] == ["and", "a", "half", "times"]:
        return f"{value}.5", after + 3
    dozens = after < len(tokens) and tokens[after].text == "dozen"
    if dozens and word != "half":
        value, after = _DOZEN * (value or 1), after + 1
    elif value is None:
        return None
    noun = tokens[_past_dash(tokens, after)].text if _past_dash(tokens, after) < len(tokens) else ""
    counted = noun in _COUNTED and (value > 1 or noun in {"percent", "pct", "percentage"})
    return (value, after if dozens or noun in _MULTIPLES else at + 1) if counted else None


def _past_dash(tokens: Sequence[Token], at: int) -> int:
    return at + 1 if at < len(tokens) and tokens[at].text == "-" and not tokens[at].gap else at


def _chinese(tokens: Sequence[Token], at: int) -> tuple[int | str, int] | None:
    """Return a numeral before hours, minutes or bars, one behind `百分之`, or one of hundreds and more; it must begin here."""
    if at and tokens[at - 1].text in _NUMERALS | {"第", "几", "."}:
        return None
    after = _past_numerals(tokens, at)
    numerals = [token.text for token in tokens[at:after]]
    if at > _SHARE and tokens[at - 1].text == "之" and tokens[at - 2].text == "分":
        decimals = _past_numerals(tokens, after + 1) if after < len(tokens) and tokens[after].text == "点" else after
        places = "".join(str(_DIGITS.get(token.text, "")) for token in tokens[after + 1 : decimals])
        return (f"{_value(numerals) or 0}.{places}", decimals) if places else (_value(numerals) or 0, after)
    noun = "".join(token.text for token in tokens[after : after + 2])
    value = _value(numerals)
    fits = noun in {"小时", "分钟"} or (noun[:1] == "根" and value is not None and value > 1)
    large = numerals[0] in _DIGITS and len(numerals) >= _SHARE and value is not None and value >= _HUNDRED
    return (value, after) if (fits or large) and value else None


def _mixed(tokens: Sequence[Token], at: int) -> tuple[int | str, int] | None:
    """Return `9万7` as 97000, `9万7千4` as 97400, `9万7200` as 97200."""
    texts = [token.text for token in tokens[at : at + 5]]
    glued = [not token.gap for token in tokens[at + 1 : at + 5]]
    if tokens[at].kind != "n" or texts[1:2] != ["万"] or len(texts) < _SHARE or not all(glued[:2]) or not texts[0].isdigit():
        return None
    if not texts[2].isdigit() or len(texts[2]) not in {1, _THOUSANDS}:
        return None
    if len(texts[2]) == _THOUSANDS:
        return int(texts[0]) * 10_000 + int(texts[2]), at + _SHARE
    value, after = int(texts[0]) * 10_000 + int(texts[2]) * 1000, at + _SHARE
    if texts[3:4] != ["千"] or not glued[2]:
        return value, after
    hundreds = len(texts) > _THOUSANDS and glued[3] and texts[4].isdigit() and len(texts[4]) == 1
    return (value + int(texts[4]) * 100, after + 2) if hundreds else (value, after + 1)


def _past_numerals(tokens: Sequence[Token], at: int) -> int:
    after = at
    while after < len(tokens) and after - at < _LONGEST and tokens[after].text in _NUMERALS:
        after += 1
    return after


def _value(numerals: Sequence[str]) -> int | None:
    """Read `五十六` is 56, `一百二十` is 120, `九万七千三百八十` is 97380, `九万七` is 97000."""
    total = section = digit = 0
    if len(numerals) > 1 and numerals[-1] in _DIGITS and _WEIGHTS.get(numerals[-2], 0) > _WEIGHTS["十"]:
        return (_value(numerals[:-1]) or 0) + _DIGITS[numerals[-1]] * _WEIGHTS[numerals[-2]] // 10
    for numeral in numerals:
        if numeral == "万":
            total, section, digit = (section + digit) * _WEIGHTS[numeral], 0, 0
        elif numeral in _WEIGHTS:
            section += (digit or 1) * _WEIGHTS[numeral]
            digit = 0
        else:
            digit = _DIGITS[numeral]
    return total + section + digit or None
