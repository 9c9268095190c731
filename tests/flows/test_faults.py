"""Everything a provider can do wrong, in every stage: a valid decision, or the safe action with its reason; in time, never an exception."""

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.api import verify_bundle
from engine.domain.events import Event
from tests.flows.answers import SOUND, cast, role_of
from tests.flows.conftest import Decided
from tests.servers import llm

if TYPE_CHECKING:
    from engine.api import Engine

DEADLINE_S, AMPLE_S = 3.0, 8.0
STAGES = ("indicator", "bull", "judge", "executor")

FAULTS = {
    "500": llm.status(500),
    "429": llm.busy("0"),
    "401": llm.status(401, "Incorrect API key provided: sk-test"),
    "hang": llm.HANG,
    "stall": llm.STALL,
    "drip": llm.drip(0.05),
    "dropped": llm.dropped(),
    "empty": llm.EMPTY,
    "blank": llm.BLANK,
    "garbage": llm.GARBAGE,
    "html": llm.HTML,
    "no finish": llm.NO_FINISH,
    "stream error": llm.STREAM_ERROR,
    "cut off": llm.cut_off("Half an"),
    "only thoughts": llm.Fault(text="<think>hm"),
    "filtered": llm.FILTERED,
}

ENDLESS = ("hang", "stall", "drip")
"""Faults that only the deadline ends; after the others it has no part in what comes out."""

PASS_AS_WELL = ("429", "garbage", "html", "no finish", "stream error", "cut off")
"""Faults after which a second call may be sound, beside one of each way to have no answer: refused, cut, empty."""


@pytest.mark.full
@pytest.mark.parametrize("fault", FAULTS)
def test_a_role_that_never_answers(decide: Callable[..., Decided], fault: str) -> None:
    """One of every stage, in a decision of its own each; all at once, because they mostly wait."""

    def decided(role: str) -> Decided:
        with llm.LLMServer(cast(**{role: FAULTS[fault]})) as server:
            return decide(server, deadline_s=DEADLINE_S if fault in ENDLESS else AMPLE_S)

    with ThreadPoolExecutor(len(STAGES)) as pool:
        for role, (state, events) in zip(STAGES, pool.map(decided, STAGES), strict=True):
            check_safe(role, state, events)


def check_safe(role: str, state: dict[str, Any], events: list[Event]) -> None:
    """What came of a decision in which this role has no answer."""
    assert state["total_duration_ms"] < 10_000  # the deadline with room for a busy machine; without one it would never end
    assert "sk-test" not in str(state)
    assert "sk-test" not in "".join(event.model_dump_json() for event in events)
    if role == "indicator":
        assert state["is_valid"]
        assert state["indicator_report"]["abstained"]
        assert state["indicator_report"]["reason"]
    else:
        assert (state["is_valid"], state["final_action"]) == (False, "signal_wait")
        assert role in state["errors"][0]
    assert state["metrics"]["failed_llm_calls"] >= 1
    assert events[-1].kind == "run.finished"


@pytest.mark.parametrize("fault", ["500", *(pytest.param(fault, marks=pytest.mark.full) for fault in ("dropped", "empty", *PASS_AS_WELL))])
def test_a_fault_that_passes_costs_a_retry_and_changes_nothing(decide: Callable[..., Decided], fault: str) -> None:
    seen: set[str] = set()

    def answer(body: llm.Body) -> llm.Plan:
        role = role_of(body)
        if role in seen:
            return SOUND[role]
        seen.add(role)
        return FAULTS[fault]

    with llm.LLMServer(answer) as server:
        state, events = decide(server)
    assert state["is_valid"]
    assert state["final_action"] == "signal_entry_long"
    assert (state["metrics"]["llm_calls_count"], state["metrics"]["failed_llm_calls"]) == (16, 8)
    assert sum(event.kind == "node.retried" for event in events) == 8


@pytest.mark.parametrize("role", ["judge", "executor"])
def test_a_run_without_an_answer_verifies_in_the_language_it_was_written_in(
    make_engine: "Callable[..., Engine]", candles: Path, role: str
) -> None:
    with llm.LLMServer(cast(**{role: FAULTS["401"]})) as server:
        engine = make_engine(openai_base_url=server.base_url, openai_api_key="sk-test", model="loopback")
        run_id = engine.start(engine.decisions.request("BTC/USDT:USDT", data_dir=str(candles), language="zh"))
        assert engine.wait(run_id, timeout=60).result is not None
        bundle = json.loads(json.dumps(engine.bundle(run_id), allow_nan=False))
    assert verify_bundle(bundle) == []
    [said] = bundle["run"]["result"]["errors"]
    assert re.search("[\u4e00-\u9fff]", said.split("：", 1)[1]), "the reason within it is in Chinese too"
    assert verify_bundle({**bundle, "reasons": []}) != [], "its key is what says it in another language"
