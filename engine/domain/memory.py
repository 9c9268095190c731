"""What a run leaves for later runs to read."""

from typing import Any

from engine.domain.frozen_model import FrozenModel


class Memory(FrozenModel):
    """One thing to remember. flow, subject: of the runs that read it. name: which of their memories it is. body: plain JSON."""

    flow: str
    subject: str
    name: str
    body: dict[str, Any]
