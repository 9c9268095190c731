"""What a final state asks for: the decision it ends in, or the one that the limits refused. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.domain.decision import ACTIONS, Action, AdjustmentType, ExecutorDecision, Signal
from engine.domain.risk import LimitCheck
from engine.domain.text.reason import Reason

_ORDERS = frozenset({Signal.ENTRY_LONG, Signal.ENTRY_SHORT, Signal.EXIT, Signal.ADJUST})


@dataclass(frozen=True)
class ProposedDecision:
    """A decision with an order in it. leverage: x. stop, target: quote units. adjustment_pct: percent of the position. calibrated: the
    confidence that it is sized by (`sized_by`), None where that is not asked for.

    refused: why the limits let nothing be ordered from it, "" for one that stands. limits: as they were measured then. thesis: why, in
    words that those who decide about the position later are shown.
    """

    action: Action
    confidence: float
    leverage: int | None
    stop: float | None
    target: float | None
    adjustment_pct: float | None
    refused: str = ""
    limits: tuple[LimitCheck, ...] = ()
    thesis: str = ""
    calibrated: float | None = None


def proposed_decision(final: Mapping[str, Any]) -> ProposedDecision | None:
    """Return what a final state asks to be ordered; None when there is nothing: WAIT, HOLD, and whatever was no decision."""
    if not final.get("is_valid"):
        return _refused(final)
    signal = Signal(final["final_action"])
    if signal not in _ORDERS:
        return None
    return ProposedDecision(
        action=_action(signal, final["adjustment_type"]),
        confidence=float(final["final_confidence"]),
        leverage=final["final_leverage"],
        stop=final["stop_loss_price"],
        target=final["take_profit_price"],
        adjustment_pct=final["adjustment_pct"],
        calibrated=final.get("calibrated_confidence"),
    )


def _refused(final: Mapping[str, Any]) -> ProposedDecision | None:
    written = final.get("refused_decision")
    if written is None:
        return None
    decision = ExecutorDecision.model_validate(written)
    return ProposedDecision(
        action=_action(decision.action, decision.adjustment_type),
        confidence=decision.confidence,
        leverage=decision.leverage,
        stop=decision.stop_loss_price,
        target=decision.take_profit_price,
        adjustment_pct=decision.adjustment_pct,
        refused=Reason.listed(final["errors"]),
        limits=tuple(LimitCheck.model_validate(row) for row in final["limits"]),
        calibrated=final.get("calibrated_confidence"),
    )


def _action(signal: Signal, adjustment_type: AdjustmentType | None) -> Action:
    return next(action for action in ACTIONS if action.signal is signal and action.adjustment_type == adjustment_type)
