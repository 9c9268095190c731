"""A total deadline for one call, whose clock is stopped while the call queues for a slot.

`calls.py` opens the deadline, a model that limits its own concurrency queues inside `queueing()`. The two never meet otherwise: the
deadline travels with the task. So a busy engine makes calls late, never failed, and the limit holds for every stream of the model.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar


class Deadline:
    """The deadline of the running task. Seconds on the event loop's clock. queued_s: for how long it has been stopped."""

    def __init__(self, timeout: asyncio.Timeout) -> None:
        self._timeout = timeout
        self.queued_s = 0.0

    def left(self) -> float:
        """Return the seconds that remain; 0.0 when it is over."""
        when = self._timeout.when()
        return 0.0 if when is None else max(0.0, when - asyncio.get_running_loop().time())

    @property
    def expired(self) -> bool:
        """Whether it has ended the work inside it."""
        return self._timeout.expired()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop the clock inside the block; the time spent there is added to `queued_s`."""
        when, loop = self._timeout.when(), asyncio.get_running_loop()
        if when is None or self.expired:
            yield
            return
        began = loop.time()
        self._timeout.reschedule(None)
        try:
            yield
        finally:
            waited = loop.time() - began
            self.queued_s += waited
            self._timeout.reschedule(when + waited)


_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@asynccontextmanager
async def deadline(seconds: float) -> AsyncIterator[Deadline]:
    """Cancel what is inside after `seconds` of its own time. Raises TimeoutError then."""
    async with asyncio.timeout(seconds) as timeout:
        running = Deadline(timeout)
        token = _current.set(running)
        try:
            yield running
        finally:
            _current.reset(token)


@contextmanager
def queueing() -> Iterator[None]:
    """Stop the deadline of the running task inside the block; nothing happens when it has none."""
    running = _current.get()
    if running is None:
        yield
        return
    with running.stopped():
        yield
