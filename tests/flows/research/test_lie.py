"""One lie on purpose in an answer: whatever the model, in either language, its sentence is marked as unsupported, and no other is."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.api import verify_bundle
from engine.desks.research.lie import false_statement
from engine.domain.errors import BadInput
from engine.llm.protocol import ModelCall
from tests.servers.llm import LLMServer
from tests.toy.asked import AT, engine_on

if TYPE_CHECKING:
    from engine.api import Engine

QUESTION = "What moves the funding rate of BTC?"
ASKED: dict[str, Any] = {"at": AT}
HONEST = "The funding rate of BTC was 0.0125 % per eight hours in May [1]."


@pytest.fixture
def engine(tmp_path: Path) -> "Iterator[Engine]":
    with closing(engine_on(tmp_path / "home")) as made:
        yield made


def answered(engine: "Engine", **asked: Any) -> tuple[str, dict[str, Any]]:
    run_id = engine.start(engine.research.request(QUESTION, **{**ASKED, **asked}))
    state = engine.wait(run_id, 60).result
    assert state is not None
    return run_id, state


@pytest.mark.full
@pytest.mark.parametrize(("kind", "language"), [("value", "en"), ("price", "en"), ("state", "zh")])
def test_the_false_number_is_marked_and_counted_and_nothing_else_is(engine: "Engine", kind: str, language: str) -> None:
    run_id, state = answered(engine, chaos=f"research_agent:{kind}", language=language)
    [lie] = state["planted"]
    assert (lie["role"], lie["caught"]) == ("research_agent", True)
    [wrong] = [each for each in state["statements"] if each["status"] == "unsupported"]
    assert lie["stated"] in [number["value"] for number in wrong["numbers"]]
    assert any("1" in warning for warning in state["warnings"])
    assert state["confidence"] < answered(engine, language=language)[1]["confidence"]
    assert verify_bundle(engine.bundle(run_id)) == []


def test_any_model_can_be_made_to_lie_and_what_it_says_itself_stays(tmp_path: Path) -> None:
    with LLMServer(HONEST) as server:
        endpoint = {"openai_base_url": server.base_url, "openai_api_key": "sk-test", "model": "loopback"}
        with closing(engine_on(tmp_path / "home", **endpoint)) as engine:
            _, state = answered(engine, chaos="research_agent:value")
    assert state["answer"].endswith(HONEST)
    assert [each["status"] for each in state["statements"]] == ["unsupported", "supported"]
    assert [lie["caught"] for lie in state["planted"]] == [True]


def test_what_was_a_lie_is_neither_remembered_nor_handed_on(engine: "Engine") -> None:
    run_id, state = answered(engine, chaos="research_agent:value")
    stated = state["planted"][0]["stated"]
    kept = [each for each in engine.research.dossier(run_id).statements if each.status != "unsupported"]
    assert all(stated not in [number.value for number in each.numbers] for each in kept)
    _, later = answered(engine, at=None)
    assert all(paper["source"] != "journal" for paper in later["top_papers"])


def _asked_about(*texts: str) -> ModelCall:
    shown = [f'[{n}] source: x\n<said by="document {n}">\n{text}\n</said>' for n, text in enumerate(texts, 1)]
    return ModelCall("research_agent", "en", "", "Question: funding?\n" + "\n".join(shown), node="summarize")


@pytest.mark.parametrize(
    ("call", "begins"),
    [
        (ModelCall("research_agent", "en", "", "Question: 5 % of what?"), None),
        (_asked_about("Funding is paid."), "This source puts it at"),
        (_asked_about("Funding is paid.", "Funding was 1,250 dollars."), "Funding was "),
    ],
)
def test_a_lie_needs_documents_and_is_made_up_where_none_holds_a_number(call: ModelCall, begins: str | None) -> None:
    lie = false_statement(call, "value")
    assert (lie is None) == (begins is None)
    if lie is not None and begins is not None:
        assert lie[0].startswith(begins)
        assert "1,250" not in lie[0]


@pytest.mark.parametrize("request_of", [lambda engine: engine.research.request, lambda engine: engine.plans.request])
def test_other_roles_are_refused(engine: "Engine", request_of: Callable[["Engine"], Any]) -> None:
    with pytest.raises(BadInput, match="ROLE:KIND with a role of research_agent"):
        request_of(engine)(QUESTION, chaos="planner:value")
