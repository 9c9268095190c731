"""Ways of speaking that give what is beside them another part than a statement about now: derived figures, fears, denials.

Patterns over the normalised text (lower case, simplified Chinese). A clause ends at a comma, a semicolon or a sentence end.
"""

import re
from typing import Final

_REST: Final = r"(?:[^,;:。；：!?\n.]|\.(?=[0-9]))"
_MORE: Final = r"(?:[^;。；!?\n.]|\.(?=[0-9]))"

DERIVED: Final = re.compile(
    r"\bannuali[sz]\w+|\bannual(?: rate| cost)?\b(?= of)"
    r"|\b(?:has |have )?averag(?:ed|ing|es(?= (?:about |around |roughly |some |~)?[0-9]))\b"
    r"|\b(?:mean|median) of|\baverage (?:over|reading)\b"
    r"|\b(?:ranks?|sits|is|at|in) (?:in |at )?(?:the )?(?=[0-9.]+ ?(?:st|nd|rd|th)? (?:percentile|quantile|decile))"
    r"|\breturn on (?:margin|equity invested)|\bleveraged (?:return|gain|profit|pnl|p&l)|\bdoubled (?:macd|bars?|histogram)\b"
    r"|年化|日化|月化|均值(?!的|高|低|线|上|下)|中位数|中枢|平均(?!线|价|成本|持仓|真实|趋向|值线|成交|量|收益|市值)"
    r"|(?:一天|每天|每日|一日)(?:三|3)次|\b(?:three|3) times (?:a|per) day\b"
    r"|杠杆后|(?:按|以|用)[0-9.]+倍杠杆[算计]?|本金收益|账户收益率|保证金收益|费率?累计",
)
"""What follows in the clause was worked out from the figure it is named after: annualised, averaged, multiplied by the leverage."""

SHARES: Final = re.compile(
    r"(?<![0-9.])[0-9.]++ ?%? ?(?:(?:st|nd|rd|th)?[ -]?(?:percentile|quantile|decile)|(?:个)?(?:百)?分位)"
    r"|第[0-9.]++ ?%? ?(?:个)?(?:百)?分位"
)
"""Where a value is in its own history; not the value."""

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

CONDITIONS: Final = re.compile(
    r"\b(?:wrong|mistaken) (?:above|below|under|over|beyond|at|with|on)\b" + _REST + r"{1,60}"
    r"|\b(?:disproved|disproven|refuted|falsified|proven wrong|proved wrong|invalidated) (?:by|at|on|above|below|under|over|with)\b"
    + _REST
    + r"{1,60}"
)
"""What would prove the speaker wrong."""

PLANNED: Final = re.compile(
    r"(?<![0-9,.])[0-9][0-9,.]*+ (?:more )?(?:shares|contracts|coins|lots)(?: at \$?[0-9][0-9.,]*)? "
    r"(?:fit|fits|risk|risks|would|could|can|take|bring|lift)\b" + _MORE + r"{0,120}"
    r"|\b(?:would|will|could|can|may|to) (?:take|bring|lift|raise|push|carry) "
    r"(?:the |our |my |its )?(?:position|weight|holding|stake|exposure)\b" + _MORE + r"{0,80}"
    r"|(?<![已曾经前])买(?:入|进)?[0-9][0-9.]*(?:万|千)?(?:股|手|枚|张)(?!的)"
    r"(?:(?:[,，] ?" + _REST + r"{0,14})?[,，] ?占" + _REST + r"{1,14})?",
)
"""An order that is weighed, and what the account would be with it."""

NEAR_LEVEL: Final = re.compile(r"\bahead of (?=(?:the |its |our )?(?:resistance|support)\b)")
"""On the way to a level, from either side."""

FAILED: Final = re.compile(
    r"假(?:跌破|突破|升破|击穿)" + _REST + r"{0,16}|(?:false|failed) break(?:out|down)?s? (?:of|above|below|under)" + _REST + r"{0,30}"
)
"""A break that did not last."""

CROSSED: Final = re.compile(
    r"\b(?:broke|breaks|broken|breaking|cracked|cracks|smashed|smashes|(?:took|takes|taken|taking) out|crossed|crosses|lost|loses)"
    r" (?:the |its |a )?(?:level of |mark of |level at )?\$?(?=[0-9])[0-9][0-9.,]*k?(?![0-9.,k])"
    r"(?! ?(?:%|percent|points?|pts?|bps|usdt?|in |of |from )|-| ?(?:ema|sma|ma|day|week|period|bar|hour|min|h|d)s?\b)"
)
"""A level that was crossed, without a word for the side the price is on now. What is known is the last price and not the way to it."""

REMAINDERS: Final = re.compile(
    r"(?:余下|剩下|剩余|留下|保留)[0-9][0-9.]*(?= ?(?:[a-z]|股|手|枚|张))|\b(?:remaining|leaving|leaves) [0-9][0-9.,]*"
    r"|(?<![0-9.])[0-9.]++ ?(?:%|points?|pts)? from (?:the |its )?(?:peak|top|high) to (?:here|now)\b"
    r"|\bfrom " + _REST + r"{1,60} to " + _REST + r"{1,40} and (?=\$?[0-9][0-9.,]* ?%? (?:now|today)\b)"
    r"|(?:限价|挂单价?|挂在|委托价?)" + _REST + r"{1,12}(?:[,，] ?)?比(?:现价|市价|收盘价)[0-9.]*(?:低|高)[0-9.]+ ?%"
)
"""What is left after a trade, what was given back, the way that a value took until now, and how far from the price an order lies."""

LATE_PAST: Final = re.compile(
    r"\b(?:in|since|during|back in|by) (?:late|early|mid)[- ]?(?:january|february|march|april|may|june|july|august|september|october|"
    r"november|december|20[0-9]{2})\b,?" + _REST + r"{0,120}"
    r"|(?:今年|去年|前年)[0-9]{1,2}月(?:份|初|中旬?|底|间)?(?![0-9])" + _MORE + r"{0,60}"
)
"""A part of a month or a year that is over, and what was then."""
