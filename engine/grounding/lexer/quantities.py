"""Whatever begins with a number: a number, a range, a decade, a list's number, and what `timeframes.py` makes of digits.

Every function is given the text and the index of a token, appends what begins there, and gives the index behind it; 0 when nothing does.
"""

from dataclasses import replace

from engine.grounding.lexer.item import make_range
from engine.grounding.lexer.numbers import SIGNS, Number, read_number
from engine.grounding.lexer.timeframes import read_count, read_date, read_frame
from engine.grounding.lexer.token_reader import TokenReader
from engine.grounding.words import categories as c

DASHES = frozenset({"-", "–", "—", "~", "−"})


def read_numeric(text: TokenReader, at: int) -> int:
    """Append what begins with a number or its sign."""
    unit = text.tokens[at]
    if unit.text == "." or (unit.text in SIGNS and _is_joint(text, at)):
        return 0
    if unit.text in {"负", "minus"}:
        return _read_minus(text, at) if text.is_counted(at + 1) else 0
    phrase = text.match(at)
    if phrase is not None and phrase[0][0] in {c.IND, c.MEAN, c.SINK, c.STATE} and (phrase[1] - at > 1):
        return text.put_phrase(at)
    decade = _read_decade(text, at)
    if decade:
        return decade
    special = _read_list_number(text, at) or read_date(text, at) or read_frame(text, at) or read_count(text, at) if unit.kind == "n" else 0
    read = read_number(text.tokens, at) if not special else None
    return special if read is None else _read_range(text, at, *read) or text.put(c.NUM, read[0], at, read[1])


def _read_decade(text: TokenReader, at: int) -> int:
    """Read `十几`, `四十出头`, `六十多`: a part of a decade."""
    texts = [unit.text for unit in text.tokens[at : at + 4]]
    tens = (
        1
        if texts[:1] == ["十"]
        else "一二三四五六七八九".find(texts[0]) + 1
        if texts[1:2] == ["十"] and texts[0] in "一二三四五六七八九"
        else 0
    )
    after = at + (1 if texts[:1] == ["十"] else 2)
    rest = [unit.text for unit in text.tokens[after : after + 2]]
    part = {"几": (0, 10, 1), "多": (0, 10, 1)}.get(rest[0] if rest else "") or ((0, 5, 2) if rest == ["出", "头"] else None)
    if not tens or part is None:
        return 0
    low, high, used = part
    ends = (Number(10.0 * tens + low), Number(10.0 * tens + high))
    return text.put(c.RANGE, ends, at, after + used)


def _read_minus(text: TokenReader, at: int) -> int:
    """Read `负72`."""
    read = read_number(text.tokens, at + 1)
    if read is None:
        return text.put_unknown(at)
    number, after = read
    return text.put(c.NUM, replace(number, value=-number.value, signed=True, integer=None), at, after)


def _is_joint(text: TokenReader, at: int) -> bool:
    """Return whether a sign is between two things instead of before a number."""
    unit = text.tokens[at]
    if unit.gap or at == 0:
        return False
    before = text.tokens[at - 1]
    if before.kind == "n" or before.text in {")", "%"}:
        return True
    if before.kind != "w" or unit.text == "−":
        return False
    last = text.items[-1] if text.items else None
    return not (last is not None and last.cat == c.IND and getattr(last.val, "signed", False))


def _read_list_number(text: TokenReader, at: int) -> int:
    """Read `1. `, `2)`, `3、`, `(1)` at the beginning of a line or clause."""
    unit = text.tokens[at]
    bracketed = len(unit.text) == 1 and len(text.items) > 1 and text.items[-1].cat == c.OPEN
    before = text.items[-2] if bracketed else text.items[-1] if text.items else None
    begins = before is None or before.cat in {c.STRONG, c.WEAK} or (bracketed and before.val == "colon")
    if len(unit.text) > 2 or at + 2 >= len(text.tokens) or not begins:
        return 0
    sign, following = text.tokens[at + 1], text.tokens[at + 2]
    if sign.text == ")" and text.items and text.items[-1].cat != c.STRONG and not bracketed:
        return 0
    if sign.text not in {".", ")", "、"} or sign.gap or following.kind == "n":
        return 0
    return text.put(c.STRONG, "list", at, at + 2)


def _read_range(text: TokenReader, at: int, first: Number, after: int) -> int:
    """Read `40-45`, `97-98k`, `2.37–2.40`."""
    if after + 1 >= len(text.tokens) or text.tokens[after].text not in DASHES or text.tokens[after].gap != text.tokens[after + 1].gap:
        return 0
    if first.unit in {"x"} or text.tokens[after + 1].text in SIGNS:
        return 0
    read = read_number(text.tokens, after + 1)
    pair = make_range(first, read[0]) if read is not None else None
    if pair is None or read is None:
        return 0
    return text.put(c.RANGE, pair, at, read[1])
