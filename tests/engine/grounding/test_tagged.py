"""Figures whose writer named the fact behind them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.claims import Claim
from engine.grounding.plain_sheet import plain_sheet
from engine.grounding.reading import read_claims
from engine.grounding.tables.crypto import CRYPTO
from engine.grounding.tagged import FigureTag
from engine.llm.tags import TagFilter

SHEET = plain_sheet(
    {
        "symbol": "BTC/USDT:USDT", "timeframe": "15m", "close": 79_548.5, "rsi_14": 43.9, "1h.rsi_14": 61.2, "adx_14": 25.1,
        "1h.adx_14": 40.2, "resistance": 79_866.3, "funding_rate_pct": 0.0062, "change_24h_pct": -3.2, "atr_14": 310.0,
    },
    CRYPTO,
)  # fmt: skip


def claims_of(tagged: str) -> tuple[str, tuple[Claim, ...]]:
    tags = TagFilter()
    text = tags.feed(tagged) + tags.finish()
    return text, read_claims(text, SHEET, "bull", table=CRYPTO, tags=[FigureTag(tag.at, tag.key) for tag in tags.tags])


@pytest.mark.parametrize(
    ("text", "key", "verdict"),
    [
        ("Momentum has cooled off to a tired 43.9{rsi_14} by now.", "rsi_14", "true"),
        ("Momentum has cooled off to a tired 38.0{rsi_14} by now.", "rsi_14", "false"),
        ("On the hour the strength reads 40.2 {1h.adx_14}.", "1h.adx_14", "true"),
        ("On the hour the strength reads 25.1{1h.adx_14}.", "1h.adx_14", "false"),
        ("RSI of the hour, 61.2{1h.rsi_14}, is the one that counts.", "1h.rsi_14", "true"),
        ("Sellers wait overhead, 79,866.3{resistance} to be exact.", "resistance", "true"),
        ("Longs pay +0.0062%{funding_rate_pct} for the privilege.", "funding_rate_pct", "true"),
        ("It is down 3.2%{change_24h_pct} since yesterday.", "change_24h_pct", "true"),
        ("上方的抛压在79866.3{resistance}，动能只剩43.9{rsi_14}。", "rsi_14", "true"),
    ],
)
def test_a_tagged_figure_is_judged_by_its_tag(text: str, key: str, verdict: str) -> None:
    plain, claims = claims_of(text)
    assert "{" not in plain
    assert verdict in [claim.verdict for claim in claims if claim.key == key]


@pytest.mark.parametrize(
    "text",
    [
        "If RSI falls below 30{rsi_14}, the bounce is due.",
        "Stop: 78,900{close}. Target: 81,000{resistance}.",
        "若RSI跌破30{rsi_14}则反弹。",
        "ETH's RSI is 71{rsi_14}.",
        "The day has cost 3.2%{change_24h_pct}.",
        "Something is 12{no_such_key} today.",
    ],
)
def test_a_tag_makes_no_statement_of_what_states_nothing(text: str) -> None:
    assert [claim for claim in claims_of(text)[1] if claim.verdict == "false"] == []


@given(st.text("ab .,{}_｛｝1r", max_size=40), st.lists(st.integers(1, 6), min_size=1, max_size=40))
def test_pieces_of_any_size_give_the_text_and_tags_of_the_whole(text: str, sizes: list[int]) -> None:
    whole, cut = TagFilter(), TagFilter()
    expected = whole.feed(text) + whole.finish()
    out, at = "", 0
    for size in sizes:
        out += cut.feed(text[at : at + size])
        at += size
    out += cut.feed(text[at:]) + cut.finish()
    assert (out, cut.tags) == (expected, whole.tags)
