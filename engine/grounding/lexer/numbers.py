"""Numbers as traders write them: `64,250`, `97.4k`, `6.4万`, `−15.2`, `0.01 %`, `1.6x`, `$2.55`, `万分之一`, `70多`.

Given the tokens of a text and a position, gives a Number and the position after it. Never guesses what a number belongs to.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.grounding.lexer.tokens import Token

_SCALE = {
    "k": 1e3,
    "千": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "million": 1e6,
    "b": 1e9,
    "bn": 1e9,
    "billion": 1e9,
    "t": 1e12,
    "tn": 1e12,
    "trn": 1e12,
    "trillion": 1e12,
    "万": 1e4,
    "亿": 1e8,
    "w": 1e4,
}
_GLUED_ONLY = frozenset({"k", "m", "b", "w", "t"})
_LARGE_ZH = {"万亿": 1e12, "千万": 1e7, "百万": 1e6, "千亿": 1e11, "百亿": 1e10}
_UNITS = {
    **dict.fromkeys(("%", "percent", "pct", "pp", "ppt", "percentagepoints", "percentagepoint", "个百分点"), "%"),
    **dict.fromkeys(("bp", "bps", "basispoints", "基点", "个基点"), "bp"),
    **dict.fromkeys(("x", "×", "倍", "times", "fold"), "x"),
    **dict.fromkeys(("usd", "usdt", "usdc", "美元", "刀", "元", "港元", "港币", "人民币", "美金"), "$"),
    "成": "tenth",
}
_UNIT_STARTS = frozenset([*_UNITS, "percentage", "basis", "个", "基", "美", "港", "人"])
_CURRENCY = frozenset({"$", "¥", "€", "£"})
SIGNS = {"-": -1.0, "−": -1.0, "+": 1.0}
_DIGITS_ZH = {"零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}
_BEHIND_TENTHS = {"半": 0.5} | {digit: value / 10 for digit, value in _DIGITS_ZH.items() if digit not in "零两十"}  # `三成五`
_LONGEST = 24


@dataclass(frozen=True, slots=True)
class Number:
    """value: as written, scale words applied. unit: `%`, `x`, `$`, `frac` (of ten thousand) or nothing. step: the size of one unit in its
    last digit. signed: a sign was written. bound: `>` for `70多`, `70+`. decimals: digits after the point. integer: the plain integer it
    is written as, None otherwise (only such a number can be a period)."""

    value: float
    unit: str = ""
    step: float = 1.0
    signed: bool = False
    bound: str = ""
    decimals: int = 0
    integer: int | None = None


def read_number(tokens: Sequence[Token], at: int) -> tuple[Number, int] | None:
    """Return the number that begins at tokens[at], a sign or currency before it included, or None."""
    index, sign, signed, money = at, 1.0, False, False
    if tokens[index].text in SIGNS:
        sign, signed, index = SIGNS[tokens[index].text], True, index + 1
        if index < len(tokens) and tokens[index].gap and tokens[index].text in _CURRENCY:
            return None  # `Price - $3,939`: a dash
    if index < len(tokens) and tokens[index].text in _CURRENCY:
        money, index = True, index + 1
    if not signed and money and index < len(tokens) and tokens[index].text in SIGNS:
        sign, signed, index = SIGNS[tokens[index].text], True, index + 1
    if index >= len(tokens):
        return None
    if tokens[index].kind != "n":
        return None if signed or money else _chinese(tokens, index)
    if index > at and tokens[index].gap and not money:
        return None
    return _digits(tokens, index, sign, signed, money)


def _digits(tokens: Sequence[Token], index: int, sign: float, signed: bool, money: bool) -> tuple[Number, int] | None:
    text = tokens[index].text.replace(",", "")
    if len(text) > _LONGEST:
        return None
    value = float(text)
    decimals = len(text.partition(".")[2])
    step = 10.0**-decimals
    plain = not signed and not money and not decimals
    index += 1
    index, value, step, exponent = _exponent(tokens, index, value, step)
    index, scale = _scale(tokens, index)
    unit, index = _unit(tokens, index)
    if unit == "bp":
        unit, scale = "%", scale * 0.01
    bound = ""
    odd = "".join(token.text for token in tokens[index : index + 2]) == "-odd"
    if odd or (index < len(tokens) and tokens[index].text in {"+", "多", "余"} and not tokens[index].gap and not _begins_di(tokens, index)):
        bound, index = ">", index + 1 + odd
        if unit == "":
            unit, index = _unit(tokens, index)
    if not math.isfinite(value * scale):
        return None
    integer = (
        int(value) if plain and scale == 1.0 and not exponent and unit == "" and not bound and "," not in tokens[index - 1].text else None
    )
    number = Number(sign * value * scale, unit or ("$" if money else ""), step * scale, signed, bound, decimals, integer)
    return number, index


def _begins_di(tokens: Sequence[Token], index: int) -> bool:
    """Return whether what looks like a bound begins another word: `30 +DI`, `200多头`."""
    return index + 1 < len(tokens) and tokens[index + 1].text in {"di", "头", "空", "单", "方", "军", "仓"}


def _exponent(tokens: Sequence[Token], index: int, value: float, step: float) -> tuple[int, float, float, bool]:
    """Read `6.5e-5`."""
    if index + 1 < len(tokens) and tokens[index].text == "e" and not tokens[index].gap:
        negative = tokens[index + 1].text == "-"
        digits = index + 1 + (tokens[index + 1].text in {"-", "+"})
        if digits < len(tokens) and tokens[digits].text.isascii() and tokens[digits].text.isdigit() and len(tokens[digits].text) <= 2:
            factor = 10.0 ** (-int(tokens[digits].text) if negative else int(tokens[digits].text))
            return digits + 1, value * factor, step * factor, True
    return index, value, step, False


def _scale(tokens: Sequence[Token], index: int) -> tuple[int, float]:
    if index < len(tokens):
        word = tokens[index]
        factor = _SCALE.get(word.text)
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if word.text + following in _LARGE_ZH:
            return index + 2, _LARGE_ZH[word.text + following]
        if factor is not None and not (word.text in _GLUED_ONLY and word.gap) and following not in {"线", "分"}:
            return index + 1, factor
    return index, 1.0


def _unit(tokens: Sequence[Token], index: int) -> tuple[str, int]:
    """Return the unit written after a number, and the index after it."""
    if index >= len(tokens) or tokens[index].text not in _UNIT_STARTS:
        return "", index
    texts = [token.text for token in tokens[index : index + 4]]
    for length in (4, 3, 2, 1):
        name = _UNITS.get("".join(texts[:length])) if len(texts) >= length else None
        if name is not None and not _is_something_else(name, texts[length : length + 1], tokens[index].gap):
            return name, index + length
    return "", index


def _is_something_else(name: str, following: list[str], gap: bool) -> bool:
    """Recognise `34 %K` has no percent, `40成交` no tenths."""
    if name == "%":
        return gap and following in (["k"], ["d"])
    return name == "tenth" and (gap or (bool(following) and following[0] in "交本功立"))


def _chinese(tokens: Sequence[Token], at: int) -> tuple[Number, int] | None:
    """Read `百分之三`, `万分之一`, `千分之0.5`, `三成五`, `七十`."""
    texts = [token.text for token in tokens[at : at + 4]]
    if len(texts) >= 4 and texts[1:3] == ["分", "之"] and texts[0] in {"百", "千", "万"}:
        factor = {"百": 1.0, "千": 0.1, "万": 0.01}[texts[0]]
        if tokens[at + 3].kind == "n" and len(texts[3]) <= _LONGEST:
            value = float(texts[3].replace(",", ""))
            return Number(value * factor, "%", 10.0 ** -len(texts[3].partition(".")[2]) * factor), at + 4
        if texts[3] in _DIGITS_ZH:
            return Number(_DIGITS_ZH[texts[3]] * factor, "%", factor), at + 4
        return None
    if len(texts) >= 2 and texts[0] in _DIGITS_ZH and texts[1] in {"成", "倍"}:
        value, unit = float(_DIGITS_ZH[texts[0]]), "tenth" if texts[1] == "成" else "x"
        if unit == "tenth" and len(texts) >= 3 and texts[2] in _BEHIND_TENTHS:
            return Number(value + _BEHIND_TENTHS[texts[2]], unit, 0.1), at + 3
        return Number(value, unit), at + 2
    return _tens(tokens, at, texts)


def _tens(tokens: Sequence[Token], at: int, texts: list[str]) -> tuple[Number, int] | None:
    """Read `七十`, `二十八`: two or three characters with a ten; a single digit is not a number, it is too often part of a word."""
    if len(texts) >= 2 and texts[0] in _DIGITS_ZH and texts[0] != "十" and texts[1] == "十":
        value, index = _DIGITS_ZH[texts[0]] * 10, at + 2
        if len(texts) >= 3 and texts[2] in _DIGITS_ZH and texts[2] not in {"十", "两", "零"}:
            value, index = value + _DIGITS_ZH[texts[2]], index + 1
        unit, index = _unit(tokens, index)
        bound = ""
        if index < len(tokens) and tokens[index].text in {"多", "余"}:
            bound, index = ">", index + 1
        return Number(float(value), unit, 1.0, bound=bound), index
    return None
