"""Names of replays and of their runs.

A run is named after what is replayed and its step, never after when that was asked for: a position remembers the run that opened it, which
the script's dice see, and the same replay asked for twice has to come out the same.
"""

import hashlib
import re
import secrets
from datetime import datetime
from typing import Final

from engine.domain.replay import ReplayRequest

_RUN: Final = re.compile(r"(r[0-9a-f]{12})-\d{5}(?:x\d+)?")


def key_of(request: ReplayRequest) -> str:
    """Return the beginning of the names of a stretch's runs: what is replayed, whatever it may cost."""
    text = request.model_dump_json(exclude={"budget"})
    return f"r{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def new_name(key: str, now: datetime) -> str:
    """Return a name for one more replay."""
    return f"{key}-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def sweep_name(key: str, now: datetime) -> str:
    """Return a name for one more sweep. key: of its first replay."""
    return f"s{key[1:]}-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def run_name(key: str, number: int) -> str:
    """Return the name of the run of a step."""
    return f"{key}-{number:05d}"


def key_of_run(run_id: str) -> str:
    """Return the key that is in a run's name; "" for a run of no replay."""
    found = _RUN.fullmatch(run_id)
    return found[1] if found is not None else ""
