"""The labelled texts stay as well read as they are. The held-back part is counted, never quoted: it must not become a guide for rules."""

import pytest

from tests.grounding.labelled import PARTS, cases
from tests.grounding.score import Score, score

LEAST = {
    "seen": (0.985, 0.94, 0.93),
    "held_back": (0.96, 0.89, 0.89),
    "equity_seen": (0.98, 0.96, 0.95),
    "equity_held_back": (0.94, 0.95, 0.94),
    "honest_seen": (0.98, 0.90, 0.80),
    "honest_held_back": (0.43, 0.95, 0.79),
}
MOST_FLAGGED = {
    "seen": 0.005, "held_back": 0.015, "equity_seen": 0.005, "equity_held_back": 0.015, "honest_seen": 0.005, "honest_held_back": 0.035,
}  # fmt: skip
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


def test_every_label_lies_in_its_text() -> None:
    rows = [case for part in PARTS for case in cases(part)]
    assert len({case.name for case in rows}) == len(rows) > 1500
    for case in rows:
        for label in case.labels:
            assert 0 <= label.start < label.end <= len(case.text), case.name
