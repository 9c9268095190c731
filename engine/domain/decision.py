"""What the executor decides. One vocabulary: this enum makes the prompt, the parser, the page and the broker."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, get_args

from pydantic import Field

from engine.domain.frozen_model import FrozenModel
from engine.domain.opinion import Direction

PathName = Literal["entry", "position"]
DebateSide = Literal["bull", "bear", "judge"]
DEBATE_SIDES: tuple[DebateSide, ...] = get_args(DebateSide)
"""Who debates a decision, in speaking order, on either path."""
AdjustmentType = Literal["scale_in", "partial_exit"]


class Signal(StrEnum):
    """A decision on the wire, as `final_action` and `execution_result.action` carry it."""

    ENTRY_LONG = "signal_entry_long"
    ENTRY_SHORT = "signal_entry_short"
    EXIT = "signal_exit"
    HOLD = "signal_hold"
    WAIT = "signal_wait"
    ADJUST = "adjust_position"


@dataclass(frozen=True)
class Action:
    """One thing an executor may decide.

    word: its name in prompts and answers. signal: its name on the wire. path: where it is allowed. adds_risk: whether limits for taking
    risk apply. needs_levels: stop and target are required. adjustment: allowed percent of the position, for the adjusting actions.
    """

    word: str
    signal: Signal
    path: PathName
    adds_risk: bool = False
    needs_levels: bool = False
    adjustment: tuple[float, float] | None = None

    @property
    def adjustment_type(self) -> AdjustmentType | None:
        """`scale_in` or `partial_exit` for the adjusting actions."""
        if self.adjustment is None:
            return None
        return "scale_in" if self.adjustment[0] > 0 else "partial_exit"


ENTRY_LONG = Action("ENTRY_LONG", Signal.ENTRY_LONG, "entry", adds_risk=True, needs_levels=True)
ENTRY_SHORT = Action("ENTRY_SHORT", Signal.ENTRY_SHORT, "entry", adds_risk=True, needs_levels=True)
WAIT = Action("WAIT", Signal.WAIT, "entry")
HOLD = Action("HOLD", Signal.HOLD, "position")
EXIT = Action("EXIT", Signal.EXIT, "position")
SCALE_IN = Action("SCALE_IN", Signal.ADJUST, "position", adds_risk=True, adjustment=(20.0, 50.0))
PARTIAL_EXIT = Action("PARTIAL_EXIT", Signal.ADJUST, "position", adjustment=(-70.0, -30.0))
ACTIONS: tuple[Action, ...] = (ENTRY_LONG, ENTRY_SHORT, WAIT, HOLD, EXIT, SCALE_IN, PARTIAL_EXIT)


def actions_of(path: PathName) -> tuple[Action, ...]:
    """Return the actions an executor may choose on this path."""
    return tuple(action for action in ACTIONS if action.path == path)


class ExecutorDecision(FrozenModel):
    """The specification's decision. Prices in quote money, confidence 0-100, leverage in x, *_pct in percent of price
    (adjustment_pct: of the position). risk_reward_ratio is computed by code from price, stop and target, never taken from a text."""

    action: Signal
    confidence: float = Field(ge=0, le=100)
    direction: Direction | None
    leverage: int | None
    stop_loss_price: float | None = None
    take_profit_price: float | None = None
    stop_loss_pct: float | None = None
    take_profit_pct: float | None = None
    risk_reward_ratio: float | None = None
    adjustment_pct: float | None = None
    adjustment_type: AdjustmentType | None = None
    reasoning: str = ""
    key_factors: list[str] = Field(default_factory=list)
    risk_assessment: str = ""
    confidence_breakdown: dict[str, float | None] = Field(default_factory=dict)
    model_used: str | None = None
    token_usage: dict[str, int] | None = None


class ExecutionMetrics(FrozenModel):
    """The specification's metrics of one decision. llm_calls_count: every request sent, retries and repairs too."""

    total_duration_ms: float
    analysis_duration_ms: float
    debate_duration_ms: float
    grounding_duration_ms: float
    executor_duration_ms: float
    total_tokens: int
    prompt_tokens: int
    completion_tokens: int
    llm_calls_count: int
    successful_llm_calls: int
    failed_llm_calls: int
    nodes_executed: list[str]
    execution_path: PathName
