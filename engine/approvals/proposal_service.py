"""What runs ask: the state of the account before a decision, and for the proposal of what was decided."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from engine.approvals.account_state import account_state_of
from engine.approvals.alerts import Alerts
from engine.approvals.approval_service import ApprovalService
from engine.approvals.deps import ApprovalDeps
from engine.approvals.filing import make_proposal
from engine.approvals.live_conditions import read_live_conditions
from engine.approvals.proposed_decision import proposed_decision
from engine.approvals.share_filing import ShareClock, make_share_proposal, share_basis, share_plan
from engine.domain.account_ref import AccountRef, MarketRequest
from engine.domain.alert import Alert
from engine.domain.broker_capabilities import capabilities_of
from engine.domain.equity.cash_account import CashAccount
from engine.domain.equity.listing import Listing
from engine.domain.equity.share_ticket import ShareTicket
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.errors import BadInput, PastAccount, TribunalError
from engine.domain.facts import FactSheet
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.domain.orders import AccountView
from engine.domain.proposal import NewProposal, Planned, Proposal
from engine.domain.risk import RiskConfig
from engine.domain.text.reason import Reason
from engine.flows.protocol import AccountState

_log = logging.getLogger(__name__)


class ProposalService:
    """Makes proposals of decisions; they are filed with the end of their runs (`Journal.finish_run`). On the engine's loop."""

    def __init__(self, deps: ApprovalDeps, approvals: ApprovalService, alerts: Alerts) -> None:
        self._deps, self._approvals, self._alerts = deps, approvals, alerts

    async def account_state(self, request: MarketRequest) -> AccountState | None:
        """Return the state of the account at the instant the decision is about. None when the request states its position itself.

        Raises BadInput for a request that cannot be proposed, BrokerError or MarketError when the account cannot be read.
        """
        if request.holding is not None:
            if request.propose:
                raise BadInput(Reason("what_is_decided_for_position_in_file"))
            return None
        able = capabilities_of(request.broker)
        if not able.any_feed and request.feed != "live":
            raise BadInput(Reason("exchange_account_is_traded_at_its_own", broker=request.broker))
        if not able.any_feed and request.at is not None:
            raise BadInput(Reason("decision_about_past_cannot_be_ordered"))
        broker = self._deps.broker(request.account_ref)
        at = await self.instant(request)
        market = await self._deps.feed(request.account_ref).market(request.symbol)
        if request.propose and market.kind == "spot" and not able.spot:
            raise BadInput(Reason("spot_is_not_ordered_at", broker=request.broker, symbol=market.symbol))
        try:
            return await account_state_of(self._deps.journal, broker, market.symbol, request.risk, at, keep=request.propose)
        except PastAccount as problem:
            if request.propose:
                raise
            return AccountState(None, None, notes=(Reason("decided_as_if_flat_and_nothing_can", problem=problem),))

    async def instant(self, request: MarketRequest) -> datetime | None:
        """See the protocol."""
        if request.at is not None or request.feed != "recorded":
            return request.at
        feed = self._deps.feed(request.account_ref)
        htf = Timeframe.parse(request.timeframe_htf) if request.timeframe_htf else None
        return await feed.clock(await feed.market(request.symbol), Timeframe.parse(request.timeframe), htf)

    async def prepare(
        self, final: Mapping[str, Any], request: MarketRequest, snapshot: Snapshot, sheet: FactSheet, thesis: str
    ) -> NewProposal | None:
        """Return a decision as a proposal; one that can be answered supersedes older ones of the same market. None when there is no order
        in the decision."""
        decision = proposed_decision(final)
        if decision is None or snapshot.account is None:
            return None
        feed = self._deps.feed(request.account_ref)
        terms = await feed.terms(await feed.market(snapshot.market.symbol))
        now = self._deps.clock()
        proposal = make_proposal(final, replace(decision, thesis=thesis), request, snapshot, sheet, terms, self._deps.rules, now)
        waiting = await asyncio.to_thread(self._deps.journal.proposal_store.waiting, proposal.basis.account, proposal.basis.symbol)
        older = (each for each in waiting if proposal.is_waiting and each.is_of_run and each.basis.snapshot_at < snapshot.at)
        return NewProposal(proposal, tuple(older), self._is_unattended(proposal))

    async def plan(self, final: Mapping[str, Any], request: MarketRequest, snapshot: Snapshot, sheet: FactSheet) -> Planned:
        """See the protocol. Where the decision was made without an account, it is sized on an untouched one."""
        decision = proposed_decision(final)
        if decision is None or not decision.action.adds_risk or decision.refused:
            return Planned(decided_at=snapshot.at)
        ref = request.account_ref
        if snapshot.account is None:
            untouched = AccountView(account=ref.account, broker=ref.broker, equity=request.risk.equity)
            snapshot = replace(snapshot, account=untouched)
        terms = snapshot.terms
        if terms is None:
            feed = self._deps.feed(ref)
            terms = await feed.terms(await feed.market(snapshot.market.symbol))
        made = make_proposal(final, decision, request, snapshot, sheet, terms, self._deps.rules, self._deps.clock())
        return Planned(decided_at=snapshot.at, basis=made.basis, plan=made.machine, adds=made.basis.holding is not None)

    async def plan_shares(self, final: Mapping[str, Any], ticket: ShareTicket) -> Planned:
        """See the protocol."""
        ticket = ticket.model_copy(update={"place": ticket.place.in_currency(ticket.listing.currency)})
        clock = await self._share_clock(ticket.place, ticket.listing.symbol, ticket.moment)
        terms = await self._deps.share_quotes(ticket.place).terms(ticket.listing.symbol)
        basis = share_basis(final, ticket, ticket.place.account, None, terms, clock)
        return Planned(decided_at=ticket.moment.known_at, basis=basis, plan=share_plan(ticket, terms), adds=ticket.held > 0)

    async def cash_account(self, ref: AccountRef, listing: Listing, moment: TradingMoment, risk: RiskConfig) -> CashAccount:
        """Return the state of an account for shares at a moment: the session's open or close, or the present if it is the newest.

        An account that has come further is given as untouched, with a note: nothing can be ordered from it. Raises BadInput where no shares
        can be held, BrokerError and MarketError when it cannot be read, StoreError.
        """
        ref = ref.in_currency(listing.currency)
        clock = await self._share_clock(ref, listing.symbol, moment)
        broker = self._deps.share_broker(ref)
        try:
            found = await broker.cash_account(clock.market_clock, moment.trade_date, equity=risk.equity)
        except PastAccount as problem:
            note = Reason("decided_as_if_nothing_were_held", problem=problem)
            return CashAccount(account=broker.account, cash=risk.equity, total_value=risk.equity, notes=(note,))
        halted = await asyncio.to_thread(self._deps.journal.audit.halted) is not None
        return found.model_copy(update={"halted": halted})

    async def prepare_shares(self, final: Mapping[str, Any], ticket: ShareTicket) -> NewProposal:
        """Return an order for shares as a proposal; one that can be answered supersedes older ones of the same company. final: the state it
        was decided in. Raises a TribunalError when it cannot be filed."""
        ticket = ticket.model_copy(update={"place": ticket.place.in_currency(ticket.listing.currency)})
        now, symbol = self._deps.clock(), ticket.listing.symbol
        clock = await self._share_clock(ticket.place, symbol, ticket.moment)
        broker, quotes = self._deps.share_broker(ticket.place), self._deps.share_quotes(ticket.place)
        terms = await quotes.terms(symbol)
        position = await broker.position(symbol, clock.market_clock, keep=True)
        basis = share_basis(final, ticket, broker.account, position.holding() if position is not None else None, terms, clock)
        conditions = await read_live_conditions(self._deps, basis)
        proposal = make_share_proposal(basis, ticket, conditions, self._deps.rules, now, clock)
        waiting = await asyncio.to_thread(self._deps.journal.proposal_store.waiting, basis.account, symbol)
        older = (each for each in waiting if proposal.is_waiting and each.is_of_run and each.basis.snapshot_at <= basis.snapshot_at)
        return NewProposal(proposal, tuple(older), self._is_unattended(proposal))

    def _is_unattended(self, proposal: Proposal) -> bool:
        """Return whether no person has to approve it: no real money is at stake, and the settings say so."""
        costs_nothing = not capabilities_of(proposal.basis.place.broker).real_money
        return self._deps.automatic and costs_nothing and proposal.is_waiting and proposal.signers_needed == 1

    async def approve_unattended(self, proposal: Proposal) -> None:
        """Approve a proposal that was filed and that no person has to approve."""
        try:
            await self._approvals.approve(proposal.id, "automatic")
        except TribunalError as problem:  # it waits for a person, or says itself why not
            _log.warning("proposal %s was not approved automatically: %s", proposal.id, problem)

    async def announce(self, proposal: Proposal) -> None:
        """See the protocol. A demo's are signed by the viewer."""
        basis, now = proposal.basis, self._deps.clock()
        if not proposal.is_waiting or basis.place.starts_over:
            return
        minutes = f"{max(0.0, (proposal.expires_at - now).total_seconds() / 60):.0f}"
        text = Reason("proposal_waits_for_signature", symbol=basis.symbol, timeframe=basis.timeframe, minutes=minutes)
        self._alerts.send(Alert(kind="waits", account=basis.account, symbol=basis.symbol, at=now, text=text))

    async def _share_clock(self, ref: AccountRef, symbol: str, moment: TradingMoment) -> ShareClock:
        """Return the clock of a decision: its own moment in a recording and when its time to be answered is over, else the market's
        present. A decision about the past is answered as long as any other proposal."""
        quotes, now = self._deps.share_quotes(ref), self._deps.clock()
        until = await quotes.answer_until(symbol, moment)
        if ref.feed == "recorded" or until <= now:
            return ShareClock(await quotes.clock(symbol, moment), now + timedelta(seconds=self._deps.rules.expires_s))
        return ShareClock(None, until)
