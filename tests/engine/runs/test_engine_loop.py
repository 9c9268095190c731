"""What is still going on when the engine's loop closes."""

import asyncio
import threading

from engine.runs.engine_loop import EngineLoop


def test_a_thread_whose_task_is_cancelled_has_ended_when_the_loop_is_closed() -> None:
    """What it uses, a connection to the journal say, is released next."""
    loop, working, goes_on, done = EngineLoop(), threading.Event(), threading.Event(), threading.Event()

    def write() -> None:
        working.set()
        goes_on.wait(10)
        done.set()

    task = loop.submit(asyncio.to_thread(write))
    assert working.wait(10)
    task.add_done_callback(lambda _: threading.Timer(0.5, goes_on.set).start())  # long after its task has been cancelled
    loop.close()
    assert task.cancelled()
    assert done.is_set()
