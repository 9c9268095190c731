"""The event log and the token log: numbers without gaps, nothing lost on the way to the journal, a failing journal is not kept quiet."""

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from engine.agents.token_log import GATHER_S, TokenLog
from engine.domain.errors import StoreError
from engine.domain.events import Event, EventData, NodeFinished, NodeTokens, RunFinished, RunStarted
from engine.runs.event_log import EventLog, LogWriter


def clock() -> datetime:
    return datetime(2026, 5, 17, tzinfo=UTC)


async def test_what_is_emitted_is_written_in_order_and_once() -> None:
    written: list[Event] = []
    log = EventLog("r", clock, LogWriter(written.extend).write)
    for n in range(200):
        log.emit("bull", NodeTokens(text=str(n), attempt=1))
        if n % 40 == 0:
            await asyncio.sleep(0.06)
    await log.drain()
    assert [event.seq for event in written] == list(range(1, 201))
    assert written == log.after(0)
    assert [event.seq for event in log.after(198)] == [199, 200]


async def test_whoever_waits_for_an_event_is_woken_by_it() -> None:
    log = EventLog("r", clock, LogWriter(lambda _: None).write)
    assert await asyncio.to_thread(log.wait_after, 0, 0.05) == []
    waiting = asyncio.create_task(asyncio.to_thread(log.wait_after, 0, 60.0))
    await asyncio.sleep(0.05)
    began = time.monotonic()
    log.emit(None, RunStarted())
    assert [event.kind for event in await waiting] == ["run.started"]
    assert time.monotonic() - began < 30.0, "woken, not at the end of its patience"
    assert log.wait_after(0, 0.0) == log.after(0)
    await log.drain()


async def test_a_journal_that_cannot_be_written_shows_at_the_end() -> None:
    def refuse(_: Sequence[Event]) -> None:
        raise StoreError("cannot write events to the journal: disk full")

    log = EventLog("r", clock, LogWriter(refuse).write)
    log.emit(None, RunStarted())
    await asyncio.sleep(0.1)
    log.emit(None, RunFinished())  # emitting never raises
    with pytest.raises(StoreError, match="disk full"):
        await log.drain()
    assert len(log.after(0)) == 2


@pytest.mark.full
async def test_many_runs_share_a_write_and_one_that_is_refused_spoils_no_other() -> None:
    written: list[Event] = []
    transactions = 0

    def append(events: Sequence[Event]) -> None:
        nonlocal transactions
        transactions += 1
        time.sleep(0.02)  # a busy disk
        if any(event.run_id == "bad" for event in events):
            raise StoreError("taken over by another process")
        written.extend(events)

    writer = LogWriter(append)
    names = [*(f"r-{number}" for number in range(30)), "bad"]
    logs = {name: EventLog(name, clock, writer.write) for name in names}
    for turn in range(10):
        for log in logs.values():
            log.emit("bull", NodeFinished(turn=turn))
        await asyncio.sleep(0.01)
    for name, log in logs.items():
        if name == "bad":
            with pytest.raises(StoreError, match="taken over"):
                await log.drain()
        else:
            await log.drain()
            assert [event for event in written if event.run_id == name] == log.after(0)
    assert transactions < 60, "not one for each run"


async def test_whatever_breaks_a_write_reaches_those_who_wait_and_the_next_write_is_made() -> None:
    written: list[Event] = []

    def append(events: Sequence[Event]) -> None:
        if any(event.run_id == "broken" for event in events):
            raise UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed")  # half a character: no trouble of the database's
        written.extend(events)

    writer = LogWriter(append)
    sound, broken, later = (EventLog(name, clock, writer.write) for name in ("sound", "broken", "later"))
    sound.emit("bull", NodeFinished())
    broken.emit("bull", NodeFinished())
    async with asyncio.timeout(5):
        told = await asyncio.gather(sound.drain(), broken.drain(), return_exceptions=True)
        assert told[0] is None
        assert isinstance(told[1], UnicodeEncodeError)
        later.emit("bull", NodeFinished())
        await later.drain()
    assert [event.run_id for event in written] == ["sound", "later"]


class Told:
    """An emit that remembers."""

    def __init__(self) -> None:
        self.events: list[EventData] = []

    def __call__(self, node: str | None, data: EventData) -> None:
        self.events.append(data)

    def texts(self, attempt: int = 1) -> list[str]:
        return [data.text for data in self.events if isinstance(data, NodeTokens) and data.attempt == attempt]


async def test_the_first_piece_goes_out_at_once_and_later_ones_are_gathered() -> None:
    told, began = Told(), time.monotonic()
    log = TokenLog(told, "bull")
    for n in range(60):
        log.text(f"{n} ", 1)
        await asyncio.sleep(0.005)
    log.flush()
    assert told.texts()[0] == "0 "
    assert "".join(told.texts()) == "".join(f"{n} " for n in range(60))
    assert len(told.events) <= 2 + (time.monotonic() - began) / GATHER_S, "an event a time of gathering, not one a piece"


async def test_text_is_not_held_back_when_the_stream_pauses() -> None:
    told = Told()
    log = TokenLog(told, "bull")
    log.text("a", 1)
    log.text("b", 1)
    await asyncio.sleep(GATHER_S * 1.5)
    assert told.texts() == ["a", "b"]


async def test_another_attempt_begins_anew() -> None:
    told = Told()
    log = TokenLog(told, "bull")
    log.text("half", 1)
    log.text(" an answer", 1)
    log.retrying(2, "the stream was cut", 0.5)
    log.text("whole", 2)
    log.flush()
    kinds = [data.kind for data in told.events]
    assert kinds.index("node.retried") == 2
    assert ("".join(told.texts(1)), "".join(told.texts(2))) == ("half an answer", "whole")
