"""What a request has to say for a market to be read, and for an account to be asked and a proposal filed: flows whose runs do that have a
request with these fields, whatever else it has."""

from datetime import datetime
from typing import Protocol

from engine.domain.account_ref import AccountRef
from engine.domain.holding import Holding
from engine.domain.market.instrument import FeedName
from engine.domain.orders import BrokerName
from engine.domain.risk import RiskConfig
from engine.domain.text.language import Language


class PriceSource(Protocol):
    """Where prices come from. `AccountRef` is one too."""

    @property
    def feed(self) -> FeedName:
        """Which kind of source."""
        ...

    @property
    def data_dir(self) -> str | None:
        """The folder of a recorded market; None = the one of the settings."""
        ...

    @property
    def exchange(self) -> str | None:
        """The venue of a live market; None = the one of the settings."""
        ...

    @property
    def seed(self) -> int:
        """Which of all simulated markets."""
        ...


class MarketRequest(PriceSource, Protocol):
    """What may be ordered in one market."""

    @property
    def symbol(self) -> str:
        """Name of the market."""
        ...

    @property
    def at(self) -> datetime | None:
        """The clock, aware; None = now, or the end of a recorded market."""
        ...

    @property
    def timeframe(self) -> str:
        """Length of a candle."""
        ...

    @property
    def timeframe_htf(self) -> str | None:
        """Length of a candle of the higher timeframe; None = there is none."""
        ...

    @property
    def holding(self) -> Holding | None:
        """A position that only the request states; None = what the broker holds."""
        ...

    @property
    def risk(self) -> RiskConfig:
        """The limits."""
        ...

    @property
    def language(self) -> Language:
        """Of what people read."""
        ...

    @property
    def broker(self) -> BrokerName:
        """Whose account."""
        ...

    @property
    def propose(self) -> bool:
        """Whether what is decided is filed as a proposal."""
        ...

    @property
    def account_ref(self) -> AccountRef:
        """Where it would be ordered."""
        ...
