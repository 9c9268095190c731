"""Sentences as people write them: every claim in them is found and judged, and nothing else is."""

from collections.abc import Iterable
from types import ModuleType

import pytest

from engine.domain.facts import FactSheet
from engine.grounding.reading import read_claims
from engine.grounding.tables.markets import CRYPTO
from tests.engine.grounding import phrases_debate, phrases_en, phrases_holding, phrases_layout, phrases_mixed, phrases_variety, phrases_zh
from tests.engine.grounding.sheets import ENTRY, POSITION, verdicts

TABLES = (phrases_en, phrases_zh, phrases_mixed, phrases_variety, phrases_debate, phrases_holding, phrases_layout)
CLAIMS = [row for table in TABLES for row in table.CLAIMS]
POSITION_CLAIMS = [row for table in TABLES for row in table.POSITION_CLAIMS]
NOT_CLAIMS = [text for table in TABLES for text in table.NOT_CLAIMS]


def checkable(text: str) -> list[str]:
    return sorted(item for item in text.split() if not item.endswith(":U"))


def judged_otherwise(rows: Iterable[tuple[str, str]], sheet: FactSheet, source: str = "bull") -> list[tuple[str, list[str]]]:
    """The sentences whose checkable claims are not the expected ones, with those that were read. There are thousands of rows, and each
    takes microseconds: a test reads them all, and names every one that is judged otherwise."""
    read = ((text, expected, checkable(verdicts(read_claims(text, sheet, source, table=CRYPTO)))) for text, expected in rows)
    return [(text, found) for text, expected, found in read if found != checkable(expected)]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__.rpartition(".")[2])
@pytest.mark.parametrize("sheet", [ENTRY, POSITION], ids=["entry", "position"])
def test_a_market_claim_is_found_and_judged(table: ModuleType, sheet: FactSheet) -> None:
    assert judged_otherwise(table.CLAIMS, sheet) == []


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__.rpartition(".")[2])
def test_a_claim_about_the_position_is_found_and_judged(table: ModuleType) -> None:
    assert judged_otherwise(table.POSITION_CLAIMS, POSITION, "position_bull") == []


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__.rpartition(".")[2])
@pytest.mark.parametrize("sheet", [ENTRY, POSITION], ids=["entry", "position"])
def test_what_states_nothing_about_now_is_no_claim(table: ModuleType, sheet: FactSheet) -> None:
    assert judged_otherwise([(text, "") for text in table.NOT_CLAIMS], sheet) == []


def test_position_keys_mean_nothing_without_a_position() -> None:
    assert read_claims("MFE 9%, leverage 3x, entry at 90,000, 40 bars held", ENTRY, "bull", table=CRYPTO) == ()


@pytest.mark.parametrize("text", ["I would use 3x leverage.", "Cut leverage to 3x.", "建议杠杆降到3倍。"])
def test_an_intended_leverage_is_a_plan(text: str) -> None:
    assert verdicts(read_claims(text, POSITION, "executor", table=CRYPTO)) == ""


def test_what_cannot_be_checked_is_said_so() -> None:
    said = [(text, [key for key in expected.split() if key.endswith(":U")]) for text, expected in CLAIMS]
    read = {text: verdicts(read_claims(text, ENTRY, "bull", table=CRYPTO)).split() for text, keys in said if keys}
    assert len(read) > 10
    assert [(text, key) for text, keys in said for key in keys if key not in read[text]] == []
