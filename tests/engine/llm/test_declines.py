"""What is an answer and what declines one: an argument beside the refusal counts, digits by themselves do not."""

import pytest

from engine.llm.refusal import declines

VOTE = "\n\n[Vote]\ndirection: NEUTRAL\nconfidence: 0\nsupport: N/A\nresistance: N/A\n"
JSON = '\n\n{"direction": "NEUTRAL", "confidence": 0.0, "stop_loss_price": null}'


@pytest.mark.parametrize("block", ["", VOTE, JSON], ids=["alone", "above a block", "above an object"])
@pytest.mark.parametrize(
    "words",
    [
        "I'm sorry, but I can't provide financial advice on BTC/USDT on the 15m chart.",
        "I won't be able to give a recommendation for this trade.",
        "I will not be able to offer trading recommendations with 10x leverage.",
        "We would not be able to share a forecast. Markets are open 24/7, and my knowledge ends in September 2024.",
        "I'm not going to make a prediction.",
        "I cannot provide financial advice.\n1. Consult a licensed advisor.\n2. Never risk what you cannot lose.",
        "I can't give financial advice: 90% of traders lose money, and no forecast is 100% certain.",
        "For BTC/USDT at 61,200.50 I can't provide financial advice.",
        "As an AI language model, I cannot tell where price will be in the next 4h.",
        "抱歉，我无法就 15m 图上的 BTC/USDT 提供投资建议。",
        "恕我不能给出 10 倍杠杆的交易建议。90%的散户都会亏损。",
        "我恐怕没法提供预测。",
        "抱歉，我無法提供投資建議。",
    ],
)
def test_a_refusal_is_one_whatever_digits_are_in_it(words: str, block: str) -> None:
    assert declines(words + block)


@pytest.mark.parametrize("block", ["", VOTE, JSON], ids=["alone", "above a block", "above an object"])
@pytest.mark.parametrize(
    "words",
    [
        "I can't give financial advice, but: RSI is 61.2 and price holds above its averages.",
        "I'm sorry, but I can't provide financial advice. RSI at 61 and a rising EMA 200 speak for the bulls.",
        "I cannot give a bullish recommendation because funding is 0.04 % and rising.",
        "RSI is 71.3 and stretched, but I can't offer financial advice.",
        "As an AI, I cannot give financial advice. Price broke 78,900 and fell 3% since.",
        "I can't provide financial advice. Price failed at 3900 twice.",
        "I can't provide financial advice. What I see: rsi_14 is below its middle.",
        "I can't give financial advice. This is what was measured:\nRSI: 61\nFunding: negative",
        "我无法提供投资建议，但 RSI为61，动能偏强。",
        "抱歉，我不能提供投资建议。资金费率处于 95 百分位，多头拥挤。",
        "Longs are crowded at 95 percent, which argues for waiting.",
        "Nothing here can be answered with certainty.",
    ],
)
def test_an_argument_beside_it_makes_an_answer(words: str, block: str) -> None:
    assert not declines(words + block)
