"""The labelled texts stay as well read as they are. The held-back part is counted, never quoted: it must not become a guide for rules."""

import pytest

from engine.benchmark.labelled import TEXTS
from engine.benchmark.reader import RECORD
from engine.benchmark.scorer import Score, score
from tests.grounding.labelled import FOLDERS, HELD_BACK, cases
from tests.grounding.score import measured

LEAST = {
    "market": (0.99, 0.955, 0.945),
    "held_back": (0.985, 0.935, 0.945),
    "company": (0.99, 0.96, 0.955),
    "company_held_back": (0.98, 0.94, 0.95),
    "honest": (0.98, 0.93, 0.80),
}
MOST_FLAGGED = {"market": 0.003, "held_back": 0.005, "company": 0.003, "company_held_back": 0.005, "honest": 0.002}
MOST_STRUCK = 0.01
LEAST_AGREEMENT = 0.98


@pytest.fixture(scope="module", params=sorted(LEAST))
def scored(request: pytest.FixtureRequest) -> tuple[str, Score]:
    return request.param, score(cases(request.param))


@pytest.mark.full
def test_false_claims_are_convicted_and_nothing_else(scored: tuple[str, Score]) -> None:
    part, result = scored
    precision, recall, extraction = LEAST[part]
    assert result.precision >= precision
    assert result.recall >= recall
    assert result.extraction >= extraction
    assert result.agreement >= LEAST_AGREEMENT


@pytest.mark.full
def test_hardly_a_true_claim_or_plan_is_flagged(scored: tuple[str, Score]) -> None:
    assert scored[1].flagged <= MOST_FLAGGED[scored[0]]


def test_hardly_an_honest_text_is_struck_anywhere() -> None:
    honest = [case for case in cases("honest") if all(label.verdict != "false" for label in case.labels)]
    assert len(honest) > 150
    assert score(honest).struck <= MOST_STRUCK


@pytest.mark.full
def test_every_label_lies_in_its_text() -> None:
    rows = [case for part in FOLDERS for case in cases(part)]
    assert len({case.name for case in rows}) == len(rows) > 1500
    for case in rows:
        for label in case.labels:
            assert 0 <= label.start < label.end <= len(case.text), case.name


def test_what_is_recorded_of_the_held_back_part_is_what_is_read() -> None:
    """After a change of the reader: `python -m tests.grounding.score --record`."""
    assert RECORD.read_text(encoding="utf-8") == measured()


def test_the_published_part_is_as_large_as_it_says_and_holds_nothing_that_is_held_back() -> None:
    parts = {part: cases(part) for part in FOLDERS}
    published = [case for part in FOLDERS if part not in HELD_BACK for case in parts[part]]
    readme = (TEXTS.parent / "README.md").read_text(encoding="utf-8")
    assert f"{len(published):,} texts with every claim" in readme
    assert f"{sum(len(parts[part]) for part in HELD_BACK)} texts that are held back" in readme
    assert {case.text for case in published}.isdisjoint({case.text for part in HELD_BACK for case in parts[part]})
