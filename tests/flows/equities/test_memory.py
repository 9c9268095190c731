"""The Memory Controller: cadence, constant cost, nothing formed with anything later, and the journal behind it."""

import time
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.desks.equities.memory.controller import DatedReport, MemoryController, read_held
from engine.desks.equities.memory.summary import extract
from engine.desks.equities.presets.spec import Cadence
from engine.desks.equities.request import EquitiesRequest
from engine.domain.ended import Ended, Memory
from engine.domain.equity.trading_session import SessionMoment
from engine.domain.run import RunRecord
from engine.journal.store import Journal, open_journal
from engine.prompts.tokens import count_tokens
from tests.flows.answers import asked_role
from tests.flows.equities.played import PLAN, Words, engine_at, play, sound, told
from tests.servers.llm import Body, LLMServer, user_of

if TYPE_CHECKING:
    from engine.api import Engine

MONDAY = date(2024, 3, 4)


def instant(day: date, session: SessionMoment) -> str:
    return datetime.combine(day, clock(14, 30) if session == "pre_open" else clock(21, 0), UTC).isoformat()


def report(day: date, session: SessionMoment = "post_close", text: str = "") -> DatedReport:
    said = text or f"On {day} before or after the session it stood at {day.day}."
    return DatedReport(trade_date=day, trading_session=session, dated=instant(day, session), source="test", text=said)


class Shelf:
    """A journal in memory: every run's memories, in the order they were written."""

    def __init__(self) -> None:
        self.kept: list[Memory] = []

    def read(self, flow: str, subject: str, name: str, *, until: str, limit: int) -> list[Memory]:
        found = [each for each in self.kept if (each.flow, each.subject, each.name) == (flow, subject, name) and each.dated <= until]
        return sorted(found, key=lambda each: each.dated, reverse=True)[:limit]

    def run(self, day: date, session: SessionMoment = "post_close", cadence: Cadence = "daily") -> MemoryController:
        """One run of one analyst, whose summary is made where it is due."""
        held = read_held(self.read, "news", "X", day, session, instant(day, session))
        controller = MemoryController("news", cadence, "X", held)
        if held.today is None:
            controller.save_today_report(report(day, session))
            if controller.is_due(session, day if session == "post_close" else day - timedelta(days=3 if day.weekday() == 0 else 1)):
                controller.save_summary(extract(*controller.sources()))
        self.kept += controller.memories()
        return controller


@pytest.mark.parametrize(
    ("cadence", "due"),
    [
        ("report", [True] * 8),
        ("daily", [True, True, False, True, True, True, False, True]),  # nobody had come to Thursday's close
        ("weekly", [True, True, False, False, False, False, False, True]),
    ],
)
def test_summaries_are_made_anew_as_the_table_says(cadence: Cadence, due: list[bool]) -> None:
    """Monday, Tuesday, Friday, and Monday of the week after; before the open and after the close of each."""
    shelf, made = Shelf(), []
    for offset in (0, 1, 4, 7):
        for session in ("pre_open", "post_close"):
            made.append(shelf.run(MONDAY + timedelta(days=offset), session, cadence).summary is not None)
    assert made == due


@pytest.mark.parametrize(("cadence", "due"), [("report", [True] * 4), ("daily", [True] * 4), ("weekly", [True, False, False, True])])
def test_who_only_comes_before_the_open_is_remembered_too(cadence: Cadence, due: list[bool]) -> None:
    """Monday, Tuesday, Friday, and Tuesday of the week after."""
    shelf, made = Shelf(), []
    for offset in (0, 1, 4, 8):
        day = MONDAY + timedelta(days=offset)
        controller = shelf.run(day, "pre_open", cadence)
        made.append(controller.summary is not None)
        memory = controller.get_memory_summary("X", day, "pre_open")
        assert memory["memory_summary_pre_open"], f"{cadence} {day}"
        assert memory["memory_summary_post_close"] == ""
    assert made == due


def test_a_summary_that_failed_is_made_up_for_when_its_report_is_reused() -> None:
    shelf = Shelf()
    shelf.run(MONDAY)
    shelf.kept = [each for each in shelf.kept if each.name.endswith(".report")]  # the summary was lost
    held = read_held(shelf.read, "news", "X", MONDAY, "post_close", instant(MONDAY, "post_close"))
    again = MemoryController("news", "daily", "X", held)
    assert again.is_due("post_close", MONDAY)
    again = MemoryController.from_json(again.to_json(), "news", "daily", "X")
    again.save_summary(extract(*again.sources()))
    assert [each.name for each in again.memories()] == ["news.summary"], "the report is there already"
    shelf.kept += again.memories()
    held = read_held(shelf.read, "news", "X", MONDAY, "post_close", instant(MONDAY, "post_close"))
    assert not MemoryController("news", "daily", "X", held).is_due("post_close", MONDAY)


def test_a_desk_that_only_runs_before_the_open_has_memories_of_every_analyst(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    Words(monkeypatch)
    for day in (MONDAY, MONDAY + timedelta(days=1)):
        state, events = play(engine, day=day, session="pre_open")
        for key in ("market", "news", "sentiment", "fundamentals"):
            assert state[f"{key}_analyst_summary"]["memory_summary_pre_open"], f"{key} {day}"
    assert all(data["body"]["newest"] for data in told(events, "memory.read")), "the second run remembers the first"
    assert all(memory["memory_summary_pre_open"] for memory in engine.equities.memory("AAPL").values())


def test_before_the_open_and_as_of_the_last_close_are_two_summaries() -> None:
    shelf = Shelf()
    shelf.run(MONDAY, "post_close", "report")
    tuesday = MONDAY + timedelta(days=1)
    before = shelf.run(tuesday, "pre_open", "report").get_memory_summary("X", tuesday, "pre_open")
    assert str(MONDAY) in before["memory_summary_post_close"]
    assert str(tuesday) not in before["memory_summary_post_close"]
    assert str(tuesday) in before["memory_summary_pre_open"]
    assert str(tuesday) in before["today_report"]
    after = shelf.run(tuesday, "post_close", "report").get_memory_summary("X", tuesday, "post_close")
    assert after["memory_summary_pre_open"] == before["memory_summary_pre_open"]
    assert "post_close" in after["memory_summary_post_close"].splitlines()[-1]


def test_nothing_later_is_ever_read_whatever_was_written_first() -> None:
    """Days played in any order: what is asked for on a day is what would be there if nothing later had ever been written."""
    days = [MONDAY + timedelta(days=offset) for offset in (0, 1, 2, 3, 4, 7, 8)]
    for asked in days:
        for session in ("pre_open", "post_close"):
            only_past, everything = Shelf(), Shelf()
            for day in days:
                if day < asked:
                    only_past.run(day)
                    everything.run(day)
            for day in reversed(days):
                if day > asked or (day == asked and session == "pre_open"):
                    everything.run(day)
            moment = instant(asked, session)
            one = read_held(only_past.read, "news", "X", asked, session, moment)
            other = read_held(everything.read, "news", "X", asked, session, moment)
            assert one == other, f"{asked} {session}"


def test_a_timestamp_before_a_report_of_the_day_hides_it() -> None:
    shelf = Shelf()
    shelf.run(MONDAY, "pre_open", "report")
    early = datetime.combine(MONDAY, clock(9, 0), UTC).isoformat()
    held = read_held(shelf.read, "news", "X", MONDAY, "pre_open", early)
    assert (held.today, held.newest) == (None, None)


def test_a_memory_answers_for_its_own_symbol_only() -> None:
    with pytest.raises(ValueError, match="memory of X"):
        Shelf().run(MONDAY).get_memory_summary("Y", MONDAY, "post_close")


def test_another_source_is_another_memory() -> None:
    shelf = Shelf()
    shelf.run(MONDAY)
    held = read_held(shelf.read, "news", "X", MONDAY, "post_close", source="simulated 7")
    assert held.today is None
    assert held.newest is None


@pytest.mark.full
def test_what_a_summary_is_made_from_does_not_grow_with_history() -> None:
    shelf, sizes = Shelf(), []
    for offset in range(400):
        controller = shelf.run(MONDAY + timedelta(days=offset))
        former, since = controller.sources()
        sizes.append(count_tokens(former) + sum(count_tokens(each.text) for each in since))
    assert max(sizes[200:]) <= max(sizes[:100])


@pytest.mark.full
def test_summaries_by_the_model_have_prompts_within_a_fixed_size(tmp_path: Path) -> None:
    def answer(body: Body) -> str:
        role = asked_role(body)
        if role == "memory summarizer":
            return "It lasted. " * 300
        nodes = {
            "risk judge": "risk_judge",
            "research manager": "research_manager",
            "trader": "trader",
            "bull researcher": "bull_researcher",
        }
        long = "A long story goes on and on. " * 300
        return (
            long + "\n\n" + sound(nodes.get(role, "market"))
            if "analyst" in role
            else sound(nodes.get(role, "safe" if "debater" in role else "bear_researcher"))
        )

    with (
        LLMServer(answer) as server,
        closing(
            engine_at(tmp_path, openai_base_url=server.base_url, openai_api_key="sk-test", model="loopback", max_tokens=100_000)
        ) as engine,
    ):
        for day in (4, 5, 6):
            state, events = play(engine, day=date(2024, 3, day))
            assert state["is_valid"], state["errors"]
        asked = [request.body for request in server.requests if asked_role(request.body) == "memory summarizer"]
        assert len(asked) == 3 + 2 * 3 + 1, "market, news and sentiment each day, fundamentals once a week"
        assert max(count_tokens(user_of(body)) for body in asked) < 1200
        assert len(told(events, "memory.written")) == 4 + 3 + 1
        summary = engine.equities.memory("AAPL")["news"]["memory_summary_post_close"]
        assert 0 < count_tokens(summary) <= 400


@pytest.mark.full
def test_ten_years_of_daily_reports_answer_within_20_ms(tmp_path: Path) -> None:
    day, record = date(2014, 1, 1), None
    with closing(open_journal(tmp_path, None)) as journal:
        for block in range(10):
            memories = []
            for offset in range(252):
                when = day + timedelta(days=block * 365 + offset)
                body = report(when, text="a sentence of the report. " * 30).model_dump(mode="json")
                memories += [
                    Memory(flow="fusion", subject="AAPL", name=f"{key}.report", body=body, dated=instant(when, "post_close"))
                    for key in ("market", "news")
                ]
            _write(journal, memories)
        times = []
        for year in range(2015, 2024):
            began = time.thread_time()  # of this thread alone, whatever else the processor does
            held = read_held(journal.memories, "news", "AAPL", date(year, 3, 1), "post_close")
            times.append(time.thread_time() - began)
            assert held.since[-1].trade_date <= date(year, 3, 1)
            assert len(held.since) == 10
        assert sorted(times)[len(times) // 2] < 0.020
    assert record is None


def _write(journal: Journal, memories: list[Memory]) -> None:
    """Each of its own run: a run leaves one memory of a name."""
    from sqlalchemy import insert

    from engine.journal.tables import MEMORIES

    rows = [
        {"run_id": f"r{n}-{each.dated}", "name": each.name, "flow": each.flow, "subject": each.subject, "written_at": each.dated}
        | {"body": DatedReport.model_validate(each.body).model_dump_json(), "dated": each.dated}
        for n, each in enumerate(memories)
    ]
    with journal._talking("write memories to") as connection:
        connection.execute(insert(MEMORIES), rows)


@pytest.mark.full
def test_memories_are_written_with_the_end_of_a_run_and_by_no_second_opinion(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words(monkeypatch)
    run_id = engine.start(engine.equities.request("AAPL", trade_date=date(2024, 3, 5)))
    engine.wait(run_id, 60)
    written = {data["name"] for data in told(engine.events(run_id), "memory.written")}
    assert written == {f"{key}.{kind}" for key in ("market", "news", "sentiment", "fundamentals") for kind in ("report", "summary")} | {
        "decision"
    }
    words.says["research_manager"] = PLAN.replace("BUY", "HOLD")
    fork = engine.fork(run_id, "research_manager")
    engine.wait(fork, 60)
    assert told(engine.events(fork), "memory.written") == []
    again = engine.fork(run_id, "market")
    words.calls.clear()
    engine.wait(again, 60)
    assert words.asked()[0] == "market", "who is asked again does not reuse what it said"


@pytest.mark.full
def test_past_decisions_are_those_of_before(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    Words(monkeypatch)
    for day in (6, 4):
        play(engine, day=date(2024, 3, day))
    from tests.flows.equities.played import asks

    Words(monkeypatch, market=asks([("get_past_decisions", {})]))
    _, events = play(engine, day=date(2024, 3, 5))
    (answer,) = [data["content"] for data in told(events, "tool.answered")]
    assert "2024-03-04" in answer
    assert "2024-03-06" not in answer
    _, events = play(engine, day=date(2024, 3, 5), seed=9)
    (answer,) = [data["content"] for data in told(events, "tool.answered")]
    assert "no earlier decision" in answer, "of other simulated data nothing was decided"


def test_a_finished_run_keeps_its_memories_when_the_run_is_pruned(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path, None)) as journal:
        now = datetime(2024, 3, 5, 22, tzinfo=UTC)
        record = RunRecord(run_id="r1", created_at=now, status="running", request=EquitiesRequest(symbol="AAPL"))
        journal.add_run(record, "me", now)
        memory = Memory(flow="fusion", subject="AAPL", name="market.report", body={"a": 1}, dated="2024-03-05T21:00:00+00:00")
        ended = Ended({"is_valid": True}, "hold", True, 1.0, 0, 0.0, memories=(memory,))
        journal.finish_run(record.model_copy(update={"status": "finished", "finished_at": now}), ended, "me")
        assert journal.memories("fusion", "AAPL", "market.report", until="2024-03-06", limit=5) == [memory]
        assert journal.memories("fusion", "AAPL", "market.report", until="2024-03-05", limit=5) == []
        assert journal.memories("fusion", "MSFT", "market.report", until="2024-03-06", limit=5) == []
