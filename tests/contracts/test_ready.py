"""The models of every seat are asked for before a run begins: one that cannot be reached ends it at once, whoever else could speak."""

from contextlib import closing
from pathlib import Path

import pytest

from engine.bootstrap.models import ModelFactory
from engine.bootstrap.providers import ProviderFactory
from engine.desks import flows
from engine.domain.errors import ModelUnavailable
from engine.llm.openai import OpenAIModel
from engine.settings import Settings
from tests.servers.llm import LLMServer, refused_url
from tests.toy.asked import engine_on
from tests.toy.flow import DUG, ORDER, ToyFlow, ToyRequest


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


async def test_a_model_of_two_seats_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Counted:
        def __init__(self, name: str) -> None:
            self.name = name

        async def ready(self) -> None:
            asked.append(self.name)

    monkeypatch.setattr(ModelFactory, "_make_model", lambda self, name: Counted(name))
    monkeypatch.setitem(flows(), "toy", ToyFlow())
    for others, expected in (({}, ["m"]), ({"teller": "n"}, ["m", "n"])):
        asked.clear()
        settings = Settings(_env_file=None, openai_api_key="sk-test", role_models=others)  # type: ignore[call-arg]
        await ProviderFactory(settings, flows(), lambda day: None).ready(ToyRequest(question="?", model="m"))  # type: ignore[arg-type, return-value]
        assert asked == expected
