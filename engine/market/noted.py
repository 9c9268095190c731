"""Surroundings together with what could not be read of them: for feeds whose secondary facts can fail one by one."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from engine.domain.market.instrument import Market, Surroundings


@dataclass(frozen=True)
class NotedSurroundings:
    """notes: which facts are missing, and why, one line each."""

    surroundings: Surroundings
    notes: tuple[str, ...] = ()


@runtime_checkable
class NotesSurroundings(Protocol):
    """A feed that says why a fact beside the candles is missing."""

    async def noted_surroundings(self, market: Market, at: datetime) -> NotedSurroundings:
        """Return the same values as `Feed.surroundings`."""
        ...
