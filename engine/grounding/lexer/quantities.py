"""Whatever begins with a number: a number, a range, a decade, a list's number, a timeframe, a date, a count of bars (`15m`, `four-hour`,
`日线`, `2026-11-05`, `14:30`, `33 bars`, `3根K线前`).

Every function is given the text and the index of a token, appends what begins there, and gives the index behind it; 0 when nothing does.
"""

from dataclasses import replace

from engine.grounding.lexer.item import make_range
from engine.grounding.lexer.lexicon import TokenReader
from engine.grounding.lexer.numbers import SIGNS, Number, read_number
from engine.grounding.lexer.tokens import Token
from engine.grounding.words import categories as c
from engine.grounding.words.lists import COUNT_NOUNS, FRAME_NOUNS, FRAME_UNITS, FRAME_WORDS, METATRADER, MINUTES, MONTHS, SPELT

_AFTER_MAY = frozenset({"i", "we", "it", "not", "be", "well"})  # `14 may not hold` has no month
DASHES = frozenset({"-", "–", "—", "~", "−"})


def read_date(text: TokenReader, at: int) -> int:
    """Append a date, a time or a ratio; none of them is a value."""
    if at + 1 >= len(text.tokens):
        return 0
    texts = [unit.text for unit in text.tokens[at : at + 5]]
    glued = [not unit.gap for unit in text.tokens[at + 1 : at + 5]]
    length = _date_of_digits(texts, glued)
    if length:
        return text.put(c.UNKNOWN, "date", at, at + length)
    if len(texts) >= 3 and texts[1] == ":" and glued[0] and glued[1] and _is_clock(text, at, texts[2]):
        return text.put(c.UNKNOWN, "ratio", at, at + 3)
    named = len(texts[0]) <= 2 and texts[1] in MONTHS and not set(texts[2:3]) & _AFTER_MAY
    chinese = texts[1] in {"年", "月"} or (texts[1] in {"日", "号"} and bool(text.items) and text.items[-1].val == "date")
    return text.put(c.UNKNOWN, "date", at, at + 2) if texts[0].isdigit() and (named or chinese) else 0


def _date_of_digits(texts: list[str], glued: list[bool]) -> int:
    """Return how many tokens `2026-05-14`, `14.05.2026` or `05-14` takes; 0 where none begins."""
    if len(texts) < 3 or texts[1] not in {"-", "/", "."} or not (texts[2].isdigit() and all(glued[:2])):
        return 0
    if len(texts) == 5 and texts[1] == texts[3] and texts[4].isdigit() and all(glued) and 4 in {len(texts[0]), len(texts[4])}:
        return 5
    short = texts[1] != "." and len(texts[0]) == len(texts[2]) == 2 and texts[0][0] == "0" and 1 <= int(texts[2]) <= 31
    return 3 if short and texts[3:4] not in (["%"], ["."]) else 0


def read_month(text: TokenReader, at: int) -> int:
    """Append `May 14`, `Jan. 3rd, 2026`."""
    day = at + 1 + (at + 1 < len(text.tokens) and text.tokens[at + 1].text == "." and text.tokens[at].text != "may")
    if day >= len(text.tokens) or not text.tokens[day].text.isdigit() or not 1 <= int(text.tokens[day].text) <= 31:
        return 0
    after = day + 1
    if after < len(text.tokens) and text.tokens[after].text in {"%", "percent", "pct", "bars", "candles", "points"}:
        return 0
    if after < len(text.tokens) and text.tokens[after].text in {"st", "nd", "rd", "th"}:
        after += 1
    comma = after < len(text.tokens) and text.tokens[after].text == ","
    year = after + comma
    if (
        year < len(text.tokens)
        and text.tokens[year].text.isdigit()
        and text.tokens[year].text.startswith("20")
        and len(text.tokens[year].text) == 4
    ):
        after = year + 1
    return text.put(c.UNKNOWN, "date", at, after)


def _is_clock(text: TokenReader, at: int, right: str) -> bool:
    """Return whether digits around a colon are a time or a ratio (`14:30`, `2.5:1`) and not a name and its value (`EMA20:97`)."""
    named = at > 0 and not text.tokens[at].gap and text.tokens[at - 1].kind == "w"
    return right.isdigit() and len(right) <= 2 and not named


def _past_dash(text: TokenReader, at: int) -> int:
    """Return the index after an optional dash."""
    return at + 1 if at < len(text.tokens) and text.tokens[at].text == "-" and not text.tokens[at].gap else at


def _word_in(text: TokenReader, at: int, table: dict[str, str]) -> tuple[str, int] | None:
    if at + 1 < len(text.tokens) and text.tokens[at].text + text.tokens[at + 1].text in table and text.tokens[at].kind == "c":
        return table[text.tokens[at].text + text.tokens[at + 1].text], at + 2
    if at < len(text.tokens) and text.tokens[at].text in table:
        return table[text.tokens[at].text], at + 1
    return None


def read_frame(text: TokenReader, at: int) -> int:
    """Append a timeframe written with digits: `15m`, `4-hour`."""
    digits = text.tokens[at].text
    found = _word_in(text, _past_dash(text, at + 1), FRAME_UNITS) if digits.isdigit() and len(digits) <= 3 else None
    if found is None:
        return 0
    (unit, after), length = found, int(digits)
    if (unit == "m" and length not in MINUTES) or (unit == "d" and length != 1) or (unit == "w" and length > 4) or length > 72:
        return 0
    if unit == "m" and text.tokens[after - 1].text == "m" and text.tokens[after - 1].gap:
        return 0
    if unit == "h" and length == 24:
        return 0
    return _close_frame(text, f"{length}{unit}", at, after)


def _close_frame(text: TokenReader, name: str, at: int, after: int) -> int:
    following = [unit.text for unit in text.tokens[after : after + 2]]
    if following[:1] == ["ago"] or following[:1] == ["earlier"] or (following[:1] == ["前"] or following[:2] == ["之", "前"]):
        return text.put(c.HISTORY, None, at, after + (2 if following[:2] == ["之", "前"] else 1))
    name = {"60m": "1h", "120m": "2h", "24h": "1d"}.get(name, name)
    joined = "".join(unit.text for unit in text.tokens[after : after + 2])
    nouns = 0
    if joined in FRAME_NOUNS and len(following) == 2 and following[0] not in FRAME_NOUNS:
        nouns = 2
    elif following[:1] and following[0] in FRAME_NOUNS and following[0] != "k":
        nouns = 1
    if nouns:
        text.put(c.FRAME, name, at, after)
        return text.put(c.FILL, "chart", after, after + nouns)
    return text.put(c.FRAME, name, at, after)


def read_frame_word(text: TokenReader, at: int) -> int:
    """Read `daily`, `four-hour`, `h4`, `日线`, `小时图`."""
    unit = text.tokens[at]
    return _read_latin_frame(text, at, unit) if unit.kind == "w" else _read_chinese_frame(text, at, unit)


def _read_latin_frame(text: TokenReader, at: int, unit: Token) -> int:
    name, after = "", at + 1
    following = text.tokens[at + 1] if at + 1 < len(text.tokens) else None
    if unit.text in FRAME_WORDS and not _is_longer(text, at):
        name = FRAME_WORDS[unit.text]
    elif unit.text in SPELT:
        found = _word_in(text, _past_dash(text, at + 1), FRAME_UNITS)
        if found is not None and text.tokens[found[1] - 1].kind == "w":
            name, after = f"{SPELT[unit.text]}{found[0]}", found[1]
    elif unit.text in {"h", "m", "d", "w"} and following is not None and not following.gap and following.text in METATRADER:
        name, after = following.text + unit.text, at + 2
    return _close_frame(text, name, at, after) if name else 0


def _read_chinese_frame(text: TokenReader, at: int, unit: Token) -> int:
    pair, third = "".join(unit.text for unit in text.tokens[at : at + 2]), "".join(unit.text for unit in text.tokens[at + 2 : at + 3])
    if pair == "小时" and third and third in "线图级k":
        return _close_frame(text, "1h", at, at + 3)
    named = text.match(at + 2) if pair == "小时" else None
    if named is not None and named[0][0] == c.IND:
        return text.put(c.FRAME, "1h", at, at + 2)
    if pair in {"日线", "日k", "日图", "周线", "周k", "周图", "时线"} and not _is_longer(text, at, 2):
        return _close_frame(text, {"周": "1w", "日": "1d"}.get(unit.text, "1h"), at, at + 2)
    return text.put(c.FRAME, "htf", at, at + 3) if pair in {"高周", "大周"} and third == "期" else 0


def _is_longer(text: TokenReader, at: int, length: int = 1) -> bool:
    """Return whether a phrase of the lexicon covers more than the first `length` units here."""
    found = text.match(at)
    return found is not None and found[1] - at > length


def read_count(text: TokenReader, at: int) -> int:
    """Append a number of bars, days or other things."""
    digits = text.tokens[at].text
    if not digits.isdigit() or len(digits) > 4:
        return 0
    noun_at = _past_dash(text, at + 1)
    if noun_at + 1 < len(text.tokens) and text.tokens[noun_at].text == "个" and text.tokens[noun_at + 1].text in {"周", "月", "交", "小"}:
        noun_at += 1
    found = _word_in(text, noun_at, COUNT_NOUNS) or _framed_bars(text, noun_at)
    if found is None or (found[0] == "bar" and text.tokens[found[1] - 1].text == "k" and not _is_kline(text, found[1])):
        return 0
    noun, after = found
    if noun == "other" and text.tokens[after - 1].text == "个" and text.tokens[after].text == "百" if after < len(text.tokens) else False:
        return 0
    if _is_kline(text, after - 1):
        after += 1
    elif after + 1 < len(text.tokens) and text.tokens[after].text == "k" and _is_kline(text, after + 1):
        after += 2
    past = _past_ago(text, after)
    return text.put(c.HISTORY, None, at, past) if past else text.put(c.COUNT, (int(digits), noun), at, after)


def _past_ago(text: TokenReader, at: int) -> int:
    """Read `3根K线前`, `3天之前`: the index behind it; 0 when no word of the past follows."""
    texts = [unit.text for unit in text.tokens[at : at + 3]]
    length = 2 if texts[:2] in (["之", "前"], ["以", "前"]) else 1 if texts[:1] == ["前"] else 0
    following = texts[length] if length and len(texts) > length else ""
    return at + length if length and following not in {*"高低期值"} else 0


def _framed_bars(text: TokenReader, at: int) -> tuple[str, int] | None:
    """Read `41 hourly bars`, `26根5分钟线`: bars of a timeframe are bars."""
    ahead = [unit.text for unit in text.tokens[at : at + 6]]
    if ahead[:1] and ahead[0] in FRAME_WORDS:
        found = _word_in(text, at + 1, COUNT_NOUNS)
        return found if found is not None and found[0] == "bar" else None
    number = 1 if ahead[:1] == ["根"] else 0
    if len(ahead) > number + 1 and (ahead[number].isdigit() or ahead[number] in SPELT):
        frame = _word_in(text, _past_dash(text, at + number + 1), FRAME_UNITS)
        if frame is not None and number and frame[1] < len(text.tokens):
            after = frame[1] + (text.tokens[frame[1]].text in {"线", "k"})
            return "bar", after + _is_kline(text, after)
        found = _word_in(text, frame[1], COUNT_NOUNS) if frame is not None else None
        return found if found is not None and found[0] == "bar" else None
    return None


def _is_kline(text: TokenReader, at: int) -> bool:
    return at < len(text.tokens) and text.tokens[at].text == "线" and text.tokens[at - 1].text == "k"


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
