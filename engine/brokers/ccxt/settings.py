"""What the exchange broker is, and the credentials of its account. Without TRIBUNAL_LIVE=yes its orders go to the exchange's sandbox."""

from typing import Final

from pydantic import Field, SecretStr

from engine.domain.broker_capabilities import Capabilities
from engine.settings import EnvironmentSettings
from engine.venue.keys import Keys

NAME: Final = "exchange"
CAPABILITIES: Final = Capabilities(contracts=True, per_exchange=True, sandbox=True)


class ExchangeSettings(EnvironmentSettings):
    """The keys of one account; the exchange and its address are those of the live feed."""

    api_key: SecretStr = Field(default=SecretStr(""), alias="TRIBUNAL_API_KEY")
    api_secret: SecretStr = Field(default=SecretStr(""), alias="TRIBUNAL_API_SECRET")
    api_password: SecretStr = Field(default=SecretStr(""), alias="TRIBUNAL_API_PASSWORD")

    @property
    def keys(self) -> Keys:
        """The keys as a venue takes them."""
        return Keys(self.api_key, self.api_secret, self.api_password)
