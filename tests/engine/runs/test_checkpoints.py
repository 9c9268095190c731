"""What is written of a checkpoint is whole, and the journal can be written at once, also when a run was cancelled in the middle of a write
or the disk refused half of it."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import ERROR
from sqlalchemy import event

from engine.domain.errors import StoreError
from engine.journal.store import Journal, open_journal
from engine.runs.checkpoints import JournalSaver

RUN = "20240305-000000-abcdef"
AT: Any = {"configurable": {"thread_id": RUN, "checkpoint_ns": "", "checkpoint_id": "1"}}
STATE: Any = {"v": 4, "id": "2", "ts": "", "channel_values": {}, "channel_versions": {}, "versions_seen": {}}

Write = Callable[[JournalSaver], Awaitable[object]]
WRITES: dict[str, Write] = {
    "a state": lambda saver: saver.aput(AT, STATE, {}, {}),
    "what a node gave": lambda saver: saver.aput_writes(AT, [("one", 1), ("two", 2)], "task"),
    "the end": lambda saver: saver.adelete_thread(RUN),
}


async def _nothing(_: str) -> None:
    pass


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(open_journal(tmp_path, None)) as journal:
        yield journal


@pytest.fixture
async def saver(journal: Journal) -> AsyncIterator[JournalSaver]:
    """One with two writes of a run in it."""
    saver = JournalSaver(journal.checkpoints, _nothing)
    await saver.aput_writes(AT, [("zero", 0), ("nought", 0)], "earlier")
    yield saver
    await saver.aclose()


def kept(journal: Journal) -> tuple[int, ...]:
    """How many states and writes another process finds, which can write at this moment itself."""
    assert journal.sqlite_file is not None
    with closing(sqlite3.connect(journal.sqlite_file, timeout=0)) as other:
        other.execute("BEGIN IMMEDIATE")
        return tuple(other.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("checkpoints", "writes"))


@pytest.mark.parametrize(("what", "after"), [("a state", (1, 2)), ("what a node gave", (0, 4)), ("the end", (0, 0))])
async def test_a_write_is_whole_though_its_run_is_cancelled_at_every_statement(
    saver: JournalSaver, journal: Journal, what: str, after: tuple[int, int]
) -> None:
    loop, cut = asyncio.get_running_loop(), threading.Event()
    seen: list[str] = []

    def cancel() -> None:
        writing.cancel()
        loop.call_soon(loop.call_soon, cut.set)  # once the cancellation has reached whoever waits for this statement

    def cancel_at(*given: Any) -> None:
        seen.append(given[2].split(maxsplit=1)[0] if len(given) > 1 else "COMMIT")
        cut.clear()
        loop.call_soon_threadsafe(cancel)
        assert cut.wait(5)

    for moment in ("before_cursor_execute", "commit"):
        event.listen(journal._database._engine, moment, cancel_at)
    writing = asyncio.ensure_future(WRITES[what](saver))
    await asyncio.wait((writing,))
    assert writing.cancelled()
    assert len(seen) > 2
    assert seen.index("COMMIT") == len(seen) - 1
    assert kept(journal) == after


@pytest.mark.parametrize("what", WRITES)
async def test_a_write_that_is_refused_half_way_leaves_nothing(saver: JournalSaver, journal: Journal, what: str) -> None:
    refuse = "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
    with journal._talking("try") as connection:
        for name, moment in (
            ("state", "AFTER INSERT ON checkpoints"),
            ("second", "AFTER INSERT ON writes WHEN new.idx = 1"),
            ("end", "AFTER DELETE ON writes"),
        ):
            connection.exec_driver_sql(f"CREATE TRIGGER {name} {moment} {refuse}")
    with pytest.raises(StoreError, match="the disk is full"):
        await WRITES[what](saver)
    assert kept(journal) == (0, 2)


async def test_the_newest_state_comes_back_with_what_was_given_behind_it(saver: JournalSaver) -> None:
    assert await saver.aget_tuple(AT) is None
    first = await saver.aput({"configurable": {"thread_id": RUN, "checkpoint_ns": ""}}, {**STATE, "id": "1"}, {"step": 0}, {})
    second = await saver.aput(first, {**STATE, "channel_values": {"name": "资金"}}, {"step": 1}, {})
    assert second["configurable"]["checkpoint_id"] == "2"
    await saver.aput_writes(second, [("b", {"x": 1})], "task-b", "~2")
    await saver.aput_writes(second, [("a", [1]), ("a", [2])], "task-a", "~1")
    await saver.aput_writes(second, [("a", "later"), ("a", "later"), ("a", [3])], "task-a", "~1")
    for problem in ("first", "second"):
        await saver.aput_writes(second, [(ERROR, ValueError(problem))], "task-b", "~2")

    newest = await saver.aget_tuple({"configurable": {"thread_id": RUN, "checkpoint_ns": ""}})
    assert newest is not None
    assert newest.config == second
    assert newest.parent_config == first
    assert newest.checkpoint["channel_values"] == {"name": "资金"}
    assert newest.metadata["step"] == 1
    given = [("task-a", "a", [1]), ("task-a", "a", [2]), ("task-a", "a", [3])]
    assert newest.pending_writes == [*given, ("task-b", ERROR, "ValueError: second"), ("task-b", "b", {"x": 1})]
    earlier = await saver.aget_tuple(first)
    assert earlier is not None
    assert (earlier.parent_config, [each[1] for each in earlier.pending_writes or ()]) == (None, ["zero", "nought"])
    assert await saver.aget_tuple({"configurable": {"thread_id": RUN, "checkpoint_ns": "inner"}}) is None
    assert await saver.aget_tuple({"configurable": {"thread_id": "another", "checkpoint_ns": ""}}) is None
