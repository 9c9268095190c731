"""Alerts: what must reach a person at once, through every channel there is."""

from typing import Literal

from pydantic import AwareDatetime

from engine.domain.frozen_model import FrozenModel

AlertKind = Literal["no_stop", "stopped", "gone", "unread", "read"]


class Alert(FrozenModel):
    """One alert. kind: a position has no stop (`no_stop`) or has one again (`stopped`); what is held in a market of ours is somebody else's
    (`gone`); an account cannot be read (`unread`) or can again
    (`read`). symbol: "" where it is about an account. text: one line in English; it may quote the venue."""

    kind: AlertKind
    account: str
    symbol: str = ""
    at: AwareDatetime
    text: str


class UnprotectedPosition(FrozenModel):
    """A position without a stop, by what the venue last reported. since: when that was first seen. why: in one line."""

    account: str
    symbol: str
    since: AwareDatetime
    why: str
