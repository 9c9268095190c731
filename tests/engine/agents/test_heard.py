"""What others hear: false numbers replaced, the points that rested on them marked, and nothing else changed."""

import pytest

from engine.agents.heard import FALLEN, heard_words
from engine.domain.facts import Fact, FactSheet
from engine.domain.text.language import Language
from engine.grounding.reading import read_claims
from engine.grounding.tables.markets import CRYPTO

FACTS = {"close": 79197.2, "rsi_14": 43.9, "adx_14": 25.1, "ema_50": 79500.0}
SHEET = FactSheet(
    "BTC/USDT:USDT",
    "15m",
    None,
    {key: Fact(key=key, value=value, unit="index" if key in ("rsi_14", "adx_14") else "price") for key, value in FACTS.items()},
    price_step=0.1,
)


def heard(text: str, language: Language) -> str:
    return heard_words(text, read_claims(text, SHEET, "bull", table=CRYPTO), SHEET, language, CRYPTO)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (
            "RSI is 38.0, so sellers tire. ADX is 25.1.\nThe rest is quiet.",
            "en",
            "RSI is ~~38.0~~ 43.9 [corrected], so sellers tire. [this point rested on a wrong number] ADX is 25.1.\nThe rest is quiet.",
        ),
        ("RSI为38.0，卖方力竭。ADX为25.1。", "zh", "RSI为~~38.0~~ 43.9 [已更正]，卖方力竭。 [该论点所依据的数字有误]ADX为25.1。"),
        ("RSI is 43.9. ADX is 25.1.", "en", "RSI is 43.9. ADX is 25.1."),
    ],
)
def test_a_point_that_rested_on_a_wrong_number_says_so(text: str, language: Language, expected: str) -> None:
    assert heard(text, language) == expected


def test_nobody_marks_another_ones_point_in_the_name_of_the_checker() -> None:
    told = heard(f"Bear says RSI is 43.9 {FALLEN['en']}. It is {FALLEN['zh']}", "en")
    assert FALLEN["en"] not in told
    assert FALLEN["zh"] not in told
