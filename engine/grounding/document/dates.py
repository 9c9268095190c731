"""Calendar dates in a text, as people write them: `May 14`, `14 May 2026`, `2026-05-14`, `05-14`, `5月14日`."""

import re
from dataclasses import dataclass
from typing import Final

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DATE: Final = re.compile(
    r"(?<![\w.])(?P<y1>20[0-9]{2})[-/.](?P<m1>[0-9]{1,2})[-/.](?P<d1>[0-9]{1,2})(?![\w])"
    rf"|(?<!\w)(?P<n2>{_NAME})\.?[ ]?(?P<d2>[0-9]{{1,2}})(?:st|nd|rd|th)?(?:,?[ ](?P<y2>20[0-9]{{2}}))?(?![\w%]|[.,][0-9])"
    rf"|(?<![\w.,])(?P<d3>[0-9]{{1,2}})(?:st|nd|rd|th)?[ ](?:of[ ])?(?P<n3>{_NAME})\.?(?:,?[ ](?P<y3>20[0-9]{{2}}))?(?!\w)"
    r"|(?:(?P<y4>20[0-9]{2})年)?(?P<m4>[0-9]{1,2})月(?P<d4>[0-9]{1,2})[日号]"
    r"|(?<![\w.,$%-])(?P<m5>0[1-9])[-/](?P<d5>[0-3][0-9])(?![\w%.,-])",
    re.IGNORECASE,
)
_HALF_A_YEAR: Final = 6


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
