"""What a check says of a model's endpoint, over a server on loopback: faults of each kind, within the time that was given."""

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from engine.domain.diagnostics.result import DiagnosticResult
from tests.servers import llm
from tests.servers.llm import Body, Fault, LLMServer, Plan

if TYPE_CHECKING:
    from engine.api import Engine

KEY = "sk-canary-7f3a91c2e8b4d605"
BLOCK = "Every word arrives.\n\n[View]\ndirection: NEUTRAL\nconfidence: 50"
VIEW = '{"direction": "NEUTRAL", "confidence": 50}'
NAMES = ("reached", "streaming", "first_token", "structured_output", "tools", "tool_loop", "json_schema", "options", "price")
CALL = {"index": 0, "id": "c1", "function": {"name": "latest_price", "arguments": '{"symbol": "BTC/USDT:USDT"}'}}
TOOL_CALL = Fault(
    lines=(
        f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'tool_calls': [CALL]}, 'finish_reason': None}]})}",
        f"data: {json.dumps({'choices': [{'index': 0, 'delta': {}, 'finish_reason': 'tool_calls'}]})}",
    )
)
Make = Callable[..., "Engine"]


def able(body: Body) -> Plan:
    """A model that does what it is asked."""
    if "response_format" in body:
        return VIEW
    return TOOL_CALL if body.get("tools") and body.get("tool_choice") != "none" else BLOCK


def check(make_engine: Make, server: LLMServer, *, within_s: float = 60.0, **settings: object) -> dict[str, DiagnosticResult]:
    """The lines about the model, by name."""
    endpoint = {"openai_base_url": server.base_url, "openai_api_key": KEY, "model": "loopback", **settings}
    lines = make_engine(**endpoint).check(within_s)
    assert KEY not in repr(lines)
    return {each.name: each for each in lines if each.name.startswith("model.")}


def test_an_able_model_is_fine_in_every_line(make_engine: Make) -> None:
    with LLMServer(able) as server:
        found = check(make_engine, server, prices={"loopback": [0.1, 0.2]})
        assert len(server.requests) == 4, "questions for text, for a tool, for what follows it, and for an answer of a schema"
    assert {name: each.status for name, each in found.items()} == {f"model.{name}": "ok" for name in NAMES}
    assert all(each.what_to_do == "" for each in found.values())


def test_what_a_model_lacks_is_a_warning_that_says_what_to_do(make_engine: Make) -> None:
    with LLMServer("Sure, here you go.", plain=True) as server:
        found = check(make_engine, server)
    assert {found.pop(f"model.{name}").status for name in ("reached", "first_token", "options")} == {"ok"}
    assert found.pop("model.tool_loop").status == "skipped"
    assert {name: each.status for name, each in found.items()} == dict.fromkeys(
        ("model.streaming", "model.structured_output", "model.tools", "model.json_schema", "model.price"), "warning"
    )
    assert all(each.what_to_do for each in found.values())
    assert "direction" in found["model.structured_output"].detail


NO_FORMAT = llm.status(400, "This response_format type is unavailable now")
NO_TOOLS = llm.status(404, "No endpoints found that support tool use")


@pytest.mark.parametrize(
    ("answers", "status", "said"),
    [
        ({"response_format": NO_FORMAT, "submit_view": llm.wants(("submit_view", VIEW))}, "ok", "arguments of a tool"),
        ({"response_format": NO_FORMAT, "submit_view": NO_TOOLS, "text": VIEW}, "ok", "words of the prompt"),
    ],
    ids=["tool", "text"],
)
def test_how_answers_are_held_to_a_schema_is_found_out(make_engine: Make, answers: dict[str, Plan], status: str, said: str) -> None:
    def answer(body: Body) -> Plan:
        asked = body.get("tools", [{"function": {"name": "text"}}])[0]["function"]["name"]
        asked = "response_format" if "response_format" in body else asked
        return answers.get(asked, TOOL_CALL if asked == "latest_price" else BLOCK) if _wants_view(body) else able(body)

    with LLMServer(answer) as server:
        found = check(make_engine, server)
    assert (found["model.reached"].status, found["model.json_schema"].status) == ("ok", status)
    assert said in found["model.json_schema"].detail


def _wants_view(body: Body) -> bool:
    return "Answer with a JSON object" in llm.user_of(body)


@pytest.mark.full
@pytest.mark.parametrize(
    ("answer", "said", "advice"),
    [
        (llm.status(401, f"Incorrect API key provided: {KEY}"), "401", "OPENAI_API_KEY"),
        (llm.busy(), "429", "TRIBUNAL_MODEL_CONCURRENCY"),
        (llm.HTML, "not a stream", "OPENAI_BASE_URL"),
        (llm.HANG, "no answer within 2 s", "OPENAI_BASE_URL"),
    ],
    ids=["401", "429", "html", "hang"],
)
def test_an_endpoint_that_fails_is_named_within_the_time(
    make_engine: Make, monkeypatch: pytest.MonkeyPatch, answer: Fault, said: str, advice: str
) -> None:
    if answer.then in {"hang", "drip"}:
        monkeypatch.setattr("engine.bootstrap.diagnostics._MARGIN", 1 / 30)  # to say why it has the rest
    with LLMServer(answer) as server:
        began = time.monotonic()
        found = check(make_engine, server)
        assert time.monotonic() - began < 30
        assert len(server.requests) <= 3, "nothing is asked twice"
    assert found["model.reached"].status == "failed"
    assert said in found["model.reached"].detail
    assert advice in found["model.reached"].what_to_do
    assert {found[f"model.{name}"].status for name in NAMES[1:-1]} == {"skipped"}
