"""Where runs get their markets and models from; made by the composition root."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.agents.access import Emit, ModelAccess
from engine.domain.run import DecideRequest
from engine.market.protocol import Feed


@dataclass(frozen=True)
class Sources:
    """What every run of a process is given.

    access: (request, snapshot hash, emit) -> the models of a run. ready: raises ModelUnavailable when no call could succeed. clock:
    aware UTC now. deadline_s: of a whole run.
    """

    feed: Callable[[DecideRequest], Feed]
    access: Callable[[DecideRequest, str, Emit], ModelAccess]
    ready: Callable[[DecideRequest], Any]
    clock: Callable[[], datetime]
    deadline_s: float
