"""How traders say it in Chinese: each way of speaking with words that are true, and with a lie that differs in one value or one word."""

import pytest

from engine.domain.claims import Claim
from engine.domain.facts import FactSheet
from engine.grounding.reading import read_claims
from engine.grounding.tables.markets import CRYPTO, EQUITY
from engine.grounding.tables.table import IndicatorTable
from tests.engine.grounding.sheets import ENTRY, POSITION
from tests.engine.grounding.test_conviction import SHARES

MARKET = [
    # averages and bands above and below the price
    ("上轨在上方压制", "上轨在下方托底", "bb_upper"),
    # colloquial prices
    ("价格站上九万七", "价格站上九万八", "close"),
    ("价格站上9万7", "价格站上9万8", "close"),
    # rates over other times
    ("资金费率累计0.11%", "资金费率0.11%", "funding_rate_pct"),
    ("资金费率近 21 次平均 +0.0224 %", "资金费率 +0.0224 %", "funding_rate_pct"),
    ("五日涨跌幅-6.1%", "24小时涨跌幅-6.1%", "change_24h_pct"),
    ("RSI处于一年来85%分位", "RSI为85", "rsi_14"),
    # Chinese terminals: the bar is twice the difference and carries the name of the indicator; lines have numbers
    ("绿柱-9.6", "红柱9.6", "macd_hist"),
    ("KDJ J值19", "KDJ K值19", "stoch_k"),
    ("K、D值34.2/41.8", "KD值74/41.8", "stoch_k"),
    # parts
    ("成交量比均量高三成半", "成交量比均量低三成半", "volume_ratio_20"),
    ("成交量放大三成五", "成交量放大一倍", "volume_ratio_20"),
    ("成交量超过均量的八成", "成交量不到均量的八成", "volume_ratio_20"),
    # what may come, and what did not last
    ("警惕MACD金叉", "MACD金叉", "macd"),
    ("MACD有金叉风险", "MACD已金叉", "macd"),
    ("存在跌破EMA200的可能", "已跌破EMA200", "ema_200"),
    ("假突破EMA20后收回", "已突破EMA20", "ema_20"),
    # other timeframes
    ("日内级别RSI 70", "1小时RSI 70", "1h.rsi_14"),
    # distances
    ("支撑还有2.1个ATR", "支撑在95,100", "support"),
    ("缺口支撑在95,800", "支撑在95,800", "support"),
    # denials
    ("并不是空方所说的RSI 78", "是空方所说的RSI 78", "rsi_14"),
    ("哪有什么RSI 78", "RSI 78", "rsi_14"),
]
HELD = [
    ("按5倍杠杆算，收益率11.45%", "浮盈11.45%", "profit_pct"),
    ("本金收益率11.45%", "收益率11.45%", "profit_pct"),
    ("账户收益率0.9%", "浮盈0.9%", "profit_pct"),
    ("杠杆后浮盈11.45%", "浮盈11.45%", "profit_pct"),
]
COMPANY = [
    ("后者PE仅18倍", "公司PE仅18倍", "pe_ratio"),
    ("PE-TTM为12.8", "PE-TTM为18", "pe_ratio"),
    ("剔除一次性收益后净利润700亿", "净利润700亿", "net_income"),
]


def false_in(text: str, sheet: FactSheet, table: IndicatorTable) -> list[str]:
    claims: tuple[Claim, ...] = read_claims(text, sheet, "bull", table=table)
    return [claim.key for claim in claims if claim.verdict == "false"]


@pytest.mark.parametrize(
    ("rows", "sheet", "table"),
    [(MARKET, ENTRY, CRYPTO), (HELD, POSITION, CRYPTO), (COMPANY, SHARES, EQUITY)],
    ids=["market", "position", "company"],
)
def test_the_true_words_stand_and_the_lie_beside_them_is_found(
    rows: list[tuple[str, str, str]], sheet: FactSheet, table: IndicatorTable
) -> None:
    convicted = [(honest, found) for honest, _, _ in rows if (found := false_in(honest, sheet, table))]
    missed = [(lie, key) for _, lie, key in rows if key not in false_in(lie, sheet, table)]
    assert (convicted, missed) == ([], [])
