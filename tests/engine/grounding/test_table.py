"""The table of indicators is a parameter: another market is another table and a list of words, and no edit of the grammar."""

import pytest

from engine.domain.facts import FactSheet
from engine.grounding.explain import explain_text
from engine.grounding.one_text import ground_text
from engine.grounding.plain_sheet import plain_sheet
from engine.grounding.reading import read_claims
from engine.grounding.report.summary import corrected_context
from engine.grounding.result import ground
from engine.grounding.tables.markets import CRYPTO
from engine.grounding.tables.table import REQUIRED, IndicatorSpec, IndicatorTable
from engine.grounding.tables.thresholds import Band
from engine.grounding.words.lists import ValueWord
from tests.engine.grounding.sheets import ENTRY

VALUATION = {"cheap": Band(None, 15, 1), "expensive": Band(25, None, 1)}
FUNDAMENTALS = IndicatorTable(
    "fundamentals",
    (
        IndicatorSpec(
            "pe_ratio", "{,trailing} p/e{, ratio}; pe ratio; 市盈率", ("P/E", "市盈率"), "multiple", "valuation", bands=VALUATION
        ),
        IndicatorSpec(
            "net_margin_pct", "net {,profit} margin; 净利率", ("Net margin", "净利率"), "percent", "margin", absolute=0.5, signed=True
        ),
        *(CRYPTO[base] for base in sorted(REQUIRED)),
    ),
    readings=(
        ValueWord("cheap", "cheap; inexpensive; 便宜", frozenset({"valuation"}), ("cheap", "便宜")),
        ValueWord("expensive", "expensive; pricey; 昂贵", frozenset({"valuation"}), ("expensive", "昂贵")),
    ),
    record=("pe_ratio", "net_margin_pct"),
)
SHEET = plain_sheet({"symbol": "AAPL", "timeframe": "1d", "close": 189.5, "pe_ratio": 29.4, "net_margin_pct": 25.3}, FUNDAMENTALS)


def found(text: str, sheet: FactSheet = SHEET) -> list[tuple[str, str]]:
    return [(claim.key, claim.verdict) for claim in read_claims(text, sheet, "bull", table=FUNDAMENTALS)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P/E is 40.", [("pe_ratio", "false")]),
        ("The trailing P/E ratio stands at 29.4x and net margin is 25.3%.", [("pe_ratio", "true"), ("net_margin_pct", "true")]),
        ("P/E above 25, net profit margin below 10%.", [("pe_ratio", "true"), ("net_margin_pct", "false")]),
        ("市盈率为40，净利率25%。", [("pe_ratio", "false"), ("net_margin_pct", "true")]),
        ("The P/E is cheap.", [("pe_ratio", "false")]),
        ("P/E 29.4, expensive.", [("pe_ratio", "true"), ("pe_ratio", "true")]),
        ("If P/E drops below 20, buy.", []),
        ("The bear says P/E is 40, which is wrong.", []),
        ("Price is 189.5.", [("close", "true")]),
    ],
)
def test_another_table_is_read_with_its_own_names_and_words(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


def test_what_a_table_lacks_is_no_claim() -> None:
    for text in ("RSI is 72.", "MACD 12/10/2", "Bollinger Bands 3 / 2 / 1", "volume is 2.4x average", "extreme fear", "EMA20 > EMA50"):
        assert {key for key, _ in found(text)} <= REQUIRED, text
    assert read_claims("P/E is 40. The stock is cheap.", ENTRY, "bull", table=CRYPTO) == ()


def test_corrections_records_and_explanations_speak_of_the_table_too() -> None:
    grounded = ground_text("P/E is 40 and cheap.", SHEET, "bull", "en", table=FUNDAMENTALS)
    assert grounded.corrected_text == "P/E is ~~40~~ 29.4x [corrected] and ~~cheap~~ P/E=29.4x (expensive) [corrected]."
    result = ground({"bull": "P/E is 40."}, SHEET, {"bull"}, FUNDAMENTALS)
    context = corrected_context(result, SHEET, "en", {"bull": "bull"}, FUNDAMENTALS)
    assert "P/E: 29.4x (expensive)" in context
    assert "Net margin: 25.30%" in context
    assert "RSI" not in context
    assert explain_text("P/E is 40.", SHEET, "bull", FUNDAMENTALS)[-1].lines == ("false: pe_ratio = 40.0 (actual 29.4)  'P/E is 40'",)


def test_every_table_has_the_price_and_the_position() -> None:
    with pytest.raises(ValueError, match="the table empty lacks close, "):
        IndicatorTable("empty", ())
