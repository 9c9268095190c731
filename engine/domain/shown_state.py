"""How a run is shown in one word, on pages and in the shell: its outcome, of what it was filed as, and what keeps that from being
signed. The rules are here; signs and words of pages are in `pages/run/states.py`.
"""

from typing import Literal

from engine.domain.proposal import Proposal
from engine.domain.run import RunState

ShownState = Literal[
    "starting", "running", "interrupted", "stopped", "failed", "invalid", "finished",
    "waits", "edited", "signed", "locked", "halted",
    "blocked", "no_order", "approved", "sent", "filled", "rejected", "expired", "superseded", "not_ordered", "unknown",
    "levels_filled", "levels_failed",
]  # fmt: skip
"""finished: with nothing to sign. invalid: it ended in its safe action. signed: by some of those who have to. locked: it cannot be signed
as it is. halted: trading is. levels_*: of a change of stop and target."""
ASKS: frozenset[ShownState] = frozenset({"waits", "edited", "signed"})
"""Those that ask for the reader's answer."""
ANSWERED: dict[str, ShownState] = {
    "blocked": "blocked",
    "approved": "approved",
    "sent": "sent",
    "filled": "filled",
    "rejected": "rejected",
    "expired": "expired",
    "superseded": "superseded",
    "failed": "not_ordered",
    "unknown": "unknown",
}
"""What an answered proposal is shown as, by its `ProposalState`."""


def state_of_run(
    status: RunState, proposal: Proposal | None, *, is_valid: bool | None, halted: bool = False, locked: bool = False
) -> ShownState:
    """Return how a run is shown. proposal: what it was filed as, at the moment that is shown (`Proposal.as_at`). is_valid: of its end."""
    if status in ("starting", "running"):
        return status
    if proposal is not None:
        return state_of_proposal(proposal, halted=halted, locked=locked)
    if status == "finished":
        return "invalid" if is_valid is False else "finished"
    return status


def state_of_proposal(proposal: Proposal, *, halted: bool = False, locked: bool = False) -> ShownState:
    """Return how a proposal is shown, at the moment that is shown. halted: the kill switch is on. locked: it cannot be signed as it is."""
    if proposal.is_waiting:
        if halted or locked:
            return "halted" if halted else "locked"
        if any(each.hash == proposal.hash for each in proposal.signatures):
            return "signed"
        return "edited" if proposal.state == "edited" else "waits"
    if proposal.plan.protects and proposal.state in ("filled", "failed"):
        return "levels_filled" if proposal.state == "filled" else "levels_failed"
    if proposal.state == "blocked" and all(check.passed for check in proposal.limits):
        return "no_order"
    return ANSWERED[proposal.state]
