"""What answering for proposals needs from outside; made by the composition root."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from engine.approvals.filing import ApprovalRules
from engine.domain.account_ref import AccountRef
from engine.domain.errors import BadInput, NotAllowed
from engine.domain.proposal import Basis, Proposal
from engine.domain.risk import RiskConfig, stricter
from engine.domain.text.reason import Reason
from engine.journal.store import Journal
from engine.market.protocol import Feed
from engine.trading.protocol import Broker, ShareBroker, ShareQuotes


def no_shares(place: AccountRef) -> Any:
    """Raise BadInput: nothing here knows listed companies."""
    raise BadInput(Reason("shares_cannot_be_ordered_on", account=place.account))


@dataclass(frozen=True)
class ApprovalDeps:
    """What answering for proposals is given by the composition root.

    broker, feed: of an account; raise BadInput when they cannot be made. may_send: raises NotAllowed when orders for this account may not
    leave this process now. clock: aware UTC now. owner: the name of this process. is_dead: whether the process of that name has ended.
    automatic: whether paper proposals are approved without a person. ceiling: limits that bind in addition to those of the decision; fields
    left at their defaults do not bind. share_quotes, share_broker: prices of listed companies, and the account that holds their shares;
    raise BadInput where there are none.
    """

    journal: Journal
    broker: Callable[[AccountRef], Broker]
    feed: Callable[[AccountRef], Feed]
    may_send: Callable[[AccountRef], None]
    rules: ApprovalRules
    clock: Callable[[], datetime]
    owner: str
    is_dead: Callable[[str], bool]
    automatic: bool = False
    ceiling: RiskConfig = field(default_factory=RiskConfig)
    share_quotes: Callable[[AccountRef], ShareQuotes] = no_shares
    share_broker: Callable[[AccountRef], ShareBroker] = no_shares

    def limits(self, basis: Basis) -> RiskConfig:
        """Return the limits that bind a proposal now: the stricter of what it was decided with and what is set today."""
        return stricter(basis.risk, self.ceiling)


def client_id(*parts: str) -> str:
    """Return an order's id, derived from what it is for: asked twice, it is the same, and no other order has it."""
    return f"tb-{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:28]}"


def require_proposal(journal: Journal, proposal_id: str) -> Proposal:
    """Return a proposal. Raises NotAllowed if the id is unknown."""
    proposal = journal.proposal_store.proposal(proposal_id)
    if proposal is None:
        raise NotAllowed(Reason("proposal_is_not_known", proposal_id=f"{proposal_id[:60]!r}"))
    return proposal
