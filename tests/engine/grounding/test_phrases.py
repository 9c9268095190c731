"""Sentences as people write them: every claim in them is found and judged, and nothing else is."""

import pytest

from engine.domain.facts import FactSheet
from engine.grounding.reading import read_claims
from engine.grounding.tables.crypto import CRYPTO
from tests.engine.grounding import phrases_debate, phrases_en, phrases_holding, phrases_mixed, phrases_variety, phrases_zh
from tests.engine.grounding.sheets import ENTRY, POSITION, verdicts

TABLES = (phrases_en, phrases_zh, phrases_mixed, phrases_variety, phrases_debate, phrases_holding)
CLAIMS = [row for table in TABLES for row in table.CLAIMS]
POSITION_CLAIMS = [row for table in TABLES for row in table.POSITION_CLAIMS]
NOT_CLAIMS = [text for table in TABLES for text in table.NOT_CLAIMS]


def checkable(text: str) -> list[str]:
    return sorted(item for item in text.split() if not item.endswith(":U"))


@pytest.mark.parametrize(("text", "expected"), CLAIMS)
@pytest.mark.parametrize("sheet", [ENTRY, POSITION], ids=["entry", "position"])
def test_a_market_claim_is_found_and_judged(text: str, expected: str, sheet: FactSheet) -> None:
    assert checkable(verdicts(read_claims(text, sheet, "bull", table=CRYPTO))) == checkable(expected)


@pytest.mark.parametrize(("text", "expected"), POSITION_CLAIMS)
def test_a_claim_about_the_position_is_found_and_judged(text: str, expected: str) -> None:
    assert checkable(verdicts(read_claims(text, POSITION, "position_bull", table=CRYPTO))) == checkable(expected)


@pytest.mark.parametrize("text", NOT_CLAIMS)
@pytest.mark.parametrize("sheet", [ENTRY, POSITION], ids=["entry", "position"])
def test_what_states_nothing_about_now_is_no_claim(text: str, sheet: FactSheet) -> None:
    assert checkable(verdicts(read_claims(text, sheet, "bull", table=CRYPTO))) == []


def test_position_keys_mean_nothing_without_a_position() -> None:
    assert read_claims("MFE 9%, leverage 3x, entry at 90,000, 40 bars held", ENTRY, "bull", table=CRYPTO) == ()


@pytest.mark.parametrize("text", ["I would use 3x leverage.", "Cut leverage to 3x.", "建议杠杆降到3倍。"])
def test_an_intended_leverage_is_a_plan(text: str) -> None:
    assert verdicts(read_claims(text, POSITION, "executor", table=CRYPTO)) == ""


@pytest.mark.parametrize(
    ("text", "key"),
    [(text, item) for text, expected in CLAIMS for item in expected.split() if item.endswith(":U")],
)
def test_what_cannot_be_checked_is_said_so(text: str, key: str) -> None:
    assert key in verdicts(read_claims(text, ENTRY, "bull", table=CRYPTO)).split()
