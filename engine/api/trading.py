"""Proposals, positions, the kill switch and the audit chain, as pages and shell see them.

Every method may be called from any thread but the engine's own, and raises a TribunalError with one clear line when it cannot do what it
says. `who` is the person who acts: somebody who has logged in, or the local operator.
"""

import logging
from collections.abc import Collection, Coroutine
from datetime import datetime
from typing import Any, TypeVar

from engine.api.shared_polling import LastSeen, SharedPolling
from engine.approvals.approval_service import Change, Preview
from engine.approvals.closing import Amount
from engine.approvals.deps import require_proposal
from engine.approvals.filing import FillSummary, fill_summary
from engine.approvals.held_position import AccountStatus, ClosedPosition, HeldPosition
from engine.approvals.order_dispatch import InFlightOrder
from engine.approvals.protection_service import LevelsDraft, WantedLevels
from engine.approvals.shadow_book import ShadowResult
from engine.approvals.share_filing import execution_record
from engine.bootstrap.container import Container
from engine.domain.alert import UnprotectedPosition
from engine.domain.audit import AuditRow
from engine.domain.clock import utc_now
from engine.domain.errors import TribunalError
from engine.domain.orders import OrderReport, Outcome
from engine.domain.proposal import Proposal

_WAIT_S = 90.0
_ORDER_S = 240.0  # an order leaves 40 s after its account was measured or never; then its fill and its stop are waited for
_CANCEL_S = 20.0
MAINTENANCE_WAIT_S = 8.0
"""How long a command waits for an exchange before it does what it was asked for."""
_MOST_LISTED = 10_000
_SHARES_PACE_S = 15.0  # between two looks at a website's prices

_log = logging.getLogger(__name__)

Result = TypeVar("Result")


class Trading:
    """What a decision becomes. One per engine."""

    def __init__(self, container: Container) -> None:
        self._container, self._services = container, container.approvals
        self._proposal_store, self._audit = container.journal.proposal_store, container.journal.audit
        self._polling: SharedPolling[Preview] = SharedPolling(container.loop.submit)

    @property
    def operator(self) -> str:
        """Who acts where nobody has logged in."""
        return self._container.settings.operator_name

    def recover(self) -> list[Proposal]:
        """Find out what became of orders that a dead process left, mark what has expired, and let brokers put things in order.

        Gives the proposals that came to an end by it.
        """
        return self._ask(self._services.maintenance.run_once())

    def run_maintenance(self, *, send: bool = False) -> list[Proposal]:
        """Do what `recover` does, for `MAINTENANCE_WAIT_S` seconds at most, where an exchange's account is in use; nothing elsewhere.

        send: approved orders that have not left yet, leave now. Returns the proposals that came to an end by it. Raises a TribunalError
        where it failed or takes longer; then it goes on by itself.
        """
        if not self.uses_exchange:
            return []
        ended = self._ask(self._services.maintenance.run_within(MAINTENANCE_WAIT_S, send=send))
        if ended is None:
            raise TribunalError(f"the exchange did not answer within {MAINTENANCE_WAIT_S:.0f} s: the state of the account is not known")
        return ended

    def guard(self) -> tuple[list[str], list[AccountStatus]]:
        """Check the exchange accounts once. Returns what was put in order, a line each, and the status of each account after it."""
        return self._ask(self._services.maintenance.guard())

    def wait_until_idle(self, within_s: float) -> None:
        """Wait until no order of this process is in flight any more and its position has its stop. within_s: seconds. Raises a
        TribunalError when that takes longer."""
        self._ask(self._services.brokers.wait_until_idle(), within_s)

    def unprotected(self) -> list[UnprotectedPosition]:
        """Return the positions without a stop, by what any process on this journal read back last. Reads the journal only."""
        return self._ask(self._services.holdings.unprotected())

    @property
    def uses_exchange(self) -> bool:
        """Whether an exchange's account is in use: by the settings, or by an order that was once written for it. Reads the journal only."""
        return self._ask(self._services.holdings.uses_exchange())

    @property
    def trouble(self) -> str:
        """Why the accounts could not be checked when that was last tried in this process; "" when they could."""
        return self._services.maintenance.trouble

    def is_unprotected(self, proposal: Proposal) -> bool:
        """Return whether it is not confirmed that the position made by a proposal's order has its stop."""
        if proposal.basis.instrument == "shares" and proposal.state == "sent":
            return False  # a day order that rests: there is no position yet
        if proposal.state in {"sent", "unknown"}:
            return True
        order = self._proposal_store.order(proposal.order_ids[-1]) if proposal.state == "filled" and proposal.order_ids else None
        return order is not None and order[1] is not None and order[1].protected is False

    def warnings(self) -> list[str]:
        """Return what somebody should know of the accounts in use (a key that may withdraw), a line each. Asks the brokers."""
        return self._ask(self._services.holdings.warnings())

    def proposals(self, limit: int = 200) -> list[Proposal]:
        """Return the newest proposals, newest first; those that nobody answered in time are marked first."""
        self._ask(self._services.approval_service.expire_due())
        return self._proposal_store.proposals(min(limit, _MOST_LISTED))

    def waiting(self, account: str | None = None, symbol: str | None = None) -> list[Proposal]:
        """Return those that can be answered at this moment, oldest first; of one market when it is named. Reads the journal only."""
        now = utc_now()
        return [each for each in self._proposal_store.waiting(account, symbol) if each.as_at(now).is_waiting]

    def proposal(self, proposal_id: str) -> Proposal:
        """Return one proposal. Raises NotAllowed when there is none of that id."""
        return require_proposal(self._container.journal, proposal_id)

    def proposal_of(self, run_id: str) -> Proposal | None:
        """Return what a run's decision was filed as; None when it was not."""
        return self._proposal_store.of_run(run_id)

    def proposals_of(self, run_ids: Collection[str]) -> dict[str, Proposal]:
        """Return run -> what its decision was filed as, as it stands now; runs that filed nothing are not in it."""
        now = utc_now()
        return {each.basis.run_id: each.as_at(now) for each in self._proposal_store.of_runs(run_ids)}

    def approve(self, proposal_id: str, who: str, signed: str | None = None) -> Proposal:
        """Sign, and send the order when all have signed. signed: the hash of what the person read, None when it is not known."""
        return self._ask(self._services.approval_service.approve(proposal_id, who, signed), _ORDER_S)

    def preview(self, proposal_id: str, change: Change, seen: Preview | None = None) -> Preview:
        """Return what a change would mean, without making it. seen: another preview of the same moment; nobody is asked anew then."""
        return self._ask(self._services.approval_service.preview(proposal_id, change, seen.conditions if seen is not None else None))

    def latest_preview(self, proposal: Proposal) -> LastSeen[Preview]:
        """Return what this version of a proposal means in the world as it was seen last, with the age of that. The market is looked at once
        for all who ask, about once a second while somebody does, and less often when it does not answer; nothing is raised for that."""
        of_website = proposal.basis.instrument == "shares" and proposal.basis.place.feed == "live"
        pace_s = _SHARES_PACE_S if of_website else 1.0
        service = self._services.approval_service
        return self._polling.poll((proposal.id, proposal.hash), lambda: service.preview(proposal.id, Change()), pace_s=pace_s)

    def filled(self, proposal_id: str) -> FillSummary | None:
        """Return what was filled of a proposal's order, at which price and costs; None while nothing is. Reads the journal only."""
        proposal = self.proposal(proposal_id)
        found = self._proposal_store.order(proposal.order_ids[-1]) if proposal.order_ids else None
        return fill_summary(proposal, found[1]) if found is not None else None

    def execution_record(self, proposal_id: str) -> dict[str, Any] | None:
        """Return how the order of a proposal for shares was carried out, in JSON; None while it was not, and for contracts. Reads the
        journal only."""
        proposal = self.proposal(proposal_id)
        found = self._proposal_store.order(proposal.order_ids[-1]) if proposal.order_ids else None
        return execution_record(proposal, found[1]) if found is not None else None

    def edit(self, proposal_id: str, who: str, change: Change, signed: str | None = None) -> Proposal:
        """Change the plan before it is approved. signed: the hash of what the person read, None when it is not known."""
        return self._ask(self._services.approval_service.edit(proposal_id, who, change, signed))

    def reject(self, proposal_id: str, who: str, why: str) -> Proposal:
        """Refuse a proposal, with a reason."""
        return self._ask(self._services.approval_service.reject(proposal_id, who, why))

    def outcome(self, proposal_id: str) -> Outcome | None:
        """Return what the order of a proposal has come to in money; None where there is none, and where the broker does not report it."""
        return self._ask(self._services.holdings.outcome(self.proposal(proposal_id)))

    def shadow(self, proposal_id: str) -> ShadowResult | None:
        """Return what a refused proposal would have come to, and what the machine's plan would have where a person changed it; None
        where there is nothing to follow."""
        return self._ask(self._services.shadow.follow(self.proposal(proposal_id)))

    def positions(self) -> list[HeldPosition]:
        """Return every open position, measured. Raises when a broker cannot say: that is not the same as none."""
        return self._ask(self._services.holdings.all())

    def closed_positions(self) -> list[ClosedPosition]:
        """Return every position that is over, the one that ended last first."""
        return self._ask(self._services.holdings.closed())

    def curves(self) -> dict[str, list[tuple[datetime, float]]]:
        """Return equity over time by account, oldest first: (instant, quote units). The last point is of each account's present."""
        return self._ask(self._services.holdings.curves())

    def close_position(self, symbol: str, who: str, account: str | None = None, amount: Amount = None) -> OrderReport:
        """Close a position by hand, or a part of it: base units, `ours` or `all`. Raises NotOnlyOurs where a part of it is not ours and
        no amount was given."""
        return self._ask(self._services.holdings.close(symbol, who, account, amount), _ORDER_S)

    def draft_levels(self, wanted: WantedLevels) -> LevelsDraft:
        """Return what another stop or target of an open position would mean now, without filing it."""
        return self._ask(self._services.protection.draft(wanted))

    def propose_levels(self, wanted: WantedLevels, who: str) -> Proposal:
        """File another stop or target of an open position as a proposal. It is answered like every other one: nothing moves before it is
        signed."""
        return self._ask(self._services.protection.propose(wanted, who))

    def halted(self) -> AuditRow | None:
        """Return who halted trading, when and why; None while it is not halted."""
        return self._audit.halted()

    def halt(self, who: str, why: str = "") -> list[InFlightOrder]:
        """Stop every approval and every new position, in all processes. Returns the orders that were in flight and what became of them.

        Trading is halted before anything else is tried. Raises StoreError only when it could not be halted.
        """
        self._audit.switch("halt", who, why)
        try:
            return self._ask(self._services.dispatcher.cancel_in_flight(who), _CANCEL_S)
        except TribunalError as problem:
            _log.warning("trading is halted; what is under way could not be listed: %s", problem)
            return []

    @property
    def unhalt_requires_words(self) -> bool:
        """Whether the words of this start have to be typed to allow trading again."""
        return self._services.gate.requires_words

    def unhalt(self, who: str, why: str = "", typed: str = "") -> None:
        """Allow trading again. typed: the words of this start, where they are required. Raises NotAllowed for others, StoreError while the
        journal cannot be written: trading stays halted."""
        self._services.gate.check(typed)
        self._container.journal.failover.drain()
        self._audit.switch("unhalt", who, why)

    def journal_trouble(self) -> str:
        """Return why the journal keeps orders from being placed at the moment, or what has not been written into it yet; "" while all is
        well."""
        return self._container.journal.trouble()

    def history(self, subject: str | None = None, limit: int = 200) -> list[AuditRow]:
        """Return the newest rows of the audit chain, newest first."""
        return self._audit.history(subject, limit)

    def chain_end(self) -> str:
        """Return where the audit chain ends, in a line that can be compared with an earlier one. Raises StoreError."""
        seq, seal = self._audit.end()
        return f"audit chain: {seq} rows, the last {seal[:12]}"

    def faults(self) -> list[str]:
        """Return what in the journal is not what was written into it, the first bad row first; empty when everything holds."""
        return self._audit.faults()

    @property
    def asks_live(self) -> bool:
        """Whether real orders wait for the words of this start to be typed."""
        return self._services.gate.asks

    @property
    def is_live(self) -> bool:
        """Whether real orders may leave this process."""
        return self._services.gate.is_open and self._container.settings.broker == "exchange"

    def confirm_live(self, typed: str, who: str) -> None:
        """Allow real orders until this process ends. typed: the words of this start, as its terminal shows them. Raises NotAllowed."""
        self._services.gate.confirm(typed)
        self._audit.note("live.confirmed", who, "trading", "real orders may leave this process")

    def _ask(self, question: Coroutine[Any, Any, Result], wait_s: float = _WAIT_S) -> Result:
        try:
            return self._container.loop.submit(question).result(wait_s)
        except TimeoutError:
            raise TribunalError(f"there was no answer within {wait_s:.0f} s; what was begun goes on: look at `proposals`") from None
