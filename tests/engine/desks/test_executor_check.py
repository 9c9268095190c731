"""What an executor may decide: refusals by table, and thousands of generated answers of which none breaks a rule."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.desks.decision.executor.check import Refused, check_answer
from engine.desks.decision.paths import ENTRY, POSITION, Path, path_of
from engine.desks.decision.reading.answers import ExecutorBlock, read_executor
from engine.domain.decision import ACTIONS, Signal
from engine.domain.holding import Holding
from engine.domain.opinion import Direction, Usage

PRICE = 100.0
SPOT = path_of(has_position=False, paid_in_full=True)
LONG = Holding(side="long", entry_price=95, size=1, leverage=3, opened_at=datetime(2026, 1, 1, tzinfo=UTC))
USAGE = Usage(model="m")


def block(action: str, **changes: object) -> ExecutorBlock:
    fields: dict[str, object] = {
        "action_word": action,
        "confidence": 60.0,
        "leverage": 3.0,
        "direction": None,
        "stop_loss_price": None,
        "take_profit_price": None,
        "adjustment_pct": None,
        "adjustment_type": None,
        "reasoning": "because",
        "key_factors": (),
        "risk_assessment": "",
    }
    return ExecutorBlock(**{**fields, **changes})  # type: ignore[arg-type]


def long(**changes: object) -> ExecutorBlock:
    return block("ENTRY_LONG", **{"stop_loss_price": 98.0, "take_profit_price": 105.0, **changes})


@pytest.mark.parametrize(
    ("answer", "path", "said"),
    [
        (block("HOLD"), ENTRY, "not allowed on the entry path"),
        (long(), POSITION, "not allowed on the position path"),
        (long(stop_loss_price=None), ENTRY, "the stop is missing"),
        (long(stop_loss_price=101.0), ENTRY, "wrong side"),
        (long(stop_loss_price=-5.0), ENTRY, "not a price"),
        (block("ENTRY_SHORT", stop_loss_price=98.0, take_profit_price=95.0), ENTRY, "wrong side"),
        (block("ENTRY_SHORT", stop_loss_price=102.0, take_profit_price=95.0), SPOT, "a spot market cannot be sold short"),
        (long(leverage=101.0), ENTRY, "from 1 to 100"),
        (long(leverage=2.5), ENTRY, "whole number"),
        (long(direction=Direction.SHORT), ENTRY, "contradicts"),
        (block("SCALE_IN", adjustment_pct=60.0), POSITION, "from +20 to +50"),
        (block("SCALE_IN", adjustment_pct=30.0, stop_loss_price=101.0), POSITION, "wrong side"),
    ],
)
def test_refused(answer: ExecutorBlock, path: Path, said: str) -> None:
    with pytest.raises(Refused, match=said.replace("+", r"\+")):
        check_answer(answer, path, PRICE, LONG if path is POSITION else None, {}, USAGE)


def test_the_ratio_is_recomputed_never_believed() -> None:
    said = "action: ENTRY_LONG\nconfidence: 60\nleverage: 3\nstop_loss_price: 98\ntake_profit_price: 105\nrisk_reward_ratio: 9.9\n"
    _, decision = check_answer(read_executor(said), ENTRY, PRICE, None, {}, USAGE)
    assert decision.risk_reward_ratio == pytest.approx(5 / 2)
    assert (decision.stop_loss_pct, decision.take_profit_pct) == (-2.0, 5.0)


NUMBERS = st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True), st.floats(-200, 200))
ANSWERS = st.builds(
    block,
    st.sampled_from([action.word for action in ACTIONS] + ["BUY", ""]),
    leverage=NUMBERS,
    stop_loss_price=NUMBERS,
    take_profit_price=NUMBERS,
    adjustment_pct=NUMBERS,
    direction=st.sampled_from([None, *Direction]),
)


@pytest.mark.full
@settings(max_examples=2_000)
@given(ANSWERS, st.sampled_from([ENTRY, POSITION, SPOT]))
def test_what_passes_is_sound(answer: ExecutorBlock, path: Path) -> None:
    holding = LONG if path is POSITION else None
    try:
        action, decision = check_answer(answer, path, PRICE, holding, {}, USAGE)
    except Refused:
        return
    assert action in path.actions
    if decision.action in (Signal.ENTRY_LONG, Signal.ENTRY_SHORT):
        sign = 1 if decision.action is Signal.ENTRY_LONG else -1
        assert decision.stop_loss_price is not None
        assert decision.take_profit_price is not None
        assert sign * decision.stop_loss_price < sign * PRICE < sign * decision.take_profit_price
        assert decision.leverage is not None
        assert 1 <= decision.leverage <= 100
        assert decision.risk_reward_ratio is not None
        assert decision.risk_reward_ratio >= 0
    if decision.action is Signal.ADJUST:
        low, high = action.adjustment or (0, 0)
        assert decision.adjustment_pct is not None
        assert low <= decision.adjustment_pct <= high
