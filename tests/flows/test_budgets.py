"""Tokens, money and time of a run: when they are spent nobody is asked any more, and the run says so in its safe action."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.domain.errors import BadInput, TribunalError
from engine.domain.opinion import Usage
from engine.runs.run_budget import DailySpend, Limits, RunBudget, Spent, cost_of
from tests.clocks import begun_at
from tests.flows.answers import MakeEngine, cast, role_of, state_of
from tests.servers.llm import HANG, LLMServer

if TYPE_CHECKING:
    from engine.api import Engine

PRICES = {"m": (1.0, 10.0)}


@pytest.fixture
def engine_of(make_engine: MakeEngine, candles: Path) -> "Callable[..., Engine]":
    def make(server: LLMServer, **settings: object) -> "Engine":
        return make_engine(data_dir=candles, openai_base_url=server.base_url, openai_api_key="sk-test", model="m", **settings)

    return make


def decided(engine: "Engine") -> dict[str, Any]:
    return state_of(engine, engine.start(engine.decisions.request("BTC/USDT:USDT")))


@pytest.mark.full
def test_a_run_that_has_spent_its_tokens_asks_nobody_any_more(engine_of: "Callable[..., Engine]") -> None:
    with LLMServer(cast()) as server:
        state = decided(engine_of(server, run_tokens=2000))
        asked = [role_of(request.body) for request in server.requests]
    assert asked[:4] != []
    assert "executor" not in asked
    assert (state["final_action"], state["is_valid"]) == ("signal_wait", False)
    assert any("TRIBUNAL_RUN_TOKENS" in error for error in state["errors"])
    assert state["metrics"]["llm_calls_count"] == len(asked)


@pytest.mark.full
def test_what_a_run_had_spent_before_it_was_stopped_still_counts(engine_of: "Callable[..., Engine]") -> None:
    with LLMServer(cast(judge=HANG)) as server:
        engine = engine_of(server)
        run_id = engine.start(engine.decisions.request("BTC/USDT:USDT"))
        server.wait_for(lambda: any(role_of(request.body) == "judge" for request in server.requests))
        engine.stop(run_id)
        with pytest.raises(TribunalError, match="stopped"):
            engine.wait(run_id, 10)
        server.requests.clear()
        other = engine_of(server, run_tokens=100)
        other.resume(run_id)
        state = other.wait(run_id, 30).result
        assert server.requests == []
    assert state is not None
    assert any("TRIBUNAL_RUN_TOKENS" in error for error in state["errors"])


def test_an_endpoint_that_reports_no_tokens_is_weighed_all_the_same(engine_of: "Callable[..., Engine]") -> None:
    with LLMServer(cast(), usage=False) as server:
        state = decided(engine_of(server, run_tokens=2000))
        assert len(server.requests) < 8
    assert any("TRIBUNAL_RUN_TOKENS" in error for error in state["errors"])


@pytest.mark.full
def test_money_is_counted_by_the_price_table(engine_of: "Callable[..., Engine]") -> None:
    with LLMServer(cast()) as server:
        engine = engine_of(server, prices=PRICES, run_cost=5.0)
        state = decided(engine)
        tokens = state["total_token_usage"]
        assert state["total_cost"] == pytest.approx((tokens["prompt_tokens"] + 10 * tokens["completion_tokens"]) / 1e6)
        assert engine.runs()[0].cost == state["total_cost"]
        assert engine.runs()[0].tokens == tokens["total"]
        poor = decided(engine_of(server, prices=PRICES, run_cost=state["total_cost"] / 2))
    assert any("TRIBUNAL_RUN_COST" in error for error in poor["errors"])


@pytest.mark.full
def test_a_day_is_shared_by_its_runs_and_remembered_by_the_journal(engine_of: "Callable[..., Engine]") -> None:
    with begun_at(datetime(2026, 11, 20, 12, tzinfo=UTC)), LLMServer(cast()) as server:  # at midnight another day would begin
        first = decided(engine_of(server, day_tokens=10**9))
        used = first["total_token_usage"]["total"]
        other = engine_of(server, day_tokens=used + 10)  # another process on the same journal
        second = decided(other)
        server.requests.clear()
        third = decided(other)
        assert server.requests == []
    assert any("TRIBUNAL_DAY_TOKENS" in error for error in second["errors"])
    assert any("TRIBUNAL_DAY_TOKENS" in error for error in third["errors"])
    assert third["final_action"] == "signal_wait"


def test_money_cannot_be_limited_without_a_price(engine_of: "Callable[..., Engine]") -> None:
    with LLMServer(cast()) as server, pytest.raises(BadInput, match="no price for m"):
        decided(engine_of(server, run_cost=1.0))


@pytest.mark.full
def test_a_run_that_takes_too_long_ends_in_its_safe_action(engine_of: "Callable[..., Engine]") -> None:
    with LLMServer(cast(judge=HANG)) as server:
        state = decided(engine_of(server, run_deadline_s=8.0))
        hanging = next(request for request in server.requests if role_of(request.body) == "judge")
        assert hanging.left.wait(30)
    assert (state["final_action"], state["is_valid"]) == ("signal_wait", False)
    assert any("TRIBUNAL_RUN_DEADLINE_S" in error for error in state["errors"])
    assert state["bull_argument"]["text"], "what it has stays readable"


def test_a_new_day_begins_anew() -> None:
    now = [datetime(2026, 5, 17, 23, 59, tzinfo=UTC)]
    known = {date(2026, 5, 17): Spent(900, 0.0), date(2026, 5, 18): Spent()}
    budget = RunBudget(Limits(day_tokens=1000), {}, DailySpend(lambda: now[0], lambda day: known[day]))
    assert budget.refusal() is None
    budget.note(Usage(model="m", requests=1, prompt_tokens=60, completion_tokens=40))
    assert budget.refusal() == "the token budget of this day is spent: 1,000 of 1,000 (TRIBUNAL_DAY_TOKENS)"
    now[0] += timedelta(minutes=2)
    assert budget.refusal() is None


def test_what_has_no_price_has_no_cost() -> None:
    asked = Usage(model="other", requests=1, prompt_tokens=10)
    assert cost_of(asked, PRICES) is None
    assert cost_of(Usage(model="scripted", requests=1, prompt_tokens=10), PRICES) == 0.0
    assert cost_of(Usage(model="m", requests=1, prompt_tokens=1_000_000, completion_tokens=100_000), PRICES) == pytest.approx(2.0)
