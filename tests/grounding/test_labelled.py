"""The labelled texts stay as well read as they are. The held-back part is counted, never quoted: it must not become a guide for rules."""

import pytest

from tests.grounding.labelled import PARTS, cases
from tests.grounding.score import Score, score

LEAST = {
    "seen": (0.99, 0.955, 0.945),
    "held_back": (0.985, 0.935, 0.945),
    "equity_seen": (0.99, 0.96, 0.955),
    "equity_held_back": (0.98, 0.94, 0.95),
    "honest": (0.98, 0.93, 0.80),
}
MOST_FLAGGED = {"seen": 0.003, "held_back": 0.005, "equity_seen": 0.003, "equity_held_back": 0.005, "honest": 0.002}
MOST_STRUCK = 0.01
LEAST_AGREEMENT = 0.98


@pytest.fixture(scope="module", params=sorted(LEAST))
def scored(request: pytest.FixtureRequest) -> tuple[str, Score]:
    return request.param, score(cases(request.param))


def test_false_claims_are_convicted_and_nothing_else(scored: tuple[str, Score]) -> None:
    part, result = scored
    precision, recall, extraction = LEAST[part]
    assert result.precision >= precision
    assert result.recall >= recall
    assert result.extraction >= extraction
    assert result.agreement >= LEAST_AGREEMENT


def test_hardly_a_true_claim_or_plan_is_flagged(scored: tuple[str, Score]) -> None:
    assert scored[1].flagged <= MOST_FLAGGED[scored[0]]


def test_hardly_an_honest_text_is_struck_anywhere() -> None:
    honest = [case for case in cases("honest") if all(label.verdict != "false" for label in case.labels)]
    assert len(honest) > 150
    assert score(honest).struck <= MOST_STRUCK


def test_every_label_lies_in_its_text() -> None:
    rows = [case for part in PARTS for case in cases(part)]
    assert len({case.name for case in rows}) == len(rows) > 1500
    for case in rows:
        for label in case.labels:
            assert 0 <= label.start < label.end <= len(case.text), case.name
