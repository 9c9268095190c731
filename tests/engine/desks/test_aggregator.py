"""The consensus: hand-worked examples, and what must hold for any set of reports."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.desks.decision.analysis import consensus_of, key_level
from engine.domain.opinion import AgentReport, Direction

WEIGHTS = {"indicator": 0.3, "trend": 0.3, "sentiment": 0.2, "pattern": 0.2}


def report(agent: str, direction: str | None, confidence: float | None = None) -> AgentReport:
    abstained = direction is None
    return AgentReport(
        agent=agent,
        direction=Direction(direction) if direction else None,
        confidence=confidence,
        text="",
        abstained=abstained,
        reason="silent" if abstained else None,
    )


REPORTS = st.tuples(
    *(
        st.one_of(
            st.just(report(agent, None)),
            st.builds(report, st.just(agent), st.sampled_from(["LONG", "SHORT", "NEUTRAL"]), st.floats(0, 100)),
        )
        for agent in WEIGHTS
    )
)


def test_three_shorts_and_a_neutral() -> None:
    found = consensus_of([report("indicator", "SHORT", 60), report("trend", "SHORT", 66), report("sentiment", "NEUTRAL", 50),
                          report("pattern", "SHORT", 57)], WEIGHTS)  # fmt: skip
    # pushes: short 18 + 19.8 + 11.4 = 49.2, neutral 10; mean of the agreeing: 49.2 / 0.8
    assert found.direction is Direction.SHORT
    assert found.confidence == pytest.approx(61.5)
    assert found.scores["short"] == pytest.approx(49.2 / 59.2, abs=1e-4)


def test_a_tie_is_neutral() -> None:
    found = consensus_of([report("indicator", "LONG", 70), report("trend", "SHORT", 70)], WEIGHTS)
    assert (found.direction, found.confidence) == (Direction.NEUTRAL, 0.0)


@pytest.mark.full
@given(REPORTS)
def test_scores_add_up_to_one_and_lead(reports: tuple[AgentReport, ...]) -> None:
    found = consensus_of(reports, WEIGHTS)
    assert sum(found.scores.values()) == pytest.approx(1.0, abs=1e-9)
    assert 0 <= found.confidence <= 100
    assert all(share >= 0 for share in found.scores.values())
    if found.direction is not Direction.NEUTRAL:
        assert found.scores[found.direction.value.lower()] == max(found.scores.values())


@pytest.mark.parametrize(
    ("measured", "named", "side", "level"),
    [
        (95.0, [(97.0, 1.0)], -1, 95.0),  # what was measured outranks what was said
        (None, [(97.0, 0.3), (96.0, 0.3), (90.0, 0.2)], -1, 96.0),
        (None, [(104.0, 1.0)], -1, None),  # a support above the price is none
        (None, [], 1, None),
    ],
)
def test_key_levels(measured: float | None, named: list[tuple[float, float]], side: int, level: float | None) -> None:
    assert key_level(measured, named, 100.0, side) == level
