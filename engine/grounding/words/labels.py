"""Words of labels and headings: what makes everything behind them a condition, somebody else's, or not about now."""

import re
from typing import Final

CONDITIONS: Final = re.compile(
    r"\b(?:triggers?|invalidat\w+|invalid(?: below| above| if)?|scenarios?|"
    r"(?:entry|exit) conditions?|(?<![a-z] )conditions?(?=\W*$)|confirmation|"
    r"stops?(?=[ *_]*(?:$|[:：(（/,&-]|loss|level|price|zone|at\b|below|above|out))|"
    r"targets?|"
    r"take[- ]profits?|exit if|(?:proven? |proves? me |i am |i'm |we are )wrong|fails? (?:if|below|above|on)|"
    r"what would (?:change|prove)\b[^:]*|change my mind|expectations?|forecasts?|if|when to \w+|wait(?:ing)? for)\b"
    r"|触发|失效|证伪|認錯|认错|止损|止盈|止損|目标|目標|条件|條件|情景|若|如果|一旦|确认信号|預期|预期|等待|何时",
    re.IGNORECASE,
)
"""A label with one of them: what comes after it is a condition, a level or a plan, not a reading."""

OTHERS: Final = re.compile(
    r"\b(?:other (?:coins?|assets?|positions?|names|markets?|pairs?|tokens?|stocks?|tickers?)|alt(?:coin)?s|peers?|peer group|competitors?|"
    r"rivals|comparables?|comps|(?:the )?(?:industry|sector)(?: average| median| avg)?)\b"
    r"|其他(?:币|山寨币|幣|资产|持仓|标的|个股|币种)|山寨币|山寨幣|同行|同业|可比公司|竞争对手|行业(?:平均|均值|中位数)?|板块(?:平均)?",
    re.IGNORECASE,
)
"""A label or a column with one of them: what comes after it belongs to others."""

_TICKER: Final = r"[A-Z][A-Z0-9]{1,9}"
TICKER: Final = re.compile(
    rf"(?:\$(?P<a>{_TICKER})\b|\b(?P<b>{_TICKER})[/-](?:USDT?|USDC|BTC|ETH|EUR)\b|[(（](?P<c>[A-Z]{{1,5}}(?:\.[A-Z]{{1,2}})?)[)）])"
)
"""A ticker by its form: `$SOL`, `SOL/USDT`, `Solana (SOL)`."""

BARE_TICKER: Final = re.compile(r"^[^A-Za-z]*(?P<a>[A-Z][A-Z0-9]{1,5})(?![\w&/-])")
"""A word in capitals that a label begins with: a ticker where its neighbours name assets too."""
