"""Split a text into the blocks that its layout shows: headings, list items, table rows, labelled lines, plain lines; and find its dates.

Given the original text, gives its blocks in order, each with its depth (which blocks it belongs to follows from that) and its label: a
heading, or what comes before a colon or in bold at the beginning of a line. Dates are read as people write them: `May 14`, `14 May 2026`,
`2026-05-14`, `05-14`, `5月14日`. Knows nothing of markets; reads in linear time.
"""

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal

Kind = Literal["heading", "item", "row", "line"]

_LINE: Final = re.compile(
    r"(?P<indent>[ \t\u3000]*)"
    r"(?:(?P<hashes>#{1,6})[ \t]+)?"
    r"(?P<bullet>(?:[-*+•–·●○▪◦‣▶►✓✔✗➢→][ \t]+|\(?[0-9]{1,2}[.)][ \t]+|[（(]?[一二三四五六七八九十]{1,2}[)）、.][ \t]*"
    r"|[0-9]{1,2}、[ \t]*|\([a-z]\)[ \t]+)?)"
)
_BOLD: Final = re.compile(r"(?P<mark>\*\*|__)(?P<name>[^*_\n]{1,80}?)(?P=mark)[ \t]*[:：]?")
_NAME: Final = re.compile(r"[*_`]{0,3}(?P<name>[^:：\n|]{1,60}?)[*_`]{0,3}[ \t]{0,8}[:：](?=[\s*_`]|$|[^\x00-\x7f]|[$+-]?[0-9])[*_`]{0,3}")
_SENTENCE: Final = re.compile(r"[.。!！?？;；]\s|[。！？；，]|, ")
_MARKS: Final = " \t*_`"

_HEADING: Final = 1
_TITLE: Final = 8
_ITEM: Final = 20
_TAB: Final = 4
_LONGEST_TITLE: Final = 48
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DATE: Final = re.compile(
    r"(?<![\w.])(?P<y1>20[0-9]{2})[-/.](?P<m1>[0-9]{1,2})[-/.](?P<d1>[0-9]{1,2})(?![\w])"
    rf"|(?<!\w)(?P<n2>{_MONTH})\.?[ ]?(?P<d2>[0-9]{{1,2}})(?:st|nd|rd|th)?(?:,?[ ](?P<y2>20[0-9]{{2}}))?(?![\w%]|[.,][0-9])"
    rf"|(?<![\w.,])(?P<d3>[0-9]{{1,2}})(?:st|nd|rd|th)?[ ](?:of[ ])?(?P<n3>{_MONTH})\.?(?:,?[ ](?P<y3>20[0-9]{{2}}))?(?!\w)"
    r"|(?:(?P<y4>20[0-9]{2})年)?(?P<m4>[0-9]{1,2})月(?P<d4>[0-9]{1,2})[日号]"
    r"|(?<![\w.,$%-])(?P<m5>0[1-9])[-/](?P<d5>[0-3][0-9])(?![\w%.,-])",
    re.IGNORECASE,
)
_HALF_A_YEAR: Final = 6


@dataclass(frozen=True, slots=True)
class TextBlock:
    """start, end: [start, end) of the line in the original text. label: [start, end) of its label, None without one. depth: a block
    belongs to the blocks before it that have a smaller one. opens: it is a label and nothing else, so that it speaks for what follows.
    after_gap: an empty line precedes it."""

    kind: Kind
    start: int
    end: int
    depth: int
    label: tuple[int, int] | None
    opens: bool
    after_gap: bool


def read_blocks(text: str) -> list[TextBlock]:
    """Return the blocks of `text`, in order; empty lines are left out."""
    blocks: list[TextBlock] = []
    start, gap = 0, True
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        if line.strip().strip(_MARKS):
            blocks.append(_read_line(text, start, start + len(line.rstrip()), gap))
            gap = False
        else:
            gap = True
        start = end
    return [_titled(text, block, after) for block, after in pairwise([*blocks, None]) if block is not None]


def _titled(text: str, block: TextBlock, after: TextBlock | None) -> TextBlock:
    """Return a short line that stands alone above a list as the title of that list."""
    line = text[block.start : block.end].strip(_MARKS)
    alone = block.kind == "line" and not block.opens and block.after_gap and after is not None and after.kind == "item"
    if not alone or len(line) > _LONGEST_TITLE or line[-1] in ".。!！?？,，;；" or _SENTENCE.search(line):
        return block
    return replace(block, depth=_TITLE, label=(block.start, block.end), opens=True)


def _read_line(text: str, start: int, end: int, after_gap: bool) -> TextBlock:
    found = _LINE.match(text, start, end)
    assert found is not None  # all of it is optional
    body = found.end()
    if text[start:end].lstrip().startswith("|"):
        return TextBlock("row", start, end, _ITEM, None, False, after_gap)
    if found["hashes"]:
        return TextBlock("heading", start, end, _HEADING + len(found["hashes"]), (body, end), True, after_gap)
    label = _label(text, body, end)
    opens = label is not None and not text[label[1] : end].strip(_MARKS + ":：")
    indent = sum(_TAB if char == "\t" else 2 if char == "\u3000" else 1 for char in found["indent"])
    if found["bullet"]:
        return TextBlock("item", start, end, _ITEM + indent, label, opens, after_gap)
    return TextBlock("line", start, end, _TITLE if opens else _ITEM + indent, label, opens, after_gap)


def _label(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the label that a line begins with: bold words, or a few words before a colon."""
    bold = _BOLD.match(text, start, end)
    if bold is not None and (bold.group().rstrip()[-1] in ":：" or bold["name"].rstrip()[-1:] in {":", "："} or bold.end() >= end):
        return start, bold.end()
    named = _NAME.match(text, start, end)
    if named is None or _SENTENCE.search(named["name"]):
        return None
    return start, named.end()


@dataclass(frozen=True, slots=True, order=True)
class WrittenDate:
    """A date and its place, [start, end), in the text; year 0 where none is written."""

    year: int
    month: int
    day: int
    start: int
    end: int

    @property
    def instant(self) -> tuple[int, int, int]:
        """What it is ordered by."""
        return self.year, self.month, self.day


def read_dates(text: str) -> list[WrittenDate]:
    """Return the dates of `text`, in reading order. Without a year a date is of the newest year that is written, or of the turn of the
    year where its months lie on both sides of one."""
    found = []
    for match in _DATE.finditer(text):
        group = {name[:1]: value for name, value in match.groupdict().items() if value is not None}
        month = int(group["m"]) if "m" in group else _MONTHS.index(group["n"][:3].lower()) + 1
        day = int(group["d"])
        if 1 <= month <= 12 and 1 <= day <= 31:
            found.append(WrittenDate(int(group.get("y", 0)), month, day, match.start(), match.end()))
    return _with_years(found)


def _with_years(found: list[WrittenDate]) -> list[WrittenDate]:
    newest = max((date.year for date in found), default=0)
    bare = [date for date in found if not date.year]
    turns = not newest and bool(bare) and max(date.month for date in bare) - min(date.month for date in bare) > _HALF_A_YEAR
    return [
        WrittenDate(date.year or (newest or 1) + (turns and date.month <= _HALF_A_YEAR), date.month, date.day, date.start, date.end)
        for date in found
    ]
