"""One call of a library that asks websites: in a thread of its own, with a deadline, and with one kind of failure.

Such libraries raise whatever their parts raise: three families of network errors, and KeyError or AttributeError where a site changed its
answer. This is the one place where all of it becomes one kind of failure, in one line. A call that does not come back keeps its
thread, which does not keep the process.
"""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

from engine.domain.errors import TribunalError

T = TypeVar("T")


async def foreign_call(what: str, call: Callable[[], T], deadline_s: float, failure: type[TribunalError]) -> T:
    """Return what the call returns. what: who is asked for what, for the message.

    Raises `failure` when it fails or does not come back in time, and any TribunalError of the call as it is.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def work() -> None:
        try:
            value = call()
        except TribunalError as error:
            deliver(lambda error=error: answer.set_exception(error))  # type: ignore[misc]  # the default keeps it alive
        except Exception as error:  # whatever a foreign library raises, see above
            fault = failure(f"{what} failed: {type(error).__name__}: {str(error)[:200]}")
            deliver(lambda: answer.set_exception(fault))
        else:
            deliver(lambda: answer.set_result(value))

    def deliver(settle: Callable[[], None]) -> None:
        try:
            loop.call_soon_threadsafe(lambda: None if answer.done() else settle())
        except RuntimeError:  # the loop has ended: no one waits any more
            return

    threading.Thread(target=work, name=f"ask {what}"[:40], daemon=True).start()
    try:
        return await asyncio.wait_for(answer, deadline_s)
    except TimeoutError:
        raise failure(f"{what} did not come back within {deadline_s:g} s") from None
