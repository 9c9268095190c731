"""Slots of an endpoint, and the total deadline of a call, whose clock is stopped while the call queues for one.

`calls.py` opens the deadline, a model queues for a slot of its address; the deadline travels with the task. So a busy engine makes calls
late, never failed, and the limit holds for every stream of an address.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
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


class EndpointSlots:
    """The slots of every endpoint. Serves one event loop."""

    def __init__(self, open_calls: int = 256) -> None:
        """Take the number of calls that may be open at each address at once, at least 1."""
        self._open_calls = open_calls
        self._slots: dict[str, asyncio.Semaphore] = {}

    @asynccontextmanager
    async def one(self, address: str) -> AsyncIterator[None]:
        """Hold one slot of an address inside the block. Time spent waiting for it does not count against the call's deadline."""
        slot, running = self._slots.setdefault(address, asyncio.Semaphore(self._open_calls)), _current.get()
        with running.stopped() if running is not None else nullcontext():
            await slot.acquire()
        try:
            yield
        finally:
            slot.release()
