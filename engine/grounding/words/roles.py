"""Ways of speaking that give what stands beside them another part than a statement about now: derived figures, fears, denials.

Patterns over the normalised text (lower case, simplified Chinese). A clause ends at a comma, a semicolon or a sentence end.
"""

import re
from typing import Final

_REST: Final = r"(?:[^,;:。；：!?\n.]|\.(?=[0-9]))"

DERIVED: Final = re.compile(
    r"\bannuali[sz]\w+|\bannual(?: rate| cost)?\b(?= of)"
    r"|\b(?:has |have )?averag(?:ed|ing|es(?= (?:about |around |roughly |some |~)?[0-9]))\b"
    r"|\b(?:mean|median) of|\baverage (?:over|reading)\b"
    r"|\b(?:ranks?|sits|is|at|in) (?:in |at )?(?:the )?(?=[0-9.]+ ?(?:st|nd|rd|th)? (?:percentile|quantile|decile))"
    r"|\breturn on (?:margin|equity invested)|\bleveraged (?:return|gain|profit|pnl|p&l)|\bdoubled (?:macd|bars?|histogram)\b"
    r"|年化|日化|月化|均值(?!的|高|低|线|上|下)|中位数|中枢|平均(?!线|价|成本|持仓|真实|趋向|值线|成交|量|收益|市值)"
    r"|杠杆后|(?:按|以|用)[0-9.]+倍杠杆[算计]?|本金收益|账户收益率|保证金收益|费率?累计",
)
"""What follows in the clause was worked out from the figure it is named after: annualised, averaged, multiplied by the leverage."""

SHARES: Final = re.compile(r"[0-9.]+ ?%? ?(?:st|nd|rd|th)?[ -]?(?:percentile|quantile|decile)|第?[0-9.]+ ?%? ?(?:个)?(?:百)?分位")
"""Where a value stands in its own history; not the value."""

WITH_LEVERAGE: Final = re.compile(
    r"\bleverage,? (?:(?:the|that|this|our|it)(?: is| gives| means| makes)? )(?:a |the )?(?:return|gain|profit|pnl|p&l|roi|roe)\b"
    + _REST
    + r"{0,40}"
    r"|倍杠杆(?:算|计|计算|来算)?[,， ]*(?:收益率?|回报率?|浮盈)" + _REST + r"{0,12}"
)
"""A return that includes the leverage."""

FEARS: Final = re.compile(
    r"(?:警惕|提防|小心|谨防|防范|当心|注意防范|担心)" + _REST + r"{1,30}"
    r"|(?:有|存在|面临|存)" + _REST + r"{0,14}?(?:的风险|风险|之虞|的可能|可能性|隐患)"
    r"|(?:beware|danger|fear|fears|threat|risk|risks|prospect|chance|possibility) of (?:a |an |the |another )?" + _REST + r"{1,60}"
    r"|\bcombination of\b[^.;。\n]{1,120}",
)
"""What may come, or a pattern that is described; it states nothing about now."""

FAILED: Final = re.compile(
    r"假(?:跌破|突破|升破|击穿)" + _REST + r"{0,16}|(?:false|failed) break(?:out|down)?s? (?:of|above|below|under)" + _REST + r"{0,30}"
)
"""A break that did not last."""

DENIALS: Final = re.compile(
    r"(?:并不是|不是|并非|绝非|哪有|哪来|根本没有|没有)(?:什么|所谓|"
    + _REST
    + r"{0,8}?(?:所说|说的|声称|所称|所谓|宣称)的?)"
    + _REST
    + r"{1,24}"
    r"|\bthere (?:is|was) no (?:such )?(?:rsi|adx|macd|mfi|cci|reading|value|funding)(?: reading| value)? (?:of|at)\b" + _REST + r"{1,30}"
    r"|\bnot the " + _REST + r"{1,24}(?:claims?|quotes?|says|cites|quoted|claimed|cited)\b",
)
"""What somebody else is said to have said, denied in the same breath."""

LOWER_FRAMES: Final = re.compile(r"(?:小级别|小周期|更小级别|日内级别|短周期|\blower timeframes?\b|\bltf\b)" + _REST + r"{1,40}")
"""A timeframe that the sheet does not know, without its name."""

LATE_PAST: Final = re.compile(
    r"\b(?:in|since|during|back in|by) (?:late|early|mid)[- ]?(?:january|february|march|april|may|june|july|august|september|october|"
    r"november|december|20[0-9]{2})\b,?" + _REST + r"{0,120}"
)
"""A part of a month or a year that is over, and what was then."""

CALCULATED: Final = re.compile(r"[0-9.,]+ ?[/÷×*] ?[0-9.,]+ ?[≈=~]+ ?[$¥]?(?P<result>[0-9.,]+)")
"""The result of a calculation that is written out."""
