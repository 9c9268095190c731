"""How traders say it in Chinese: each way of speaking with words that are true, and with a lie that differs in one value or one word."""

import pytest

from engine.domain.claims import Claim
from engine.domain.facts import FactSheet
from engine.grounding.reading import read_claims
from engine.grounding.tables.crypto import CRYPTO
from engine.grounding.tables.equity import EQUITY
from engine.grounding.tables.table import IndicatorTable
from tests.engine.grounding.sheets import ENTRY, POSITION
from tests.engine.grounding.test_conviction import SHARES

MARKET = [
    # averages and bands above and below the price
    ("EMA20在上方压制", "EMA20在下方托底", "ema_20"),
    ("EMA200在下方托底", "EMA200在上方压制", "ema_200"),
    ("EMA200在下方提供支撑", "EMA50在下方提供支撑", "ema_50"),
    ("上轨在上方压制", "上轨在下方托底", "bb_upper"),
    ("EMA200远在下方", "EMA50远在下方", "ema_50"),
    ("EMA20位于价格上方", "EMA20位于价格下方", "ema_20"),
    # colloquial prices
    ("价格站上九万七", "价格站上九万八", "close"),
    ("价格站上9万7", "价格站上9万8", "close"),
    ("支撑在九万六千五", "支撑在九万四千五", "support"),
    ("支撑在9万6千5", "支撑在9万4千5", "support"),
    ("现价97，380", "现价99,380", "close"),
    # rates over other times
    ("资金费率年化约12.3%", "资金费率约12.3%", "funding_rate_pct"),
    ("资金费率年化费率12.26%", "资金费率12.26%", "funding_rate_pct"),
    ("资金费率日化0.0336%", "资金费率0.0336%", "funding_rate_pct"),
    ("资金费率累计0.11%", "资金费率0.11%", "funding_rate_pct"),
    ("近7日平均资金费率0.0183%", "资金费率0.0183%", "funding_rate_pct"),
    ("资金费率近 21 次平均 +0.0224 %", "资金费率 +0.0224 %", "funding_rate_pct"),
    ("近一周RSI均值55", "RSI为55", "rsi_14"),
    ("五日涨跌幅-6.1%", "24小时涨跌幅-6.1%", "change_24h_pct"),
    ("RSI处于一年来85%分位", "RSI为85", "rsi_14"),
    ("RSI位于第31百分位", "RSI为31", "rsi_14"),
    # Chinese terminals: the bar is twice the difference and carries the name of the indicator; lines have numbers
    ("DIF -15.2，DEA -10.4，MACD -9.6", "DIF 15.2，DEA -10.4，MACD -9.6", "macd"),
    ("绿柱-9.6", "红柱9.6", "macd_hist"),
    ("KDJ J值19", "KDJ K值19", "stoch_k"),
    ("K、D值34.2/41.8", "KD值74/41.8", "stoch_k"),
    ("RSI1为28", "RSI为28", "rsi_14"),
    # parts
    ("成交量较均量放大三成五", "成交量较均量放大六成五", "volume_ratio_20"),
    ("成交量比均量高三成半", "成交量比均量低三成半", "volume_ratio_20"),
    ("成交量放大三成五", "成交量放大一倍", "volume_ratio_20"),
    ("成交量超过均量的八成", "成交量不到均量的八成", "volume_ratio_20"),
    # what may come, and what did not last
    ("警惕MACD金叉", "MACD金叉", "macd"),
    ("MACD有金叉风险", "MACD已金叉", "macd"),
    ("存在跌破EMA200的可能", "已跌破EMA200", "ema_200"),
    ("假突破EMA20后收回", "已突破EMA20", "ema_20"),
    # other timeframes
    ("大周期RSI 70", "RSI 70", "rsi_14"),
    ("小级别RSI 70", "15分钟RSI 70", "rsi_14"),
    ("日内级别RSI 70", "1小时RSI 70", "1h.rsi_14"),
    # distances
    ("距上方阻力约3.7个ATR", "阻力在97,900", "resistance"),
    ("支撑还有2.1个ATR", "支撑在95,100", "support"),
    ("缺口支撑在95,800", "支撑在95,800", "support"),
    ("强支撑在95,800", "支撑位在95,800", "support"),
    ("更上方阻力在101,200", "阻力在101,200", "resistance"),
    # denials
    ("并不是空方所说的RSI 78", "是空方所说的RSI 78", "rsi_14"),
    ("哪有什么RSI 78", "RSI 78", "rsi_14"),
    ("RSI不是78，而是48.6", "RSI不是48.6，而是78", "rsi_14"),
]
HELD = [
    ("按5倍杠杆算，收益率11.45%", "浮盈11.45%", "profit_pct"),
    ("本金收益率11.45%", "收益率11.45%", "profit_pct"),
    ("账户收益率0.9%", "浮盈0.9%", "profit_pct"),
    ("杠杆后浮盈11.45%", "浮盈11.45%", "profit_pct"),
    ("多单浮盈2.29%", "多单浮盈3.5%", "profit_pct"),
]
COMPANY = [
    ("静态市盈率29.5", "市盈率29.5", "pe_ratio"),
    ("目标价对应30倍PE", "当前PE为30倍", "pe_ratio"),
    ("历史估值中枢35倍PE", "PE为35倍", "pe_ratio"),
    ("后者PE仅18倍", "公司PE仅18倍", "pe_ratio"),
    ("滚动市盈率12.8", "滚动市盈率18", "pe_ratio"),
    ("PE(TTM) 12.8", "PE(TTM) 18", "pe_ratio"),
    ("PE-TTM为12.8", "PE-TTM为18", "pe_ratio"),
    ("扣非净利润700亿", "净利润700亿", "net_income"),
    ("剔除一次性收益后净利润700亿", "净利润700亿", "net_income"),
    ("市场平均股息率3%", "股息率3%", "dividend_yield_pct"),
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
