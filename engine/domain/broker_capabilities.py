"""What brokers can do, by name. Each folder of `engine/brokers` registers its own; the rest of the program asks for a capability, never for
a name, so that a broker can be added without an edit elsewhere."""

from dataclasses import dataclass
from typing import Final

from engine.domain.errors import BadInput
from engine.domain.text.reason import Reason

DEFAULT_BROKER: Final = "paper"
"""The broker of a request that names none and whose feed or instrument the broker of the settings does not take."""
DEMO_BROKER: Final = "demo"
"""The broker of guided demos."""


@dataclass(frozen=True)
class Capabilities:
    """What one broker can do. Left out, a capability is missing, and the stricter rules apply.

    contracts, spot, shares: what can be ordered; spot goes with contracts.
    any_feed: it trades at the prices of whatever feed, clock and currency a request names, with an account for each. Without it the account
        follows the venue's own prices, now.
    per_exchange: it has an account for each exchange that a request names.
    at_venue: orders travel to someone else's system: one may arrive late, rest there or be lost, and other programs may trade on the same
        account. Without it an order and what it does are one write, and an order that the account does not know never existed.
    reserves_cash: the cash of an order that rests is set aside, so that further orders can be measured meanwhile.
    real_money: orders may cost real money: proposals need a person, and TRIBUNAL_LIVE=yes with its typed confirmation is required.
    starts_over: its accounts can be emptied: they are for practice, and hold nothing of value.
    sandbox: without TRIBUNAL_LIVE=yes orders go to a sandbox of the venue. A broker with real money and no sandbox orders nothing then.
    """

    contracts: bool = False
    spot: bool = False
    shares: bool = False
    any_feed: bool = False
    per_exchange: bool = False
    at_venue: bool = True
    reserves_cash: bool = False
    real_money: bool = True
    sandbox: bool = False
    starts_over: bool = False


_REGISTERED: Final[dict[str, Capabilities]] = {}


def register_capabilities(name: str, capabilities: Capabilities) -> None:
    """Make a broker known under its name, as it is stored and as `--broker` takes it."""
    _REGISTERED[name] = capabilities


def registered_brokers() -> tuple[str, ...]:
    """Return the names of the registered brokers, the first registered first."""
    return tuple(_REGISTERED)


def capabilities_of(name: str) -> Capabilities:
    """Return what the broker of a name can do. Raises BadInput for a name that is not registered."""
    if name not in _REGISTERED:
        raise BadInput(Reason("broker_is_not_known", broker=f"{name[:40]!r}", brokers=", ".join(_REGISTERED)))
    return _REGISTERED[name]
