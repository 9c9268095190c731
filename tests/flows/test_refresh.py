"""A decision made again on a new market: what was said about the old one is judged by the old one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.api import verify_bundle
from engine.domain.errors import TribunalError
from engine.domain.text.language import Language
from engine.grounding.tables.crypto import CRYPTO
from tests.flows.answers import cast, write_candles
from tests.flows.desk import SYMBOL
from tests.flows.test_origins import MakeEngine
from tests.flows.test_resume import wait_until_asked, without_times
from tests.servers.llm import HANG, LLMServer

if TYPE_CHECKING:
    from engine.api import Engine

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
        state = ended(engine, run_id)
        file.write_text(whole)
        return engine, run_id, state

    return made


def ended(engine: "Engine", run_id: str) -> dict[str, Any]:
    state = engine.wait(run_id, 60).result
    assert state is not None
    return state


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
    after = ended(engine, engine.fork(run_id, "executor", fresh=True))
    assert after["snapshot_hash"] != before["snapshot_hash"]
    assert after["bull_argument"] == before["bull_argument"]
    assert {key: after[key] for key in COUNTS} == {key: before[key] for key in COUNTS}
    assert after["grounding_result"]["penalty_pct"] == before["grounding_result"]["penalty_pct"]
    then, now = verdicts(before), verdicts(after)
    assert then.keys() == now.keys()
    assert {then[place] for place, verdict in now.items() if verdict == "false"} == {"false"}, "nobody is convicted anew"
    moved = [each for each in claims_of(after) if each["verdict"] == "moved"]
    assert any(each["said_verdict"] == "true" for each in moved), "the market has gone on"
    for claim in moved:
        assert claim["actual"] != claim["said_actual"]
    assert len(after["false_claim_details"]) == after["false_claims"]
    assert caught(after) == caught(before)


@pytest.mark.full
def test_with_no_lie_a_refresh_has_none(market: Market) -> None:
    engine, run_id, _ = market(lies=0.0)
    after = ended(engine, engine.fork(run_id, "executor", fresh=True))
    assert after["false_claims"] == 0
    assert after["hallucination_score"] == 0
    assert not [each for each in claims_of(after) if each["verdict"] == "false"]
    assert not [mark for mark in after["chart_annotations"] if mark["type"].startswith("false")]
    assert [each["verdict"] for each in claims_of(after)].count("moved") > 0


@pytest.mark.full
@pytest.mark.parametrize(("language", "mark", "title"), [("en", "[now ", "True when said, moved since"), ("zh", "[现为 ", "说时为真")])
def test_the_executor_is_told_what_has_moved_and_hears_no_lie_in_it(market: Market, language: Language, mark: str, title: str) -> None:
    engine, run_id, _ = market(lies=0.0, language=language)
    after = ended(engine, engine.fork(run_id, "executor", fresh=True))
    context = after["corrected_context"]
    assert title in context
    assert "[corrected]" not in context
    false = context.partition("❌")[2].partition("✅")[0]
    assert "none" in false or "无" in false
    moved = next(each for each in claims_of(after) if each["verdict"] == "moved" and each["source"] == "bull")
    assert " ".join(moved["text"].split()) in context
    prompt = brief_of(engine, after)
    assert mark in prompt


def brief_of(engine: "Engine", state: dict[str, Any]) -> str:
    """What the executor of a finished run was told of the debate."""
    from engine.domain.claims import GroundingResult
    from engine.facts.sheet import build_sheet
    from engine.grounding.correct import correct_text

    snapshot = engine.snapshot(state["run_id"])
    assert snapshot is not None
    result = GroundingResult.model_validate(state["grounding_result"])
    own = [claim for claim in result.claims if claim.source == "bull"]
    language: Language = state["llm_config"]["language"]
    return correct_text(state["bull_argument"]["text"], own, build_sheet(snapshot), language, table=CRYPTO)


@pytest.mark.full
def test_words_keep_their_market_through_refreshes_forks_and_replays(market: Market) -> None:
    engine, run_id, before = market()
    refreshed = engine.fork(run_id, "executor", fresh=True)
    first = ended(engine, refreshed)
    again = ended(engine, engine.fork(refreshed, "executor", fresh=True))
    assert verdicts(again) == verdicts(first), "a refresh of a refresh"
    forked = ended(engine, engine.fork(refreshed, "executor", language="zh"))
    assert verdicts(forked) == verdicts(first), "a fork of a refresh"
    judge = ended(engine, engine.fork(refreshed, "judge"))
    theirs = {place: verdict for place, verdict in verdicts(judge).items() if place[0] != "judge"}
    assert theirs == {place: verdict for place, verdict in verdicts(first).items() if place[0] != "judge"}
    assert "moved" not in {verdict for place, verdict in verdicts(judge).items() if place[0] == "judge"}, "it has spoken about this market"
    replayed = ended(engine, engine.start(engine.decisions.request(SYMBOL, model=f"recorded:{refreshed}")))
    assert without_times(replayed) == without_times(first), "played again"
    same = ended(engine, engine.fork(run_id, "executor"))
    assert verdicts(same) == verdicts(before), "on the same snapshot nothing has moved"


@pytest.mark.full
def test_a_refresh_that_was_stopped_and_goes_on_judges_words_by_their_market(market: Market) -> None:
    with LLMServer(cast(judge=HANG)) as server:
        engine, run_id, before = market(openai_base_url=server.base_url, openai_api_key="sk-test")
        cut = engine.fork(run_id, "judge", fresh=True, model="m")
        wait_until_asked(server, "judge")
        engine.stop(cut)
        with pytest.raises(TribunalError, match="stopped"):
            engine.wait(cut, 60)
        server.answer = cast()
        engine.resume(cut)
        after = ended(engine, cut)
    debaters = {"bull", "bear"}
    then = {place: verdict for place, verdict in verdicts(before).items() if place[0] in debaters and verdict == "false"}
    now = {place for place, verdict in verdicts(after).items() if place[0] in debaters and verdict == "false"}
    assert now <= then.keys()
    assert "moved" in verdicts(after).values()


@pytest.mark.full
def test_a_refreshed_run_agrees_with_its_bundle_and_without_its_old_market_it_does_not(market: Market) -> None:
    engine, run_id, _ = market()
    refreshed = engine.fork(run_id, "executor", fresh=True)
    ended(engine, refreshed)
    bundle = json.loads(json.dumps(engine.bundle(refreshed), allow_nan=False))
    assert verify_bundle(bundle) == []
    without = {**bundle, "said_on": {}}
    assert verify_bundle(without) != []
    other = json.loads(json.dumps(bundle))
    for snapshot in other["said_on"].values():
        snapshot["candles"]["close"][-1] *= 1.01
    assert any("said_on" in line for line in verify_bundle(other))
