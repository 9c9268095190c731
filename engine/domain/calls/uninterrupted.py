"""Work that is done to its end once it has begun, even if the task that asked for it is cancelled: writes that belong together, and
returning what was taken."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar
from weakref import WeakSet

Result = TypeVar("Result")
_ENDING: "WeakSet[asyncio.Task[Any]]" = WeakSet()


async def uninterrupted(work: Coroutine[Any, Any, Result] | asyncio.Task[Result]) -> Result:
    """Return the result of `work`, after its end. A cancellation of the caller is raised after that too; a caller that needs the result
    then passes a task and asks it."""
    task = asyncio.ensure_future(work)
    _ENDING.add(task)
    cut: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as problem:
            cut = problem
    if cut is None:
        return task.result()
    if not task.cancelled():
        task.exception()  # retrieved: the caller ends in any case
    raise cut


def may_be_cancelled(task: "asyncio.Task[Any]") -> bool:
    """Return whether a task may be cancelled when its loop ends; work that is uninterrupted is waited for."""
    return task not in _ENDING
