"""The Memory Controller: cadence, constant cost, nothing formed with anything later, and the journal behind it."""

from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from typing import TYPE_CHECKING

import pytest

from engine.desks.equities.memory import DatedReport, MemoryController, extract, read_held, supported
from engine.desks.equities.presets import Cadence
from engine.domain.ended import Memory
from engine.domain.equity.trading_session import SessionMoment
from engine.prompts.tokens import count_tokens
from tests.flows.equities.played import PLAN, Words, play, told

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


def test_a_number_that_no_report_holds_becomes_no_memory() -> None:
    held = ["2024-03-04 post_close\nAAPL closed at 26.4 times earnings, 12.5 % above its mean.", "2024-03-05 post_close\nRSI(14) was 61."]
    said = "It traded at 26.4 times earnings. The P/E ratio was 99 and RSI(14) was 3.1.\n\nMomentum was firm, with RSI(14) at 61."
    assert supported(said, held) == "It traded at 26.4 times earnings.\nMomentum was firm, with RSI(14) at 61."
    dated = "On 2024-03-04 it closed at 26.4 times earnings. 3月5日RSI为61。"
    assert supported(dated, held) == dated
    assert supported("The P/E ratio was 99.", held) == ""


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
