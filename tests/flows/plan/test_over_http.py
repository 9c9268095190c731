"""Plans of a model behind a real endpoint: held to the schema of a plan, handed in as a call, or read out of the text, as it takes them."""

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.api import verify_bundle
from tests.flows.plan.material import AT, json_block, plan_json, task
from tests.servers.llm import Body, Fault, LLMServer, Plan, status, wants
from tests.toy.asked import engine_on

QUESTION = "Is BTC funding high?"
FUNDING = plan_json(task("paid", "funding_history"), name="funding")
HANDED_IN = {key: value for key, value in FUNDING.items() if key != "question"}
NO_FORMAT = status(400, "This model does not support response format `json_schema`.")
NO_GRAMMAR = status(500, "Failed to initialize samplers: failed to parse grammar")
NO_ROUTE = status(404, "No endpoints found that support tool use")
NO_TOOLS = status(400, "registry.example/model does not support tools")


def form_of(body: Body) -> str:
    """How a request asks for a plan."""
    return "response_format" if "response_format" in body else "tool" if "tools" in body else "text"


SAID = "No: longs hardly pay [1]."
ANSWER = f"{SAID}\n\n[Answer]\nverdict: no\nconfidence: 70\n"


def planned(home: Path, answer: Callable[[Body], Plan]) -> tuple[Mapping[str, Any], list[str]]:
    """The state of a plan's run, and how the endpoint was asked for its plan, request by request."""
    with LLMServer(answering(answer)) as server:
        endpoint = {"openai_base_url": server.base_url, "openai_api_key": "sk-test", "model": "loopback", "call_deadline_s": 20}
        with closing(engine_on(home, **endpoint)) as engine:
            run_id = engine.start(engine.plans.request(QUESTION, at=AT))
            state = engine.wait(run_id, 60).result
            assert state is not None
            assert verify_bundle(engine.bundle(run_id)) == []
        assert state["synthesis"]["text"] == SAID
        return state, [form_of(request.body) for request in server.requests if not asks_for_the_answer(request.body)]


def asks_for_the_answer(body: Body) -> bool:
    return "Role: synthesiser" in json.dumps(body)


def answering(plan: Callable[[Body], Plan]) -> Callable[[Body], Plan]:
    """An endpoint that answers the question when it is asked to, and plans as it is told."""
    return lambda body: ANSWER if asks_for_the_answer(body) else plan(body)


def taking(**says: Plan) -> Callable[[Body], Plan]:
    """An endpoint that refuses the forms that are not named here."""
    refusals = {"response_format": NO_FORMAT, "tool": NO_TOOLS}
    return lambda body: says.get(form_of(body), refusals.get(form_of(body), ""))


@pytest.mark.parametrize(
    ("answer", "forms"),
    [
        (taking(response_format=json.dumps(HANDED_IN)), ["response_format"]),
        (taking(tool=wants(("submit_plan", HANDED_IN))), ["response_format", "tool"]),
        (taking(tool=json_block(FUNDING)), ["response_format", "tool"]),
        (taking(text=json_block(FUNDING)), ["response_format", "tool", "text"]),
        (taking(response_format=json_block(FUNDING)), ["response_format"]),
        (taking(response_format=NO_GRAMMAR, tool=wants(("submit_plan", HANDED_IN))), ["response_format", "tool"]),
        (taking(tool=NO_ROUTE, text=json_block(FUNDING)), ["response_format", "tool", "text"]),
    ],
    ids=["schema", "call", "text beside a tool", "text", "format ignored", "no grammar", "no route"],
)
def test_a_plan_is_had_in_whichever_form_the_endpoint_takes(tmp_path: Path, answer: Callable[[Body], Plan], forms: list[str]) -> None:
    state, asked = planned(tmp_path / "home", answer)
    assert (state["planning"]["by"], state["warnings"]) == ("model", [])
    assert [factor["name"] for factor in state["factors"]] == ["funding"]
    assert asked == forms
    assert state["metrics"]["failed_llm_calls"] == len(forms) - 1


def test_what_is_no_plan_is_asked_for_once_more_in_the_same_form(tmp_path: Path) -> None:
    bad = {**HANDED_IN, "factors": [{**FUNDING["factors"][0], "tasks": [task("paid", "moon_phase")]}]}
    answers = iter([json.dumps(bad), json.dumps(HANDED_IN)])
    state, asked = planned(tmp_path / "home", lambda body: next(answers))
    assert (state["planning"]["by"], asked) == ("model", ["response_format", "response_format"])


@pytest.mark.parametrize("refusal", [status(400, "no"), status(400, "context length exceeded"), Fault(text="No.", finish="stop")])
def test_an_endpoint_that_gives_no_plan_leaves_it_to_the_words(tmp_path: Path, refusal: Fault) -> None:
    state, asked = planned(tmp_path / "home", lambda body: refusal)
    assert state["planning"]["by"] == "heuristic"
    assert "planned by the words of the question" in state["warnings"][0]
    assert len(asked) <= 2


def test_a_form_that_was_refused_is_not_tried_again(tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(body: Body) -> Plan:
        if asks_for_the_answer(body):
            return ANSWER
        asked.append(form_of(body))
        return taking(tool=wants(("submit_plan", HANDED_IN)))(body)

    with LLMServer(answer) as server:
        endpoint = {"openai_base_url": server.base_url, "openai_api_key": "sk-test", "model": "loopback", "call_deadline_s": 20}
        with closing(engine_on(tmp_path / "home", **endpoint)) as engine:
            for _ in range(2):
                engine.wait(engine.start(engine.plans.request(QUESTION, at=AT)), 60)
            schema = next(request.body for request in server.requests if "response_format" in request.body)["response_format"]
    assert asked == ["response_format", "tool", "tool"]
    assert (schema["type"], schema["json_schema"]["name"], schema["json_schema"]["strict"]) == ("json_schema", "submit_plan", False)
    assert schema["json_schema"]["schema"]["required"] == ["factors"]
