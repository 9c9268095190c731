"""Several readings at the same time, with one plain failure instead of a group of them."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def together(*readings: Coroutine[Any, Any, Any]) -> tuple[Any, ...]:
    """Return all results, in order. The first failure ends the other readings and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(reading) for reading in readings]
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return tuple(task.result() for task in tasks)
