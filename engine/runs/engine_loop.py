"""The engine's event loop, in a thread of its own: pages and shells come and go, runs stay."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from engine.domain.calls.uninterrupted import may_be_cancelled

Result = TypeVar("Result")


class EngineLoop:
    """An asyncio loop in a daemon thread. name: of the thread."""

    def __init__(self, name: str = "tribunal-engine") -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, Result]) -> Future[Result]:
        """Run a coroutine on the loop, from any other thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def call(self, work: Callable[..., object], *arguments: object) -> None:
        """Call a function on the loop soon, from any other thread."""
        self._loop.call_soon_threadsafe(work, *arguments)

    @property
    def closed(self) -> bool:
        """Whether `close` has been called."""
        return self._loop.is_closed()

    def close(self) -> None:
        """Cancel what runs, wait for it and for its worker threads, end the thread. May be called more than once."""
        if self._loop.is_closed():
            return
        self.submit(_cancel_all()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _cancel_all() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        if may_be_cancelled(task):
            task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    loop = asyncio.get_running_loop()
    await loop.shutdown_asyncgens()
    await loop.shutdown_default_executor()  # a cancelled `to_thread` ends at once, its thread does not: it may be writing the journal
