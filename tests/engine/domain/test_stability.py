"""The stamp of a decision: counts, interval, spread and time out of its repetitions."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.domain.stability import RepeatedAnswer, Repetition, Stability, agreement_pct, stability_of

NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)


def repetitions(*answers: RepeatedAnswer | None, begun: tuple[float, ...] = (), took: float = 2.0) -> list[Repetition]:
    made = []
    for n, answer in enumerate(answers, 1):
        since = NOON + timedelta(seconds=begun[n - 1] if begun else 0.0)
        ended = since + timedelta(seconds=took) if answer is not None else None
        made.append(Repetition(series=1, n=n, k=len(answers), start="judge", begun_at=since, ended_at=ended, answer=answer))
    return made


def plan(action: str, stop: float, target: float, **more: Any) -> RepeatedAnswer:
    return RepeatedAnswer(action=action, is_valid=True, entry=100.0, stop=stop, target=target, atr=2.0, **more)


WAIT = RepeatedAnswer(action="wait", is_valid=True, atr=2.0)
LOST = RepeatedAnswer(action=None, lost="429")


def test_the_spread_is_the_standard_deviation_in_atr_of_the_plans_of_one_side() -> None:
    """Stops 97, 98, 99 around a mean of 98: (1 + 0 + 1) / 2 = 1, half an ATR of 2. The short's stop is no part of it."""
    longs = [plan("long", stop, target) for stop, target in ((97, 104), (98, 104), (99, 110))]
    found = stability_of("r", "long", repetitions(*longs, plan("short", 103, 90), WAIT))
    assert found.spread_atr == {"entry": 0.0, "stop": 0.5, "target": pytest.approx(3.4641016 / 2, abs=1e-5)}
    rarer = stability_of("r", "wait", repetitions(WAIT, WAIT, WAIT, *longs[:2]))
    assert rarer.modal == "wait"
    assert rarer.spread_atr["stop"] == pytest.approx(0.7071068 / 2, abs=1e-5)


def test_what_gave_no_answer_counts_for_no_action() -> None:
    found = stability_of("r", "long", repetitions(plan("long", 98, 104), plan("long", 98, 104), LOST, LOST, None))
    assert (found.k, found.actions, found.share) == (5, {"long": 2}, 1.0)
    state = {"final_action": "long", "stability": found.to_json()}
    assert agreement_pct(state) == pytest.approx(40), "what was not answered does not agree"
    silent = stability_of("r", "long", repetitions(LOST, LOST))
    assert (silent.modal, silent.share, silent.low, silent.high) == (None, None, None, None)


def test_a_model_without_a_price_has_no_cost_and_everything_is_read_back() -> None:
    priced = [plan("long", 98, 104, calls=2, tokens=900, cost=0.25), plan("long", 98, 104, calls=3, tokens=100, cost=0.5)]
    found = stability_of("r", "long", repetitions(*priced))
    assert (found.calls, found.tokens, found.cost) == (5, 1000, 0.75)
    assert stability_of("r", "long", repetitions(*priced, plan("long", 98, 104, cost=None))).cost is None
    assert set(found.to_json()) == {
        "run_id", "k", "from", "actions", "modal", "share", "low", "high", "spread_atr", "calls", "tokens", "cost", "seconds",
    }  # fmt: skip
    assert Stability.read(found.to_json()) == found
