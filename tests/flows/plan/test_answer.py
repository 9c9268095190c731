"""The answer of a plan: the question first, its numbers held to the results, what is missing, and a confidence of its own."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.api import verify_bundle
from engine.desks.plan.answering.by_rule import answer_by_rule
from engine.desks.plan.answering.measured import Measured
from engine.desks.plan.answering.synthesis import held_headline
from engine.desks.plan.answering.synthesiser import read_synthesis, verdict_at
from engine.domain.text.visible import shortened
from tests.flows.answers import state_of
from tests.flows.plan.material import json_block, plan_json, task
from tests.flows.plan.test_run import FUNDING, QUESTION, Answers, played
from tests.servers.llm import Body, LLMServer, Plan
from tests.toy.asked import engine_on

if TYPE_CHECKING:
    from engine.api import Engine

PLANNED = [json_block(FUNDING)]


@pytest.fixture
def engine(tmp_path: Path) -> "Iterator[Engine]":
    with closing(engine_on(tmp_path / "home")) as made:
        yield made


def funding(rate: float, rank: float, share: float = 0.5) -> Measured:
    fields = {"latest_pct": f"{rate} %", "percentile": f"{rank}", "points": "21", "positive_share": f"{share} ({share * 100:g} %)"}
    return Measured(1, "funding_history", "Funding.", fields)


def interest(rank: float, change: float = 0.0) -> Measured:
    return Measured(2, "open_interest_history", "Interest.", {"percentile": f"{rank}", "change_pct": f"{change} %", "latest": "5"})


def facts(close: float, ema: float, rsi: float) -> Measured:
    return Measured(3, "market_facts", "Facts.", {"facts.close": f"{close}", "facts.ema_200": f"{ema}", "facts.rsi_14": f"{rsi}"})


CROWD = [funding(0.03, 95, 0.9), interest(92)]


@pytest.mark.parametrize(
    ("question", "results", "verdict", "begins"),
    [
        ("Is the long crowded?", CROWD, "yes", "Yes: the long is crowded: longs paid in 90 %"),
        ("Is the long crowded?", [funding(-0.01, 12), interest(92)], "no", "No: the long is not crowded"),
        ("Is the long crowded?", [funding(0.03, 95)], "unknown", "Cannot say: what decides “Is the long crowded” could not be read."),
        ("Is BTC funding high and is the long crowded?", [funding(0.03, 90), interest(30)], "partly", "Partly: funding is high"),
        ("BTC 的资金费率高吗，多头拥挤吗？", [funding(-0.01, 12), interest(20)], "no", "否：资金费率不高"),
        ("Is open interest rising?", [interest(40, 6.0)], "yes", "Yes: open interest is rising: change 6 % [2]."),
        ("Is the trend up?", [facts(9, 10, 50)], "no", "No: it is not so that the trend is up: close 9, ema_200 10 [3]."),
        ("Is the long not crowded?", CROWD, "unknown", "Cannot say: no measurement decides “Is the long not crowded”."),
        (
            "Is the ETF approved and is funding high?",
            CROWD,
            "partly",
            "Partly: no measurement decides “Is the ETF approved”. Funding is high",
        ),
        ("Will the long be crowded?", CROWD, "unknown", "Cannot say: no measurement decides “Will the long be crowded”."),
        ("Should I buy BTC?", CROWD, "unknown", "Cannot say: no measurement decides “Should I buy BTC”."),
        ("What moves funding?", CROWD, "unknown", "Cannot say: the question does not ask for yes or no"),
        ("Is the long crowded?", [], "unknown", "Cannot say: no task of the plan gave a result."),
    ],
)
def test_a_rule_answers_the_question_first_and_guesses_nothing(question: str, results: list[Measured], verdict: str, begins: str) -> None:
    answer = answer_by_rule(question, results)
    assert (answer.verdict, answer.text[: len(begins)]) == (verdict, begins)
    assert (answer.sure == 0) == (verdict == "unknown")


@pytest.mark.parametrize(
    ("stated", "is_held"),
    [
        ("headline: Not crowded\ndeciding: 1 latest_pct", True),
        ("headline: Funding is 0.05 % now\ndeciding: 1 latest_pct", False),
        ("headline: The long is not crowded\ndeciding: 1 latest_pct", False),
        ("headline: Not crowded\ndeciding: 1 invented_pct", False),
        ("headline: Not crowded", False),
        ("", False),
    ],
)
def test_a_stated_headline_holds_only_with_a_figure_that_was_measured(stated: str, is_held: bool) -> None:
    text = f"No: it was at percentile 12 [1].\n\n[Answer]\nverdict: no\nconfidence: 80\n{stated}\n"
    read = read_synthesis(text, "Is the long crowded?", "en")
    assert (read.text, read.verdict, read.sure) == ("No: it was at percentile 12 [1].", "no", 0.8)
    held = held_headline(read, [funding(-0.0117, 17)])
    assert (held is not None) == is_held
    if held is not None:
        assert (held.value, held.percentile) == ("-0.0117 %", 17)


def test_the_script_answers_with_a_verdict_from_the_results_and_says_that_no_model_did(engine: "Engine") -> None:
    run_id, state = played(engine)
    assert state["answer"].startswith("No: funding is not high: the last rate is ")
    assert (state["verdict"], state["synthesis"]["by"]) == ("no", "script")
    assert "No model answered" in state["answer"].splitlines()[1]
    assert {each["status"] for each in state["synthesis"]["statements"]} == {"supported"}
    assert 0 < state["confidence"] == min(state["synthesis"]["confidence_parts"].values()) < 1
    headline = state["synthesis"]["headline"]
    assert headline["words"] == "Long not crowded"
    again = state_of(engine, engine.fork(run_id, "synthesiser"))
    assert again["factors"] == state["factors"]
    assert verify_bundle(engine.bundle(run_id)) == []


def test_every_number_of_a_model_is_held_to_the_results_and_lowers_what_the_answer_is_worth(tmp_path: Path) -> None:
    says = "Is the long crowded? No: the last of 21 settlements was at percentile 12 [1]. Next week it will be 7.77 % [1]."
    asked: list[list[str]] = []

    def answer(body: Body) -> Plan:
        words = "\n".join(message["content"] for message in body["messages"])
        roles = [line for line in words.splitlines() if line.startswith("Role:")]
        if roles != ["Role: synthesiser"]:
            return PLANNED[0]
        asked.append([message["content"] for message in body["messages"]])
        named = "headline: Not crowded\ndeciding: 1 latest_pct\nagainst: Funding was at percentile 99 [1]."
        return f"{says}\n\n[Answer]\nverdict: no\nconfidence: 80\n{named}\n"

    with LLMServer(answer) as server:
        endpoint = {"openai_base_url": server.base_url, "openai_api_key": "sk-test", "model": "loopback"}
        with closing(engine_on(tmp_path / "home", **endpoint)) as engine:
            run_id, state = played(engine)
            assert verify_bundle(engine.bundle(run_id)) == []
    ((system, user),) = asked
    assert system.startswith("Role: synthesiser\n")
    assert "latest_pct: " in user
    assert state["answer"].splitlines()[0] == says
    assert (state["verdict"], state["synthesis"]["by"]) == ("no", "model")
    assert "No model answered" not in state["answer"]
    assert state["synthesis"]["headline"]["words"] == "Not crowded"
    assert state["synthesis"]["headline"]["value"] in user, "the figure is the result's own"
    assert state["synthesis"]["against"] is None, "no result says 99"
    checked = [each for each in state["synthesis"]["statements"] if each["numbers"]]
    assert [each["status"] for each in checked] == ["supported", "unsupported"]
    assert any("1 of 3 sentences of the answer are not supported" in warning for warning in state["warnings"])
    assert state["confidence"] == pytest.approx(2 / 3, abs=1e-3), "two of three sentences are held, which is less than the 80 % it states"


@pytest.mark.parametrize(
    "says",
    [
        "Funding is a payment between traders [1].\n\n[Answer]\nverdict: no\nconfidence: 70\n",
        "No: longs hardly pay [1].\n\n[Answer]\nverdict: no\n",
    ],
    ids=["no verdict", "no confidence"],
)
def test_an_answer_that_lacks_its_verdict_or_confidence_is_asked_for_once_more_and_then_given_by_rule(
    engine: "Engine", monkeypatch: pytest.MonkeyPatch, says: str
) -> None:
    answers = Answers(monkeypatch, planner=PLANNED, synthesiser=[says])
    _, state = played(engine)
    assert [call.role for call in answers.calls].count("synthesiser") == 2
    assert (state["synthesis"]["by"], state["is_valid"]) == ("rule", True)
    assert state["answer"].startswith("No: funding is not high")
    assert any("the question was answered by rule" in warning for warning in state["warnings"])


def test_a_confidence_that_is_given_when_asked_for_is_that_of_the_answer(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    first, block = "No: longs hardly pay [1].\n\n[Answer]\nverdict: no\n", "[Answer]\nverdict: no\nconfidence: 31\n"
    Answers(monkeypatch, planner=PLANNED, synthesiser=[first, block])
    _, state = played(engine)
    assert (state["synthesis"]["text"], state["synthesis"]["confidence_parts"]["stated"]) == ("No: longs hardly pay [1].", 0.31)
    assert state["confidence"] == 0.31


def test_what_is_missing_is_said_to_the_model_and_in_the_answer(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    lost = plan_json(task("paid", "funding_history"), task("held", "open_interest_history", args={"symbol": "NOPE/USDT:USDT"}))
    again = json.dumps({"factors": []})
    skip = "Give it up.\n\n[Decision]\ndecision: skip\nconfidence: 80\n"
    answers = Answers(monkeypatch, planner=[json_block(lost), again], reasoner=[skip])
    _, state = played(engine, factor="one")
    assert "one/held: open_interest_history: NOPE/USDT:USDT is not simulated" in answers.calls[-1].user
    assert "Not known: one/held." in state["answer"]
    assert state["confidence"] == 0.5, "half of the tasks gave a result"


@pytest.mark.full
@pytest.mark.parametrize("language", ["en", "zh"])
def test_lies_of_the_script_are_planted_in_the_answer_too_and_none_is_held(engine: "Engine", language: str) -> None:
    question = QUESTION if language == "en" else "BTC 的资金费率高吗，多头拥挤吗？"
    _, state = played(engine, question, lies=1.0, language=language)
    planted = [lie for lie in state["planted"] if lie["role"] == "synthesiser"]
    assert len(planted) >= 4
    assert {each["status"] for each in state["synthesis"]["statements"]} == {"unsupported"}
    assert state["confidence"] == 0


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("Is the long crowded? No: not at all.", "no"),
        ("**Yes**, longs pay.", "yes"),
        ("Cannot say: open interest is missing.", "unknown"),
        ("不，资金费率偏低。", "no"),
        ("多头拥挤吗？无法判断：缺少持仓量。", "unknown"),
        ("Funding is a payment.", None),
    ],
)
def test_the_verdict_is_read_where_an_answer_begins(words: str, verdict: str | None) -> None:
    assert verdict_at(words) == verdict


def test_a_result_reads_back_as_it_was_shown(engine: "Engine") -> None:
    from engine.desks.plan.answering.measured import read_results, results_text, stayed_results
    from engine.desks.plan.registry import ToolRegistry
    from engine.domain.plan.results import FactorExecutionResult

    _, state = played(engine, "Is the trend of BTC up, and is it volatile?")
    factors: list[Any] = [FactorExecutionResult.model_validate(each) for each in state["factors"]]
    shown = stayed_results(factors, ToolRegistry(), "en")
    assert read_results(results_text(shown)) == [Measured(each.n, each.tool, each.sentence, each.fields) for each in shown] != []


@pytest.mark.parametrize(
    ("text", "most", "short"),
    [
        ("prices go on moving", 18, "prices go on…"),
        ("prices go on moving", 19, "prices go on moving"),
        ("it is at 64,250 now", 13, "it is at…"),
        ("prices go", 7, "prices…"),
        ("资金费率上升12.5%", 8, "资金费率上升…"),
        ("unbreakable", 5, "unbr…"),
    ],
)
def test_no_word_or_number_is_cut(text: str, most: int, short: str) -> None:
    assert shortened(text, most) == short
    assert len(short) <= most
