"""The file of checkpoints is opened once and released once, whatever happens at the same moment; what is written into it is whole, and the
journal in the same file can be written at once, also when a run was cancelled in the middle of a write or the disk refused half of it."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from engine.domain.errors import StoreError
from engine.runs.checkpoints import Checkpoints, FlushingSaver

RUN = "20240305-000000-abcdef"
AT: Any = {"configurable": {"thread_id": RUN, "checkpoint_ns": "", "checkpoint_id": "1"}}
STATE: Any = {"v": 4, "id": "2", "ts": "", "channel_values": {}, "channel_versions": {}, "versions_seen": {}}

Write = Callable[[FlushingSaver], Awaitable[object]]
WRITES: dict[str, Write] = {
    "a state": lambda saver: saver.aput(AT, STATE, {}, {}),
    "what a node gave": lambda saver: saver.aput_writes(AT, [("one", 1), ("two", 2)], "task"),
    "the end": lambda saver: saver.adelete_thread(RUN),
}


async def _nothing(_: str) -> None:
    pass


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "checkpoints.db"


@pytest.fixture
async def saver(file: Path) -> AsyncIterator[FlushingSaver]:
    """One with two writes of a run in it."""
    checkpoints = Checkpoints(file, _nothing, own=True)
    opened = await checkpoints.saver()
    await opened.aput_writes(AT, [("zero", 0), ("nought", 0)], "earlier")
    yield opened
    await checkpoints.close()


def kept(file: Path) -> tuple[int, int]:
    """How many states and writes another process finds, which can write at this moment itself."""
    other = sqlite3.connect(file, timeout=0)
    try:
        other.execute("BEGIN IMMEDIATE")
        return tuple(other.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("checkpoints", "writes"))
    finally:
        other.close()


@pytest.mark.parametrize(("what", "after"), [("a state", (1, 2)), ("what a node gave", (0, 4)), ("the end", (0, 0))])
async def test_a_write_is_whole_though_its_run_is_cancelled_at_every_statement(
    saver: FlushingSaver, file: Path, what: str, after: tuple[int, int]
) -> None:
    loop, cut = asyncio.get_running_loop(), threading.Event()
    statements: list[str] = []

    def cancel() -> None:
        writing.cancel()
        loop.call_soon(loop.call_soon, cut.set)  # once the cancellation has reached whoever waits for this statement

    def cancel_at(statement: str) -> None:
        statements.append(statement.split(maxsplit=1)[0])
        cut.clear()
        loop.call_soon_threadsafe(cancel)
        assert cut.wait(5)

    await saver.conn.set_trace_callback(cancel_at)
    writing = asyncio.ensure_future(WRITES[what](saver))
    await asyncio.wait((writing,))
    await saver.conn.set_trace_callback(statements.append)
    assert writing.cancelled()
    assert (statements[0], statements[-1]) == ("BEGIN", "COMMIT")
    assert kept(file) == after


@pytest.mark.parametrize("what", WRITES)
async def test_a_write_that_is_refused_half_way_leaves_nothing(saver: FlushingSaver, file: Path, what: str) -> None:
    refuse = "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
    for name, moment in (
        ("state", "AFTER INSERT ON checkpoints"),
        ("second", "AFTER INSERT ON writes WHEN new.idx = 1"),
        ("end", "AFTER DELETE ON writes"),
    ):
        await saver.conn.execute(f"CREATE TRIGGER {name} {moment} {refuse}")
    with pytest.raises(StoreError, match="the disk is full"):
        await WRITES[what](saver)
    assert kept(file) == (0, 2)


async def test_what_is_just_being_opened_is_released_too(file: Path) -> None:
    """A run can fail before its first checkpoint: its process then ends while the file is being opened."""
    checkpoints = Checkpoints(file, _nothing, own=True)
    opening = asyncio.create_task(checkpoints.saver())
    await asyncio.sleep(0)
    assert not opening.done()
    await checkpoints.close()
    saver = await opening
    with pytest.raises(ValueError, match="no active connection"):
        await saver.conn.execute("SELECT 1")
