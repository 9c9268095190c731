"""What the executor makes of corrections: read from its own words, fact by fact."""

import pytest

from engine.grounding.reading import read_claims
from engine.grounding.result import uses_of
from engine.grounding.tables.markets import CRYPTO
from tests.engine.grounding.sheets import ENTRY

DEBATE = "RSI is 72 and ADX is 12. MACD is in a golden cross. EMA20 stands at 97,810."


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        ("RSI is 48.6, ADX at 31.", {"rsi_14": "corrected", "adx_14": "corrected", "macd": "unused"}),
        ("With RSI at 72 the move is stretched.", {"rsi_14": "false", "adx_14": "unused", "macd": "unused"}),
        ("RSI为60，MACD金叉。", {"rsi_14": "other", "adx_14": "unused", "macd": "false"}),
        ("RSI is 48.6, though the bull's RSI of 72 impressed me: RSI is 72.", {"rsi_14": "false", "adx_14": "unused", "macd": "unused"}),
        ("", {"rsi_14": "unused", "adx_14": "unused", "macd": "unused"}),
    ],
)
def test_every_corrected_fact_is_followed_into_the_answer(later: str, expected: dict[str, str]) -> None:
    uses = uses_of(read_claims(DEBATE, ENTRY, "bull", table=CRYPTO), read_claims(later, ENTRY, "executor", table=CRYPTO))
    assert {use.key: use.use for use in uses} == expected
    assert {use.by for use in uses} == {"bull"}
    assert next(use.actual for use in uses if use.key == "rsi_14") == 48.6
