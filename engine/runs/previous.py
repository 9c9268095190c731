"""The decision before another one: of the same flow, about the same market and candles, for the same account. Blocking. Raises StoreError.

A second opinion on the inputs of another run (a fork, a run played again, a case) is no decision of its own, and neither is one that ended
in the safe action for a fault.
"""

from datetime import datetime

from engine.domain.run import RunRecord, RunRequest
from engine.journal.store import Journal


def previous_decision(journal: Journal, request: RunRequest, clock: datetime) -> RunRecord | None:
    """Return the newest one whose clock is before that of a decision, or None. request: what that one was asked."""
    if request.account_ref is None:
        return None
    account = request.account_ref.account
    for run_id, asked in journal.run_search.decided_before(request.flow, request.subject, request.candles, clock):
        is_own = asked.origin is None or asked.origin.fresh
        if is_own and asked.account_ref is not None and asked.account_ref.account == account:
            return journal.run(run_id)
    return None
