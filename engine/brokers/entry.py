"""What a broker's folder hands to the registry, and what it is given to make a broker."""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from engine.approvals.alerts import Alerts
from engine.domain.account_ref import AccountRef
from engine.domain.broker_capabilities import Capabilities
from engine.domain.diagnostics.venue import KeyPermissions, VenueStatus
from engine.settings import EnvironmentSettings, Settings
from engine.trading.protocol import Broker, Quotes

if TYPE_CHECKING:
    from engine.journal.store import Journal

Own = TypeVar("Own", bound=EnvironmentSettings)


@dataclass(frozen=True)
class BrokerServices:
    """What brokers are given. quotes: prices of markets and companies by the feed that an account names; made at their first use. clock:
    aware UTC now. alerts: where a position without a stop is reported."""

    settings: Settings
    journal: "Journal"
    quotes: Callable[[AccountRef], Quotes]
    clock: Callable[[], datetime]
    alerts: Alerts


@dataclass(frozen=True)
class VenueChecks(Generic[Own]):
    """What `check` asks of a broker's venue. Each opens a connection of its own and closes it. Raises BrokerError and MarketError."""

    status: Callable[[Settings, Own], Awaitable[VenueStatus]]
    permissions: Callable[[Settings, Own], Coroutine[Any, Any, KeyPermissions]]


@dataclass(frozen=True)
class BrokerEntry(Generic[Own]):
    """One broker.

    name: as it is stored, and as `--broker` and TRIBUNAL_BROKER take it. own: its settings and credentials, read from the environment when
    the program starts. make: gives the broker of one account; raises BadInput where it cannot be made. checks: None for a broker without a
    venue.
    """

    name: str
    capabilities: Capabilities
    own: type[Own]
    make: Callable[[AccountRef, Own, BrokerServices], Broker]
    checks: VenueChecks[Own] | None = None
