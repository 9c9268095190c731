"""Whether an answer declines its task: words of refusal at its beginning, and no argument beside them. Pure.

"I'm sorry, but I can't provide financial advice on BTC/USDT on the 15m chart" is no view, even above a dutiful block. An answer that says
so and goes on to weigh what was measured is a view: a value with decimals, a share, a price, a fact's key, or a figure behind the name of
an indicator. Digits of a timeframe, a year or a numbered list are no argument, and neither is anything in the clause that refuses.
"""

import re
from bisect import bisect_left, bisect_right
from typing import Final

from engine.llm.blocks import plain

_OPENING: Final = 400
"""Characters within which a refusal begins."""
_NO: Final = (
    r"(?:(?:can't|can ?not|(?:could|would) ?n[o']t|won't|will not)(?: be able to)?"
    r"|(?:am|'m|are|'re) (?:unable|not able|not allowed|not permitted|not qualified|not going) to"
    r"|(?:am|'m|are|'re) not in a position to)"
)
_NO_ZH: Final = r"(?:[无無]法|不能|不可以|不便|不会|没法|没有办法|没办法|难以|拒绝)"
_REFUSES: Final = re.compile(
    rf"\b(?:sorry|apologi[sz]e)\b.{{0,20}}?\b(?:i|we) ?{_NO}"
    rf"|\b(?:i|we) ?{_NO}(?: \w+){{0,2}} (?:provide|give|offer|make|share|issue)(?: [\w-]+){{0,6}}"
    r" (?:advice|recommendations?|guidance|opinions?|predictions?|forecasts?|suggestions?)\b"
    rf"|\b(?:i|we) ?{_NO}(?: \w+){{0,2}} (?:(?:assist|help)(?: you)? with|comply|fulfil\w*|participate|engage"
    r"|(?:complete|continue|answer|discuss|respond to)(?: with)? (?:this|that|your))\b"
    r"|\bas an? (?:ai|artificial intelligence|(?:large )?language model)\b.{0,80}?\b(?:can't|can ?not|unable|not able|don't|do not|won't)\b"
    r"|\bi (?:must|have to) (?:respectfully )?(?:decline|refuse)\b"
    rf"|(?:抱歉|对不起|很遗憾|不好意思).{{0,20}}?{_NO_ZH}"
    rf"|(?:我|本模型|本助手)(?:目前|暂时|恐怕|可能|将|实在)?{_NO_ZH}(?:为您|为你|向您|向你|就此)?"
    r".{0,6}?(?:提供|给出|协助|帮助|回答|完成|参与|讨论|满足)"
    rf"|恕(?:我)?(?:{_NO_ZH}|难)"
    rf"|作为(?:一个|一名)?(?:人工智能|AI|语言模型|大语言模型|智能助手).{{0,30}}?{_NO_ZH}",
    re.IGNORECASE | re.DOTALL,
)
_CLAUSE_END: Final = re.compile(
    r"[.!?:](?=\s|[^\x00-\x7f])|[;\n]|\b(?:but|however|because|since|while|given|although|though|yet|unless)\b|但|不过|然而|因为|由于|鉴于",
    re.IGNORECASE,
)
_OBJECT: Final = re.compile(r"\{[^{}]*\}")
_LINE: Final = re.compile(r"^\W*(?:\[[^\[\]]{1,40}\]\s*)?(?:[^\W\d][\w ]{0,29}\s*[:=].{0,24})?$", re.MULTILINE)
"""A line of a block, a heading, or nothing."""
_INDICATOR: Final = re.compile(
    r"(?:(?<![a-z])(?:rsi|macd|[es]ma|atr|adx|cci|mfi|obv|vwap|kdj|bollinger|stochastic|funding|open interest|fear (?:and|&) greed|p/?e|eps"
    r"|revenue|margin)(?![a-z])|资金费|持仓量|均线|布林|恐惧|贪婪|市盈率|营收)[^\n.!?;\d]{0,40}-?\d",
    re.IGNORECASE,
)
_MEASURED: Final = re.compile(
    r"(?<![\w.-])-?\d[\d,]*\.\d+"  # 61.2
    r"|(?<![\w.-])(?:\d{1,3}(?:,\d{3})+|(?!(?:19|20)\d\d\b)\d{4,})"  # 61,200; 3900, which is no year
    r"|(?<![\d.])(?!100\b)\d+ ?(?:%|percent\b)(?! ?(?:of\b|的?(?:散户|投资者|交易者|账户|人)))"  # 3 %, but not `90% of traders lose`
    r"|\b[a-z]+_[a-z0-9_]+\b"  # rsi_14
)


def declines(text: str) -> bool:
    """Return whether an answer refuses to do what it was asked."""
    said = _OBJECT.sub("", plain(text).replace("’", "'"))
    if _REFUSES.search(_LINE.sub("", said).strip()[:_OPENING]) is None:
        return False
    beside = _without_refusals(said)
    return _INDICATOR.search(beside) is None and _MEASURED.search(_LINE.sub("", beside)) is None


def _without_refusals(text: str) -> str:
    """Return a text without every clause that a refusal is in."""
    ends = [0, *(found.end() for found in _CLAUSE_END.finditer(text)), len(text)]
    kept, at = list[str](), 0
    for refusal in _REFUSES.finditer(text):
        kept.append(text[at : ends[bisect_right(ends, refusal.start()) - 1]])
        at = max(at, ends[bisect_left(ends, refusal.end())])
    return "".join([*kept, text[at:]])
