"""Plans as runs: what models answer, what is recorded and asked again, the answer, and the shell."""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from structlog.contextvars import get_contextvars

from engine.api import verify_bundle
from engine.desks.plan.flow import PlanFlow
from engine.desks.plan.registry import ToolRegistry
from engine.desks.plan.tools.series import funding_history
from engine.domain.errors import BadInput
from engine.domain.events import ChildFinished
from engine.domain.research.dossier import Dossier
from engine.domain.text.reason import Reason
from engine.llm.protocol import ModelCall, Script
from engine.market.simulated import SimulatedFeed
from tests.flows.answers import state_of
from tests.flows.plan.material import AT, json_block, plan_json, task
from tests.processes import Completed, run_engine
from tests.servers.llm import Body, Fault, LLMServer, Plan, status, wants
from tests.toy.asked import engine_on

if TYPE_CHECKING:
    from engine.api import Engine

QUESTION = "Is BTC funding high and is the long crowded?"
SAID = "No: longs hardly pay [1]."
ANSWER = f"{SAID}\n\n[Answer]\nverdict: no\nconfidence: 70\n"
FUNDING = plan_json(task("paid", "funding_history"), name="funding")
WRONG = plan_json(task("paid", "funding_history", args={"symbol": "NOPE/USDT:USDT"}, max_retries=0), name="funding")


@pytest.fixture
def engine(tmp_path: Path) -> "Iterator[Engine]":
    with closing(engine_on(tmp_path / "home")) as made:
        yield made


class Answers:
    """What planner, reasoner and synthesiser say, call by call; the last one is said for ever."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **says: list[str | Script]) -> None:
        self.calls: list[ModelCall] = []
        self._says = {"synthesiser": [ANSWER], **says}
        monkeypatch.setattr(PlanFlow, "voices", lambda flow, request: dict.fromkeys(("planner", "reasoner", "synthesiser"), self._say))

    def _say(self, call: ModelCall) -> Script:
        before = sum(each.role == call.role for each in self.calls)
        self.calls.append(call)
        words = self._says[call.role][min(before, len(self._says[call.role]) - 1)]
        return Script(words) if isinstance(words, str) else words


def played(engine: "Engine", question: str = QUESTION, **asked: Any) -> tuple[str, Mapping[str, Any]]:
    run_id = engine.start(engine.plans.request(question, at=AT, **asked))
    state = state_of(engine, run_id)
    json.dumps(state, allow_nan=False)
    return run_id, state


def kinds(state: Mapping[str, Any], place: int = 0) -> list[str]:
    return [f"{each['kind']} {each['decision'] or each['status']}" for each in state["factors"][place]["task_results"]]


def test_a_question_becomes_statements_with_their_source_date_and_confidence(engine: "Engine") -> None:
    run_id, state = played(engine)
    assert (state["is_valid"], state["errors"], state["planning"]["by"]) == (True, [], "model")
    assert [factor["name"] for factor in state["factors"]] == ["funding", "positioning"]
    assert [each["origin"] for each in state["statements"]][:2] == ["funding/funding", "funding/funding_and_price"]
    for each in state["statements"]:
        assert state["answer"][each["start"] : each["end"]] == each["text"]
    lines = state["answer"].splitlines()[-5:]
    assert [line.split(" ")[0] for line in lines] == ["[1]", "[2]", "[3]", "[4]", "[5]"], "each under the number that it is cited by"
    for each in state["statements"]:
        assert datetime.fromisoformat(each["as_of"]) <= AT
        assert 0.6 <= each["confidence"] <= 1
    dossier = Dossier.of(state)
    assert len(dossier.known_at(AT).statements) == 5
    assert dossier.known_at(AT - timedelta(days=2)).statements == ()
    assert verify_bundle(engine.bundle(run_id)) == []


def test_a_chinese_question_is_answered_in_chinese(engine: "Engine") -> None:
    _, state = played(engine, "BTC 的资金费率高吗，多头拥挤吗？", language="zh")
    assert [factor["name"] for factor in state["factors"]] == ["funding", "positioning"]
    assert state["language"] == "zh"
    assert "资金费率" in state["answer"]


def test_a_plan_that_cannot_be_read_is_asked_for_once_more(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    bad = plan_json(task("paid", "moon_phase"))
    answers = Answers(monkeypatch, planner=[json_block(bad), json_block(FUNDING)])
    _, state = played(engine)
    assert (state["planning"]["by"], kinds(state)) == ("model", ["task done"])
    assert "factors[0].tasks[0].tool: there is no tool 'moon_phase'" in str(answers.calls[1].messages[-1]["content"])
    assert [call.role for call in answers.calls] == ["planner", "planner", "synthesiser"]


def test_a_reasoner_decides_and_is_held_to_what_is_allowed(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    says = "It may pass.\n\n[Decision]\ndecision: retry\nconfidence: 80\n"
    Answers(monkeypatch, planner=[json_block(WRONG), json_block(FUNDING)], reasoner=[says])
    run_id, state = played(engine)
    assert kinds(state) == ["task error", "reasoning replan", "replan replanned", "task done"], "no retries are left"
    reasoned = state["factors"][0]["task_results"][1]
    assert (reasoned["by"], reasoned["reason"].startswith("It may pass. (retry is not possible")) == ("model", True)
    assert verify_bundle(engine.bundle(run_id)) == []


def test_a_reasoner_that_answers_nonsense_leaves_it_to_the_rule(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Answers(monkeypatch, planner=[json_block(WRONG), "no plan"], reasoner=["Who knows."])
    run_id, state = played(engine)
    results = state["factors"][0]["task_results"]
    assert [each["by"] for each in results if each["kind"] == "reasoning"] == ["heuristic"]
    after = ["replan replanned", "skip skipped", "task done", "task done"]
    assert kinds(state) == ["task error", "reasoning replan", *after], "the words plan the factor, and leave out what was planned"
    assert sum(call.role == "reasoner" for call in answers.calls) == 2, "asked once more, then not again"
    assert verify_bundle(engine.bundle(run_id)) == []


def test_every_reason_of_a_chinese_run_can_be_read_in_chinese(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    bad = plan_json(task("paid", "moon_phase"), task("next", "calculate", args={"operation": "add", "a": "{moon}", "b": 1}))
    Answers(monkeypatch, planner=[json_block(bad)], reasoner=["Who knows."], synthesiser=["BTC."])
    question = "BTC 的资金费率高吗，多头拥挤吗？"
    run_id, state = played(engine, question, language="zh", outage="funding_history", max_retries=0)
    known = {each["text"]: Reason.read(each).said_in("zh") for each in state["reasons"]}
    planned, *_, answered = (known[warning] for warning in state["warnings"])
    assert planned.startswith("模型的计划均不可用（回答始终无法读取：factors[0].tasks[0].tool：没有工具 'moon_phase'")
    assert "缺少占位符 {moon}" in planned
    assert answered.startswith("综合员没有给出可用的回答，问题由规则回答：")
    assert [said for said in known.values() if re.search("[a-z]{3,} [a-z]{3,}", said)] == []
    results = [each for factor in state["factors"] for each in factor["task_results"]]
    assert all(each[name] in known for each in results for name in ("error", "reason") if each[name])
    shown = next(event.data.to_json()["warnings"] for event in engine.events(run_id) if event.data.kind == "run.finished")
    assert [Reason.read(each).key for each in shown] == ["no_plan_of_model_can_be_used", "question_answered_by_rule"]
    assert verify_bundle(engine.bundle(run_id)) == []


def test_without_any_result_the_run_says_so(engine: "Engine") -> None:
    plan = plan_json(task("paid", "funding_history"), name="mine")
    plan["factors"][0]["placeholders"]["symbol"] = "NOPE/USDT:USDT"
    _, state = played(engine, "", plan=plan)
    assert (state["is_valid"], state["errors"], state["statements"]) == (False, ["no task gave a result"], [])
    assert state["factors"][0]["status"] == "done_with_errors"
    outputs = [value for key, value in state["factors"][0]["context"].items() if key != "symbol"]
    assert len(outputs) == len(state["skipped"]) == 3, "planned anew about the same symbol, and skipped"
    assert all("NOPE/USDT:USDT is not simulated" in each["error"] for each in outputs)
    assert kinds(state).count("reasoning retry") == 0, "a market that there is not is not asked for again"


def test_one_factor_alone_and_a_fork_of_it(engine: "Engine") -> None:
    run_id, state = played(engine)
    assert state_of(engine, engine.fork(run_id, "factor_1"))["factors"][1] == state["factors"][1]
    _, alone = played(engine, factor="positioning")
    assert [factor["name"] for factor in alone["factors"]] == ["positioning"]
    plan = engine.plans.load(FUNDING)
    with pytest.raises(BadInput, match="factor 'moon' is not in the plan; its factors are funding"):
        engine.plans.request(plan=plan, factor="moon")


def test_past_decisions_are_those_of_the_journal_by_then(engine: "Engine") -> None:
    asked = (engine.decisions.request("BTC/USDT:USDT", at=AT + timedelta(hours=hours)) for hours in (-3, 2))
    made_before, _ = [engine.wait(engine.start(each), 60).result or {} for each in asked]
    _, state = played(engine, "What did we decide about BTC last time?")
    (made,) = [factor for factor in state["factors"] if factor["name"] == "decisions"]
    (decision,) = made["context"]["decisions"]["decisions"]
    assert datetime.fromisoformat(decision.pop("at")) == AT - timedelta(hours=3), "the later one is not known yet"
    action, price = made_before["final_action"], made_before["current_price"]
    own = {"flow": "decision", "is_valid": True, "action": action, "price": price}
    assert decision == own, "no word of its executor is a result that an answer could cite"
    plan = plan_json(task("decided", "past_decisions", max_retries=0), name="decisions")
    _, live = played(engine, "", plan=plan, feed="live")
    (nothing,) = live["factors"][0]["task_results"][:1]
    assert "holds no decision" in nothing["error"], "a simulated market is no word on a real one"


def test_a_tool_never_sees_a_later_instant(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[datetime] = []
    for name, place in (("candles", 2), ("history", 2), ("surroundings", 1)):
        original = getattr(SimulatedFeed, name)

        async def watched(self: SimulatedFeed, *given: Any, original: Any = original, place: int = place) -> Any:
            if get_contextvars().get("run"):  # beside a run, an engine looks at what is held and waits, at the time of now
                asked.append(given[place])
            return await original(self, *given)

        monkeypatch.setattr(SimulatedFeed, name, watched)
    played(engine, "BTC funding, open interest, correlation and price")
    assert asked
    assert max(asked) == AT


def test_a_question_for_the_research_agent_is_a_run_of_its_own(engine: "Engine") -> None:
    asked = task("why", "research_question", args={"question": "Why do longs pay funding?"}, max_retries=0)
    plan = plan_json(asked, task("paid", "funding_history"), name="background")
    run_id, state = played(engine, "", plan=plan)
    events = engine.events(run_id)
    child, *_ = [event.data for event in events if isinstance(event.data, ChildFinished)]
    record = engine.record(child.run_id)
    assert (record.request.flow, record.request.subject, record.request.market_clock) == ("research", "Why do longs pay funding?", AT)
    first = state["factors"][0]["task_results"][0]
    assert first["output"] is None or first["output"]["run_id"] == child.run_id
    assert [check["name"] for check in first["checks"]] in ([], ["coverage", "agreement", "shape"])
    assert verify_bundle(engine.bundle(run_id)) == []
    runs = len(engine.runs())
    engine.wait(engine.replay(run_id), 60)
    assert len(engine.runs()) == runs + 1, "what is played again begins no child"


async def test_a_statement_of_funding_is_worked_out_from_its_values() -> None:
    """Three settlements of 0.01 %, -0.02 % and 0.04 %: mean 0.01 %, three a day, 365 days."""
    rates = (0.0001, -0.0002, 0.0004)
    first = int(AT.timestamp() * 1000) - 2 * 8 * 3_600_000

    class Feed(SimulatedFeed):
        async def history(self, *given: Any) -> Any:
            from engine.market.protocol import HistoryReading

            return HistoryReading(tuple((first + n * 28_800_000, rate) for n, rate in enumerate(rates)), 28_800_000, "a venue")

    class Sources:
        def feed(self) -> Any:
            return Feed(0, lambda: AT)

    result = await ToolRegistry(sources=Sources()).run("funding_history", {"symbol": "BTC/USDT:USDT", "settlements": 4}, AT)  # type: ignore[arg-type]
    output = result.output
    assert output["mean_pct"] == pytest.approx(0.01)
    assert output["annualised_pct"] == pytest.approx(10.95)
    assert (output["positive_share"], output["percentile"]) == (pytest.approx(2 / 3), pytest.approx(83.33))
    assert result.confidence == 0.75, "three of four settlements, and nothing else to hold against it"
    assert "longs paid in 67 % of them" in funding_history.sentence(output, "en")


def shell(home: Path, *arguments: str) -> Completed:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TRIBUNAL_", "OPENAI_"))}
    return run_engine(*arguments, environment={**clean, "TRIBUNAL_HOME": str(home / "home"), "TRIBUNAL_PACE": "0"}, folder=home)


def test_the_shell_works_a_plan_through_and_prints_it(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(FUNDING))
    events = tmp_path / "events.jsonl"
    done = shell(tmp_path, "plan", "plan.json", "--at", AT.isoformat(), "--events", str(events), "--json")
    assert done.returncode == 0, done.stderr
    state = json.loads(done.stdout, parse_constant=pytest.fail)
    assert done.stderr.splitlines()[0] == f"run {state['run_id']}"
    assert set(state) >= {"question", "factors", "flow", "is_valid", "errors", "warnings", "metrics", "inputs_hash", "answer", "statements"}
    (factor,) = state["factors"]
    assert set(factor) >= {"name", "status", "context", "replanned", "task_results"}
    result = {"id", "kind", "tool", "status", "output", "confidence", "error", "decision", "attempt", "ms"}
    assert all(set(each) >= result for each in factor["task_results"])
    rows = [json.loads(line)["kind"] for line in events.read_text().splitlines()]
    assert [kind for kind in rows if kind.startswith("plan.")] == [
        "plan.ready", "plan.task_started", "plan.task_finished", "plan.factor_finished",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("plan",), 2, "give either the FILE of a plan or --question TEXT"),
        (("plan", "bad.json"), 2, "factors[0].tasks[0].tool: there is no tool 'moon_phase'"),
        (("plan", "none.json"), 2, "plan file none.json cannot be read"),
        (("plan", "--question", "BTC funding", "--threshold", "2"), 2, "threshold: input should be less than or equal to 1"),
        (("plan", "--question", "BTC funding", "--at", "2999-01-01"), 1, "is in the future"),
        (("plan", "good.json", "--factor", "moon"), 2, "factor 'moon' is not in the plan"),
        (("plan", "--question", "BTC funding", "--outage", "moon_phase"), 2, "there is no tool 'moon_phase'"),
    ],
)
def test_what_cannot_be_done_is_one_line(tmp_path: Path, arguments: tuple[str, ...], code: int, says: str) -> None:
    (tmp_path / "bad.json").write_text(json.dumps(plan_json(task("a", "moon_phase"))))
    (tmp_path / "good.json").write_text(json.dumps(FUNDING))
    done = shell(tmp_path, *arguments)
    assert done.returncode in {code, 2}, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_the_shell_lists_tools_with_their_schemas(tmp_path: Path) -> None:
    done = shell(tmp_path, "plan", "--tools", "--json")
    tools = json.loads(done.stdout)
    assert {"market_snapshot", "funding_history", "research_question", "past_decisions"} <= {each["name"] for each in tools}
    assert all(set(each) == {"name", "description", "parameters"} for each in tools)


HANDED_IN = {key: value for key, value in FUNDING.items() if key != "question"}
NO_FORMAT = status(400, "This model does not support response format `json_schema`.")
NO_GRAMMAR = status(500, "Failed to initialize samplers: failed to parse grammar")
NO_ROUTE = status(404, "No endpoints found that support tool use")
NO_TOOLS = status(400, "registry.example/model does not support tools")


def form_of(body: Body) -> str:
    """How a request asks for a plan."""
    return "response_format" if "response_format" in body else "tool" if "tools" in body else "text"


def planned(home: Path, answer: Callable[[Body], Plan]) -> tuple[Mapping[str, Any], list[str]]:
    """The state of a plan's run, and how the endpoint was asked for its plan, request by request."""
    with LLMServer(answering(answer)) as server:
        endpoint = {"openai_base_url": server.base_url, "openai_api_key": "sk-test", "model": "loopback", "call_deadline_s": 20}
        with closing(engine_on(home, **endpoint)) as engine:
            run_id = engine.start(engine.plans.request(QUESTION, at=AT))
            state = state_of(engine, run_id)
            assert verify_bundle(engine.bundle(run_id)) == []
        assert state["synthesis"]["text"] == SAID
        return state, [form_of(request.body) for request in server.requests if not asks_for_the_answer(request.body)]


def asks_for_the_answer(body: Body) -> bool:
    return "Role: synthesiser" in json.dumps(body)


def answering(plan: Callable[[Body], Plan]) -> Callable[[Body], Plan]:
    """An endpoint that answers the question when it is asked to, and plans as it is told."""
    return lambda body: ANSWER if asks_for_the_answer(body) else plan(body)


def taking(**says: Plan) -> Callable[[Body], Plan]:
    """An endpoint that refuses the forms that are not named here."""
    refusals = {"response_format": NO_FORMAT, "tool": NO_TOOLS}
    return lambda body: says.get(form_of(body), refusals.get(form_of(body), ""))


@pytest.mark.parametrize(
    ("answer", "forms"),
    [
        (taking(response_format=json.dumps(HANDED_IN)), ["response_format"]),
        (taking(tool=wants(("submit_plan", HANDED_IN))), ["response_format", "tool"]),
        (taking(tool=json_block(FUNDING)), ["response_format", "tool"]),
        (taking(text=json_block(FUNDING)), ["response_format", "tool", "text"]),
        (taking(response_format=json_block(FUNDING)), ["response_format"]),
        (taking(response_format=NO_GRAMMAR, tool=wants(("submit_plan", HANDED_IN))), ["response_format", "tool"]),
        (taking(tool=NO_ROUTE, text=json_block(FUNDING)), ["response_format", "tool", "text"]),
    ],
    ids=["schema", "call", "text beside a tool", "text", "format ignored", "no grammar", "no route"],
)
def test_a_plan_is_had_in_whichever_form_the_endpoint_takes(tmp_path: Path, answer: Callable[[Body], Plan], forms: list[str]) -> None:
    state, asked = planned(tmp_path / "home", answer)
    assert (state["planning"]["by"], state["warnings"]) == ("model", [])
    assert [factor["name"] for factor in state["factors"]] == ["funding"]
    assert asked == forms
    assert state["metrics"]["failed_llm_calls"] == len(forms) - 1


@pytest.mark.parametrize("refusal", [status(400, "no"), status(400, "context length exceeded"), Fault(text="No.", finish="stop")])
def test_an_endpoint_that_gives_no_plan_leaves_it_to_the_words(tmp_path: Path, refusal: Fault) -> None:
    state, asked = planned(tmp_path / "home", lambda body: refusal)
    assert state["planning"]["by"] == "heuristic"
    assert "planned by the words of the question" in state["warnings"][0]
    assert len(asked) <= 2


def test_whether_a_long_is_crowded_is_decided_without_a_model(engine: "Engine") -> None:
    """A plan by words reads what the rule for its question needs."""
    _, state = played(engine, "Is the long crowded?")
    assert state["answer"].startswith(("Yes: the long is crowded", "No: the long is not crowded"))
