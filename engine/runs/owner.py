"""Whether a run may be taken over."""

from datetime import datetime

from engine.journal.leases import Lease
from engine.journal.process import is_dead


def is_free(lease: Lease, now: datetime) -> bool:
    """Return whether another process may take the run: its owner is dead, or has been silent for longer than its lease."""
    return is_dead(lease.owner) or lease.until is None or lease.until <= now or not lease.owner
