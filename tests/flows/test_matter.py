"""Did it matter: the executor asked again without the corrections, once, beside the decision and never instead of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.cli.main import main
from engine.domain.errors import BadInput
from tests.flows.answers import cast, executor, role_of
from tests.servers.llm import Body, LLMServer

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


def test_the_two_decisions_stand_side_by_side(make_engine: MakeEngine, candles: Path) -> None:
    asked: list[str] = []

    def answer(body: Body) -> str:
        role = role_of(body)
        if role != "reader":
            asked.append(json.dumps(body["messages"], ensure_ascii=False))
        return credulous(body) if role == "executor" else cast(bull=LIE)(body)

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


def test_what_never_came_to_a_decision_cannot_be_compared(make_engine: MakeEngine, candles: Path) -> None:
    engine = make_engine(data_dir=candles)
    closed = engine.start(engine.decisions.request("BTC/USDT:USDT", lies=1.0))
    engine.wait(closed, 30)
    for run_id in (closed, "unknown"):
        with pytest.raises(BadInput, match=r"nothing to compare|no decision yet"):
            engine.decisions.without_corrections(run_id)


def test_the_shell_says_it_in_one_line(
    make_engine: MakeEngine, candles: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
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
