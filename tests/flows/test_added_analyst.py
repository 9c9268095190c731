"""An analyst is one file: added, it joins the fan-out and the consensus, and its report stands in the state under its name."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.domain.text.language import LANGUAGES
from engine.flows.decision.analyst import Analyst
from engine.flows.decision.analysts import ANALYSTS
from tests.flows.conftest import Decided

if TYPE_CHECKING:
    import pytest

ONCHAIN = Analyst(
    key="onchain",
    weight=0.25,
    facts=("close", "volume_ratio_20", "obv_trend"),
    task=dict.fromkeys(LANGUAGES, "You are the on-chain analyst."),
    title={"en": "On-chain", "zh": "链上"},
)


def test_a_fifth_analyst(decide: Callable[..., Decided], monkeypatch: "pytest.MonkeyPatch") -> None:
    monkeypatch.setattr("engine.flows.decision.flow.ANALYSTS", (*ANALYSTS, ONCHAIN))
    state, events = decide()
    assert state["onchain_report"]["agent"] == "onchain"
    assert set(state["reports"]) == {"indicator", "trend", "sentiment", "pattern", "onchain"}
    assert state["metrics"]["llm_calls_count"] == 9
    assert any(event.node == "onchain" and event.kind == "node.finished" for event in events)
