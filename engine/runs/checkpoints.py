"""The checkpoints of runs in flight: LangGraph's SQLite saver, kept in step with the journal.

A node counts as finished once its checkpoint is written; so its events must be in the journal before that, and `FlushingSaver` sees to it.
The checkpoints of a run that has ended are removed: its log and its state say everything.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from engine.domain.errors import StoreError
from engine.journal.database import writable_uri
from engine.journal.private_files import make_private
from engine.runs.plain_serde import PlainSerde

Flush = Callable[[str], Awaitable[None]]
_BUSY_S = 10.0


class FlushingSaver(AsyncSqliteSaver):
    """Writes a checkpoint after the run's events. Raises StoreError when either cannot be written."""

    def __init__(self, connection: aiosqlite.Connection, flush: Flush) -> None:
        super().__init__(connection, serde=PlainSerde())
        self._flush = flush

    async def aput(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> RunnableConfig:
        """Keep the state after a step."""
        await self._flush(config["configurable"]["thread_id"])
        try:
            return await super().aput(config, checkpoint, metadata, new_versions)
        except sqlite3.Error as problem:
            raise _unwritable(problem) from problem

    async def aput_writes(self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        """Keep what one node of a step has given, while its siblings still work."""
        await self._flush(config["configurable"]["thread_id"])
        try:
            await super().aput_writes(config, writes, task_id, task_path)
        except sqlite3.Error as problem:
            raise _unwritable(problem) from problem


class Checkpoints:
    """The one saver of a process, opened at its first use. Lives on the engine's loop. own: whether the file is theirs alone, and made when
    there is none; else it is the journal, which is never made here."""

    def __init__(self, file: Path, flush: Flush, *, own: bool = False) -> None:
        self._file, self._flush, self._own = file, flush, own
        self._opening: asyncio.Task[FlushingSaver] | None = None

    async def saver(self) -> FlushingSaver:
        """Raises StoreError when the file cannot be opened."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
        return await asyncio.shield(self._opening)

    async def forget(self, run_id: str) -> None:
        """Remove the checkpoints of a run that has ended."""
        saver = await self.saver()
        try:
            await saver.adelete_thread(run_id)
        except sqlite3.Error as problem:
            raise _unwritable(problem) from problem

    async def close(self) -> None:
        """Release the file."""
        opening, self._opening = self._opening, None
        if opening is not None and not opening.cancelled() and opening.exception() is None:
            await opening.result().conn.close()

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
