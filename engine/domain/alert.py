"""Alerts: what must reach a person at once, through every channel there is."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

from pydantic import AwareDatetime

from engine.domain.frozen_model import FrozenModel
from engine.domain.text.reason import Said

AlertKind = Literal["no_stop", "stopped", "gone", "unread", "read", "waits", "failed", "halted", "allowed", "closed"]
AlertTopic = Literal["waits", "no_stop", "failed", "halted", "closed"]
"""What can be chosen: a proposal waits for a signature; a position is not protected or an account cannot be read; a run failed; trading is
halted; a position is closed."""
TOPICS: Final[tuple[AlertTopic, ...]] = get_args(AlertTopic)
TOPIC_OF: Final[Mapping[AlertKind, AlertTopic]] = {
    **dict.fromkeys(("no_stop", "stopped", "gone", "unread", "read"), "no_stop"),
    **dict.fromkeys(("halted", "allowed"), "halted"),
    "waits": "waits",
    "failed": "failed",
    "closed": "closed",
}


class Alert(FrozenModel):
    """One alert. kind: a position has no stop (`no_stop`) or has one again (`stopped`); what is held in a market of ours is someone else's
    (`gone`); an account cannot be read (`unread`) or can again (`read`); a proposal waits for a signature (`waits`); a run failed; trading
    is halted, or allowed again; a position is closed. symbol: "" where it is about no market. text: one line; it may quote the venue."""

    kind: AlertKind
    account: str
    symbol: str = ""
    at: AwareDatetime
    text: Said

    @property
    def topic(self) -> AlertTopic:
        """What it is about."""
        return TOPIC_OF[self.kind]


class SentAlert(FrozenModel):
    """What became of a message to one address. kind: of the service, as its address begins: `tgram`. is_sent: the service took it."""

    kind: str
    is_sent: bool


class UnprotectedPosition(FrozenModel):
    """A position without a stop, by what the venue last reported. since: when that was first seen. why: in one line."""

    account: str
    symbol: str
    since: AwareDatetime
    why: Said
