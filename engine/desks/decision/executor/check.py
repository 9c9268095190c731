"""Is the executor's answer a decision? Pure code: what it may choose here, numbers within bounds, levels on the right sides.

Gives an ExecutorDecision with its ratio recomputed, or raises Refused with the reason. It never repairs a number: a decision that breaks
a rule is no decision. The configured limits are checked afterwards, in `trading/limits.py`.
"""

import math
from collections.abc import Callable, Mapping

from engine.desks.decision.paths import Path
from engine.desks.decision.reading.answers import ExecutorBlock, read_executor
from engine.domain.decision import ENTRY_LONG, ENTRY_SHORT, EXIT, WAIT, Action, ExecutorDecision
from engine.domain.errors import TribunalError
from engine.domain.holding import Holding
from engine.domain.opinion import Direction, Usage, token_usage
from engine.domain.risk import MOST_LEVERAGE
from engine.domain.text.reason import Reason
from engine.llm.values import Unreadable
from engine.trading.sizing import risk_reward_ratio

_FARTHEST = 100.0  # times the price: no level lies beyond
LEVERAGE_BOUNDS = (1, MOST_LEVERAGE)


class Refused(TribunalError):
    """The answer is readable and not a decision: the reason is the message."""


def action_of(word: str, path: Path) -> Action:
    """Return the action behind a word. Raises Refused for one that this path does not have."""
    for action in path.actions:
        if action.word == word:
            return action
    if path.paid_in_full and word == ENTRY_SHORT.word:
        raise Refused(Reason("spot_market_cannot_be_sold_short"))
    raise Refused(Reason("action_is_not_allowed_on_path", word=word, name=path.name, actions=", ".join(a.word for a in path.actions)))


def read_on(path: Path) -> Callable[[str], ExecutorBlock]:
    """Return the reader of an executor's answer: one that leaves out what its action needs is unreadable, so that it is asked for."""

    def read(text: str) -> ExecutorBlock:
        block = read_executor(text)
        if lacking := _lacking(block, path):
            keys = ", ".join(lacking)
            raise Unreadable(
                Reason("states_no_it_needs", action_word=block.action_word, keys=keys, value="one" if len(lacking) == 1 else "each")
            )
        return block

    return read


def _lacking(block: ExecutorBlock, path: Path) -> list[str]:
    """Return the keys that an answer's action needs and does not have; none for an action of the other path, which is refused anyway."""
    action = next((action for action in path.actions if action.word == block.action_word), None)
    if action is None:
        return []
    levels = ("stop_loss_price", "take_profit_price", *(() if path.paid_in_full else ("leverage",))) if action.needs_levels else ()
    needed = (*levels, *(("adjustment_pct",) if action.adjustment else ()))
    return [key for key in needed if getattr(block, key) is None]


def check_answer(
    block: ExecutorBlock, path: Path, price: float, holding: Holding | None, breakdown: Mapping[str, float | None], usage: Usage
) -> tuple[Action, ExecutorDecision]:
    """Return the decision in an answer. price: last price. Raises Refused."""
    action = action_of(block.action_word, path)
    direction = _direction(action, block.direction, holding)
    leverage = _leverage(block.leverage, action, path)
    stop, target = _levels(block, action, direction, price)
    adjustment = _adjustment(block.adjustment_pct, action)
    sign = -1 if direction is Direction.SHORT else 1
    ratio = risk_reward_ratio(price, stop, target, sign) if stop is not None and target is not None else None
    decision = ExecutorDecision(
        action=action.signal,
        confidence=block.confidence,
        direction=direction,
        leverage=leverage,
        stop_loss_price=stop,
        take_profit_price=target,
        stop_loss_pct=_pct(stop, price),
        take_profit_pct=_pct(target, price),
        risk_reward_ratio=round(ratio, 4) if ratio is not None else None,
        adjustment_pct=adjustment,
        adjustment_type=action.adjustment_type,
        reasoning=block.reasoning,
        key_factors=list(block.key_factors),
        risk_assessment=block.risk_assessment,
        confidence_breakdown=dict(breakdown),
        model_used=usage.model,
        token_usage=token_usage([usage]),
    )
    return action, decision


def _direction(action: Action, stated: Direction | None, holding: Holding | None) -> Direction:
    if action.needs_levels:
        meant = Direction.LONG if action is ENTRY_LONG else Direction.SHORT
        if stated is not None and stated is not meant:
            raise Refused(Reason("action_contradicts_direction", word=action.word, value=stated.value))
        return meant
    if action in (WAIT, EXIT) or holding is None:
        return Direction.NEUTRAL
    return Direction.LONG if holding.side == "long" else Direction.SHORT


def _leverage(stated: float | None, action: Action, path: Path) -> int | None:
    if stated is None:
        if action.needs_levels and path.paid_in_full:
            return 1
        if action.needs_levels:
            raise Refused(Reason("states_no_leverage", word=action.word))
        return None
    low, high = LEVERAGE_BOUNDS
    unused = not action.adds_risk and stated == 0  # "leverage: 0" beside WAIT or EXIT says: none
    if unused:
        return None
    if not math.isfinite(stated) or not low <= stated <= high or stated != int(stated):
        raise Refused(Reason("leverage_is_not_whole_number_from_to", stated=f"{stated:g}", low=low, high=high))
    return int(stated)


def _levels(block: ExecutorBlock, action: Action, direction: Direction, price: float) -> tuple[float | None, float | None]:
    stop, target = block.stop_loss_price, block.take_profit_price
    if not action.adds_risk:
        return None, None
    if action.needs_levels and (stop is None or target is None):
        raise Refused(Reason("needs_stop_and_target", word=action.word, value="the stop" if stop is None else "the target"))
    sign = -1 if direction is Direction.SHORT else 1
    for name, level, side in (("stop", stop, -sign), ("target", target, sign)):
        if level is None:
            continue
        if not math.isfinite(level) or not 0 < level < price * _FARTHEST:
            raise Refused(Reason("is_not_price", name=name, level=f"{level:g}"))
        if (level - price) * side <= 0:
            needed = "above" if side > 0 else "below"
            raise Refused(
                Reason(
                    "is_on_wrong_side_of_price",
                    name=name,
                    level=f"{level:g}",
                    price=f"{price:g}",
                    lower=direction.value.lower(),
                    needed=needed,
                )
            )
    return stop, target


def _adjustment(stated: float | None, action: Action) -> float | None:
    if action.adjustment is None:
        return None
    low, high = action.adjustment
    if stated is None or not low <= stated <= high:
        shown = "missing" if stated is None else f"{stated:g}"
        raise Refused(Reason("adjustment_pct_of_is", word=action.word, shown=shown, low=f"{low:+g}", high=f"{high:+g}"))
    return stated


def _pct(level: float | None, price: float) -> float | None:
    return round((level - price) / price * 100, 4) if level is not None else None
