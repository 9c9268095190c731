"""Proposals, positions, the kill switch and the audit chain, as pages and shell see them.

Every method may be called from any thread but the engine's own, and raises a TribunalError with one clear line when it cannot do what it
says. `who` is the person who acts: someone who has logged in, or the local operator.
"""

import logging
from collections.abc import Collection, Coroutine
from datetime import datetime
from typing import Any, TypeVar

from engine.approvals.approval_service import Change, Preview
from engine.approvals.deps import require_proposal
from engine.approvals.execution import read_execution
from engine.approvals.filing import FillSummary, fill_summary
from engine.approvals.held_position import AccountStatus, ClosedPosition, HeldPosition
from engine.approvals.order_dispatch import InFlightOrder
from engine.approvals.practice import PracticeAccount
from engine.approvals.protection_service import LevelsDraft, WantedLevels
from engine.bootstrap.container import Container
from engine.domain.alert import Alert, AlertKind, UnprotectedPosition
from engine.domain.audit import AuditRow
from engine.domain.broker_capabilities import Capabilities, capabilities_of
from engine.domain.clock import utc_now
from engine.domain.errors import StoreError, TribunalError
from engine.domain.holding import NATURES
from engine.domain.market.terms import MarketTerms
from engine.domain.orders import OrderReport, Outcome, Position
from engine.domain.position_record import PositionRecord
from engine.domain.proposal import Proposal
from engine.domain.run import RunRequest
from engine.domain.text.reason import Reason
from engine.instruments.instrument import Amount
from engine.runs.shared_polling import LastSeen, SharedPolling
from engine.trading.signed_book import SignedBook, signed_book

_WAIT_S = 90.0
_ORDER_S = 240.0  # an order leaves 40 s after its account was measured or never; then its fill and its stop are waited for
_CANCEL_S = 20.0
MAINTENANCE_WAIT_S = 8.0
"""How long a command waits for an exchange before it does what it was asked for."""
_MOST_LISTED = 10_000
_SHARES_PACE_S = 15.0  # between two looks at a website's prices
_BOOK_PACE_S = 3.0  # between two looks at what an account holds

_log = logging.getLogger(__name__)

Result = TypeVar("Result")


class Trading:
    """What a decision becomes. One per engine."""

    def __init__(self, container: Container) -> None:
        self._container, self._services = container, container.approvals
        self._proposal_store, self._audit = container.journal.proposal_store, container.journal.audit
        self._polling: SharedPolling[Preview] = SharedPolling(container.loop.submit)
        self._books: SharedPolling[tuple[tuple[Position, ...], dict[str, MarketTerms]]] = SharedPolling(container.loop.submit)

    @property
    def operator(self) -> str:
        """Who acts if no one has logged in."""
        return self._container.settings.operator_name

    def recover(self) -> list[Proposal]:
        """Find the outcome of orders that a dead process left, mark what has expired, and let brokers put things in order.

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
            raise TribunalError(Reason("exchange_did_not_answer_within_s", maintenance_wait_s=f"{MAINTENANCE_WAIT_S:.0f}"))
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
        if NATURES[proposal.basis.instrument].in_sessions and proposal.state == "sent":
            return False  # a day order that rests: there is no position yet
        if proposal.state in {"sent", "unknown"}:
            return True
        order = self._proposal_store.order(proposal.order_ids[-1]) if proposal.state == "filled" and proposal.order_ids else None
        return order is not None and order[1] is not None and order[1].protected is False

    def warnings(self) -> list[str]:
        """Return what needs attention about the accounts in use (a key that may withdraw), a line each. Asks the brokers."""
        return self._ask(self._services.holdings.warnings())

    def proposals(self, limit: int = 200) -> list[Proposal]:
        """Return the newest proposals, newest first; those that no one answered in time are marked first."""
        self._ask(self._services.approval_service.expire_due())
        return self._proposal_store.proposals(min(limit, _MOST_LISTED))

    def waiting(self, account: str | None = None, symbol: str | None = None) -> list[Proposal]:
        """Return those that can be answered at this moment, oldest first; of one market when it is named. Reads the journal only."""
        now = utc_now()
        return [each for each in self._proposal_store.waiting(account, symbol) if each.as_at(now).is_waiting]

    def proposal(self, proposal_id: str) -> Proposal:
        """Return one proposal. Raises NotAllowed if the id is unknown."""
        return require_proposal(self._container.journal, proposal_id)

    def proposal_of(self, run_id: str) -> Proposal | None:
        """Return what a run's decision was filed as; None when it was not."""
        return self._proposal_store.of_run(run_id)

    def proposals_of(self, run_ids: Collection[str]) -> dict[str, Proposal]:
        """Return run -> what its decision was filed as, as it is now; runs that filed nothing are not in it."""
        now = utc_now()
        return {each.basis.run_id: each.as_at(now) for each in self._proposal_store.of_runs(run_ids)}

    def approve(self, proposal_id: str, who: str, signed: str | None = None) -> Proposal:
        """Sign, and send the order when all have signed. signed: the hash of what the person read, None when it is not known."""
        return self._ask(self._services.approval_service.approve(proposal_id, who, signed), _ORDER_S)

    def preview(self, proposal_id: str, change: Change, seen: Preview | None = None) -> Preview:
        """Return what a change would mean, without making it. seen: another preview of the same moment; no one is asked anew then."""
        return self._ask(self._services.approval_service.preview(proposal_id, change, seen.conditions if seen is not None else None))

    def latest_preview(self, proposal: Proposal) -> LastSeen[Preview]:
        """Return what this version of a proposal means in the world as it was seen last, with the age of that. The market is looked at once
        for all who ask, about once a second while someone does, and less often when it does not answer; nothing is raised for that."""
        of_website = NATURES[proposal.basis.instrument].in_sessions and proposal.basis.place.feed == "live"
        pace_s = _SHARES_PACE_S if of_website else 1.0
        service = self._services.approval_service
        version = proposal.id, proposal.hash, len(proposal.lifted)
        return self._polling.poll(version, lambda: service.preview(proposal.id, Change()), pace_s=pace_s)

    def signed_book(self, proposal: Proposal, preview: Preview) -> SignedBook | None:
        """Return what the positions of its account come to now, and would once it is signed as it is in a preview; None before they
        could be read. They are read once for all who ask, every few seconds while somebody does."""
        basis, holdings = proposal.basis, self._services.holdings
        account = basis.account, basis.market_clock
        held = self._books.poll(account, lambda: holdings.held_of(basis.place, basis.market_clock), pace_s=_BOOK_PACE_S).seen
        if held is None:
            return None
        return signed_book(*held, preview.conditions.account, basis.symbol, preview.plan, preview.figures)

    def filled(self, proposal_id: str) -> FillSummary | None:
        """Return what was filled of a proposal's order, at which price and costs; None while nothing is. Reads the journal only."""
        proposal = self.proposal(proposal_id)
        found = self._proposal_store.order(proposal.order_ids[-1]) if proposal.order_ids else None
        return fill_summary(proposal, found[1]) if found is not None else None

    def execution_record(self, proposal_id: str) -> dict[str, Any] | None:
        """Return how the order of a proposal was carried out, in JSON; None before one was written. Reads the journal only."""
        return read_execution(self._proposal_store, self.proposal(proposal_id))

    def edit(self, proposal_id: str, who: str, change: Change, signed: str | None = None) -> Proposal:
        """Change the plan before it is approved. signed: the hash of what the person read, None when it is not known."""
        return self._ask(self._services.approval_service.edit(proposal_id, who, change, signed))

    def lift(self, proposal_id: str, who: str, why: str, signed: str | None = None) -> Proposal:
        """Lift the locks of a proposal that a person may lift, with a reason. signed: the hash of what the person read, None when it is not
        known."""
        return self._ask(self._services.approval_service.lift(proposal_id, who, why, signed))

    def reject(self, proposal_id: str, who: str, why: str) -> Proposal:
        """Refuse a proposal, with a reason."""
        return self._ask(self._services.approval_service.reject(proposal_id, who, why))

    def outcome(self, proposal_id: str) -> Outcome | None:
        """Return the outcome of a proposal's order in money; None if it has no order or the broker does not report it."""
        return self._ask(self._services.holdings.outcome(self.proposal(proposal_id)))

    def shadow(self, proposal_id: str) -> Outcome | None:
        """Return what a refused proposal would have come to, and what the machine's plan would have where a person changed it; None
        where there is nothing to follow."""
        return self._ask(self._services.holdings.outcome_on_paper(self.proposal(proposal_id)))

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

    def begin_practice(
        self, request: RunRequest, who: str, own: PracticeAccount | None = None
    ) -> tuple[RunRequest, PracticeAccount | None]:
        """Return a request as it is decided for an empty account for practice that is not in use, and that account; as it is where it
        orders nothing. own: the account that was given before, which is taken again where nobody else has begun it since. Raises NotAllowed
        for a request whose account is not for practice."""
        if (ref := request.account_ref) is None:
            return request, None
        begun = self._ask(self._services.practice.start_over(ref, who, own))
        return request.model_copy(update={"practice": begun.number}), begun

    def take_further(self, proposal: Proposal, at: datetime) -> PositionRecord | None:
        """Let the market of a proposal's account go on to an instant, where that account is for practice: what it reaches on the way is
        filled. Returns the position that its order opened, None where the account has begun anew since. Raises NotAllowed for any other
        account."""
        return self._ask(self._services.practice.take_further(proposal, at))

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
        """Stop every approval and every new position, in all processes. Returns the orders that were in flight and their outcome.

        Trading is halted before anything else is tried. Raises StoreError at the end when not every process could be told.
        """
        untold: StoreError | None = None
        try:
            self._audit.switch("halt", who, why)
        except StoreError as problem:  # at least this process is halted
            untold = problem
        said = Reason("trading_was_halted_by_because", who=who, why=why) if why else Reason("trading_was_halted_by", who=who)
        self._alert("halted", said)
        cancelled: list[InFlightOrder] = []
        try:
            cancelled = self._ask(self._services.dispatcher.cancel_in_flight(who), _CANCEL_S)
        except TribunalError as problem:
            _log.warning("trading is halted; what is under way could not be listed: %s", problem)
        if untold is not None:
            raise untold
        return cancelled

    @property
    def unhalt_requires_words(self) -> bool:
        """Whether the words of this start have to be typed to allow trading again."""
        return self._services.gate.requires_words

    def unhalt(self, who: str, why: str = "", typed: str = "") -> None:
        """Allow trading again. typed: the words of this start, where they are required. Raises NotAllowed for others, StoreError while the
        journal cannot be written: trading stays halted."""
        self._services.gate.check(typed)
        self._container.journal.close_orders.take_in()
        self._audit.switch("unhalt", who, why)
        self._alert("allowed", Reason("trading_was_allowed_by", who=who))

    def _alert(self, kind: AlertKind, text: Reason) -> None:
        self._services.alerts.send(Alert(kind=kind, account="", at=utc_now(), text=text))

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
        return Reason("audit_chain_end", seq=seq, seal=seal[:12])

    def faults(self) -> list[str]:
        """Return what in the journal is not what was written into it, the first bad row first; empty when everything holds."""
        return self._audit.faults()

    @property
    def asks_live(self) -> bool:
        """Whether real orders wait for the words of this start to be typed."""
        return self._services.gate.asks

    @property
    def capabilities(self) -> Capabilities:
        """What the broker of the settings can do."""
        return capabilities_of(self._container.settings.broker)

    @property
    def is_live(self) -> bool:
        """Whether real orders may leave this process."""
        return self._services.gate.is_open and self.capabilities.real_money

    def confirm_live(self, typed: str, who: str) -> None:
        """Allow real orders until this process ends. typed: the words of this start, as its terminal shows them. Raises NotAllowed."""
        self._services.gate.confirm(typed)
        self._audit.note("live.confirmed", who, "trading", "real orders may leave this process")

    def _ask(self, question: Coroutine[Any, Any, Result], wait_s: float = _WAIT_S) -> Result:
        try:
            return self._container.loop.submit(question).result(wait_s)
        except TimeoutError:
            raise TribunalError(Reason("there_was_no_answer_within_s", wait_s=f"{wait_s:.0f}")) from None
