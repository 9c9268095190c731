"""Token counts hold in real tokens: those beside the texts are o200k's, counted once."""

import pytest

from engine.prompts.tokens import count_tokens

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


@pytest.mark.parametrize(("text", "real"), [(FACTS, 101), (SPEECH, 108), (CHINESE, 50)], ids=["facts", "speech", "chinese"])
def test_counts_hold_and_waste_little(text: str, real: int) -> None:
    assert real * 0.9 <= count_tokens(text) <= real * 1.1
