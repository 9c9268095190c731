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

ASKED: Final = re.compile(
    r"(?:what would|what (?:i|we)(?:'d)? (?:need|want)|change my mind|(?:entry|exit|following|these|all) (?:conditions?|criteria)"
    r"|(?:entry|exit|stop) rules?|checklist|triggers)\b[^.!]{0,60}[?:]"
    r"|(?:需要?|须|同时)满足[^.!。]{0,30}[:：]|条件[^.!。]{0,12}[:：]|什么(?:情况|条件|信号|会[让使])[^.!。]{0,16}[?？]"
)
"""Before a sentence: what it lists is asked for, not stated."""

SUPPOSING: Final = re.compile(
    r"\b(?:named|two|three|both|all|these|following|entry|exit) (?:conditions?|criteria|are true|hold)\b|\bwatch ?:"
    r"|\b(?:exit|entry|stop) rules?\b|(?:需要?|须|同时)满足"
    r"|触发条件|要想|的话|(?<=[.!?:] )to (?:yield|reach|get to)\b"
    r"|\btreat(?:ing)? \S+ (?:above|below|under|over)\b|\bhad (?:we|i|you)\b|\bhad (?:the|our|my) [^,;.]{1,24} been\b"
    r"|(?:即[使便]|哪怕|就算|纵使)[^,;。]{0,8}[再真]"
)
"""What follows is asked for, not stated."""

HOURS: Final[Mapping[str, str]] = {"hour": "1h", "hourly": "1h", "day": "1d", "four-hour": "4h", "quarter-hour": "15m"}
"""Timeframes as they are spoken of."""

PLACES: Final = re.compile(r"(?:这个?|那个?|该|此)(?:位置|价位|点位|区域|处)|这里|那里")
"""The level that the clause before spoke of."""

MANY: Final = frozenset({"members", "stocks", "constituents", "names", "shares", "companies", "coins"})
"""What is said to be above a line: not the price but these."""

QUALIFIED: Final = re.compile(
    r"[天周月年时钟]前(?:的|价|收)|(?:高一|更高|大|小|日内)级别|大周期|小周期|月线|季线|年线|(?:短期|中期|长期)(?=均线)|扣非|保证金|对应的?(?=eps|每股|价|股价|点位)|自由流通|静态|剔除|(?:经|非)[^,;。]{0,6}(?:调整|准则)|调整后|(?:[三五十]|(?<![0-9])[0-9]++)日(?=涨|跌)|后者|[三五十]年|上一?轮"
    r"|\b(?:static|adjusted|underlying|excluding|free[- ]float|(?:five|5|ten|10)[- ]day (?=change|gain|return)"
    r"|monthly|latter|on (?:the )?margin|on (?:the )?collateral|(?:three|five|ten|[0-9]++)[- ]year|(?:last|previous) (?:bull|bear|cycle))\b"
)
"""Words before a name that make another figure of it."""

DENIED: Final = re.compile(
    r"哪有|哪来|根本没有|(?:不是|并非)[^,;。]{0,8}(?:说|称|谓)|\bno such\b|\bthere (?:is|was) no \w+(?: reading)? (?:of|at)\b"
    r"|(?:别|勿|不要|不能|不必)[^,;。]{0,3}[拿把将]"
    r"|\b(?:do not|don't|cannot|can't) call\b|不等于|不代表|不意味着|\b(?:does|do)(?:n't| not) mean\b"
    r"|\bneither (?:of|\w+ ?'s|\w+ (?:is|are|has|have))\b|\bnone of (?:the )?(?:two|three|four|five|these|those|its)\b"
    r"|\bnot the [^,;.]{1,24}(?:claims?|quotes?|says|cites|quoted|claimed|cited)\b"
)
"""What follows is denied."""

RECKONED: Final = re.compile(
    r"按[^,;。]{1,16}(?:计算|测算|来算|估算|增长)|名义(?:价值|本金|金额)|\bnotional\b|来除|相除|除以|÷|(?<=[0-9]) ?r\b"
    r"|从(?:现价|当前价|目前|这里)[^,;。]{0,8}[到至]"
    r"|\bfrom (?:here|spot|(?:the )?current \w+) to\b|\b(?:suppose|assume|assuming|divided? by)\b"
)
"""A value that something is worked out with."""

DIFFERENCES: Final = re.compile(
    r"比[^,;。]{1,12}(?:高|低|多|少|大|小)(?:出|了)?[^,;。]{0,4}$"
    r"|[高低][于出过][^,;。]{1,10}共 ?$|距(?:离)?(?:现价|当前价|目前价|成本)[^,;。]{0,4}$"
)
"""Before a number: by how much."""

COUNTS: Final = re.compile(r" ?(?:周|week|日均|根|months?\b|个月)")
"""Behind a number: so many of them, not a price."""

APART: Final = re.compile(r" ?(?:(?:points?|pts?|ticks?|dollars?) (?:apart|above|below|over|under|away)\b|apart\b)")
"""Behind a number: the distance of two values, or of a value and a line."""

GAPS: Final = re.compile(r"跨度|价差|差距|间距|差值|乖离|比[0-9.]+ ?(?:低|高|少|多)|\b(?:gap|spread|distance|difference)\b")
"""What lies between two values."""

ORDERED: Final = re.compile(
    r"买|卖|[加减](?=[0-9]+ ?股)|加仓|减仓|\b(?:buy|buying|buys|sell|selling|sells|wants?|add(?! to that)|adding|trim|trimming)\b"
)
"""An order that what follows depends on."""

REMAINING: Final = re.compile(r"\bremain(?:s|ing|der)?\b|余下|剩余|剩下|[买卖加减](?:完|入|出|仓)?(?:之|以)?后")
"""What an order leaves."""

AMOUNTS: Final = re.compile(r"(?:波动|亏|浮盈|利润|盈利|风险|费用|赚|少)[^;。]{0,16}占")
"""What is so much of the account is an amount, not the position."""

TRADED: Final = re.compile(
    r"\bclos(?:e|ing) $|\b(?:cover(?:s|ing)?|clos(?:e|ing) (?:half|a|one|part|some)|tak(?:e|ing)|bank(?:ing)?|book(?:ing)?|exit|unload|peel"
    r"|lighten|half|third|quarter|rest|remain(?:s|ing|der)?|trim|sell|buy|add|reduce|scale)\b|(?<!强)平(?:仓|掉|去|多|空|了)|减|加|一半|三分之一|余下|剩"
)
"""A part of the position is to be traded, or left: its size is not the position's."""

EXTREMES: Final = re.compile(r"\bat (?:its|the|our|their) (?:worst|best|lowest|highest|low|peak)\b|最(?:差|坏|好|多|惨)(?:的)?(?:时|那)")
"""What follows was so at one moment."""

PRICE_EXTREMES: Final = re.compile(r"最[低高]价|[低高]点|\bthe (?:low|high)\b")
"""Another price than that of now."""

PARTLY: Final = re.compile(
    r"\b(?:short|medium|mid|near|long)(?:er)?[- ]term\b|\b(?:short|long|fast|slow)er\b|\bfor an? \b|短期|中期|长期|短线|中线|长线"
)
"""The order of some averages, or one that is missed: not that of all of them."""

OTHER_EARNINGS: Final = re.compile(
    r"\b(?:gross|operating|pre-?tax|adjusted|implied|forward|projected|expected|estimated|consensus)\b|毛利(?!率)|营业利润|税前|远期|预期|隐含"
)
"""Earnings, but not those of the sheet."""

VALUED: Final = re.compile(r"目标价|合理(?:价|估值)|估值目标|\b(?:target price|price target|fair value)\b")
"""What follows says how a price to come was worked out."""

AGAIN: Final = re.compile(r"\b(?:fresh|new|another|second|next|re-?entry|an? fill)\b|新|再次|重新|二次")
"""An entry to come."""

GIVEN_BACK: Final = re.compile(r"吐|让出|还回|回撤|保住|锁定|\b(?:g[ai]ve[ns]?|giving|lock(?:s|ed|ing)?|protect(?:s|ed|ing)?)\b")
"""A share of a profit follows."""
