"""Garbage in a worker's process while a profiler looks on."""

import gc
import sys
import weakref

import pytest

from engine.api.replay_pieces import collected_between


class Ring:
    """Garbage that only a collection finds."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.full
@pytest.mark.skipif(sys.version_info >= (3, 11, 9), reason="a collection at any moment is safe with this Python")
def test_nothing_is_collected_but_between_steps() -> None:
    freed = list[int]()
    with collected_between() as collect:
        for number in range(5_000):
            weakref.finalize(Ring(), freed.append, number)
        assert not freed, "thousands of objects, each of which would have been reason enough"
        for step in range(1, 21):
            collect(step)
        assert len(freed) == 5_000
    assert gc.isenabled()
