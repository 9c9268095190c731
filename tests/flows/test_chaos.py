"""One lie on purpose: whoever tells it, of whatever kind, in either language and on either path, it is caught, and nothing else is."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from engine.domain.chaos import CHAOS_KINDS, Chaos
from engine.domain.errors import BadInput
from tests.flows.answers import cast
from tests.flows.conftest import HOLDING
from tests.servers.llm import LLMServer

Decide = Callable[..., Any]
ANALYSTS = ("indicator", "trend", "sentiment", "pattern")
ROLES = (*ANALYSTS, "bull", "bear", "judge", "executor")
LANGUAGES = ("en", "zh")
EVERY_LIE = tuple(product(ROLES, CHAOS_KINDS, LANGUAGES))
EACH_ONCE = {(role, CHAOS_KINDS[n % len(CHAOS_KINDS)], LANGUAGES[n % 2]) for n, role in enumerate(ROLES)}
"""One lie of every role; among them are every kind and both languages. The fast tier tells these, the full one all others."""
LIES = [pytest.param(*lie, marks=() if lie in EACH_ONCE else pytest.mark.full) for lie in EVERY_LIE]


@pytest.mark.full
@pytest.mark.parametrize(("role", "kind", "language"), LIES)
def test_the_lie_is_told_by_that_role_and_caught(decide: Decide, role: str, kind: str, language: str) -> None:
    holding = HOLDING if kind in {"value", "state"} else None
    state, events = decide(chaos=f"{role}:{kind}", language=language, holding=holding)
    (lie,) = state["planted"]
    assert lie["role"].removeprefix("position_") == role
    assert lie["caught"] is True
    false = {claim["source"].removeprefix("position_") for claim in _claims(state) if claim["verdict"] == "false"}
    assert false == {role}
    assert state["metrics"]["llm_calls_count"] == 8
    assert [event.kind for event in events].count("model.planted") == 1


@pytest.mark.full
def test_any_model_can_be_made_to_lie(decide: Decide) -> None:
    with LLMServer(cast()) as server:
        state, _ = decide(server, chaos="bear:price")
    assert state["bear_argument"]["text"].startswith("Price trades at ")
    assert [(lie["key"], lie["caught"]) for lie in state["planted"]] == [("close", True)]
    assert [detail["source"] for detail in state["false_claim_details"]] == ["bear"]


@pytest.mark.full
def test_without_chaos_nothing_is_planted(decide: Decide) -> None:
    assert decide()[0]["planted"] == []


@pytest.mark.parametrize("text", ["", "bull", "bull:", ":value", "bull:lie", "trader:value", "position_bull:value"])
def test_other_words_are_refused_with_those_that_exist(text: str) -> None:
    with pytest.raises(BadInput, match=r"ROLE:KIND with a (role of indicator, .*executor|kind of value, .*state)"):
        Chaos.parse(text, ROLES)


def _claims(state: dict[str, Any]) -> list[dict[str, Any]]:
    result = state["grounding_result"] or state["position_grounding_result"]
    return [*result["claims"], *(state["executor_claims"] or [])]
