"""The brokers of this installation. To add one, write its folder and register its entry here."""

from typing import Any, Final

from engine.brokers.ccxt.entry import EXCHANGE
from engine.brokers.demo.entry import DEMO
from engine.brokers.entry import BrokerEntry
from engine.brokers.paper.entry import PAPER
from engine.domain.broker_capabilities import DEFAULT_BROKER, capabilities_of, register_capabilities
from engine.domain.errors import BadInput
from engine.domain.text.reason import Reason
from engine.settings import EnvironmentSettings, load

BROKERS: Final[dict[str, BrokerEntry[Any]]] = {}


def register(entry: BrokerEntry[Any]) -> None:
    """Make a broker available by its name."""
    BROKERS[entry.name] = entry
    register_capabilities(entry.name, entry.capabilities)


def own_settings() -> dict[str, EnvironmentSettings]:
    """Read the settings of every broker, by broker. Raises BadInput naming the variable and what is wrong with it, never its value."""
    return {name: load(entry.own) for name, entry in BROKERS.items()}


def broker_for(chosen: str, feed: str, *, shares: bool) -> str:
    """Return the broker of a request that names none: the one of the settings where it takes such orders on such a feed, else paper."""
    able = capabilities_of(chosen)
    takes = able.shares if shares else able.contracts
    return chosen if takes and (able.any_feed or feed == "live") else DEFAULT_BROKER


def require_broker(name: str, *, shares: bool) -> None:
    """Require that a broker takes shares, or contracts. Raises BadInput for one that does not, and for one that is not registered."""
    able = capabilities_of(name)
    if shares and not able.shares:
        raise BadInput(Reason("shares_are_ordered_on_paper_only", broker=name))
    if not shares and not able.contracts:
        raise BadInput(Reason("contracts_are_not_ordered_at", broker=name))


register(PAPER)
register(EXCHANGE)
register(DEMO)
