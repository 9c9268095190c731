"""Words that make a figure somebody else's, another time's or a rate: where one of them stands, a false claim is not convicted."""

import re
from collections.abc import Mapping
from typing import Final

NOT_OURS: Final = re.compile(
    r"\b(?:other (?:coins?|assets?|positions?|names|markets?|pairs?|tokens?|stocks?|tickers?)|alt(?:coin)?s|peers?|peer group|competitors?"
    r"|comparables?|comps|(?:industry|sector)|for comparison)\b"
    r"|其他(?:币|山寨币|资产|持仓|标的|个股|币种)|山寨币|同行|同业|可比公司|竞争对手|行业|板块"
)
"""Somebody else's figures follow."""

PER_TIME: Final = frozenset(
    {"year", "day", "week", "month", "quarter", "annum", "years", "days", "weeks", "months", "annually", "yearly", "daily"}
)
"""Behind a number: a rate, or a time."""

MONTHS: Final = frozenset(
    {
        "january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december",
    }
)  # fmt: skip
"""Months that are no other word."""

OURS: Final = frozenset({"here", "our", "ours", "本单", "整体"})
"""What follows is of the own asset again."""

THAT: Final = frozenset({"that", "which", "this", "这", "那"})
"""At the beginning of a clause: what the one before spoke of."""

CLOSING: Final = re.compile(r"clos|收")
"""A close that is bounded is a condition, unless it is told."""

REACHING: Final = re.compile(r"未|没|尚|\bnot\b|n't|\byet\b|\bshort of\b|reach")
"""A bound that is not reached: from which side is not said."""

SUPPOSING: Final = re.compile(r"\b(?:named|two|three|both|all|these|following|entry|exit) (?:conditions?|criteria)\b|\bwatch ?:")
"""What follows is asked for, not stated."""

HOURS: Final[Mapping[str, str]] = {"hour": "1h", "hourly": "1h", "day": "1d", "four-hour": "4h", "quarter-hour": "15m"}
"""Timeframes as they are spoken of."""

MANY: Final = frozenset({"members", "stocks", "constituents", "names", "shares", "companies", "coins"})
"""What stands above a line is not the price but these."""
