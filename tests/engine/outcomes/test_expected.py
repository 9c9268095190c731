"""What a plan is expected to come to, worked out by hand: the market's terms are those of the outcomes' table, a fee of 0.05 % each way and
two hundredths of a percent of slippage to the next 0.1."""

import pytest

from engine.domain.calibration import Cases
from engine.domain.proposal import OrderPlan
from engine.outcomes.calibration import calibration_of
from engine.outcomes.expected import expected_outcome
from engine.trading.figures import figures_of
from tests.engine.outcomes.market import TERMS, entry

LONG, SHORT = entry("98", "106"), entry("102", "95", short=True)
FORTY = calibration_of([Cases(72.0, n=40, hits=16), Cases(55.0, n=29, hits=29)])
"""Of those who stated 70 to 80, forty of a hundred gained; of those who stated 50 to 60 there are too few."""


def said(plan: OrderPlan, confidence: float, *, language: str = "en", calibrated: bool = False, funding: float | None = None) -> str | None:
    figures = figures_of(plan, 100.0, TERMS, atr=1.0, bar_s=3600.0, funding_rate=funding)
    return expected_outcome(plan, figures, confidence, FORTY if calibrated else None, language)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("plan", "confidence", "stop", "target", "average"),
    [
        # bought at 100.1, fee 0.05005; out at 97.9 (0.04895): -2.299, or at 105.9 (0.05295): 5.697; 2 at risk; 0.7 x 5.697 - 0.3 x 2.299
        (LONG, 70, "-2.30 % (-1.15 R)", "+5.70 % (+2.85 R)", "+3.30 % (+1.65 R)"),
        # sold at 99.9, fee 0.04995; back at 102.1 (0.05105): -2.301, or at 95.1 (0.04755): 4.7025; half of each
        (SHORT, 50, "-2.30 % (-1.15 R)", "+4.70 % (+2.35 R)", "+1.20 % (+0.60 R)"),
        # 0.2 x 5.697 - 0.8 x 2.299: what is expected may be a loss
        (LONG, 20, "-2.30 % (-1.15 R)", "+5.70 % (+2.85 R)", "-0.70 % (-0.35 R)"),
    ],
)
def test_the_stated_confidence_weighs_stop_and_target(plan: OrderPlan, confidence: float, stop: str, target: str, average: str) -> None:
    assert said(plan, confidence) == (
        f"after costs: stop {stop}, target {target}; on average {average} a trade if {confidence} of 100 gain, as the confidence says; "
        "fewer than 30 such decisions are over: too few to say how many gain"
    )


def test_a_known_hit_rate_is_said_beside_the_stated_confidence_and_never_out_of_too_few() -> None:
    """0.4 x 5.697 - 0.6 x 2.299 = 0.8994."""
    known, few = said(LONG, 70, calibrated=True), said(LONG, 55, calibrated=True)
    assert known is not None
    assert "on average +3.30 % (+1.65 R) a trade if 70 of 100 gain" in known
    assert known.endswith("40 of 100 such decisions gained so far: +0.90 % (+0.45 R)")
    assert few is not None
    assert few.endswith("too few to say how many gain")
    chinese = said(LONG, 70, language="zh", calibrated=True)
    assert chinese is not None
    assert "止损 -2.30%（-1.15 R）" in chinese
    assert "+0.90%（+0.45 R）" in chinese


@pytest.mark.parametrize(
    "plan",
    [
        entry("98", None),
        entry("98", "99"),
        entry("101", "106"),
        LONG.model_copy(update={"stop": None}),
        LONG.model_copy(update={"reduce_only": True}),
    ],
    ids=["no target", "target below", "stop above", "no stop", "an exit"],
)
def test_a_plan_without_both_levels_on_their_sides_is_expected_to_come_to_nothing_known(plan: OrderPlan) -> None:
    assert said(plan, 70) is None
