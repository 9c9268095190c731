"""What a replay needs of the engine that it plays, and of the desk: the calls that `decide --propose`, `approve` and `positions` are made
of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from engine.domain.market.candles import Candles
from engine.domain.proposal import Proposal
from engine.domain.run import RunRecord, RunRequest
from engine.replay.baselines import PastMarket


@dataclass(frozen=True)
class ReplayPlan:
    """The instants of a replay, oldest first and at least one, and the one its account is followed to."""

    instants: Sequence[datetime]
    ends_at: datetime


class ReplayDesk(Protocol):
    """How a desk is replayed. Raises BadInput for what cannot be, and every MarketError of its source. Coroutines run on the engine's
    loop."""

    def takes(self, symbol: str) -> bool:
        """Return whether a symbol has the form of what the desk decides about."""
        ...

    def request(self, symbol: str, asked: Mapping[str, object]) -> RunRequest:
        """Return the request of every decision, without its clock; what is decided is proposed on paper."""
        ...

    def at(self, base: RunRequest, instant: datetime) -> RunRequest:
        """Return the request of the decision at an instant of the plan."""
        ...

    def last_day(self, base: RunRequest, instant: datetime) -> date | None:
        """Return the last session whose close is known at an instant; None for a market without sessions."""
        ...

    def before(self, base: RunRequest, instant: datetime) -> datetime:
        """Return the last instant before another one to which an account can be followed."""
        ...

    async def plan(self, base: RunRequest, begins: datetime, ends: datetime | None, every: int) -> ReplayPlan:
        """Return the instants from `begins` to `ends`, both included. ends: None = as far as the source goes."""
        ...

    async def market(self, base: RunRequest, first: datetime, ends_at: datetime) -> PastMarket:
        """Return the prices from well before the first instant to the end."""
        ...

    async def real_candles(self, base: RunRequest, ends_at: datetime, first: datetime) -> Candles:
        """Return all candles that decisions from `first` to `ends_at` may read, of the main timeframe: what a world is made of."""
        ...


class Played(Protocol):
    """One engine on a journal of its own, whose clock is the replay's. Blocking; raises TribunalErrors as the commands do."""

    def request_at(self, instant: datetime) -> RunRequest:
        """Return the request of the decision at an instant."""
        ...

    def decide(self, name: str, request: RunRequest) -> RunRecord:
        """Return a finished run: begun now under that name, continued, or ended already. One that failed is begun again under another."""
        ...

    def proposal_of(self, run_id: str) -> Proposal | None:
        """Return what a decision was filed as, None where it was not."""
        ...

    def approve(self, proposal_id: str) -> Proposal:
        """Sign a proposal and send its order."""
        ...

    def reject(self, proposal_id: str, why: str) -> Proposal:
        """Refuse a proposal."""
        ...

    def equity(self) -> float:
        """Return what the account is worth at the clock, quote units."""
        ...

    def follow_account(self) -> None:
        """Take the account to the clock, as a live process does in the background, and tell the proposals of orders that waited what came
        of them."""
        ...

    def follow_outcomes(self) -> None:
        """Work out what earlier decisions have come to by the clock."""
        ...
