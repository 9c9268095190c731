"""What somebody must be told at once, wherever they are."""

from typing import Literal

from pydantic import AwareDatetime

from engine.domain.frozen_model import FrozenModel

AlertKind = Literal["no_stop", "stopped", "unread", "read"]


class Alert(FrozenModel):
    """kind: a position stands without its stop, or does so no longer; an account cannot be read, or can again. symbol: "" where it is about
    an account. text: in English, from the venue's words too."""

    kind: AlertKind
    account: str
    symbol: str = ""
    at: AwareDatetime
    text: str


class UnprotectedPosition(FrozenModel):
    """A position that stands without a stop, by what was last read back. since: when that was first seen."""

    account: str
    symbol: str
    since: AwareDatetime
    why: str
