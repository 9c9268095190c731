"""Reads one value out of a model's decorated words: a number, a confidence, a price, a word of a list.

Pure and strict about meaning, tolerant about dress. Given what is behind a key, gives the value or raises Unreadable; it never guesses:
two numbers, a range, a comparison (`>70`), a word beside another allowed word have no single value. `normal` maps every character to
exactly one, so offsets stay what they are. Values are taken as written: `97.4k` is 97400; a confidence of `0.75` may be meant as a share
and is none.
"""

import math
import re
from collections.abc import Collection
from decimal import Decimal
from typing import Any

from engine.domain.errors import ModelError
from engine.domain.text.reason import Reason

_LONGEST = 300  # characters of a value that are looked at; what is longer is prose
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_SPACES = dict.fromkeys(map(ord, "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\ufeff\t"), " ")
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f"), " ")  # models copy them from pages and emoji
_LINES = dict.fromkeys(map(ord, "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), "\n")
_LOOKALIKES = {ord(a): b for a, b in zip("−﹣‐‑–—【】「」『』“”‘’、。", '-----—[][][]""' + "'';;", strict=True)}
_NORMAL = _FULL_WIDTH | _SPACES | _UNSEEN | _LINES | _LOOKALIKES

_NOTHING = re.compile(
    r"(?:n\.?/?a\.?|none|null|nil|[-—]{1,3}|not (?:applicable|available|needed|required|set)"
    r"|无需?|没有|暂无|不适用|不需要|未设置|无数据)"
    r"(?: ?[(].*)?",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"<[^<>]*[^\W\d][^<>]*>.*|<\d+ ?[-~] ?\d+>.*"  # <price>, <0-100>
    r"|[(\[{]?[01] ?[-~—] ?100[)\]}]?"  # 0-100
    r"|\{[^{}]*\}|\[[^\[\]\d][^\[\]]*\]"  # {price}, [price]
    r"|(?:a )?(?:price|number|percent(?:age)?|ratio)(?:[^\w%].*)?|价格|数字|百分比"
    r"|\.{2,}|…+|_{2,}|\?+|x{2,}",
    re.IGNORECASE,
)
_CHOICE = re.compile(r"[^\W\d][\w -]{0,30}(?: ?[|/] ?[^\W\d][\w -]{0,30})++\W*")  # LONG|SHORT|NEUTRAL
_NUMBER = re.compile(
    r"(?:[~≈约]|about |approx\.? )? ?(?P<sign>[+-]?)(?:[$¥€£₿] ?)?"
    r"(?P<digits>\d{1,3}(?:,\d{3})++(?:\.\d+)?|\d{1,3}(?: \d{3})++(?:\.\d+)?|\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?|\.\d+)"
    r"(?P<times>k(?![^\W\d])|[千万])?"
    r"(?: ?(?:%|percent\b|pct\b|x\b|times\b|usd[tc]?\b|points?\b|[倍分点]|美元|个点|左右))*"
    r"(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_TIMES = {"k": 1_000, "千": 1_000, "万": 10_000}
_LOUD_REST = re.compile(  # what behind a number would make it another number
    r"[^\W_]|[-~+/—\s]+\Z|\W*(?:(?:thousand|million|billion|hundred|mn|bn|or|to|k|m|b)(?![a-z])|[百千万亿兆至到或])", re.IGNORECASE
)
_COMMENT = re.compile(r"(?<=\S)\s*[(\[].*$", re.DOTALL)
_DRESS = " \n*`\"'"

# Words models use in place of the ones that are asked for. Which of the candidates is meant follows from what the key allows.
OTHER_WORDS: dict[str, tuple[str, ...]] = {
    "BULLISH": ("LONG", "BULL"), "BEARISH": ("SHORT", "BEAR"), "BULL": ("LONG", "BULLISH"), "BEAR": ("SHORT", "BEARISH"),
    "LONG": ("BULL", "BULLISH"), "SHORT": ("BEAR", "BEARISH"),
    "做多": ("LONG", "ENTRY_LONG"), "开多": ("ENTRY_LONG",), "开多仓": ("ENTRY_LONG",),
    "做空": ("SHORT", "ENTRY_SHORT"), "开空": ("ENTRY_SHORT",), "开空仓": ("ENTRY_SHORT",),
    "看多": ("LONG", "BULL"), "看涨": ("LONG", "BULL"), "多头": ("LONG", "BULL"),
    "看空": ("SHORT", "BEAR"), "看跌": ("SHORT", "BEAR"), "空头": ("SHORT", "BEAR"),
    "中性": ("NEUTRAL",), "观望": ("NEUTRAL", "WAIT"), "等待": ("WAIT",), "持有": ("HOLD",), "继续持有": ("HOLD",),
    "平仓": ("EXIT",), "离场": ("EXIT",), "加仓": ("SCALE_IN",), "减仓": ("PARTIAL_EXIT",), "部分平仓": ("PARTIAL_EXIT",),
}  # fmt: skip


class Unreadable(ModelError):
    """An answer without a value that was asked for. The message names the key and what was found in its place."""


class NoBlock(Unreadable):
    """An answer whose words are of use without its closing block. instead: what is read of them where the block cannot be got."""

    def __init__(self, message: str, instead: Any) -> None:
        super().__init__(message)
        self.instead = instead


def normal(text: str) -> str:
    """Full-width forms, odd spaces, minus signs, quotes and line ends as plain ones; one character for one, so offsets are kept."""
    return text.translate(_NORMAL)


def is_nothing(text: str) -> bool:
    """Return whether a value says that there is none: `N/A`, `none`, `-`, `无`."""
    return _NOTHING.fullmatch(undressed(text)) is not None


def is_placeholder(text: str) -> bool:
    """Return whether a value is the prompt's own template: `<0-100>`, `LONG|SHORT|NEUTRAL`, `...`, or nothing at all."""
    value = undressed(text)
    if not value or _PLACEHOLDER.fullmatch(value):
        return True
    return not is_nothing(value) and _CHOICE.fullmatch(value) is not None


def undressed(text: str) -> str:
    """Return a value without bold marks, backticks, quotes and trailing punctuation, at most 300 characters of it."""
    value = normal(text[:_LONGEST]).replace("*", "").replace("`", "").replace("\\_", "_")
    value = value.strip(_DRESS).rstrip(",;| \n" if "{" in value else ",;|} \n")
    if value.endswith(".") and not value.endswith(".."):
        value = value[:-1]
    value = value.strip(_DRESS)
    inner = value[1:-1]
    if value[:1] + value[-1:] in ("[]", "()") and not any(mark in inner for mark in "[]()"):
        plain = inner.strip(_DRESS)
        return plain if plain[:1].isdigit() or plain.isupper() else value
    return value


def number(text: str, key: str = "number") -> float:
    """Return the one number in a value, as written.

    Reads `64,250.5`, `64 250`, full-width digits, `80%`, `-15.2`, `$97.4k`, `6.4万`, `5x`, `80 (firm)`, `80, since it holds`.
    Raises Unreadable for two numbers, ranges, comparisons, wrong grouping (`1,0e5`), NaN and infinity.
    """
    found = _NUMBER.fullmatch(_without_comment(undressed(text)))
    if found is None or _LOUD_REST.match(found["rest"]) or any(sign.isdigit() for sign in found["rest"]):
        raise Unreadable(_said(key, text, "one number"))
    plain = Decimal(re.sub("[, ]", "", found["digits"]))
    value = float(plain * _TIMES.get((found["times"] or "").lower(), 1))
    if not math.isfinite(value):
        raise Unreadable(_said(key, text, "a finite number"))
    return -value if found["sign"] == "-" and value else value


def confidence(text: str, key: str = "confidence") -> float:
    """Return a confidence, 0-100; `80%` and `80/100` are 80. A share of one (`0.75`, `1.0`) is refused: percent is asked for."""
    value = number(re.sub(r"(?<=\d) ?%? ?(?:/|out of) ?100(?![\d.,])", "", normal(text[:_LONGEST]), count=1), key)
    if not 0 <= value <= 100:
        raise Unreadable(_said(key, text, "a number from 0 to 100"))
    if 0 < value < 1 or (value == 1 and "1.0" in text):
        raise Unreadable(_said(key, text, "percent, such as 66"))
    return value


def price(text: str, key: str) -> float | None:
    """Return a price in quote money, None for `N/A` and for 0, which is no price. Raises Unreadable for a negative one or a percentage."""
    if is_nothing(text):
        return None
    value = number(text, key)
    if value < 0 or "%" in _without_comment(undressed(text)):
        raise Unreadable(_said(key, text, "a price"))
    return value or None


def word(text: str, allowed: Collection[str], key: str = "word") -> str:
    """Return the one of `allowed` (upper-case words) that a value states: in any case, hyphen or space for underscore, in Chinese, or in a
    word that means the same (`BULLISH` for `LONG`).

    A comment behind punctuation is passed over, unless it holds another allowed word. Raises Unreadable for everything else.
    """
    value = undressed(text).strip("[]()")
    head = re.split(r"[(\[,;:.!—]| - ", value, maxsplit=1)[0]
    meant = _meant(head, allowed)
    remark = re.findall(r"[A-Za-z]+(?:[_-][A-Za-z]+)*|[\u4e00-\u9fff]+", value[len(head) :])
    others = {_meant(part, allowed) for part in remark if not part.isascii() or part.upper() not in OTHER_WORDS or part.upper() in allowed}
    if meant is None or others - {meant, None}:
        raise Unreadable(_said(key, text, "one of " + ", ".join(allowed)))
    return meant


def _meant(text: str, allowed: Collection[str]) -> str | None:
    plain = text.strip("*_`\"' \n\U0001f7e2\U0001f534\U0001f7e1\U0001f4c8\U0001f4c9✅")
    upper = re.sub(r"[\s_-]+", "_", plain).upper()
    if upper in allowed:
        return upper
    fitting = [candidate for candidate in OTHER_WORDS.get(upper, ()) if candidate in allowed]
    return fitting[0] if len(fitting) == 1 else None


def _without_comment(value: str) -> str:
    return _COMMENT.sub("", value).rstrip(" *`,;.")


def _said(key: str, text: str, wanted: str) -> str:
    shown = " ".join(text[:80].split())
    return Reason("block_value_is_wrong", key=key, shown=f"{shown[:60]!r}", wanted=wanted)
