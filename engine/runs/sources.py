"""Where runs get their markets and models from; made by the composition root."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from engine.agents.access import Emit, ModelAccess
from engine.domain.facts import FactSheet
from engine.domain.proposal import Proposal
from engine.domain.run import DecideRequest
from engine.domain.snapshot import Snapshot
from engine.market.protocol import Feed
from engine.settle.standing import Standing


class Clerk(Protocol):
    """What runs ask of the settlement."""

    async def standing(self, request: DecideRequest) -> Standing | None:
        """How the account stands that the request is decided for; None when the request states its position itself. Raises
        TribunalError."""
        ...

    async def file(self, final: Mapping[str, Any], request: DecideRequest, snapshot: Snapshot, sheet: FactSheet) -> Proposal | None:
        """File what was decided; None when there is no order in it. Asked twice, it is filed once. Raises TribunalError."""
        ...


@dataclass(frozen=True)
class Sources:
    """What every run of a process is given.

    access: (request, snapshot hash, emit) -> the models of a run. ready: raises ModelUnavailable when no call could succeed. clock:
    aware UTC now. deadline_s: of a whole run. clerk: accounts and proposals.
    """

    feed: Callable[[DecideRequest], Feed]
    access: Callable[[DecideRequest, str, Emit], ModelAccess]
    ready: Callable[[DecideRequest], Any]
    clock: Callable[[], datetime]
    deadline_s: float
    clerk: Clerk
