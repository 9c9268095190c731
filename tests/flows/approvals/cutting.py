"""Cancels a coroutine where it waits for the n-th time: before what it waits for is done, or after that and before it hears of it."""

import asyncio
import types
from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass, field
from typing import Any, TypeVar

Result = TypeVar("Result")


@dataclass
class Cut:
    """One cancellation. at: the wait (from 1) that is cut. late: what is waited for is done by then, and only its result is lost. counts:
    whether waits are counted yet. cancel: what cuts; None: the task itself is cancelled. waits: how many there were."""

    at: int
    late: bool
    counts: Callable[[], bool] = lambda: True
    cancel: Callable[[], object] | None = None
    waits: int = field(default=0, init=False)

    @property
    def was_made(self) -> bool:
        """Whether there was an `at`-th wait."""
        return self.waits >= self.at

    async def over(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Return what the coroutine gives, in a task of its own."""
        found: Result = await self._stepped(work)
        return found

    @types.coroutine
    def _stepped(self, work: Coroutine[Any, Any, Result]) -> Generator[Any, None, Result]:
        raised: BaseException | None = None
        while True:
            try:
                waited = work.send(None) if raised is None else work.throw(raised)
            except StopIteration as end:
                result: Result = end.value
                return result
            raised = None
            self._count(waited)
            try:
                yield waited
            except BaseException as problem:
                raised = problem

    def _count(self, waited: Any) -> None:
        if not self.counts():
            return
        self.waits += 1
        if self.waits != self.at:
            return
        task = asyncio.current_task()
        assert task is not None
        cancel = self.cancel or task.cancel
        if self.late and isinstance(waited, asyncio.Future):
            waited.add_done_callback(lambda _: cancel())
        else:
            asyncio.get_running_loop().call_soon(cancel)
