"""The accounts of brokers with the capability `starts_over`: who begins a demo gets one to themselves, empty.

There are `MOST_PRACTICE` of them for each source of prices. One that was begun anew less than `KEPT_FOR` ago is somebody's and is left
alone as long as another is free, so that there are no more accounts than visitors at once.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, cast

from engine.approvals.deps import ApprovalDeps
from engine.domain.account_ref import MOST_PRACTICE, AccountRef
from engine.domain.errors import NotAllowed, PastAccount
from engine.domain.position_record import PositionRecord
from engine.domain.proposal import Proposal
from engine.domain.text.reason import Reason
from engine.trading.protocol import PracticeBroker

KEPT_FOR: Final = timedelta(minutes=30)
_NEVER: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class PracticeAccount:
    """An account that was begun anew. number: which one of its source of prices. since: when."""

    number: int
    since: datetime


class PracticeAccounts:
    """On the engine's loop."""

    def __init__(self, deps: ApprovalDeps) -> None:
        self._deps = deps
        self._choosing = asyncio.Lock()

    async def start_over(self, ref: AccountRef, who: str, own: PracticeAccount | None = None) -> PracticeAccount:
        """Empty an account for its new user, and call off what waits for a signature there. ref: any of the accounts of a source of
        prices. own: the one that they began before; it is taken again where nobody else has begun it since. Raises NotAllowed for an
        account that is not for practice, StoreError."""
        _require_practice(ref)
        async with self._choosing:
            number = await asyncio.to_thread(self._choose, ref, own)
            chosen = ref.model_copy(update={"practice": number})
            await asyncio.to_thread(self._call_off, chosen, who)
            return PracticeAccount(number, await cast(PracticeBroker, self._deps.broker(chosen)).start_over())

    def _choose(self, ref: AccountRef, own: PracticeAccount | None) -> int:
        """Return the first account that was not begun lately, else the one that was begun longest ago."""
        begun = [
            self._deps.journal.ledger.emptied_at(ref.model_copy(update={"practice": number}).account) or _NEVER
            for number in range(MOST_PRACTICE)
        ]
        if own is not None and begun[own.number] == own.since:
            return own.number
        free = self._deps.clock() - KEPT_FOR
        return next((number for number, at in enumerate(begun) if at < free), begun.index(min(begun)))

    def _call_off(self, ref: AccountRef, who: str) -> None:
        store = self._deps.journal.proposal_store
        for waiting in store.waiting(ref.account):
            update = {"state": "superseded", "why": Reason("account_begins_anew"), "changed_at": self._deps.clock(), "changed_by": who}
            store.change(waiting, waiting.model_copy(update=update))

    async def take_further(self, proposal: Proposal, at: datetime) -> PositionRecord | None:
        """Let the market of an account go on to an instant, and return the position that the order of a proposal opened there, as it is
        then. An account that has come further already stays where it is. None where it has begun anew since. Raises NotAllowed for an
        account that is not for practice."""
        ref, symbol = proposal.basis.place, proposal.basis.symbol
        _require_practice(ref)
        broker = self._deps.broker(ref)
        with suppress(PastAccount):
            await broker.position(symbol, at, keep=True)
        return next((each for each in await broker.history() if each.opened_by in proposal.order_ids), None)


def _require_practice(ref: AccountRef) -> None:
    if not ref.starts_over:
        raise NotAllowed(Reason("account_is_not_for_practice", account=ref.account))
