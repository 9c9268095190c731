"""What is asked once more, through a whole decision: two votes in one answer, an entry without its levels, an answer that was cut off, a
model that declines."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.flows.answers import SOUND, cast, executor, vote
from tests.flows.conftest import HOLDING, Decide
from tests.flows.equities.played import play
from tests.flows.equities.test_over_http import answering, engine_over
from tests.servers.llm import Body, LLMServer, Plan, cut_off, tokens, user_of

WAIT = executor("WAIT", leverage=1, direction="NEUTRAL", stop="N/A", target="N/A", confidence=40.0)
TWO_DECISIONS = executor() + "\n" + WAIT
TWO_VOTES = f"It holds.\n\n{vote('LONG', 70)}\nThen again:\n\n{vote('SHORT', 70)}"
LEAD = "Sellers lead, and the trend holds."
LEVELS = "[Risk management]\nstop_loss_price: 98\ntake_profit_price: 106"
TWO_VERDICTS = SOUND["judge"] + "\n[Vote]\nverdict: BEAR\ndirection: SHORT\nconfidence: 71\n"


def in_turn(*answers: Plan) -> tuple[Callable[[Body], Plan], list[str]]:
    """A role's answers in order, the last again and again; and what it was asked each time."""
    asked: list[str] = []

    def answer(body: Body) -> Plan:
        asked.append(user_of(body))
        return answers[min(len(asked), len(answers)) - 1]

    return answer, asked


def repairs(events: list[Any]) -> list[tuple[str, bool]]:
    return [(event.node, event.data.to_json()["repair"]) for event in events if event.kind == "node.retried"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("role", "twice", "key"),
    [
        ("executor", TWO_DECISIONS, "action"),
        ("judge", TWO_VERDICTS, "verdict"),
        ("trend", TWO_VOTES, "direction"),
    ],
)
def test_two_votes_in_one_answer_are_asked_for_once_more(decide: Decide, role: str, twice: str, key: str) -> None:
    line, asked = in_turn(twice, SOUND[role])
    with LLMServer(cast(**{role: line})) as server:
        state, events = decide(server)
    assert (state["is_valid"], state["final_action"]) == (True, "signal_entry_long")
    assert (state["metrics"]["llm_calls_count"], state["metrics"]["failed_llm_calls"]) == (9, 1)
    assert repairs(events) == [(role, True)]
    assert f"{key}: stated as" in asked[1]
    assert asked[1].startswith(asked[0])


@pytest.mark.parametrize(
    ("role", "first", "second", "kept"),
    [
        ("trend", f"{LEAD}\n\n[Vote]\ndirection: down\nconfidence: 0.66", vote("SHORT", 66), LEAD),
        ("bear", f"{LEAD}\n\nconfidence: 55\n\nor\n\nconfidence: 80\n", "Another speech.\n\n[Vote]\nconfidence: 55", f"{LEAD}\n\nor"),
    ],
)
def test_a_repair_keeps_the_text_and_asks_for_the_block_alone(decide: Decide, role: str, first: str, second: str, kept: str) -> None:
    line, asked = in_turn(first, second)
    with LLMServer(cast(**{role: line})) as server:
        state, events = decide(server)
        (again,) = [request.body for request in server.requests if "response_format" in request.body]
    field = {"trend": "trend_report", "judge": "judge_verdict", "bear": "bear_argument"}[role]
    text = state[field]["text"]
    assert text.startswith(f"{kept}\n\n[Vote]\n")
    assert text.count("confidence:") == 1
    assert "Another speech" not in text
    assert [message["role"] for message in again["messages"]][-2:] == ["assistant", "user"]
    assert again["messages"][-2]["content"] == first
    assert "Your text is kept" in asked[1]
    wanted = again["response_format"]["json_schema"]["schema"]["properties"]
    assert wanted["confidence"] == {"type": "number"}
    tokens_of = [event.data.to_json() for event in events if event.kind == "node.tokens" and event.node == role]
    last = tokens_of[-1].get("attempt") or 1
    assert "".join(each["text"] for each in tokens_of if (each.get("attempt") or 1) == last) == text


@pytest.mark.full
def test_a_repair_of_the_executor_keeps_its_reasons(decide: Decide) -> None:
    only = "[Decision]\naction: ENTRY_LONG\nconfidence: 70\nleverage: 3\ndirection: LONG\n\n" + LEVELS
    line, asked = in_turn(executor(stop="N/A"), only)
    with LLMServer(cast(executor=line)) as server:
        state, _ = decide(server)
    assert (state["is_valid"], state["stop_loss_price"], state["take_profit_price"]) == (True, 98, 106)
    assert state["executor_reasoning"] == "The record points one way and the stop is close."
    assert state["executor_key_factors"] == ["structure", "room to the target"]
    assert "stop_loss_price: <price>" in asked[1]


@pytest.mark.full
@pytest.mark.parametrize(
    ("role", "twice"),
    [("executor", TWO_DECISIONS), ("judge", TWO_VERDICTS)],
)
def test_two_votes_that_stay_are_no_decision(decide: Decide, role: str, twice: str) -> None:
    with LLMServer(cast(**{role: twice})) as server:
        state, events = decide(server)
    assert (state["is_valid"], state["final_action"], state["final_leverage"]) == (False, "signal_wait", None)
    assert f"{role} gave no usable answer" in state["errors"][0]
    assert "only one can be meant" in state["errors"][0]
    assert repairs(events) == [(role, True)]


LACKING = {
    "no stop": (executor(stop="N/A"), "stop_loss_price"),
    "no level": (executor("ENTRY_SHORT", direction="SHORT", stop="", target=""), "stop_loss_price, take_profit_price"),
    "no leverage": (executor(leverage="N/A"), "leverage"),
}


@pytest.mark.full
@pytest.mark.parametrize("name", LACKING)
def test_an_entry_without_what_it_needs_is_asked_for_it_once_and_then_the_safe_action(decide: Decide, name: str) -> None:
    answer, key = LACKING[name]
    line, asked = in_turn(answer, executor())
    with LLMServer(cast(executor=line)) as server:
        state, events = decide(server)
        server.answer = cast(executor=answer)
        still, _ = decide(server)
    assert (state["is_valid"], state["final_action"], state["stop_loss_price"]) == (True, "signal_entry_long", 98)
    assert repairs(events) == [("executor", True)]
    assert f"states no {key}" in asked[1]
    assert (still["is_valid"], still["final_action"], still["metrics"]["llm_calls_count"]) == (False, "signal_wait", 9)
    assert f"states no {key}" in still["errors"][0]


@pytest.mark.full
def test_a_wrong_side_is_refused_at_once(decide: Decide) -> None:
    """What is stated and wrong is no slip of the pen: nobody is asked to try another number."""
    with LLMServer(cast(executor=executor(stop=101))) as server:
        state, events = decide(server)
    assert not state["is_valid"]
    assert repairs(events) == []


@pytest.mark.full
def test_an_answer_that_was_cut_off_is_asked_for_shorter(decide: Decide) -> None:
    """A parsable block does not help it: who knows what would have come."""
    line, asked = in_turn(cut_off(executor() + "\nHowever"), executor("ENTRY_LONG", confidence=66.0))
    with LLMServer(cast(executor=line)) as server:
        state, events = decide(server)
    assert (state["is_valid"], state["final_confidence"]) == (True, 66)
    assert repairs(events) == [("executor", True)]
    assert "too long" in asked[1]
    assert state["metrics"]["llm_calls_count"] == 9


@pytest.mark.full
def test_a_model_that_never_stops_is_held_to_its_bound(decide: Decide) -> None:
    """Even when all of it ramble on and only one can speak at a time, the decision ends at once in its safe action."""
    with LLMServer("and so on " * 3_000, bound="max_tokens") as server:
        state, events = decide(server, max_tokens=50, model_concurrency=1)
        assert server.peak == 1
        assert {request.body["max_tokens"] for request in server.requests} == {50}
    assert (state["is_valid"], state["final_action"]) == (False, "signal_wait")
    assert (state["metrics"]["llm_calls_count"], state["metrics"]["failed_llm_calls"]) == (8, 8)
    assert sorted(repairs(events)) == sorted((role, True) for role in ("indicator", "trend", "sentiment", "pattern"))
    assert state["metrics"]["completion_tokens"] == 400


@pytest.mark.full
def test_a_reasoning_model_gets_twice_the_bound_where_its_thoughts_take_it_all(decide: Decide) -> None:
    longest = max(len(tokens(text)) for text in SOUND.values())
    with LLMServer(cast(), bound="max_completion_tokens", thoughts=longest + 20) as server:
        state, events = decide(server, max_tokens=longest + 10)
        sent = [request.body["max_completion_tokens"] for request in server.requests if "max_completion_tokens" in request.body]
    assert (state["is_valid"], state["final_action"]) == (True, "signal_entry_long")
    assert sorted(sent) == [longest + 10] * 8 + [2 * (longest + 10)] * 8
    assert not any(repair for _, repair in repairs(events))
    assert state["metrics"]["llm_calls_count"] == len(server.requests)


SORRY = "I'm sorry, but I can't provide financial advice on BTC/USDT on the 15m chart."
DUTIFUL = f"{SORRY}\n\n{vote('NEUTRAL', 0)}"
CHINESE = "抱歉，我无法提供投资建议。\n\n[表决]\ndirection: NEUTRAL\nconfidence: 0\nsupport: N/A\nresistance: N/A\n"
WAITING = f"{SORRY}\n\n{WAIT}"


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
