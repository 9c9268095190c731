"""What the paper broker is: an account of play money for each source of prices and each currency. It needs no settings of its own."""

from typing import Final

from engine.domain.broker_capabilities import Capabilities
from engine.settings import EnvironmentSettings

NAME: Final = "paper"
CAPABILITIES: Final = Capabilities(
    contracts=True, spot=True, shares=True, any_feed=True, at_venue=False, reserves_cash=True, real_money=False
)


class PaperSettings(EnvironmentSettings):
    """Nothing: an account begins with the equity of the limits."""
