"""The checkpoints of runs in flight: LangGraph's saver over the journal's database, whichever that is.

A node counts as finished once its checkpoint is written; so its events must be in the journal before that, and `JournalSaver` sees to it.
The checkpoints of a run that has ended are removed: its log and its state say everything.

They are written as plain JSON and read as nothing else (`PlainSerde`): a writer of the journal must not be able to have anything
made of it, no constructor, no class, no pickle. A row of any other kind is refused, and the run that needs it fails with a reason.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)

from engine.domain.calls.uninterrupted import uninterrupted
from engine.domain.errors import StoreError
from engine.domain.text.reason import Reason, stored
from engine.journal.checkpoint_store import CheckpointStore

Flush = Callable[[str], Awaitable[None]]
_KIND: Final = "plain"
_SET: Final = "\x00set"


class PlainSerde:
    """LangGraph's serializer protocol. The state of a flow is JSON; an exception of a node is kept as its words, and a set of names (who
    has arrived where parallel nodes meet) as a list."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Return a value as its kind and its bytes. Raises StoreError for what is not JSON: such a thing has no business in a state."""
        try:
            return _KIND, json.dumps(stored(obj), ensure_ascii=False, separators=(",", ":"), default=_words).encode()
        except (TypeError, ValueError) as problem:
            raise StoreError(Reason("checkpoint_holds_what_is_not_json", problem=problem)) from problem

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return the value of a row. Raises StoreError for a row that this program did not write."""
        kind, payload = data
        if kind != _KIND:
            raise StoreError(Reason("checkpoint_of_kind_is_not_this_program", kind=f"{kind[:20]!r}"))
        try:
            return json.loads(payload, object_hook=_with_sets)
        except (ValueError, RecursionError) as problem:
            raise StoreError(Reason("checkpoint_cannot_be_read")) from problem


class JournalSaver(BaseCheckpointSaver[str]):
    """Writes a checkpoint after the run's events, all of it or nothing. Raises StoreError when either cannot be written.

    A write that has begun ends, also when the run that asked for it is cancelled meanwhile.
    """

    def __init__(self, store: CheckpointStore, flush: Flush) -> None:
        super().__init__(serde=PlainSerde())
        self._store, self._flush = store, flush
        self._turn = asyncio.Lock()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the state that a config names, or the newest of its run, with what was given since."""
        thread_id, namespace = _thread(config)
        found = await asyncio.to_thread(self._store.read, thread_id, namespace, get_checkpoint_id(config))
        if found is None:
            return None
        row, writes = found
        parent = row.parent_checkpoint_id
        return CheckpointTuple(
            _config(thread_id, namespace, row.checkpoint_id),
            self.serde.loads_typed((row.type, row.checkpoint)),
            json.loads(row.metadata),
            _config(thread_id, namespace, parent) if parent else None,
            [
                (each.task_id, each.channel, self.serde.loads_typed((each.type, each.value)))
                for each in sorted(writes, key=lambda each: writes_sort_key(each.task_path, each.task_id, each.idx))
            ],
        )

    async def aput(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> RunnableConfig:
        """Keep the state after a step."""
        thread_id, namespace = _thread(config)
        kind, payload = self.serde.dumps_typed(checkpoint)
        row = {
            "thread_id": thread_id,
            "checkpoint_ns": namespace,
            "checkpoint_id": checkpoint["id"],
            "parent_checkpoint_id": get_checkpoint_id(config),
            "type": kind,
            "checkpoint": payload,
            "metadata": json.dumps(get_checkpoint_metadata(config, metadata), ensure_ascii=False),
        }
        await self._flush(thread_id)
        await self._whole(partial(self._store.put, row))
        return _config(thread_id, namespace, checkpoint["id"])

    async def aput_writes(self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        """Keep what one node of a step has given, while its siblings still work."""
        thread_id, namespace = _thread(config)
        rows = [
            {
                "thread_id": thread_id,
                "checkpoint_ns": namespace,
                "checkpoint_id": config["configurable"]["checkpoint_id"],
                "task_id": task_id,
                "idx": WRITES_IDX_MAP.get(channel, index),
                "task_path": task_path,
                "channel": channel,
                **dict(zip(("type", "value"), self.serde.dumps_typed(value), strict=True)),
            }
            for index, (channel, value) in enumerate(writes)
        ]
        await self._flush(thread_id)
        await self._whole(partial(self._store.put_writes, rows, replace=all(channel in WRITES_IDX_MAP for channel, _ in writes)))

    async def adelete_thread(self, thread_id: str) -> None:
        """Remove the checkpoints of a run."""
        await self._whole(partial(self._store.forget, thread_id))

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return a version above another; as text they stand in the order of their numbers."""
        return f"{int(current.partition('.')[0]) + 1 if current else 1:032}"

    async def aclose(self) -> None:
        """Wait for the writes that have begun."""
        async with self._turn:
            pass

    async def _whole(self, write: Callable[[], None]) -> None:
        await uninterrupted(self._in_turn(write))

    async def _in_turn(self, write: Callable[[], None]) -> None:
        async with self._turn:
            await asyncio.to_thread(write)


def _thread(config: RunnableConfig) -> tuple[str, str]:
    return str(config["configurable"]["thread_id"]), config["configurable"].get("checkpoint_ns", "")


def _config(thread_id: str, namespace: str, checkpoint_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}}


def _words(value: object) -> object:
    if isinstance(value, set | frozenset) and all(isinstance(each, str) for each in value):
        return {_SET: sorted(value)}
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"[:500]
    raise TypeError(f"{type(value).__name__} is not JSON")


def _with_sets(found: dict[str, Any]) -> Any:
    names = found.get(_SET) if len(found) == 1 else None
    return set(names) if isinstance(names, list) and all(isinstance(each, str) for each in names) else Reason.read(found)
