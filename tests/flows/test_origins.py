"""Runs made from runs: played again without a model, forked from a node, or decided again on a new market, where what was said about the
old one is judged by the old one; and a run in one file: what was changed in it is found, offline."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.api import verify_bundle
from engine.domain.errors import BadInput
from engine.domain.text.language import Language
from tests.flows.answers import MakeEngine, cast, role_of, state_of, write_candles
from tests.flows.conftest import HOLDING
from tests.flows.desk import SYMBOL
from tests.flows.test_resume import without_times
from tests.servers.llm import Fault, LLMServer

if TYPE_CHECKING:
    from engine.api import Engine


@pytest.fixture
def played(make_engine: MakeEngine, candles: Path) -> "Callable[..., tuple[Engine, str, dict[str, Any]]]":
    """An engine over a model, a finished run of it, and the run's state."""

    def play(server: LLMServer | None = None, **asked: object) -> "tuple[Engine, str, dict[str, Any]]":
        model = {"openai_base_url": server.base_url, "openai_api_key": "sk-test", "model": "m"} if server else {}
        engine = make_engine(data_dir=candles, **model)
        run_id = engine.start(engine.decisions.request(SYMBOL, **asked))
        state = state_of(engine, run_id)
        return engine, run_id, state

    return play


@pytest.mark.full
def test_a_run_with_faults_is_played_again_without_its_model(played: Any) -> None:
    with LLMServer(cast(trend="nothing that can be read", sentiment=Fault(status=500))) as server:
        engine, run_id, state = played(server)
        server.requests.clear()
        replayed = state_of(engine, engine.start(engine.decisions.request(SYMBOL, model=f"recorded:{run_id}")))
        assert server.requests == []
    assert {key for key, report in state["reports"].items() if report["abstained"]} == {"trend", "sentiment"}
    assert without_times(replayed) == without_times(state)


@pytest.mark.full
def test_an_edited_text_takes_the_place_of_an_answer(played: Any) -> None:
    with LLMServer(cast()) as server:
        engine, run_id, state = played(server)
        server.requests.clear()
        said = "I see no case for buyers today.\n\n[Vote]\nconfidence: 5\n"
        forked = state_of(engine, engine.fork(run_id, "bull", texts={"bull": said}))
        assert {role_of(request.body) for request in server.requests} == {"bear", "judge", "executor"}
    assert forked["bull_argument"]["text"] == said
    assert forked["bull_argument"]["confidence"] == 5
    assert state["bull_argument"]["text"] != said


@pytest.mark.full
def test_what_cannot_be_made_is_said(played: Any) -> None:
    engine, run_id, _ = played()
    with pytest.raises(BadInput, match="node 'moon' is not known"):
        engine.fork(run_id, "moon")
    with pytest.raises(BadInput, match="role 'moon' is not known"):
        engine.fork(run_id, "bull", texts={"moon": "text"})
    with pytest.raises(BadInput, match="text of bull is empty"):
        engine.fork(run_id, "bull", texts={"bull": " "})
    with pytest.raises(BadInput, match="is not known"):
        engine.fork("nobody", "bull")
    with pytest.raises(BadInput, match="is about BTC"):
        engine.decisions.request("ETH/USDT:USDT", model=f"recorded:{run_id}")
    with pytest.raises(BadInput, match="run nobody is not known"):
        engine.decisions.request(SYMBOL, model="recorded:nobody")


BARS = 12  # that pass between the words and the refresh
COUNTS = ("total_claims", "verified_claims", "false_claims", "hallucination_score")
Market = Callable[..., "tuple[Engine, str, dict[str, Any]]"]


@pytest.fixture
def market(make_engine: MakeEngine, tmp_path: Path) -> Market:
    """A finished run, after which the market has gone on: (engine, run id, its state)."""

    def made(lies: float = 0.3, language: Language = "en", **settings: Any) -> "tuple[Engine, str, dict[str, Any]]":
        folder = write_candles(tmp_path / "market")
        file = folder / "binance_perp_BTCUSDT_15m.csv"
        whole = file.read_text()
        file.write_text("\n".join(whole.splitlines()[:-BARS]) + "\n")
        engine = make_engine(data_dir=folder, model="scripted", **settings)
        run_id = engine.start(engine.decisions.request(SYMBOL, lies=lies, seed=3, language=language))
        state = state_of(engine, run_id)
        file.write_text(whole)
        return engine, run_id, state

    return made


def claims_of(state: dict[str, Any]) -> list[dict[str, Any]]:
    return list(state["grounding_result"]["claims"])


def verdicts(state: dict[str, Any]) -> dict[tuple[str, int, int], str]:
    return {(each["source"], each["start"], each["end"]): each["verdict"] for each in claims_of(state)}


def caught(state: dict[str, Any]) -> list[dict[str, Any]]:
    """The planted lies of those who were not asked again."""
    return [lie for lie in state["planted"] if lie["role"] != "executor"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_refresh_convicts_nobody_of_what_was_true_when_it_was_said(market: Market, language: Language) -> None:
    engine, run_id, before = market(language=language)
    after = state_of(engine, engine.fork(run_id, "executor", fresh=True))
    assert after["snapshot_hash"] != before["snapshot_hash"]
    assert after["bull_argument"] == before["bull_argument"]
    assert {key: after[key] for key in COUNTS} == {key: before[key] for key in COUNTS}
    assert after["grounding_result"]["penalty_pct"] == before["grounding_result"]["penalty_pct"]
    then, now = verdicts(before), verdicts(after)
    assert then.keys() == now.keys()
    assert {then[place] for place, verdict in now.items() if verdict == "false"} == {"false"}, "no number becomes false that was not before"
    moved = [each for each in claims_of(after) if each["verdict"] == "moved"]
    assert any(each["said_verdict"] == "true" for each in moved), "the market has gone on"
    for claim in moved:
        assert claim["actual"] != claim["said_actual"]
    assert len(after["false_claim_details"]) == after["false_claims"]
    assert caught(after) == caught(before)


@pytest.mark.full
@pytest.mark.parametrize(("language", "title"), [("en", "True when said, moved since"), ("zh", "说时为真")])
def test_the_executor_is_told_what_has_moved_and_hears_no_lie_in_it(market: Market, language: Language, title: str) -> None:
    engine, run_id, _ = market(lies=0.0, language=language)
    after = state_of(engine, engine.fork(run_id, "executor", fresh=True))
    context = after["corrected_context"]
    assert title in context
    assert "[corrected]" not in context
    false = context.partition("❌")[2].partition("✅")[0]
    assert "none" in false or "无" in false
    moved = next(each for each in claims_of(after) if each["verdict"] == "moved" and each["source"] == "bull")
    assert " ".join(moved["text"].split()) in context
    assert (after["false_claims"], after["hallucination_score"]) == (0, 0)


@pytest.mark.full
def test_words_keep_their_market_through_refreshes_forks_and_replays(market: Market) -> None:
    engine, run_id, before = market()
    refreshed = engine.fork(run_id, "executor", fresh=True)
    first = state_of(engine, refreshed)
    again = state_of(engine, engine.fork(refreshed, "executor", fresh=True))
    assert verdicts(again) == verdicts(first), "a refresh of a refresh"
    forked = state_of(engine, engine.fork(refreshed, "executor", language="zh"))
    assert verdicts(forked) == verdicts(first), "a fork of a refresh"
    judge = state_of(engine, engine.fork(refreshed, "judge"))
    theirs = {place: verdict for place, verdict in verdicts(judge).items() if place[0] != "judge"}
    assert theirs == {place: verdict for place, verdict in verdicts(first).items() if place[0] != "judge"}
    assert "moved" not in {verdict for place, verdict in verdicts(judge).items() if place[0] == "judge"}, "it has spoken about this market"
    replayed = state_of(engine, engine.start(engine.decisions.request(SYMBOL, model=f"recorded:{refreshed}")))
    assert without_times(replayed) == without_times(first), "played again"
    same = state_of(engine, engine.fork(run_id, "executor"))
    assert verdicts(same) == verdicts(before), "on the same snapshot nothing has moved"


@pytest.mark.full
def test_a_refreshed_run_agrees_with_its_bundle_and_without_its_old_market_it_does_not(market: Market) -> None:
    engine, run_id, _ = market()
    refreshed = engine.fork(run_id, "executor", fresh=True)
    state_of(engine, refreshed)
    bundle = json.loads(json.dumps(engine.bundle(refreshed), allow_nan=False))
    assert verify_bundle(bundle) == []
    without = {**bundle, "said_on": {}}
    assert verify_bundle(without) != []
    other = json.loads(json.dumps(bundle))
    for snapshot in other["said_on"].values():
        snapshot["candles"]["close"][-1] *= 1.01
    assert any("said_on" in line for line in verify_bundle(other))


ASKED: dict[str, dict[str, Any]] = {
    "position": {"holding": HOLDING, "lies": 0.3, "language": "zh"},
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


def _raise_a_candle(bundle: dict[str, Any]) -> None:
    bundle["snapshot"]["candles"]["close"][-1] *= 1.001


def _change_a_verdict(bundle: dict[str, Any]) -> None:
    claim = next(claim for claim in bundle["run"]["result"]["grounding_result"]["claims"] if claim["verdict"] == "false")
    claim["verdict"] = "true"


def _change_the_action(bundle: dict[str, Any]) -> None:
    bundle["run"]["result"]["final_action"] = "signal_entry_long"


def _loosen_a_limit(bundle: dict[str, Any]) -> None:
    bundle["run"]["request"]["risk"]["max_leverage"] = 99


CHANGES = (_raise_a_candle, _change_a_verdict, _change_the_action, _loosen_a_limit)


@pytest.fixture
def lied(make_engine: MakeEngine, candles: Path) -> dict[str, Any]:
    return bundle_of(make_engine(data_dir=candles), lies=0.5, seed=3)


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
