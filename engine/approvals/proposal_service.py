"""What runs ask: how the account stands before a decision, and for the proposal of what was decided."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from engine.approvals.account_state import AccountState, account_state_of
from engine.approvals.approval_service import ApprovalService
from engine.approvals.deps import ApprovalDeps
from engine.approvals.filing import make_proposal
from engine.approvals.live_conditions import read_live_conditions
from engine.approvals.proposed_decision import proposed_decision
from engine.approvals.share_filing import ShareClock, execution_record, make_share_proposal, share_basis
from engine.domain.account_ref import AccountRef, MarketRequest
from engine.domain.equity.cash_account import CashAccount
from engine.domain.equity.listing import Listing
from engine.domain.equity.share_ticket import ShareTicket
from engine.domain.equity.trading_session import TradingMoment
from engine.domain.errors import BadInput, PastAccount, TribunalError
from engine.domain.facts import FactSheet
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.domain.proposal import NewProposal, Proposal
from engine.domain.risk import RiskConfig

_log = logging.getLogger(__name__)


class ProposalService:
    """Makes proposals of decisions; they are filed with the end of their runs (`Journal.finish_run`). On the engine's loop."""

    def __init__(self, deps: ApprovalDeps, approvals: ApprovalService) -> None:
        self._deps, self._approvals = deps, approvals

    async def account_state(self, request: MarketRequest) -> AccountState | None:
        """Return the state of the account at the instant the decision is about. None when the request states its position itself.

        Raises BadInput for a request that cannot be proposed, BrokerError or MarketError when the account cannot be read.
        """
        if request.holding is not None:
            if request.propose:
                raise BadInput("what is decided for a position in a file cannot be proposed: leave --position out, the broker's own counts")
            return None
        if request.broker == "exchange" and request.feed != "live":
            raise BadInput("an exchange's account is traded at its own prices: use --feed live with --broker exchange")
        if request.broker == "exchange" and request.at is not None:
            raise BadInput("a decision about the past cannot be ordered on an exchange: leave --at out, or use --broker paper")
        broker = self._deps.broker(request.account_ref)
        at = await self._instant(request)
        symbol = (await self._deps.feed(request.account_ref).market(request.symbol)).symbol
        try:
            return await account_state_of(self._deps.journal, broker, symbol, request.risk, at, keep=request.propose)
        except PastAccount as problem:
            if request.propose:
                raise
            return AccountState(None, None, notes=(f"{problem}: decided as if flat, and nothing can be ordered from it",))

    async def _instant(self, request: MarketRequest) -> datetime | None:
        """Return the instant a request is about; None for the market's present, where nobody named one and the market goes on by itself."""
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

    async def cash_account(self, ref: AccountRef, listing: Listing, moment: TradingMoment, risk: RiskConfig) -> CashAccount:
        """Return how an account stands for shares at a moment: the session's open or close, or the present where the moment is its newest.

        An account that has come further is given as untouched, with a note: nothing can be ordered from it. Raises BadInput where no shares
        can be held, BrokerError and MarketError when it cannot be read, StoreError.
        """
        ref = ref.in_currency(listing.currency)
        clock = await self._share_clock(ref, listing.symbol, moment)
        broker = self._deps.share_broker(ref)
        try:
            found = await broker.cash_account(clock.market_clock, moment.trade_date, equity=risk.equity)
        except PastAccount as problem:
            note = f"{problem}: decided as if nothing were held, and nothing can be ordered from it"
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
        """Return whether no person has to approve it: on paper, where the settings say so."""
        on_paper = proposal.basis.place.broker == "paper"
        return self._deps.automatic and on_paper and proposal.is_waiting and proposal.signers_needed == 1

    async def approve_unattended(self, proposal: Proposal) -> dict[str, Any] | None:
        """Approve a proposal that was filed and that no person has to approve. Returns how its order for shares was carried out; None where
        it was not, and for contracts."""
        try:
            approved = await self._approvals.approve(proposal.id, "automatic")
            order = await asyncio.to_thread(self._deps.journal.proposal_store.order, approved.order_ids[-1]) if approved.order_ids else None
        except TribunalError as problem:  # it waits for a person, or says itself why not
            _log.warning("proposal %s was not approved automatically: %s", proposal.id, problem)
            return None
        return execution_record(approved, order[1] if order is not None else None)

    async def _share_clock(self, ref: AccountRef, symbol: str, moment: TradingMoment) -> ShareClock:
        """Return the clock of a decision: its own moment in a recording and when its time to be answered is over, else the market's
        present. A decision about the past is answered as long as any other proposal."""
        quotes, now = self._deps.share_quotes(ref), self._deps.clock()
        until = await quotes.answer_until(symbol, moment)
        if ref.feed == "recorded" or until <= now:
            return ShareClock(await quotes.clock(symbol, moment), now + timedelta(seconds=self._deps.rules.expires_s))
        return ShareClock(None, until)
