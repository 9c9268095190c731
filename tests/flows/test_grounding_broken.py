"""A checker that breaks has checked nothing: the decision ends in its safe action and says why."""

from collections.abc import Callable
from typing import Any

import pytest

Decide = Callable[..., Any]


@pytest.mark.full
@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_exception_inside_grounding_closes_the_gate(decide: Decide, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RecursionError("deep in the grammar")

    monkeypatch.setattr("engine.grounding.result.read_claims", broken)
    state, events = decide(language=language)
    assert (state["final_action"], state["is_valid"], state["grounding_verified"]) == ("signal_wait", False, False)
    assert state["execution_result"]["action"] == "signal_wait"
    assert "RecursionError: deep in the grammar" in state["errors"][0]
    failed = [event for event in events if event.kind == "node.failed"]
    assert [(event.node, event.data.to_json()["consequence"]) for event in failed] == [("entry_grounding", "safe_action")]
    assert "executor" not in {event.node for event in events}
    assert events[-1].kind == "run.finished"
