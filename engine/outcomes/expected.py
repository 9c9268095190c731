"""What a plan is expected to come to when it is made: the specification's `expected_outcome`. Pure."""

from decimal import Decimal

from engine.domain.calibration import ENOUGH, Calibration
from engine.domain.market.terms import exact
from engine.domain.proposal import Figures, OrderPlan
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason


def expected_outcome(
    plan: OrderPlan, figures: Figures, confidence: float, calibration: Calibration | None, language: Language
) -> str | None:
    """Return stop and target in percent of the price and in R, after costs, and what a trade brings on average if the confidence is how
    often it gains. None for a plan without a stop or a target on its side of the price. figures: of the plan. confidence: 0-100."""
    if figures.loss_at_stop is None or figures.gain_at_target is None or plan.stop is None:
        return None
    unit = abs(figures.price - plan.stop) * plan.amount
    notional = figures.price * plan.amount
    loss, gain = -figures.loss_at_stop, figures.gain_at_target

    def said(money: Decimal) -> str:
        return Reason("percent_and_r", percent=f"{float(money / notional * 100):+.2f}", r=f"{float(money / unit):+.2f}").said_in(language)

    def average(share: float) -> Decimal:
        return exact(share / 100) * gain + exact(1 - share / 100) * loss

    known = calibration.calibrated(confidence) if calibration is not None else None
    if known is not None:
        calibrated = Reason("expected_calibrated", share=f"{known:.0f}", average=said(average(known))).said_in(language)
    else:
        calibrated = Reason("expected_uncalibrated", n=ENOUGH).said_in(language)
    return Reason(
        "expected_of_plan",
        stop=said(loss),
        target=said(gain),
        confidence=f"{confidence:.0f}",
        average=said(average(confidence)),
        calibrated=calibrated,
    ).said_in(language)
