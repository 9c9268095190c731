"""Token counts hold in real tokens: those beside the texts are o200k's, counted once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.prompts.tokens import CHARACTERS, count_tokens

FACTS = """close = 85428.1
change_24h_pct = -2.94 %
rsi_14 = 33.7
macd_signal = -100.5
ema_200 = 86738.7
funding_rate_pct = -0.0050 %
1h.bb_middle = 85981.3
1h.volume_ratio_20 = 1.00
1h.macd_hist = -19.70
largest_allowed_order = 2000 USD"""
SPEECH = (
    "I take the sellers' side, and I will show my work. The MACD histogram stands at -164.8, one more weight on the sellers' scale. "
    "The 1h EMA50 is at 86418.5, and the 1h 200 EMA sits at 88954.4; side by side they help sellers. Then, the 50 EMA sits at "
    "~~86693.0~~ 85572.6 [corrected], ground that sellers hold. [this point rested on a wrong number]"
)
CHINESE = "我替手里的这笔交易说几句。24小时涨跌幅为-2.94%，出力的是卖方。SMA200为86902.0，价格在SMA200下方，利于下行。"


RISK = """max_leverage = 10
min_risk_reward_after_costs = 1
max_stop_to_liquidation_pct = 80
max_daily_loss_pct = 3 (now 0.412)
cooldown_minutes = 30 (now 12.5)"""
LEVELS = "11-26 11:30 87489.7 87532.5 86685.5 86750.8 1748\n12, 6, 3 candles ago: rsi_14 47.0, 47.3, 46.5; atr_pct 0.49, 0.55, 0.62"
RARE = "鬻髹颟黼，嘏龠。"
RULES = "风控规则是硬性约束，不可违反。仓位由止损决定（触及止损时损失权益的 risk_per_trade_pct），杠杆只影响保证金。"
ALLOWED = {"rare characters": 1.5, "chinese rules": 1.3}
"""How far above: the bound takes half a token off for a word where a tokenizer takes a whole one."""
COUNTED = {
    "facts": (FACTS, 101),
    "speech": (SPEECH, 108),
    "chinese": (CHINESE, 50),
    "risk": (RISK, 56),
    "levels": (LEVELS, 76),
    "rare characters": (RARE, 14),
    "chinese rules": (RULES, 41),
}


@pytest.mark.parametrize("name", COUNTED)
def test_a_count_is_never_below_the_tokens_and_little_above(name: str) -> None:
    text, real = COUNTED[name]
    assert real <= count_tokens(text) <= ALLOWED.get(name, 1.2) * real


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=1))
def test_chinese_is_counted_by_the_table_or_by_bytes(text: str) -> None:
    whole = sum(1 if each in CHARACTERS else len(each.encode()) for each in text)
    assert whole - len(text) // 2 <= count_tokens(text) <= whole, "a token less for a word, and a word has two characters"
