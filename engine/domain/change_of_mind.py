"""What changed between a decision and the one before it about the same market: the facts, the words, the direction."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import AwareDatetime

from engine.domain.decision import Signal
from engine.domain.frozen_model import FrozenModel

_STANCES: Final[Mapping[str, int]] = {Signal.ENTRY_LONG.value: 1, Signal.ENTRY_SHORT.value: -1, "buy": 1, "sell": -1}
_OF_POSITION: Final[Mapping[str, int]] = {Signal.HOLD.value: 1, Signal.EXIT.value: -1}


class FactMove(FrozenModel):
    """A fact that moved. before, now: in its own unit. moved: `now - before`, in ATR of its timeframe for prices, else in standard
    deviations of its own recent history; None for a reported figure that has too short a history."""

    key: str
    before: float
    now: float
    moved: float | None
    unit: Literal["atr", "sd"]


class FallenClaim(FrozenModel):
    """Something a role said that was true then and is false by the facts of now. key: of the fact."""

    role: str
    text: str
    key: str


class PreviousDecision(FrozenModel):
    """The decision before, as a run freezes it. at: its clock. stance: see `stance_of`. facts: every number of its sheet."""

    run_id: str
    at: AwareDatetime
    stance: int
    facts: dict[str, float]


class SincePrevious(FrozenModel):
    """The decision before, as a limit needs it. stance: see `stance_of`. moved: how many facts have moved since."""

    stance: int
    moved: int

    def facts_for(self, stance: int) -> int | None:
        """Return how many facts moved for a reversal; None where a stance is none."""
        return self.moved if reverses(self.stance, stance) else None


class ChangeOfMind(FrozenModel):
    """A decision beside the one before it. previous: its run, or None; what follows from it is empty then. previous_at:
    its clock. facts: what moved, the farthest first. invalidations_fired: conditions that were to prove it wrong, and have come true, in
    words. reversal: the two point in opposite directions; reversal_without_fact: and no fact moved and no condition came true. person: the
    state of the proposal of the one before, None where nothing was proposed. other_model: the model of the one before, where it is
    another. prompts_changed: nodes whose prompt has another version than in the one before. first_of: the market or company that this is
    the first decision about at its desk, whatever the account and the candles; None where it is not."""

    run_id: str
    previous: str | None
    action_before: str | None
    action_now: str
    facts: tuple[FactMove, ...] = ()
    claims_fallen: tuple[FallenClaim, ...] = ()
    invalidations_fired: tuple[str, ...] = ()
    reversal: bool = False
    reversal_without_fact: bool = False
    previous_at: AwareDatetime | None = None
    person: str | None = None
    other_model: str | None = None
    prompts_changed: tuple[str, ...] = ()
    first_of: str | None = None


def action_of(result: Mapping[str, Any]) -> str | None:
    """Return what a final state decided, in its own word; None for one that decides nothing."""
    action = result.get("final_action") or result.get("trader_action")
    return str(action) if action is not None else None


def stance_of(result: Mapping[str, Any]) -> int:
    """Return which way a final state points: 1 long, -1 short, 0 neither. To keep or enlarge a position is to be for its side, to close it
    is to be against it; to reduce it, to wait and to hold without one is neither."""
    action = action_of(result)
    side = {"long": 1, "short": -1}.get(str(result.get("position_side")), 0)
    if action == Signal.ADJUST.value:
        return side if (result.get("adjustment_pct") or 0) > 0 else 0
    return _STANCES.get(str(action), _OF_POSITION.get(str(action), 0) * side)


def reverses(before: int, now: int) -> bool:
    """Return whether two stances are opposite."""
    return before * now < 0
