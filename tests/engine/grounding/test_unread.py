"""What was left out of a reading is said, with the reason where the grammar has one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.grounding.one_text import check_text
from engine.grounding.plain_sheet import plain_sheet
from engine.grounding.reading import read_claims
from engine.grounding.tables.markets import CRYPTO

SHEET = plain_sheet({"symbol": "BTC/USDT:USDT", "rsi_14": 48.6, "close": 79_450.0, "adx_14": 22.0, "ema_20": 79_000.0}, CRYPTO)


def left(text: str) -> list[tuple[str, str]]:
    claims = read_claims(text, SHEET, "you", table=CRYPTO)
    return [(part.text, part.why) for part in check_text(text, claims, SHEET, CRYPTO).unread]


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("RSI is 28", []),
        ("hello there", []),
        ("RSI is 28 and price broke 78,900", [("price broke 78,900", "cross")]),
        ("The price has broken 78,900", [("The price has broken 78,900", "cross")]),
        ("price broke above 78,900", []),
        ("price lost 3 % and broke the 50 EMA", [("price lost 3 %", ""), ("broke the 50 EMA", "")]),
        ("I think 42 is the answer and ADX is 31", [("I think 42 is the answer", "")]),
        ("Price will hit 100k tomorrow", [("Price will hit 100k tomorrow", "modal")]),
        ("the stop is at 77,000; RSI is 28", [("the stop is at 77,000", "stop")]),
        ("ETH RSI is 22", [("ETH RSI is 22", "other")]),
        ("RSI 为 28，价格跌破 78,900", []),
        ("如果价格突破 80,000，RSI 为 28", [("如果价格突破 80,000", "hyp"), ("RSI 为 28", "hyp")]),
    ],
)
def test_the_parts_that_were_left_out(text: str, unread: list[tuple[str, str]]) -> None:
    assert left(text) == unread


@given(st.text(st.sampled_from("RSI is 28, price >:；。跌破为7 <b>&\u202e\ud83d\ude00\n%-"), max_size=80))
def test_it_stands_where_it_says_and_belongs_to_no_claim(text: str) -> None:
    claims = read_claims(text, SHEET, "you", table=CRYPTO)
    checked = check_text(text, claims, SHEET, CRYPTO)
    for part in checked.unread:
        assert text[part.start : part.end] == part.text != ""
        assert not any(part.start < claim.end and claim.start < part.end for claim in claims)
