"""What pages show before anything is asked for: read in the background, kept for a minute, so that a page drawn again shows the same.

Nothing of this reaches a model or a run: a run reads its own inputs.
"""

import threading
import time
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import CancelledError, Future
from typing import Any, Final, Generic, TypeVar

from engine.domain.errors import TribunalError
from engine.domain.text.reason import Reason

_PATIENCE_S: Final = 0.4  # a page waits so long for it, and draws without it else
_KEPT_S: Final = 60.0
_MOST_KEPT: Final = 32

Read = TypeVar("Read")
Submit = Callable[[Coroutine[Any, Any, Any]], "Future[Any]"]


class KeptReadings(Generic[Read]):
    """Readings by what was asked, each kept for a minute, the oldest given up first. May be called from any thread but the engine's own."""

    def __init__(self, submit: Submit, clock: Callable[[], float] = time.monotonic) -> None:
        """submit: begins a reading on the engine's loop."""
        self._submit, self._clock = submit, clock
        self._asked: dict[Hashable, tuple[float, Future[Read]]] = {}
        self._asking = threading.Lock()

    def read(self, what: str, key: Hashable, begin: Callable[[], Coroutine[Any, Any, Read]]) -> Read | None:
        """Return what was read; None while it is being read. what: its name in a message. key: equal for equal questions. begin: makes the
        reading; raises a TribunalError where it cannot be made. Raises the TribunalError of a reading, and asks again a minute later."""
        asked = self._question(key, begin)
        try:
            return asked.result(_PATIENCE_S)
        except TimeoutError:
            return None
        except CancelledError:
            raise TribunalError(Reason("was_not_read", what=what)) from None

    def _question(self, key: Hashable, begin: Callable[[], Coroutine[Any, Any, Read]]) -> Future[Read]:
        now = self._clock()
        with self._asking:
            kept = self._asked.get(key)
            if kept is None or (now - kept[0] > _KEPT_S and kept[1].done()):
                if len(self._asked) >= _MOST_KEPT:
                    self._asked.pop(next(iter(self._asked)))
                kept = self._asked[key] = now, self._submit(begin())
            return kept[1]
