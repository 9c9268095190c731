"""Looking at something that changes, once for all who want to see it: visitors who poll do not add up to requests.

One look at a time for each subject, no sooner than its pace allows, less often when answers take long, with doubling pauses while they
fail.
Every caller gets the newest answer with its age; only the first one waits for a slow source.
"""

import threading
import time
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from engine.domain.errors import TribunalError
from engine.domain.text.reason import Reason

FIRST_S: Final = 5.0
"""How long the first caller waits for the first answer."""
PATIENCE_S: Final = 0.25
"""How long everybody else waits for a newer one."""
LONGEST_PAUSE_S: Final = 30.0
_SHARE: Final = 2.0  # an answer that took a second is not asked for again within two
_MOST_KEPT: Final = 64

Seen = TypeVar("Seen")
Ask = Callable[[], Coroutine[Any, Any, Seen]]


@dataclass(frozen=True)
class LastSeen(Generic[Seen]):
    """What was seen last. seen: None before the first answer. age_s: seconds since it was asked for, 0 without one. trouble: why the newest
    attempt gave nothing; "" when it gave something, or has not ended."""

    seen: Seen | None
    age_s: float
    trouble: str


class _Subject(Generic[Seen]):
    """What is known of one subject. Changed under the lock of `SharedPolling` only."""

    def __init__(self) -> None:
        self.seen: Seen | None = None
        self.seen_at = self.due_at = 0.0
        self.trouble = ""
        self.failures = 0
        self.broken: BaseException | None = None
        self.answered: threading.Event | None = None  # of the look that is under way


class SharedPolling(Generic[Seen]):
    """Looks of one kind. submit: runs a coroutine elsewhere. clock: seconds that only grow."""

    def __init__(self, submit: Callable[[Coroutine[Any, Any, Seen]], Future[Seen]], clock: Callable[[], float] = time.monotonic) -> None:
        self._submit, self._clock = submit, clock
        self._subjects: dict[Hashable, _Subject[Seen]] = {}
        self._lock = threading.RLock()  # an answer that is there at once calls back at once

    def poll(self, subject: Hashable, ask: Ask[Seen], *, pace_s: float = 1.0, first_s: float = FIRST_S) -> LastSeen[Seen]:
        """Return what was seen last of a subject, and look anew when that is due. pace_s: least time between two looks. first_s: how long
        the first caller waits. An exception other than TribunalError is raised to the next caller."""
        with self._lock:
            known = self._known(subject)
            if known.answered is None and self._clock() >= known.due_at:
                self._begin(known, ask, pace_s)
            answered, is_first = known.answered, known.seen is None and not known.trouble
        if answered is not None:
            answered.wait(first_s if is_first else PATIENCE_S)
        with self._lock:
            if known.broken is not None:
                broken, known.broken = known.broken, None
                raise broken
            age = self._clock() - known.seen_at if known.seen is not None else 0.0
            return LastSeen(known.seen, age, known.trouble)

    def _known(self, subject: Hashable) -> _Subject[Seen]:
        if subject not in self._subjects:
            if len(self._subjects) >= _MOST_KEPT:
                self._subjects.pop(next(iter(self._subjects)))
            self._subjects[subject] = _Subject()
        return self._subjects[subject]

    def _begin(self, known: _Subject[Seen], ask: Ask[Seen], pace_s: float) -> None:
        asked_at, answered = self._clock(), threading.Event()
        known.answered = answered

        def ended(future: Future[Seen]) -> None:
            with self._lock:
                self._take(known, future, asked_at, pace_s)
                known.answered = None
            answered.set()

        begun = False
        try:
            self._submit(ask()).add_done_callback(ended)
            begun = True
        finally:
            if not begun:
                known.answered = None

    def _take(self, known: _Subject[Seen], future: Future[Seen], asked_at: float, pace_s: float) -> None:
        now = self._clock()
        problem = None if not future.cancelled() else TribunalError(Reason("nobody_looked_engine_is_closing"))
        problem = problem or future.exception()  # type: ignore[assignment]
        if problem is None:
            known.seen, known.seen_at, known.trouble, known.failures = future.result(), asked_at, "", 0
            known.due_at = max(asked_at + pace_s, now + min(LONGEST_PAUSE_S, _SHARE * (now - asked_at)))
            return
        known.failures += 1
        known.due_at = now + max(pace_s, min(LONGEST_PAUSE_S, 2.0 ** (known.failures - 1)))
        known.trouble = str(problem)
        if not isinstance(problem, TribunalError):
            known.broken = problem
