"""Runs whose process died: they are told as failed when the next process opens the journal, never shown as still running."""

import os
import socket
from datetime import datetime

from engine.domain.events import Event
from engine.journal.store import Journal

ENDED = "the process that ran it ended before the run did; ask again"


def this_process() -> str:
    """The name under which this process owns its runs."""
    return f"{socket.gethostname()}:{os.getpid()}"


def settle_orphans(journal: Journal, now: datetime) -> None:
    """End every unfinished run whose owner on this machine is no longer there. Runs of other machines are left alone."""
    for run_id, owner in journal.unfinished().items():
        record = None if _may_live(owner) else journal.run(run_id)
        if record is None:
            continue
        last = max((event.seq for event in journal.events(run_id)), default=0)
        told = Event(seq=last + 1, run_id=run_id, at=now, kind="run.finished", data={"status": "failed", "errors": [ENDED]})
        journal.append([told])
        journal.end_run(record.model_copy(update={"status": "failed", "finished_at": now, "error": ENDED}))


def _may_live(owner: str) -> bool:
    host, _, pid = owner.rpartition(":")
    if host != socket.gethostname() or not pid.isdigit():
        return bool(host)
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
