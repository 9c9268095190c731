"""Did it matter: the executor asked again without the corrections, or with such that change nothing, beside the decision and never instead
of it; and one voice in place of the debate."""

import json
from collections.abc import Callable
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

import pytest

from engine.cli.main import main
from engine.desks.decision.executor.brief import correction_record, placebo_claims
from engine.desks.decision.paths import ENTRY, GROUNDING_RESULT, Path, path_of
from engine.domain.claims import Claim, GroundingResult, Verdict
from engine.domain.errors import BadInput
from engine.domain.text.language import Language
from engine.grounding.report.wording import FactWording
from engine.grounding.result import result_of
from engine.grounding.tables.markets import CRYPTO
from tests.flows.answers import TRUTHFUL, cast, executor, role_of
from tests.servers.llm import Body, LLMServer, Plan, user_of

if TYPE_CHECKING:
    from engine.api import Engine

MakeEngine = Callable[..., "Engine"]
LIE = "RSI is 99.\n[Debate]\nconfidence: 70\n"


def credulous(body: Body) -> str:
    """An executor that goes long when it is told that RSI is 99, and waits when it reads that this was corrected."""
    corrected = "~~99~~" in json.dumps(body["messages"])
    if corrected:
        return executor("WAIT", direction="NEUTRAL", stop="N/A", target="N/A")
    return executor("ENTRY_LONG")


@pytest.mark.full
def test_the_two_decisions_stand_side_by_side(make_engine: MakeEngine, candles: FilePath) -> None:
    asked: list[str] = []

    def answer(body: Body) -> str:
        role = role_of(body)
        if role != "reader":
            asked.append(json.dumps(body["messages"], ensure_ascii=False))
        return credulous(body) if role == "executor" else cast(**TRUTHFUL, bull=LIE)(body)

    with LLMServer(answer) as server:
        engine = make_engine(data_dir=candles, openai_base_url=server.base_url, openai_api_key="sk-test", model="loopback")
        run_id = engine.start(engine.decisions.request("BTC/USDT:USDT"))
        before = engine.wait(run_id, 30)
        compared = engine.decisions.without_corrections(run_id)
        assert engine.decisions.without_corrections(run_id) == compared == engine.run(run_id)
    assert len(asked) == 9
    assert "RSI is 99" in asked[8]
    assert "~~99~~" in asked[7]
    assert "~~99~~" not in asked[8]
    assert before.result is not None
    assert compared.result is not None
    told = compared.result["did_it_matter"]
    assert (told["corrected"]["action"], told["uncorrected"]["action"], told["same"]) == ("signal_wait", "signal_entry_long", False)
    assert {**compared.result, "did_it_matter": None} == before.result


@pytest.mark.full
def test_what_never_came_to_a_decision_cannot_be_compared(make_engine: MakeEngine, candles: FilePath) -> None:
    engine = make_engine(data_dir=candles)
    closed = engine.start(engine.decisions.request("BTC/USDT:USDT", lies=1.0))
    engine.wait(closed, 30)
    for run_id in (closed, "unknown"):
        with pytest.raises(BadInput, match=r"nothing to compare|not known"):
            engine.decisions.without_corrections(run_id)


@pytest.mark.full
def test_the_shell_says_it_in_one_line(
    make_engine: MakeEngine, candles: FilePath, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = make_engine(data_dir=candles)
    run_id = engine.start(engine.decisions.request("BTC/USDT:USDT", lies=0.3))
    engine.wait(run_id, 30)
    monkeypatch.setenv("TRIBUNAL_HOME", str(engine.settings.home))
    monkeypatch.setenv("TRIBUNAL_PACE", "0")
    assert main(["matter", run_id]) == 0
    assert "the corrections changed" in capsys.readouterr().out
    assert main(["matter", run_id, "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"corrected", "uncorrected", "same", "usage"}


def claims_of(engine: "Engine", run_id: str) -> tuple[GroundingResult, tuple[Claim, ...], Path]:
    """What was checked in a run, its placebo, and the path."""
    result = engine.record(run_id).result or {}
    path = path_of(result["execution_path"] == "position")
    checked = GroundingResult.model_validate(result[path.key(GROUNDING_RESULT)])
    return checked, placebo_claims(checked, path), path


@pytest.mark.full
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("seed", range(1, 6))
def test_placebo_corrections_carry_no_information(make_engine: MakeEngine, candles: FilePath, seed: int, language: Language) -> None:
    """As many as the real ones and in their form; what they give is what was stated, within its tolerance, and what the facts say; nothing
    in them is about a fact that was stated falsely."""
    engine = make_engine(data_dir=candles)
    run_id = engine.start(engine.decisions.request("BTC/USDT:USDT", lies=0.2, seed=seed, language=language))
    engine.wait(run_id, 30)
    checked, placebo, path = claims_of(engine, run_id)
    chart = engine.decisions.chart(run_id)
    assert chart is not None
    fallen = {claim.key for claim in checked.claims if claim.verdict == "false"}
    assert fallen
    assert not fallen & {claim.key for claim in placebo}
    assert len({claim.key for claim in placebo}) == len(fallen)
    said = {claim.id: claim for claim in checked.claims}
    for claim in placebo:
        assert said[claim.id].verdict == "true", "it was stated so, and truly"
        fact = chart.sheet.number(claim.key)
        if isinstance(claim.claimed, float) and claim.relation == "=" and fact is not None:
            assert claim.tolerance is not None
            assert abs(claim.claimed - fact) <= claim.tolerance
    real = correction_record(path, checked.claims, chart.sheet, language).splitlines()
    form = correction_record(path, placebo, chart.sheet, language).splitlines()
    assert (len(form), form[0]) == (len(real), real[0])
    wording = FactWording(chart.sheet, language, CRYPTO)
    truths = {claim.key: f"{wording.name(claim.key)}={wording.value(claim.key)}" for claim in placebo}
    assert all(any(line.startswith(f"- {truth}") for truth in truths.values()) for line in form[1:])


def test_with_without_and_placebo_are_asked_once_each(make_engine: MakeEngine, candles: FilePath) -> None:
    """Its executor waits as soon as it sees anything struck: the look of an audit, not what it says."""
    asked: list[str] = []

    def answer(body: Body) -> Plan:
        role, words = role_of(body), json.dumps(body["messages"], ensure_ascii=False)
        if role != "executor":
            return cast(**TRUTHFUL, bull=LIE)(body)
        asked.append(words)
        return executor("WAIT", direction="NEUTRAL", stop="N/A", target="N/A") if "~~" in words else executor("ENTRY_LONG")

    with LLMServer(answer) as server:
        engine = make_engine(data_dir=candles, openai_base_url=server.base_url, openai_api_key="sk-test", model="loopback")
        run_id = engine.start(engine.decisions.request("BTC/USDT:USDT"))
        engine.wait(run_id, 30)
        engine.decisions.without_corrections(run_id)
        compared = (engine.decisions.without_corrections(run_id, placebo=True).result or {})["did_it_matter"]
        engine.decisions.without_corrections(run_id, placebo=True)
        counted = engine.decisions.corrections_so_far()
    assert len(asked) == 3
    arms = [compared[name]["action"] for name in ("corrected", "uncorrected", "placebo")]
    assert arms == ["signal_wait", "signal_entry_long", "signal_wait"]
    assert "RSI is 99" in asked[2], "what was false stays as it was said"
    assert "~~100~~ 100" in asked[2], "what was true is restated in the form of a correction"
    assert [words.count("Corrections (") for words in asked] == [1, 0, 1]
    assert (counted["runs"], counted["corrections_changed"]["count"], counted["placebo_changed"]["count"]) == (1, 1, 1)
    assert counted["actions"]["placebo"] == {"signal_wait": 1}


def test_a_placebo_is_refused_where_too_little_was_true() -> None:
    """Two facts stated falsely and one truly: there is no placebo of two."""
    rows = [("rsi_14", "false"), ("macd", "false"), ("close", "true")]
    claims = tuple(claim(key, verdict) for key, verdict in rows)
    result = result_of(claims, ENTRY.debaters)
    with pytest.raises(BadInput, match="need 2 facts that were stated truly, and there are 1"):
        placebo_claims(result, ENTRY)


def claim(key: str, verdict: Verdict) -> Claim:
    places = {"start": 0, "end": 5, "value_start": 3, "value_end": 5}
    about = {"text": "is 50", "key": key, "kind": "quantitative", "relation": "=", "claimed": 50.0, "actual": 50.0, "unit": ""}
    return Claim(source="bull", verdict=verdict, **places, **about)


@pytest.mark.full
def test_what_the_debate_bought_is_one_voice_on_the_same_facts(
    make_engine: MakeEngine, candles: FilePath, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(body: Body) -> Plan:
        alone = "<alone>" in json.dumps(body["messages"])
        return executor("WAIT", direction="NEUTRAL", stop="N/A", target="N/A") if alone else cast(**TRUTHFUL)(body)

    with LLMServer(answer) as server:
        engine = make_engine(data_dir=candles, openai_base_url=server.base_url, openai_api_key="sk-test", model="loopback")
        ids = [engine.start(engine.decisions.request("BTC/USDT:USDT")) for _ in range(2)]
        for run_id in ids:
            engine.wait(run_id, 30)
        found = engine.repetitions.value_of_debate(ids[0])
        assert engine.repetitions.value_of_debate(ids[0]) == found, "asked once"
        assert len(server.requests) == 8 + 8 + 1
        alone = user_of(server.requests[-1].body)
        state = engine.record(ids[0]).result or {}
        engine.repetitions.value_of_debate(ids[1])
    assert "<said" not in alone
    assert "rsi_14 = " in alone
    assert (found["run_id"], found["same_action"]) == (ids[0], False)
    assert found["debate"] == {
        "action": "signal_entry_long",
        "calls": 8,
        "tokens": state["metrics"]["total_tokens"],
        "seconds": pytest.approx(state["total_duration_ms"] / 1000, abs=1e-3),
    }
    assert (found["single"]["action"], found["single"]["calls"]) == ("signal_wait", 1)
    monkeypatch.setenv("TRIBUNAL_HOME", str(engine.settings.home))
    assert main(["value", "--json"]) == 0
    together = json.loads(capsys.readouterr().out)
    assert (together["runs"], together["debate"]["calls"], together["single"]["calls"]) == (2, 16, 2)
    assert (together["same_action"]["count"], together["same_action"]["share"]) == (0, 0.0)
    assert main(["value", "20200101-000000-abcdef"]) == 2
    assert main(["matter"]) == 2
    assert main(["matter", "--all"]) == 0
