"""The event log and the token log: numbers without gaps, nothing lost on the way to the journal, a failing write reaches those who wait."""

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from engine.agents.token_log import GATHER_S, TokenLog
from engine.domain.events import Event, EventData, NodeFinished, NodeTokens, RunStarted
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
