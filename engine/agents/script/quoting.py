"""What a script says of evidence: the first statement of its prompt that is about what its role looks at, in a sentence that cites it.

Pure. It reads the prompt and nothing else, as a model would. One sentence of the statement is quoted: a quote of two would leave the first
without its citation.
"""

import re
from collections.abc import Mapping
from typing import Final

from engine.agents.attached import SPEAKER
from engine.domain.text.language import Language
from engine.grounding.cited.sentences import split_sentences
from engine.prompts.render import Text

_LINE: Final = re.compile(r"^\[(\d{1,3})\] \([^)\n]*\) (.+)$", re.MULTILINE)
_QUOTE: Text = {"en": 'Research, quoted: "{text}" [{n}]', "zh": "引用研究：“{text}”[{n}]"}
_STOPS: Final = ".!?。！？;； "


def _about(words: str) -> re.Pattern[str]:
    return re.compile(words, re.IGNORECASE)


TOPICS: Final[Mapping[str, re.Pattern[str]]] = {
    "crowd": _about(
        r"funding|open interest|crowd|positioning|leverag|liquidat|squeeze|fear and greed|sentiment|retail"
        r"|资金费|持仓量|未平仓|拥挤|杠杆|爆仓|清算|恐惧|贪婪|情绪|散户"
    ),
    "momentum": _about(r"\brsi|\bmacd|\badx|\bmfi|\bcci|stochastic|\batr|volatil|momentum|overbought|oversold|波动|动量|超买|超卖"),
    "trend": _about(r"\btrend|moving average|\b[es]ma[ _(]?\d|correlat|uptrend|downtrend|趋势|均线|走势|相关系数"),
    "pattern": _about(r"candle|breakout|support|resistance|double (?:top|bottom)|range[- ]?bound|形态|K线|突破|支撑|阻力"),
    "price": _about(r"\bprices?\b|trades at|\bclose[sd]?\b|\brsi|\bmacd|\b[es]ma[ _(]?\d|volatil|\btrend|价格|收盘|均线|波动|走势"),
    "reports": _about(
        r"revenue|earning|\beps\b|margin|\bp/?e\b|net income|cash flow|dividend|return on equity|valuation|guidance|filing"
        r"|营收|业绩|利润|每股收益|市盈率|现金流|股息|净资产收益率|估值|财报"
    ),
    "news": _about(r"\bnews|headline|announc|published|launch|lawsuit|新闻|公告|消息|发布|诉讼"),
    "economy": _about(
        r"inflation|\bcpi\b|interest rate|central bank|\bfed\b|\bfomc\b|\bgdp\b|treasury|\betfs?\b|通胀|利率|央行|美联储|国债|加息|降息"
    ),
    "policy": _about(r"regulat|policy|polic(?:y|ies)|legislation|tariff|subsid|\bsec\b|监管|政策|法规|关税|补贴"),
    "sector": _about(r"sector|industry|peers?\b|supply chain|行业|板块|同业|供应链"),
    "abroad": _about(r"international|overseas|foreign|export|global|currency|dollar|国际|海外|外资|出口|全球|汇率|美元"),
}
"""What a statement can be about -> the words that say so."""


def fitting_quote(user: str, language: Language, *topics: str, or_first: bool = False) -> str:
    """Return a sentence that quotes the first statement of a prompt about one of the topics; "" where it has none. topics: keys of
    `TOPICS`. or_first: where none fits, the first statement is quoted."""
    statements = _LINE.findall(user.partition(f'<said by="{SPEAKER}">')[2].partition("</said>")[0])
    fitting = [each for each in statements if any(TOPICS[topic].search(each[1]) for topic in topics)]
    chosen = fitting or (statements if or_first else [])
    if not chosen:
        return ""
    n, statement = chosen[0]
    return _quote(n, statement, language)


def _quote(n: str, statement: str, language: Language) -> str:
    sentences = split_sentences(statement)
    text = (sentences[0].text if sentences else statement).strip().rstrip(_STOPS)
    return _QUOTE[language].format(n=n, text=text)
