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
    {
        "year",
        "day",
        "week",
        "month",
        "quarter",
        "annum",
        "years",
        "days",
        "weeks",
        "months",
        "annually",
        "yearly",
        "daily",
        "morning",
        "afternoon",
        "overnight",
    }
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

SUPPOSING: Final = re.compile(
    r"\b(?:named|two|three|both|all|these|following|entry|exit) (?:conditions?|criteria)\b|\bwatch ?:|\bhad (?:we|i|you)\b"
)
"""What follows is asked for, not stated."""

HOURS: Final[Mapping[str, str]] = {"hour": "1h", "hourly": "1h", "day": "1d", "four-hour": "4h", "quarter-hour": "15m"}
"""Timeframes as they are spoken of."""

MANY: Final = frozenset({"members", "stocks", "constituents", "names", "shares", "companies", "coins"})
"""What stands above a line is not the price but these."""

QUALIFIED: Final = re.compile(
    r"(?:高一|更高|大|小|日内)级别|大周期|小周期|月线|季线|年线|(?:短期|中期|长期)(?=均线)|扣非|自由流通|静态|剔除|(?:经|非)[^,;。]{0,6}(?:调整|准则)|调整后|(?:[三五十]|[0-9]+)日(?=涨|跌)|后者|[三五十]年|上一?轮"
    r"|\b(?:static|adjusted|underlying|excluding|free[- ]float|(?:five|5|ten|10)[- ]day (?=change|gain|return)"
    r"|monthly|latter|(?:three|five|ten|[0-9]+)[- ]year|(?:last|previous) (?:bull|bear|cycle))\b"
)
"""Words before a name that make another figure of it."""

DENIED: Final = re.compile(
    r"哪有|哪来|根本没有|(?:不是|并非)[^,;。]{0,8}(?:说|称|谓)|\bno such\b|\bthere (?:is|was) no \w+(?: reading)? (?:of|at)\b"
    r"|\bnot the [^,;.]{1,24}(?:claims?|quotes?|says|cites|quoted|claimed|cited)\b"
)
"""What follows is denied."""

RECKONED: Final = re.compile(r"按[^,;。]{1,16}(?:计算|测算|来算|估算)|\b(?:suppose|assume|assuming)\b")
"""A value that something is worked out with."""

GAPS: Final = re.compile(r"跨度|价差|差距|间距|差值|乖离|\b(?:gap|spread|distance|difference)\b")
"""What lies between two values."""

ORDERED: Final = re.compile(r"买|卖|加仓|减仓|\b(?:buy|buying|buys|sell|selling|sells|wants?|add(?! to that)|adding|trim|trimming)\b")
"""An order that what follows depends on."""
