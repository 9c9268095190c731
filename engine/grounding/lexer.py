"""From units to items: numbers composed, words found, timeframes and parameters put with what they belong to.

Given a normalised text, gives a flat list of items, each with its category (see `lexicon.py`) and its place in the normalised text. What
an item means for the claims around it is not decided here.
"""

from dataclasses import replace

from engine.grounding import categories as c
from engine.grounding.item import Item, make_range
from engine.grounding.lexicon import Branch, Entry, tree
from engine.grounding.numbers import SIGNS, Number, read_number
from engine.grounding.spelled import spell_out
from engine.grounding.units import Unit, split_units
from engine.grounding.words_frames import COUNT_NOUNS, FRAME_NOUNS, FRAME_UNITS, FRAME_WORDS, METATRADER, MINUTES, SPELT

_DATE_SIGNS = frozenset("-/.:年月日号")
_NUMBER_STARTS = frozenset([*SIGNS, *"$¥€£百千万一二两三四五六七八九十.负", "minus"])
_FRAME_STARTS = frozenset([*FRAME_WORDS, *SPELT, "h", "m", "d", "w", "小", "日", "周", "时", "高", "大"])
_RUNS = frozenset({c.OPEN, c.CLOSE, c.STRONG, c.WEAK, c.FILL, c.NEG})
_ABBREVIATIONS = frozenset({"approx", "vs", "ca", "liq", "e", "g", "i", "eg", "ie", "no", "resp", "avg", "c", "unreal", "max", "min"})
_DASHES = frozenset({"-", "–", "—", "~", "−"})


def read_items(text: str) -> list[Item]:
    """The items of a normalised text."""
    return _Lexer(text).run()


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.units = spell_out(split_units(text))
        self.items: list[Item] = []
        self.root = tree()
        self.line_start = 0

    def run(self) -> list[Item]:
        at, count = 0, len(self.units)
        while at < count:
            at = self._one(at)
        return self.items

    def _one(self, at: int) -> int:
        unit = self.units[at]
        if unit.kind == "l":
            return self._line_end(at)
        after = self._numeric(at) if unit.kind == "n" or unit.text in _NUMBER_STARTS else 0
        after = after or (self._frame_word(at) if unit.text in _FRAME_STARTS else 0)
        after = after or (self._phrase(at) if unit.text in self.root.ways else 0)
        return after or self._sign(at)

    def _sign(self, at: int) -> int:
        unit = self.units[at]
        if unit.text in ".?？。":
            return self._stop(at)
        if unit.text in _DASHES or (unit.kind == "c" and not unit.text.isalnum()):
            dash = unit.text in {"–", "—"} or (unit.text == "-" and unit.gap and self._gap_after(at))
            return self._put(c.WEAK if dash else c.FILL, unit.text, at, at + 1)
        return self._unknown(at)

    def _put(self, cat: str, val: object, at: int, after: int) -> int:
        first, last = self.units[at], self.units[after - 1]
        items = self.items
        if (
            cat in _RUNS
            and items
            and items[-1].cat == cat
            and items[-1].val is val
            and after - at == 1
            and first.text == self.units[at - 1].text
        ):
            items[-1].end = last.end  # a row of the same sign is one
            return after
        items.append(Item(cat, val, first.start, last.end, first.gap))
        return after

    def _unknown(self, at: int) -> int:
        unit = self.units[at]
        last = self.items[-1] if self.items else None
        if last is not None and last.cat == c.UNKNOWN and not unit.gap and unit.kind == "c" and last.end == unit.start:
            last.end = unit.end
            return at + 1
        return self._put(c.UNKNOWN, unit.text, at, at + 1)

    # Signs between sentences.

    def _line_end(self, at: int) -> int:
        following = self.units[at + 1] if at + 1 < len(self.units) else None
        wrapped = (
            following is not None
            and (following.kind == "w" or (following.kind == "c" and following.text.isalpha()))
            and at > 0
            and (self.units[at - 1].kind in {"w", "n"} or self.units[at - 1].text.isalpha())
            and self.units[at - 1].end - self.line_start >= 60
        )
        self.line_start = self.units[at].end
        return at + 1 if wrapped else self._put(c.STRONG, "\n", at, at + 1)

    def _stop(self, at: int) -> int:
        unit = self.units[at]
        if unit.text != ".":
            return self._put(c.STRONG, "?" if unit.text in "?？" else unit.text, at, at + 1)
        if all(self.units[place].text == "." for place in range(at, min(at + 4, len(self.units)))) and at + 4 < len(self.units):
            after = next((place for place in range(at, len(self.units)) if self.units[place].text != "."), len(self.units))
            return self._put(c.LINK, None, at, after)  # `ADX ........ 14.7`
        before = self.units[at - 1] if at else None
        following = self.units[at + 1] if at + 1 < len(self.units) else None
        if before is not None and following is not None and not unit.gap and self._is_abbreviated(before, following):
            return self._put(c.FILL, ".", at, at + 1)
        inside = following is not None and not following.gap and following.kind == "w" and self.items and self.items[-1].cat == c.FRAME
        return self._put(c.FILL if inside else c.STRONG, ".", at, at + 1)

    @staticmethod
    def _is_abbreviated(before: Unit, following: Unit) -> bool:
        """`approx. 72`, `No. 3`, but not `No. RSI is 72`."""
        return before.text in _ABBREVIATIONS and following.kind != "l" and (before.text != "no" or following.kind == "n")

    def _gap_after(self, at: int) -> bool:
        return at + 1 >= len(self.units) or self.units[at + 1].gap

    # Phrases.

    def _match(self, at: int) -> tuple[Entry, int] | None:
        branch: Branch | None = self.root
        found: tuple[Entry, int] | None = None
        index, count = at, len(self.units)
        while branch is not None and index < count and index - at < 16:
            branch = branch.ways.get(self.units[index].text)
            index += 1
            if branch is not None and branch.entry is not None and not self._takes_sign(at, index):
                found = branch.entry, index
        return found

    def _takes_sign(self, at: int, after: int) -> bool:
        """Whether a phrase would swallow the sign of the number behind it (`为负72`)."""
        return self.units[after - 1].text == "负" and after - at > 1 and self._is_counted(after)

    def _phrase(self, at: int) -> int:
        found = self._match(at)
        if found is None:
            return 0
        (cat, val), after = found
        if cat == c.ZERO:
            return self._put(c.NUM, Number(val, "x") if isinstance(val, float) else Number(0.0), at, after)
        return self._put(cat, val, at, after)

    # Numbers and what is made of them.

    def _numeric(self, at: int) -> int:
        unit = self.units[at]
        if unit.text == "." or (unit.text in SIGNS and self._is_joint(at)):
            return 0
        if unit.text in {"负", "minus"}:
            return self._minus(at) if self._is_counted(at + 1) else 0
        phrase = self._match(at)
        if phrase is not None and phrase[0][0] in {c.IND, c.MEAN, c.SINK, c.STATE} and (phrase[1] - at > 1):
            return self._phrase(at)
        decade = self._decade(at)
        if decade:
            return decade
        special = self._list_number(at) or self._date(at) or self._frame(at) or self._count(at) if unit.kind == "n" else 0
        read = read_number(self.units, at) if not special else None
        return special if read is None else self._range(at, *read) or self._put(c.NUM, read[0], at, read[1])

    def _decade(self, at: int) -> int:
        """`十几`, `四十出头`, `六十多`: a part of a decade."""
        texts = [unit.text for unit in self.units[at : at + 4]]
        tens = (
            1
            if texts[:1] == ["十"]
            else "一二三四五六七八九".find(texts[0]) + 1
            if texts[1:2] == ["十"] and texts[0] in "一二三四五六七八九"
            else 0
        )
        after = at + (1 if texts[:1] == ["十"] else 2)
        rest = [unit.text for unit in self.units[after : after + 2]]
        part = {"几": (0, 10, 1), "多": (0, 10, 1)}.get(rest[0] if rest else "") or ((0, 5, 2) if rest == ["出", "头"] else None)
        if not tens or part is None:
            return 0
        low, high, used = part
        ends = (Number(10.0 * tens + low), Number(10.0 * tens + high))
        return self._put(c.RANGE, ends, at, after + used)

    def _is_counted(self, at: int) -> bool:
        """Whether a number begins here: digits, or `万分之三`."""
        return at < len(self.units) and (self.units[at].kind == "n" or self.units[at].text in {"百", "千", "万"})

    def _minus(self, at: int) -> int:
        """`负72`."""
        read = read_number(self.units, at + 1)
        if read is None:
            return self._unknown(at)
        number, after = read
        return self._put(c.NUM, replace(number, value=-number.value, signed=True, integer=None), at, after)

    def _is_joint(self, at: int) -> bool:
        """Whether a sign stands between two things instead of before a number."""
        unit = self.units[at]
        if unit.gap or at == 0:
            return False
        before = self.units[at - 1]
        if before.kind == "n" or before.text in {")", "%"}:
            return True
        if before.kind != "w" or unit.text == "−":
            return False
        last = self.items[-1] if self.items else None
        return not (last is not None and last.cat == c.IND and getattr(last.val, "signed", False))

    def _list_number(self, at: int) -> int:
        """`1. `, `2)`, `3、`, `(1)` at the beginning of a line or clause."""
        unit = self.units[at]
        bracketed = len(unit.text) == 1 and len(self.items) > 1 and self.items[-1].cat == c.OPEN
        before = self.items[-2] if bracketed else self.items[-1] if self.items else None
        begins = before is None or before.cat in {c.STRONG, c.WEAK} or (bracketed and before.val == "colon")
        if len(unit.text) > 2 or at + 2 >= len(self.units) or not begins:
            return 0
        sign, following = self.units[at + 1], self.units[at + 2]
        if sign.text == ")" and self.items and self.items[-1].cat != c.STRONG and not bracketed:
            return 0
        if sign.text not in {".", ")", "、"} or sign.gap or following.kind == "n":
            return 0
        return self._put(c.STRONG, "list", at, at + 2)

    def _date(self, at: int) -> int:
        if at + 1 >= len(self.units) or self.units[at + 1].text not in _DATE_SIGNS:
            return 0
        texts = [unit.text for unit in self.units[at : at + 5]]
        glued = [not unit.gap for unit in self.units[at + 1 : at + 5]]
        if (
            len(texts) >= 5
            and texts[1] in {"-", "/", "."}
            and texts[1] == texts[3]
            and texts[2].isdigit()
            and texts[4].isdigit()
            and all(glued)
            and 4 in {len(texts[0]), len(texts[4])}
        ):
            return self._put(c.UNKNOWN, "date", at, at + 5)
        if len(texts) >= 3 and texts[1] == ":" and glued[0] and glued[1] and self._is_clock(at, texts[2]):
            return self._put(c.UNKNOWN, "ratio", at, at + 3)
        if len(texts) >= 2 and texts[1] in {"年", "月"} and texts[0].isdigit():
            return self._put(c.UNKNOWN, "date", at, at + 2)
        if len(texts) >= 2 and texts[1] in {"日", "号"} and texts[0].isdigit() and self.items and self.items[-1].val == "date":
            return self._put(c.UNKNOWN, "date", at, at + 2)
        return 0

    def _is_clock(self, at: int, right: str) -> bool:
        """Whether digits around a colon are a time or a ratio (`14:30`, `2.5:1`) and not a name and its value (`EMA20:97`)."""
        named = at > 0 and not self.units[at].gap and self.units[at - 1].kind == "w"
        return right.isdigit() and len(right) <= 2 and not named

    def _dash(self, at: int) -> int:
        """The index after an optional dash."""
        return at + 1 if at < len(self.units) and self.units[at].text == "-" and not self.units[at].gap else at

    def _word(self, at: int, table: dict[str, str]) -> tuple[str, int] | None:
        if at + 1 < len(self.units) and self.units[at].text + self.units[at + 1].text in table and self.units[at].kind == "c":
            return table[self.units[at].text + self.units[at + 1].text], at + 2
        if at < len(self.units) and self.units[at].text in table:
            return table[self.units[at].text], at + 1
        return None

    def _frame(self, at: int) -> int:
        text = self.units[at].text
        found = self._word(self._dash(at + 1), FRAME_UNITS) if text.isdigit() and len(text) <= 3 else None
        if found is None:
            return 0
        (unit, after), length = found, int(text)
        if (unit == "m" and length not in MINUTES) or (unit == "d" and length != 1) or (unit == "w" and length > 4) or length > 72:
            return 0
        if unit == "m" and self.units[after - 1].text == "m" and self.units[after - 1].gap:
            return 0
        if unit == "h" and length == 24:
            return 0
        return self._close_frame(f"{length}{unit}", at, after)

    def _close_frame(self, name: str, at: int, after: int) -> int:
        following = [unit.text for unit in self.units[after : after + 2]]
        if following[:1] == ["ago"] or following[:1] == ["earlier"] or (following[:1] == ["前"] or following[:2] == ["之", "前"]):
            return self._put(c.HISTORY, None, at, after + (2 if following[:2] == ["之", "前"] else 1))
        name = {"60m": "1h", "120m": "2h", "24h": "1d"}.get(name, name)
        joined = "".join(unit.text for unit in self.units[after : after + 2])
        nouns = 0
        if joined in FRAME_NOUNS and len(following) == 2 and following[0] not in FRAME_NOUNS:
            nouns = 2
        elif following[:1] and following[0] in FRAME_NOUNS and following[0] != "k":
            nouns = 1
        if nouns:
            self._put(c.FRAME, name, at, after)
            return self._put(c.FILL, "chart", after, after + nouns)
        return self._put(c.FRAME, name, at, after)

    def _frame_word(self, at: int) -> int:
        """`daily`, `four-hour`, `h4`, `日线`, `小时图`."""
        unit = self.units[at]
        return self._latin_frame(at, unit) if unit.kind == "w" else self._chinese_frame(at, unit)

    def _latin_frame(self, at: int, unit: Unit) -> int:
        name, after = "", at + 1
        following = self.units[at + 1] if at + 1 < len(self.units) else None
        if unit.text in FRAME_WORDS and not self._is_longer(at):
            name = FRAME_WORDS[unit.text]
        elif unit.text in SPELT:
            found = self._word(self._dash(at + 1), FRAME_UNITS)
            if found is not None and self.units[found[1] - 1].kind == "w":
                name, after = f"{SPELT[unit.text]}{found[0]}", found[1]
        elif unit.text in {"h", "m", "d", "w"} and following is not None and not following.gap and following.text in METATRADER:
            name, after = following.text + unit.text, at + 2
        return self._close_frame(name, at, after) if name else 0

    def _chinese_frame(self, at: int, unit: Unit) -> int:
        pair, third = "".join(unit.text for unit in self.units[at : at + 2]), "".join(unit.text for unit in self.units[at + 2 : at + 3])
        if pair == "小时" and third and third in "线图级k":
            return self._close_frame("1h", at, at + 3)
        named = self._match(at + 2) if pair == "小时" else None
        if named is not None and named[0][0] == c.IND:
            return self._put(c.FRAME, "1h", at, at + 2)
        if pair in {"日线", "日k", "日图", "周线", "周k", "周图", "时线"} and not self._is_longer(at, 2):
            return self._close_frame({"周": "1w", "日": "1d"}.get(unit.text, "1h"), at, at + 2)
        return self._put(c.FRAME, "htf", at, at + 3) if pair in {"高周", "大周"} and third == "期" else 0

    def _is_longer(self, at: int, length: int = 1) -> bool:
        """Whether a phrase of the lexicon covers more than the first `length` units here."""
        found = self._match(at)
        return found is not None and found[1] - at > length

    def _count(self, at: int) -> int:
        text = self.units[at].text
        if not text.isdigit() or len(text) > 4:
            return 0
        noun_at = self._dash(at + 1)
        if noun_at + 1 < len(self.units) and self.units[noun_at].text == "个" and self.units[noun_at + 1].text in {"周", "月", "交", "小"}:
            noun_at += 1
        found = self._word(noun_at, COUNT_NOUNS) or self._framed_bars(noun_at)
        if found is None or (found[0] == "bar" and self.units[found[1] - 1].text == "k" and not self._is_kline(found[1])):
            return 0
        noun, after = found
        if noun == "other" and self.units[after - 1].text == "个" and self.units[after].text == "百" if after < len(self.units) else False:
            return 0
        if self._is_kline(after - 1):
            after += 1
        elif after + 1 < len(self.units) and self.units[after].text == "k" and self._is_kline(after + 1):
            after += 2
        past = self._ago(after)
        return self._put(c.HISTORY, None, at, past) if past else self._put(c.COUNT, (int(text), noun), at, after)

    def _ago(self, at: int) -> int:
        """`3根K线前`, `3天之前`: the index behind it; 0 when no word of the past follows."""
        texts = [unit.text for unit in self.units[at : at + 3]]
        length = 2 if texts[:2] in (["之", "前"], ["以", "前"]) else 1 if texts[:1] == ["前"] else 0
        following = texts[length] if length and len(texts) > length else ""
        return at + length if length and following not in {*"高低期值"} else 0

    def _framed_bars(self, at: int) -> tuple[str, int] | None:
        """`41 hourly bars`, `26根5分钟线`: bars of a timeframe are bars."""
        ahead = [unit.text for unit in self.units[at : at + 6]]
        if ahead[:1] and ahead[0] in FRAME_WORDS:
            found = self._word(at + 1, COUNT_NOUNS)
            return found if found is not None and found[0] == "bar" else None
        number = 1 if ahead[:1] == ["根"] else 0
        if len(ahead) > number + 1 and (ahead[number].isdigit() or ahead[number] in SPELT):
            frame = self._word(self._dash(at + number + 1), FRAME_UNITS)
            if frame is not None and number and frame[1] < len(self.units):
                after = frame[1] + (self.units[frame[1]].text in {"线", "k"})
                return "bar", after + self._is_kline(after)
            found = self._word(frame[1], COUNT_NOUNS) if frame is not None else None
            return found if found is not None and found[0] == "bar" else None
        return None

    def _is_kline(self, at: int) -> bool:
        return at < len(self.units) and self.units[at].text == "线" and self.units[at - 1].text == "k"

    def _range(self, at: int, first: Number, after: int) -> int:
        """`40-45`, `97-98k`, `2.37–2.40`."""
        if after + 1 >= len(self.units) or self.units[after].text not in _DASHES or self.units[after].gap != self.units[after + 1].gap:
            return 0
        if first.unit in {"x"} or self.units[after + 1].text in SIGNS:
            return 0
        read = read_number(self.units, after + 1)
        pair = make_range(first, read[0]) if read is not None else None
        if pair is None or read is None:
            return 0
        return self._put(c.RANGE, pair, at, read[1])
