"""A clock of a test's own: it starts at an instant, runs on, and goes where the test moves it."""

import time
from datetime import UTC, datetime, timedelta


class Clock:
    """Aware UTC. at: where it starts; it is deaf to the system's date."""

    def __init__(self, at: datetime) -> None:
        self._at, self._began = at.astimezone(UTC), time.monotonic()

    def __call__(self) -> datetime:
        return self._at + timedelta(seconds=time.monotonic() - self._began)

    def move(self, by: timedelta) -> None:
        """Put it forward, or back."""
        self._at += by
