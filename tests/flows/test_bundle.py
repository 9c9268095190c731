"""A run in one file: what is untouched agrees, whatever was changed is found, offline."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.api import verify_bundle
from engine.domain.errors import BadInput
from tests.flows.answers import cast
from tests.flows.conftest import HOLDING
from tests.servers.llm import Fault, LLMServer

if TYPE_CHECKING:
    from engine.api import Engine

MakeEngine = Callable[..., "Engine"]
ASKED: dict[str, dict[str, Any]] = {
    "honest": {},
    "lies": {"lies": 0.5, "seed": 3},
    "position": {"holding": HOLDING, "lies": 0.3, "language": "zh"},
    "two rounds": {"depth": 2, "lies": 0.2},
    "one lie": {"chaos": "bear:price"},
    "a chart": {"vision": True},
}


def bundle_of(engine: "Engine", **asked: Any) -> dict[str, Any]:
    run_id = engine.start(engine.decisions.request("BTC/USDT:USDT", **asked))
    engine.wait(run_id, 60)
    made: dict[str, Any] = json.loads(json.dumps(engine.bundle(run_id), allow_nan=False))
    return made


@pytest.mark.full
@pytest.mark.parametrize("name", ASKED)
def test_an_untouched_bundle_agrees(make_engine: MakeEngine, candles: Path, name: str) -> None:
    assert verify_bundle(bundle_of(make_engine(data_dir=candles), **ASKED[name])) == []


@pytest.mark.full
def test_a_run_with_faults_agrees_too(make_engine: MakeEngine, candles: Path) -> None:
    with LLMServer(cast(trend=Fault(status=500), executor="nothing that can be read")) as server:
        engine = make_engine(data_dir=candles, openai_base_url=server.base_url, openai_api_key="sk-test", model="m")
        bundle = bundle_of(engine)
    assert bundle["run"]["result"]["is_valid"] is False
    assert verify_bundle(bundle) == []


def _raise_a_candle(bundle: dict[str, Any]) -> None:
    bundle["snapshot"]["candles"]["close"][-1] *= 1.001


def _change_a_verdict(bundle: dict[str, Any]) -> None:
    claim = next(claim for claim in bundle["run"]["result"]["grounding_result"]["claims"] if claim["verdict"] == "false")
    claim["verdict"] = "true"


def _change_the_action(bundle: dict[str, Any]) -> None:
    bundle["run"]["result"]["final_action"] = "signal_entry_long"


def _loosen_a_limit(bundle: dict[str, Any]) -> None:
    bundle["run"]["request"]["risk"]["max_leverage"] = 99


def _rewrite_a_speech(bundle: dict[str, Any]) -> None:
    next(event for event in bundle["events"] if event["kind"] == "node.tokens" and event["node"] == "bear")["data"]["text"] = "RSI is 5. "


def _drop_an_event(bundle: dict[str, Any]) -> None:
    del bundle["events"][3]


CHANGES = (_raise_a_candle, _change_a_verdict, _change_the_action, _loosen_a_limit, _rewrite_a_speech, _drop_an_event)


@pytest.fixture(scope="module")
def lied(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    from contextlib import closing

    from engine.api import Engine
    from engine.settings import Settings
    from tests.flows.answers import write_candles

    folder = tmp_path_factory.mktemp("bundle")
    settings = Settings(_env_file=None, home=folder / "home", pace=0, data_dir=write_candles(folder / "candles"))  # type: ignore[call-arg]
    with closing(Engine(settings)) as engine:
        return bundle_of(engine, lies=0.5, seed=3)


@pytest.mark.parametrize(
    "change",
    [*CHANGES[:2], *(pytest.param(change, marks=pytest.mark.full) for change in CHANGES[2:])],
    ids=lambda change: change.__name__.strip("_"),
)
def test_what_was_changed_is_found(lied: dict[str, Any], change: Callable[[dict[str, Any]], None]) -> None:
    assert verify_bundle(lied) == []
    bundle = copy.deepcopy(lied)
    change(bundle)
    assert verify_bundle(bundle) != []


@pytest.mark.parametrize(
    ("bundle", "why"),
    [
        ({}, "not a run bundle"),
        ({"format": "tribunal-run", "version": 2}, "has version 2"),
        ({"format": "tribunal-run", "version": 3}, "read"),
    ],
)
def test_what_is_no_bundle_is_refused(bundle: dict[str, Any], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        verify_bundle(bundle)
