"""What a run takes: measured on the last runs, estimated before the first, and never an invented price."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.api.costs import spread
from engine.bootstrap.rehearsal import RehearsedCall, Speeds, duration_s
from engine.domain.errors import BadInput
from tests.flows.answers import cast
from tests.processes import run_engine
from tests.servers.llm import LLMServer

if TYPE_CHECKING:
    from engine.api import Engine


@pytest.mark.parametrize(
    ("values", "median", "p95"),
    [([7], 7, 7), ([1, 2], 1.5, 2), (list(range(1, 21)), 10.5, 19), (list(range(1, 101)), 50.5, 95), ([3, 1, 2], 2, 3)],
)
def test_median_and_the_value_that_95_of_100_do_not_exceed(values: list[float], median: float, p95: float) -> None:
    found = spread(values)
    assert (found.median, found.p95) == (median, p95)


def test_a_run_takes_as_long_as_its_longest_chain_of_calls() -> None:
    """Two at once, then one that waited for both; each first reads, then writes."""
    calls = [RehearsedCall(0, 2, 1_000, 100), RehearsedCall(1, 3, 2_000, 50), RehearsedCall(4, 5, 500, 100)]
    speeds = Speeds(first_word_s=1.0, reads=1_000, writes=50, at_once=4)
    assert duration_s(calls, speeds) == pytest.approx(max(1 + 1 + 2, 1 + 2 + 1) + (1 + 0.5 + 2))
    one_at_a_time = Speeds(1.0, 1_000, 50, at_once=1)
    assert duration_s(calls, one_at_a_time) == pytest.approx(4 + 4 + 3.5)
    assert duration_s(calls, Speeds(1.0, None, 50, at_once=4)) == pytest.approx(3 + 3)


@pytest.mark.full
def test_an_estimate_becomes_a_measurement_with_the_first_run(make_engine: "Callable[..., Engine]") -> None:
    with LLMServer(cast()) as server:
        engine = make_engine(openai_api_key="sk-test-0000", openai_base_url=server.base_url, model="m-7b")
        before = engine.costs.of("decision")
        assert before is not None
        assert (before.runs, before.estimated, before.calls, before.money) == (0, True, 8, None)
        assert before.seconds.median is None, "nobody has tested how quick it is"
        assert 8_000 < (before.tokens.median or 0) < 40_000
        records = [engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT", seed=seed)), 60) for seed in (1, 2, 3)]
        after = engine.costs.of("decision")
        assert after is not None
        tokens = sorted(record.result["metrics"]["total_tokens"] for record in records if record.result is not None)
        assert (after.runs, after.estimated, after.money) == (3, False, None), "without a price there is no money"
        assert (after.tokens.median, after.tokens.p95) == (tokens[1], tokens[2])
        assert engine.costs.of("decision", "another-model") == before, "of other models nothing is known"
    with pytest.raises(BadInput, match="no desk"):
        engine.costs.of("nonsense")


@pytest.mark.full
def test_the_shell_prints_the_contract(tmp_path: Path) -> None:
    environment = {"TRIBUNAL_HOME": str(tmp_path / "home"), "TRIBUNAL_PRICES": '{"m-7b": [1, 3]}'}
    outcome = run_engine("cost", "--desk", "equities", "--model", "m-7b", "--json", environment=environment)
    assert outcome.returncode == 0, outcome.stderr
    found = json.loads(outcome.stdout)
    assert list(found) == ["runs", "tokens", "seconds", "money", "estimated"]
    assert (found["runs"], found["estimated"]) == (0, True)
    assert found["seconds"] == {"median": None, "p95": None}
    assert found["tokens"]["median"] <= found["tokens"]["p95"]
    least, most = (found["tokens"]["median"] * price / 1e6 for price in (1, 3))
    assert least < found["money"]["median"] < most, "between all tokens sent and all received"
    assert run_engine("cost", "--desk", "nonsense", environment=environment).returncode == 2
