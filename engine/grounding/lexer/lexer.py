"""From tokens to items: numbers composed, words found, signs told apart.

Given a normalised text and a table of indicators, gives a flat list of items, each with its category (see `words/categories.py`) and its
place in the normalised text. What an item means for the claims around it is not decided here.
"""

from engine.grounding.lexer.item import Item
from engine.grounding.lexer.lexicon import TokenReader
from engine.grounding.lexer.numbers import SIGNS
from engine.grounding.lexer.quantities import DASHES, read_frame_word, read_month, read_numeric
from engine.grounding.lexer.tokens import Token
from engine.grounding.tables.table import IndicatorTable
from engine.grounding.words import categories as c
from engine.grounding.words.lists import FRAME_WORDS, MONTHS, SPELT

_NUMBER_STARTS = frozenset([*SIGNS, *"$¥€£百千万一二两三四五六七八九十.负", "minus"])
_FRAME_STARTS = frozenset([*FRAME_WORDS, *SPELT, "h", "m", "d", "w", "小", "日", "周", "时", "高", "大"])
_ABBREVIATIONS = frozenset({"approx", "vs", "ca", "liq", "e", "g", "i", "eg", "ie", "no", "resp", "avg", "c", "unreal", "max", "min"})


def read_items(normal: str, table: IndicatorTable) -> list[Item]:
    """Return the items of a normalised text."""
    text = TokenReader(normal, table)
    at, count = 0, len(text.tokens)
    while at < count:
        at = _read_one(text, at)
    return text.items


def _read_one(text: TokenReader, at: int) -> int:
    unit = text.tokens[at]
    if unit.kind == "l":
        return _read_line_end(text, at)
    after = read_numeric(text, at) if unit.kind == "n" or unit.text in _NUMBER_STARTS else 0
    after = after or (read_month(text, at) if unit.text in MONTHS else 0)
    after = after or (read_frame_word(text, at) if unit.text in _FRAME_STARTS else 0)
    after = after or (text.put_phrase(at) if unit.text in text.root.ways else 0)
    return after or _read_sign(text, at)


def _read_sign(text: TokenReader, at: int) -> int:
    unit = text.tokens[at]
    if unit.text in ".?？。":
        return _read_stop(text, at)
    if unit.text in DASHES or (unit.kind == "c" and not unit.text.isalnum()):
        dash = unit.text in {"–", "—"} or (unit.text == "-" and unit.gap and _gap_after(text, at))
        return text.put(c.WEAK if dash else c.FILL, unit.text, at, at + 1)
    return text.put_unknown(at)


def _read_line_end(text: TokenReader, at: int) -> int:
    following = text.tokens[at + 1] if at + 1 < len(text.tokens) else None
    wrapped = (
        following is not None
        and (following.kind == "w" or (following.kind == "c" and following.text.isalpha()))
        and at > 0
        and (text.tokens[at - 1].kind in {"w", "n"} or text.tokens[at - 1].text.isalpha())
        and text.tokens[at - 1].end - text.line_start >= 60
    )
    text.line_start = text.tokens[at].end
    return at + 1 if wrapped else text.put(c.STRONG, "\n", at, at + 1)


def _read_stop(text: TokenReader, at: int) -> int:
    unit = text.tokens[at]
    if unit.text != ".":
        return text.put(c.STRONG, "?" if unit.text in "?？" else unit.text, at, at + 1)
    if all(text.tokens[position].text == "." for position in range(at, min(at + 4, len(text.tokens)))) and at + 4 < len(text.tokens):
        after = next((position for position in range(at, len(text.tokens)) if text.tokens[position].text != "."), len(text.tokens))
        return text.put(c.LINK, None, at, after)  # `ADX ........ 14.7`
    before = text.tokens[at - 1] if at else None
    following = text.tokens[at + 1] if at + 1 < len(text.tokens) else None
    if before is not None and following is not None and not unit.gap and _is_abbreviated(before, following):
        return text.put(c.FILL, ".", at, at + 1)
    inside = following is not None and not following.gap and following.kind == "w" and text.items and text.items[-1].cat == c.FRAME
    return text.put(c.FILL if inside else c.STRONG, ".", at, at + 1)


def _is_abbreviated(before: Token, following: Token) -> bool:
    """Recognise `approx. 72`, `No. 3`, but not `No. RSI is 72`."""
    return before.text in _ABBREVIATIONS and following.kind != "l" and (before.text != "no" or following.kind == "n")


def _gap_after(text: TokenReader, at: int) -> bool:
    return at + 1 >= len(text.tokens) or text.tokens[at + 1].gap
