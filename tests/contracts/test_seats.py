"""Who speaks where: pages ask one table for all flows, so a node's name must mean one role in all of them."""

import pytest

from engine.api import role_of, seats_of
from engine.desks import flows
from engine.domain.errors import ModelRefused
from engine.llm.protocol import ModelCall
from engine.llm.scripted import ScriptedModel
from tests.toy.flow import ToyFlow


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
