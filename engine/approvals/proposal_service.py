"""What runs ask: how the account stands before a decision, and to file what was decided."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from engine.approvals.account_state import AccountState, account_state_of
from engine.approvals.approval_service import ApprovalService
from engine.approvals.deps import ApprovalDeps
from engine.approvals.filing import make_proposal
from engine.approvals.proposed_decision import proposed_decision
from engine.domain.account_ref import MarketRequest
from engine.domain.errors import BadInput, PastAccount, TribunalError
from engine.domain.facts import FactSheet
from engine.domain.market.snapshot import Snapshot
from engine.domain.market.timeframe import Timeframe
from engine.domain.proposal import Proposal

_log = logging.getLogger(__name__)


class ProposalService:
    """Files decisions as proposals. On the engine's loop."""

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

    async def file(
        self, final: Mapping[str, Any], request: MarketRequest, snapshot: Snapshot, sheet: FactSheet, thesis: str
    ) -> Proposal | None:
        """File a decision as a proposal; one that can be answered supersedes older ones of the same market. Returns None when there is no
        order in the decision, the filed one when the run has one already."""
        decision = proposed_decision(final)
        if decision is None or snapshot.account is None:
            return None
        proposal_store = self._deps.journal.proposal_store
        known = await asyncio.to_thread(proposal_store.of_run, str(final["run_id"]))
        if known is not None:
            return known
        feed = self._deps.feed(request.account_ref)
        terms = await feed.terms(await feed.market(snapshot.market.symbol))
        now = self._deps.clock()
        proposal = make_proposal(final, replace(decision, thesis=thesis), request, snapshot, sheet, terms, self._deps.rules, now)
        older = [
            each
            for each in await asyncio.to_thread(proposal_store.waiting, proposal.basis.account, proposal.basis.symbol)
            if proposal.is_waiting and each.basis.snapshot_at < snapshot.at
        ]
        if not await asyncio.to_thread(proposal_store.add, proposal, older):
            return await asyncio.to_thread(proposal_store.of_run, proposal.basis.run_id)
        if self._deps.automatic and request.broker == "paper" and proposal.is_waiting and proposal.signers_needed == 1:
            return await self._without_a_person(proposal)
        return proposal

    async def _without_a_person(self, proposal: Proposal) -> Proposal:
        try:
            return await self._approvals.approve(proposal.id, "automatic")
        except TribunalError as problem:  # it waits for a person, or says itself why not
            _log.warning("proposal %s was not approved automatically: %s", proposal.id, problem)
            return proposal
