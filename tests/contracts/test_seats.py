"""Who speaks where: a node's name means one role in all flows, and the models of every seat are asked for before a run begins."""

from contextlib import closing
from pathlib import Path

import pytest

from engine.api import role_of, seats_of
from engine.bootstrap.models import ModelFactory
from engine.bootstrap.providers import ProviderFactory
from engine.desks import flows
from engine.domain.errors import ModelRefused, ModelUnavailable
from engine.llm.openai import OpenAIModel
from engine.llm.protocol import ModelCall
from engine.script.model import ScriptedModel
from tests.servers.llm import LLMServer, refused_url
from tests.toy.asked import engine_on
from tests.toy.flow import DUG, ORDER, ToyFlow, ToyRequest


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(flows(), "toy", ToyFlow())


def test_a_nodes_name_means_one_role_in_all_flows() -> None:
    roles: dict[str, set[str]] = {}
    for flow in flows():
        for node, seat in seats_of(flow).items():
            roles.setdefault(node, set()).add(seat.role)
    assert {node: sorted(meant) for node, meant in roles.items() if len(meant) > 1} == {}
    assert all(role_of(node) in meant for node, meant in roles.items())


def test_debaters_of_either_path_are_one_role_and_an_unknown_node_is_itself() -> None:
    assert [role_of(node) for node in ("bull", "position_bull", "position_judge", "teller")] == ["bull", "bull", "judge", "teller"]
    assert role_of("position_size") == "position_size", "nothing is cut off by its beginning"
    assert seats_of("nobody's") == {}


async def test_a_role_without_a_voice_is_an_error_of_the_scripted_model() -> None:
    with pytest.raises(ModelRefused, match="no words for the role 'astrologer'"):
        [chunk async for chunk in ScriptedModel({}).stream(ModelCall("astrologer", "en", "", "rsi_14 = 60"))]


@pytest.mark.parametrize("seat", ORDER)
def test_one_seat_whose_model_is_not_there_ends_a_run_before_anybody_speaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seat: str
) -> None:
    """One model listens, that of one seat does not; every seat once."""
    made = ModelFactory._make_model

    def at_two_addresses(self: ProviderFactory, name: str) -> OpenAIModel:
        model = made(self, name)
        assert isinstance(model, OpenAIModel)
        if name == "gone":
            model._address = gone
        return model

    gone, dug = refused_url(), len(DUG)
    monkeypatch.setattr(ModelFactory, "_make_model", at_two_addresses)
    with LLMServer("never said") as server:
        settings = {"openai_api_key": "sk-test", "openai_base_url": server.base_url, "role_models": {seat: "gone"}}
        with closing(engine_on(tmp_path / "home", **settings)) as engine:
            run_id = engine.start(ToyRequest(question="who is there?", model="there"))
            with pytest.raises(ModelUnavailable, match=r"nothing answers at .*OPENAI_BASE_URL"):
                engine.wait(run_id, 20)
            record = engine.record(run_id)
            assert (record.status, record.result) == ("failed", None)
            assert record.error is not None
            assert record.error.startswith("gone")
            assert [event.kind for event in engine.events(run_id)] == ["run.finished"]
        assert server.requests == []
    assert len(DUG) == dug
