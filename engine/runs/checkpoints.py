"""The checkpoints of runs in flight: LangGraph's SQLite saver, kept in step with the journal.

A node counts as finished once its checkpoint is written; so its events must be in the journal before that, and `FlushingSaver` sees to it.
The checkpoints of a run that has ended are removed: its log and its state say everything.

They are written as plain JSON and read as nothing else (`PlainSerde`): whoever can write into the journal must not be able to have anything
made of it, no constructor, no class, no pickle. A row of any other kind is refused, and the run that needs it fails with a reason.
"""

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from engine.domain.calls.uninterrupted import uninterrupted
from engine.domain.errors import StoreError
from engine.journal.database import writable_uri
from engine.journal.private_files import make_private

Flush = Callable[[str], Awaitable[None]]
Written = TypeVar("Written")
_BUSY_S = 10.0  # how long a locked file is waited for
_KIND: Final = "plain"
_SET: Final = "\x00set"


class PlainSerde:
    """LangGraph's serializer protocol. The state of a flow is JSON; an exception of a node is kept as its words, and a set of names (who
    has arrived where parallel nodes meet) as a list."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Return a value as its kind and its bytes. Raises StoreError for what is not JSON: such a thing has no business in a state."""
        try:
            return _KIND, json.dumps(obj, ensure_ascii=False, separators=(",", ":"), default=_words).encode()
        except (TypeError, ValueError) as problem:
            raise StoreError(f"a checkpoint holds what is not JSON: {problem}") from problem

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return the value of a row. Raises StoreError for a row that this program did not write."""
        kind, payload = data
        if kind != _KIND:
            raise StoreError(f"a checkpoint of the kind {kind[:20]!r} is not this program's: the run is not continued from it; ask again")
        try:
            return json.loads(payload, object_hook=_with_sets)
        except (ValueError, RecursionError) as problem:
            raise StoreError("a checkpoint cannot be read: the run is not continued from it; ask again") from problem


class FlushingSaver(AsyncSqliteSaver):
    """Writes a checkpoint after the run's events, all of it or nothing. Raises StoreError when either cannot be written.

    A write that has begun ends, also when the run that asked for it is cancelled meanwhile: LangGraph's saver would leave its transaction
    open, and with it the whole journal locked for everybody until this process writes its next checkpoint.
    """

    def __init__(self, connection: aiosqlite.Connection, flush: Flush) -> None:
        super().__init__(connection, serde=PlainSerde())
        self._flush = flush
        self._turn = asyncio.Lock()

    async def aput(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> RunnableConfig:
        """Keep the state after a step."""
        await self._flush(config["configurable"]["thread_id"])
        return await self._whole(super().aput, config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        """Keep what one node of a step has given, while its siblings still work."""
        await self._flush(config["configurable"]["thread_id"])
        await self._whole(super().aput_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Remove the checkpoints of a run."""
        await self._whole(super().adelete_thread, thread_id)

    async def aclose(self) -> None:
        """Release the file, after the writes that have begun."""
        async with self._turn:
            await self.conn.close()

    async def _whole(self, write: Callable[..., Awaitable[Written]], *arguments: Any) -> Written:
        return await uninterrupted(self._write_or_undo(write, *arguments))

    async def _write_or_undo(self, write: Callable[..., Awaitable[Written]], *arguments: Any) -> Written:
        async with self._turn:
            try:
                return await write(*arguments)
            except sqlite3.Error as problem:
                if self.conn.in_transaction:
                    await self.conn.rollback()
                raise _unwritable(problem) from problem


class Checkpoints:
    """The one saver of a process, opened at its first use. Lives on the engine's loop. own: whether the file is theirs alone, and made when
    there is none; else it is the journal, which is never made here."""

    def __init__(self, file: Path, flush: Flush, *, own: bool = False) -> None:
        self._file, self._flush, self._own = file, flush, own
        self._opening: asyncio.Task[FlushingSaver] | None = None

    async def saver(self) -> FlushingSaver:
        """Return the saver, opened at the first call. Raises StoreError when the file cannot be opened."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
        return await asyncio.shield(self._opening)

    async def forget(self, run_id: str) -> None:
        """Remove the checkpoints of a run that has ended."""
        await (await self.saver()).adelete_thread(run_id)

    async def close(self) -> None:
        """Release the file; one that is just being opened is opened first."""
        opening, self._opening = self._opening, None
        if opening is None:
            return
        await asyncio.wait((opening,))
        if not opening.cancelled() and opening.exception() is None:
            await opening.result().aclose()

    async def _open(self) -> FlushingSaver:
        try:
            if self._own:
                make_private(self._file)
            connection = await aiosqlite.connect(writable_uri(self._file), uri=True, timeout=_BUSY_S)
            saver = FlushingSaver(connection, self._flush)
            await saver.setup()
            await connection.execute("PRAGMA synchronous=NORMAL")
        except (sqlite3.Error, OSError) as problem:
            self._opening = None
            raise _unwritable(problem) from problem
        return saver


def _unwritable(problem: sqlite3.Error | OSError) -> StoreError:
    return StoreError(f"cannot write a checkpoint to the journal: {problem}")


def _words(value: object) -> object:
    if isinstance(value, set | frozenset) and all(isinstance(each, str) for each in value):
        return {_SET: sorted(value)}
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"[:500]
    raise TypeError(f"{type(value).__name__} is not JSON")


def _with_sets(found: dict[str, Any]) -> Any:
    names = found.get(_SET) if len(found) == 1 else None
    return set(names) if isinstance(names, list) and all(isinstance(each, str) for each in names) else found
