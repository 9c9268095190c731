"""The clock of a replay: it is at the instant that is decided at."""

from datetime import datetime


class ReplayClock:
    """Gives the instant it was moved to, aware UTC. It may be moved from any thread."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at

    def move(self, at: datetime) -> None:
        """Put it to an instant."""
        self.at = at
