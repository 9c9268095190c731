"""A model that declines is asked once more, and is no vote on either desk: an analyst abstains, anybody else ends in the safe action."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.flows.answers import SOUND, cast, executor, vote
from tests.flows.conftest import HOLDING, Decided
from tests.flows.equities.played import VIEW, play
from tests.flows.equities.test_over_http import answering, engine_over, of_role
from tests.flows.test_repairs import in_turn, repairs
from tests.servers.llm import LLMServer
from tests.servers.providers import looks_up, without_tools

Decide = Callable[..., Decided]
SORRY = "I'm sorry, but I can't provide financial advice on BTC/USDT on the 15m chart."
DUTIFUL = f"{SORRY}\n\n{vote('NEUTRAL', 0)}"
CHINESE = "抱歉，我无法提供投资建议。\n\n[表决]\ndirection: NEUTRAL\nconfidence: 0\nsupport: N/A\nresistance: N/A\n"
WAITING = f"{SORRY}\n\n{executor('WAIT', leverage=1, direction='NEUTRAL', stop='N/A', target='N/A', confidence=40.0)}"


@pytest.mark.full
@pytest.mark.parametrize("words", [DUTIFUL, CHINESE])
def test_an_analyst_that_declines_abstains_and_is_not_counted(decide: Decide, words: str) -> None:
    with LLMServer(cast(sentiment=words)) as server:
        state, events = decide(server)
    assert state["is_valid"]
    assert state["sentiment_report"]["abstained"]
    assert "declined" in state["sentiment_report"]["reason"]
    assert repairs(events) == [("sentiment", True)]


@pytest.mark.full
def test_one_that_gives_way_is_counted(decide: Decide) -> None:
    line, asked = in_turn(DUTIFUL, SOUND["sentiment"])
    with LLMServer(cast(sentiment=line)) as server:
        state, _ = decide(server)
    assert (state["sentiment_report"]["abstained"], state["sentiment_report"]["text"]) == (False, SOUND["sentiment"])
    assert "You declined" in asked[1]


@pytest.mark.full
@pytest.mark.parametrize(
    ("holding", "role", "words"),
    [
        (None, "executor", WAITING),
        (None, "judge", f"{SORRY}\n\n[Vote]\nverdict: NEUTRAL\ndirection: NEUTRAL\nconfidence: 0\n"),
        (None, "bull", "As an AI language model, I cannot give trading recommendations.\n\n[Vote]\nconfidence: 0\n"),
        (HOLDING, "executor", WAITING.replace("action: WAIT", "action: HOLD")),
    ],
)
def test_anybody_else_who_declines_ends_in_the_safe_action_that_is_not_valid(decide: Decide, holding: Any, role: str, words: str) -> None:
    with LLMServer(cast(**{role: words})) as server:
        state, _ = decide(server, **({"holding": holding} if holding else {}))
    assert (state["is_valid"], state["final_action"]) == (False, "signal_hold" if holding else "signal_wait")
    assert "declined" in state["errors"][0]


@pytest.mark.full
def test_a_refusal_on_the_equities_desk_is_no_speech(tmp_path: Path) -> None:
    with LLMServer(answering(bull_researcher=SORRY)) as server, closing(engine_over(tmp_path, server)) as engine:
        state, _ = play(engine)
    assert (state["is_valid"], state["trader_action"]) == (False, "hold")
    assert "declined" in state["errors"][0]


@pytest.mark.full
def test_the_equities_desk_decides_with_a_model_without_tools(tmp_path: Path) -> None:
    says = answering(market_analyst=looks_up("get_price_history", {"days": 3}, then=VIEW))
    with LLMServer(without_tools(says)) as server, closing(engine_over(tmp_path, server)) as engine:
        state, events = play(engine)
        asked = of_role(server, "market analyst")
        refused = sum("tools" in request.body for request in server.requests)
    assert state["is_valid"], state["errors"]
    assert [state["analysts"][key]["status"] for key in ("market", "news", "sentiment", "fundamentals")] == ["done"] * 4
    assert refused <= 4, "what each branch may have asked before the first refusal came"
    assert "get_indicators" in asked[-1]["messages"][1]["content"]
    assert {event.data.to_json()["tool"] for event in events if event.kind == "tool.called"} >= {"get_indicators", "get_fundamentals"}
