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
        "We would not be able to share a forecast. Markets are open 24/7, and my knowledge ends in September 2024.",
        "I cannot provide financial advice.\n1. Consult a licensed advisor.\n2. Never risk what you cannot lose.",
        "For BTC/USDT at 61,200.50 I can't provide financial advice.",
        "抱歉，我无法就 15m 图上的 BTC/USDT 提供投资建议。",
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
        "I cannot give a bullish recommendation because funding is 0.04 % and rising.",
        "I can't give financial advice. This is what was measured:\nRSI: 61\nFunding: negative",
        "我无法提供投资建议，但 RSI为61，动能偏强。",
        "抱歉，我不能提供投资建议。资金费率处于 95 百分位，多头拥挤。",
        "Nothing here can be answered with certainty.",
    ],
)
def test_an_argument_beside_it_makes_an_answer(words: str, block: str) -> None:
    assert not declines(words + block)
