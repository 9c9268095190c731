"""Roles that name the fact behind each figure, over the loopback model: what is shown, checked, recalled and played again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.api import verify_bundle
from tests.flows.answers import cast, role_of
from tests.servers.llm import Body, LLMServer, system_of, user_of

if TYPE_CHECKING:
    from engine.api import Engine

MakeEngine = Callable[..., "Engine"]
TAGGED = {
    "trend": "The pulse of it sits at 3.1{rsi_14}, far down.\n\n[Vote]\ndirection: LONG\nconfidence: 60\nsupport: 90\nresistance: 110\n",
    "bull": "What moved was tired: 4.2{rsi_14} by now.\n\n[Vote]\nconfidence: 72\n",
    "bear": "Nothing of that kind: wait for 30{rsi_14} if it falls; 91.5 {adx_14} it reads.\n\n[Vote]\nconfidence: 55\n",
}


def claims_of(state: dict[str, Any]) -> set[tuple[str, str, float, str]]:
    return {(each["source"], each["key"], each["claimed"], each["verdict"]) for each in state["grounding_result"]["claims"]}


def asked(server: LLMServer) -> dict[str, Body]:
    return {role_of(request.body): request.body for request in server.requests}


@pytest.mark.full
def test_figures_are_checked_by_their_tags_and_nobody_reads_the_tags(make_engine: MakeEngine, candles: Path) -> None:
    with LLMServer(cast(**TAGGED)) as server:
        settings = {"data_dir": candles, "openai_base_url": server.base_url, "openai_api_key": "sk-test", "model": "m", "reader": "rules"}
        engine = make_engine(**settings, tags=True)
        run_id = engine.start(engine.decisions.request("BTC/USDT:USDT"))
        state = engine.wait(run_id, 60).result
        assert state is not None
        told = asked(server)
        found = {("trend", "rsi_14", 3.1, "false"), ("bull", "rsi_14", 4.2, "false"), ("bear", "adx_14", 91.5, "false")}
        assert claims_of(state) == found
        assert all("{rsi_14}" in system_of(told[role]) for role in ("trend", "bull", "judge"))
        assert all("{rsi_14}" not in user_of(told[role]) for role in ("bear", "judge"))
        assert all("{" not in event.data.to_json()["text"] for event in engine.events(run_id) if event.kind == "node.tokens")
        assert state["bull_argument"]["text"].startswith("What moved was tired: 4.2 by now.")

        assert verify_bundle(json.loads(json.dumps(engine.bundle(run_id)))) == []
        server.requests.clear()
        assert claims_of(engine.wait(engine.replay(run_id), 60).result or {}) == found
        assert server.requests == []
        forked = engine.wait(engine.fork(run_id, "judge"), 60).result
        assert claims_of(forked or {}) == found


@pytest.mark.full
def test_without_the_setting_nobody_is_asked_for_tags_and_braces_stay(make_engine: MakeEngine, candles: Path) -> None:
    with LLMServer(cast(bull="It trades {as said} in {braces}.\n\n[Vote]\nconfidence: 72\n")) as server:
        engine = make_engine(data_dir=candles, openai_base_url=server.base_url, openai_api_key="sk-test", model="m", reader="rules")
        state = engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT")), 60).result
        assert state is not None
        assert "{braces}" in state["bull_argument"]["text"]
        assert "braces" not in system_of(asked(server)["trend"])
