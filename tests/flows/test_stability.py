"""Would it say so again: the roles of a decision asked anew on what it froze, and the lock of one that does not agree with itself."""

import copy
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.api import verify_bundle
from engine.cli.main import main
from engine.domain.errors import BadInput, NotAllowed, TribunalError
from engine.journal.store import Journal, open_journal
from tests.flows.answers import MakeEngine, cast, executor, role_of
from tests.flows.desk import Desk
from tests.flows.test_resume import Shell
from tests.servers.llm import HANG, Body, LLMServer, Plan

if TYPE_CHECKING:
    from engine.api import Engine

WAITS = executor("WAIT", direction="NEUTRAL", stop="N/A", target="N/A")
LONG, SHORT, WAIT = "signal_entry_long", "signal_entry_short", "signal_wait"
SHORTS = executor("ENTRY_SHORT", direction="SHORT", stop=102, target=94)


def asked(server: LLMServer) -> Counter[str]:
    return Counter(role_of(request.body) for request in server.requests)


def turns(first: str, *then: Plan) -> Callable[[Body], Plan]:
    """Answers of one role, one a request; the last one again and again. first: of the decision."""
    left, one = iter((first, *then)), threading.Lock()
    last: list[Plan] = [first]

    def answer(body: Body) -> Plan:
        with one:
            last[0] = next(left, last[0])
            return last[0]

    return answer


@pytest.fixture
def engine_on(make_engine: MakeEngine, candles: Path) -> Callable[[LLMServer], "Engine"]:
    return lambda server: make_engine(data_dir=candles, openai_base_url=server.base_url, openai_api_key="sk-test", model="loopback")


def decided(engine: "Engine", **more: Any) -> str:
    run_id = engine.start(engine.decisions.request("BTC/USDT:USDT", **more))
    engine.wait(run_id, 60)
    return run_id


@pytest.mark.full
@pytest.mark.parametrize(("start", "again"), [("executor", {"executor"}), ("judge", {"judge", "executor"}), ("analysts", set())])
def test_roles_are_asked_anew_on_the_same_words(engine_on: Callable[[LLMServer], "Engine"], start: str, again: set[str]) -> None:
    with LLMServer(cast()) as server:
        engine = engine_on(server)
        run_id = decided(engine)
        first = {role_of(request.body): request.body["messages"] for request in server.requests}
        calls = len(server.requests)
        found = engine.repetitions.ask(run_id, 3, start)
        more = server.requests[calls:]
    again = again or set(first)
    assert Counter(role_of(request.body) for request in more) == dict.fromkeys(again, 3)
    assert all(request.body["messages"] == first[role_of(request.body)] for request in more), "frozen inputs, the same corrected record"
    assert (found.start, found.k, found.calls) == (start, 3, 3 * len(again))
    assert found.actions == {LONG: 3}


@pytest.mark.full
def test_every_request_is_a_series_of_its_own_and_the_last_one_is_printed(engine_on: Callable[[LLMServer], "Engine"]) -> None:
    with LLMServer(cast(executor=turns(executor(), executor(), executor(), WAITS))) as server:
        engine = engine_on(server)
        run_id = decided(engine)
        with pytest.raises(TribunalError, match="never asked again") as unasked:
            engine.repetitions.last(run_id)
        assert unasked.value.exit_code == 1
        before = engine.record(run_id).result
        first, second = engine.repetitions.ask(run_id, 2, "executor"), engine.repetitions.ask(run_id, 2, "executor")
        calls = len(server.requests)
        assert engine.repetitions.last(run_id) == second
        assert len(server.requests) == calls
    assert (first.actions, second.actions) == ({LONG: 2}, {WAIT: 2})
    assert {**(engine.record(run_id).result or {}), "stability": None} == before, "the decision stays what it was"


@pytest.mark.full
def test_what_cannot_be_asked_again_is_refused(make_engine: MakeEngine, candles: Path) -> None:
    engine = make_engine(data_dir=candles)
    run_id = decided(engine)
    for wrong in ((lambda: engine.repetitions.ask("nobody", 2)), (lambda: engine.repetitions.last("nobody"))):
        with pytest.raises(BadInput, match="not known"):
            wrong()
    for k in (0, -1, 51):
        with pytest.raises(BadInput, match="repetitions"):
            engine.repetitions.ask(run_id, k)
    with pytest.raises(BadInput, match="begin at judge, executor, analysts"):
        engine.repetitions.ask(run_id, 2, "bull")


@pytest.fixture
def bundle(engine_on: Callable[[LLMServer], "Engine"]) -> Iterator[dict[str, Any]]:
    with LLMServer(cast(executor=turns(executor(), executor(), WAITS, executor()))) as server:
        engine = engine_on(server)
        run_id = decided(engine)
        engine.repetitions.ask(run_id, 3, "judge")
        yield json.loads(json.dumps(engine.bundle(run_id), allow_nan=False))


def _another_answer(bundle: dict[str, Any]) -> None:
    waits = next(each for each in bundle["repetitions"] if each["answer"]["action"] == WAIT)
    waits["answer"]["action"] = LONG


def _other_words(bundle: dict[str, Any]) -> None:
    for each in bundle["repetitions"]:
        for event in each["events"]:
            if event["kind"] == "node.tokens":
                event["data"]["text"] = event["data"]["text"].replace("ENTRY_LONG", "WAIT")


def _a_narrower_interval(bundle: dict[str, Any]) -> None:
    bundle["run"]["result"]["stability"]["low"] = 0.9


def _no_repetition(bundle: dict[str, Any]) -> None:
    bundle["repetitions"] = []


@pytest.mark.full
def test_a_bundle_replays_its_repetitions_offline(bundle: dict[str, Any]) -> None:
    assert bundle["run"]["result"]["stability"]["actions"] == {LONG: 2, WAIT: 1}
    assert verify_bundle(bundle) == []
    for change in (_another_answer, _other_words, _a_narrower_interval, _no_repetition):
        changed = copy.deepcopy(bundle)
        change(changed)
        assert verify_bundle(changed) != [], change.__name__


def ended(journal: Journal, run_id: str) -> int:
    return sum(each.answer is not None for each in journal.repetitions.newest(run_id))


def judges_kept(journal: Journal, run_id: str) -> int:
    """Count the repetitions whose judge's answer is in the journal; an answer gets there a moment after it was given."""
    repetitions = journal.repetitions.newest(run_id)
    return sum(any((event.kind, event.node) == ("model.answered", "judge") for event in each.events) for each in repetitions)


def wait_until(holds: Callable[[], bool], within_s: float = 60.0) -> None:
    until = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.full
def test_a_series_that_is_killed_goes_on_and_asks_nobody_twice(candles: Path, tmp_path: Path) -> None:
    with LLMServer(cast()) as server:
        shell = Shell(tmp_path / "home", server)
        run_id = json.loads(shell.run("decide", "BTC/USDT:USDT", "--data", str(candles), "--json").stdout)["run_id"]
        server.answer = cast(executor=turns(WAITS, executor(), HANG))
        killed = shell.begin("stability", run_id, "--k", "5")
        journal = open_journal(tmp_path / "home", None)
        try:
            wait_until(lambda: ended(journal, run_id) == 2 and judges_kept(journal, run_id) == 5)
        finally:
            journal.close()
        killed.kill()
        killed.communicate()
        server.answer, before = cast(), asked(server)
        done = shell.run("stability", run_id, "--k", "5", "--json")
        assert done.returncode == 0, done.stderr
        found, after = json.loads(done.stdout), asked(server)
    assert found["actions"] == {LONG: 4, WAIT: 1}, "one of those that were paid for before said WAIT"
    assert after["executor"] - before["executor"] == 3
    assert after["judge"] == 1 + 5, "the judges of those that hung had answered: they are not asked again"


@pytest.mark.full
def test_a_decision_is_asked_again_before_it_is_filed_and_goes_on_after_a_stop(
    engine_on: Callable[[LLMServer], "Engine"],
) -> None:
    with LLMServer(cast(executor=turns(executor(), executor(), HANG))) as server:
        engine = engine_on(server)
        run_id = engine.start(engine.decisions.request("BTC/USDT:USDT", stability=3, propose=True))
        wait_until(lambda: any(event.kind == "decision.repeated" for event in engine.events(run_id)))
        wait_until(lambda: asked(server)["executor"] == 4)  # the decision's and all three
        assert engine.trading.proposal_of(run_id) is None
        engine.stop(run_id)
        with pytest.raises(TribunalError, match="stopped"):
            engine.wait(run_id, 30)
        server.answer, before = cast(), asked(server)["executor"]
        engine.resume(run_id)
        state = engine.wait(run_id, 30).result
        assert asked(server)["executor"] - before == 2
        assert state is not None
        assert state["stability"]["actions"] == {LONG: 3}
        assert state["proposal_id"] is not None
        assert state["metrics"]["llm_calls_count"] == 8, "of the decision; the stamp has its own"
        told = [event.data.to_json() for event in engine.events(run_id) if event.kind == "decision.repeated"]
        assert sorted(each["n"] for each in told) == [1, 2, 3]
        assert verify_bundle(json.loads(json.dumps(engine.bundle(run_id)))) == []
        assert engine.trading.faults() == []
        engine.repetitions.ask(run_id, 2, "executor")
        assert engine.trading.faults() == [], "asked again later, what was filed still rests on the same decision"


@pytest.mark.full
def test_the_shell_asks_prints_and_refuses(
    make_engine: MakeEngine, candles: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = make_engine(data_dir=candles)
    run_id = decided(engine, lies=0.2)
    monkeypatch.setenv("TRIBUNAL_HOME", str(engine.settings.home))
    monkeypatch.setenv("TRIBUNAL_PACE", "0")
    assert main(["stability", run_id]) == 1
    assert main(["stability", "20200101-000000-abcdef"]) == 2
    assert main(["stability", run_id, "--from", "judge"]) == 2
    capsys.readouterr()
    assert main(["stability", run_id, "--k", "3", "--from", "executor", "--json"]) == 0
    asked_now = json.loads(capsys.readouterr().out)
    assert set(asked_now) == {
        "run_id", "k", "from", "actions", "modal", "share", "low", "high", "spread_atr", "calls", "tokens", "cost", "seconds",
    }  # fmt: skip
    assert (asked_now["run_id"], asked_now["k"], asked_now["from"], asked_now["calls"]) == (run_id, 3, "executor", 3)
    assert main(["stability", run_id]) == 0
    assert "asked again 3 times" in capsys.readouterr().out


LIMIT = {"min_agreement_pct": 80.0}


def test_a_decision_that_does_not_agree_with_itself_is_locked_until_a_person_lifts_it(desk: Desk) -> None:
    """3 of 5 came to it again: 60 %."""
    filed = desk.propose(turns(executor(), executor(), WAITS, executor(), SHORTS, executor()), stability=5, risk=LIMIT)
    trading = desk.trading
    with pytest.raises(NotAllowed, match=r"60 % of the answers, 80 % is required.*may lift it"):
        trading.approve(filed.id, "op-1")
    assert trading.proposal(filed.id).state == "pending", "locked, not blocked"
    with pytest.raises(BadInput, match="why"):
        trading.lift(filed.id, "op-1", "  ")
    lifted = trading.lift(filed.id, "op-1", "I have read all five")
    assert (lifted.state, lifted.hash) == ("pending", filed.hash)
    (lift,) = lifted.lifted
    assert (lift.who, str(lift.why)) == ("op-1", "I have read all five")
    with pytest.raises(NotAllowed, match="no lock"):
        trading.lift(filed.id, "op-1", "once more")
    assert trading.approve(filed.id, "op-1").state == "filled"
    assert trading.faults() == []


@pytest.mark.full
def test_a_lift_is_of_what_was_measured_then(desk: Desk) -> None:
    filed = desk.propose(turns(executor(), executor(), WAITS, executor(), WAITS, executor()), stability=5, risk=LIMIT)
    desk.trading.lift(filed.id, "op-1", "60 % will do")
    desk.server.answer = cast(executor=WAITS)
    desk.engine.repetitions.ask(filed.basis.run_id, 2, "executor")
    with pytest.raises(NotAllowed, match="0 % of the answers"):
        desk.trading.approve(filed.id, "op-1")


@pytest.mark.full
def test_a_decision_that_was_never_asked_again_is_locked_where_agreement_is_required(desk: Desk) -> None:
    filed = desk.propose(executor(), risk=LIMIT)
    with pytest.raises(NotAllowed, match="was not asked again"):
        desk.trading.approve(filed.id, "op-1")
    desk.engine.repetitions.ask(filed.basis.run_id, 4, "executor")
    assert desk.trading.approve(filed.id, "op-1").state == "filled", "it agrees with itself"


@pytest.mark.full
def test_the_equities_desk_asks_risk_judge_and_trader_again(make_engine: MakeEngine) -> None:
    engine = make_engine()
    run_id = engine.start(engine.equities.request("AAPL", feed="simulated", model="scripted", stability=3, propose=True))
    state = engine.wait(run_id, 60).result or {}
    stamp = state["stability"]
    assert (stamp["from"], stamp["k"], stamp["calls"], sum(stamp["actions"].values())) == ("judge", 3, 6, 3)
    assert (engine.trading.proposal_of(run_id) is not None) == (state["order"] is not None)
    again = engine.repetitions.ask(run_id, 2, "executor")
    assert (again.start, again.calls) == ("executor", 2)
    assert verify_bundle(json.loads(json.dumps(engine.bundle(run_id), allow_nan=False))) == []
    assert engine.trading.faults() == []
    with pytest.raises(BadInput, match="cannot be asked again from analysts"):
        engine.repetitions.ask(run_id, 2, "analysts")
