"""Where a decision would be ordered: which broker, and which market's prices it goes by; and what a request has to say for a market to be
read, an account to be asked and a proposal to be filed. Flows whose runs do that have a request with these fields, whatever else it has."""

import re
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

from pydantic import Field

from engine.domain.broker_capabilities import DEFAULT_BROKER, capabilities_of, registered_brokers
from engine.domain.errors import BadInput
from engine.domain.frozen_model import FrozenModel
from engine.domain.holding import Holding
from engine.domain.market.instrument import FeedName
from engine.domain.orders import BrokerName
from engine.domain.risk import RiskConfig
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason

_DOLLARS: Final = "USD"
_BROKER: Final = re.compile(r"(?P<name>[a-z][a-z0-9_-]*)(?:#(?P<practice>[1-9]\d?))?(?:\.(?P<currency>[A-Z]{3}))?")
MOST_PRACTICE: Final = 12
"""Accounts for practice that a broker has for each source of prices."""


class AccountRef(FrozenModel):
    """broker: its name in the registry. feed, data_dir, exchange, seed: as a request names them; what a feed does not need is left out of
    the account's name. currency: ISO code of the one currency that its shares are paid in; None = US dollars and what contracts are quoted
    in. practice: which of the accounts of a broker whose accounts begin anew, from 0."""

    broker: BrokerName = DEFAULT_BROKER
    feed: FeedName
    data_dir: str | None = None
    exchange: str | None = None
    seed: int = 0
    currency: str | None = Field(default=None, pattern="^[A-Z]{3}$")
    practice: int = Field(default=0, ge=0, lt=MOST_PRACTICE)

    def in_currency(self, currency: str) -> "AccountRef":
        """Return the account that shares of a currency are paid from. Currencies are never converted: each has paper money of its own."""
        own = currency if currency != _DOLLARS and capabilities_of(self.broker).any_feed else None
        return self.model_copy(update={"currency": own})

    @property
    def starts_over(self) -> bool:
        """Whether it is for practice, such as a demo's: it can be emptied and holds nothing of value."""
        return self.broker in registered_brokers() and capabilities_of(self.broker).starts_over

    @property
    def account(self) -> str:
        """The account's name. A broker that trades on any feed has an account for every source of prices, since their prices have nothing
        to do with each other, and for every currency of shares."""
        if self.broker not in registered_brokers():  # a name like no other: nothing can be read or ordered there
            return f"{self.broker}:{self.exchange}"
        able = capabilities_of(self.broker)
        if not able.any_feed:
            return f"{self.broker}:{self.exchange}" if able.per_exchange else self.broker
        source = {"simulated": str(self.seed), "recorded": str(Path(self.data_dir or ".").resolve()), "live": str(self.exchange)}
        number = f"#{self.practice}" if self.practice and able.starts_over else ""
        return f"{self.broker}{number}{f'.{self.currency}' if self.currency else ''}:{self.feed}:{source[self.feed]}"

    @classmethod
    def of_account(cls, account: str) -> "AccountRef":
        """Return the account behind an account's name. Raises BadInput for a name that is none."""
        first, _, rest = account.partition(":")
        named = _BROKER.fullmatch(first)
        if named is None or named["name"] not in registered_brokers():
            raise BadInput(Reason("account_is_not_known", account=f"{account[:60]!r}"))
        broker, currency, practice = named["name"], named["currency"], int(named["practice"] or 0)
        if practice >= MOST_PRACTICE:
            raise BadInput(Reason("account_is_not_known", account=f"{account[:60]!r}"))
        able = capabilities_of(broker)
        if not able.any_feed:  # whether it is the sandbox is the setting's business, not the place's
            return cls(broker=broker, feed="live", exchange=rest.removesuffix(":sandbox") if able.per_exchange else None)
        feed, _, source = rest.partition(":")
        if feed == "simulated":
            seed = int(source) if source.lstrip("-").isdigit() else 0
            return cls(broker=broker, feed="simulated", seed=seed, currency=currency, practice=practice)
        if feed == "recorded":
            return cls(broker=broker, feed="recorded", data_dir=source, currency=currency, practice=practice)
        if feed != "live":
            raise BadInput(Reason("account_is_not_known", account=f"{account[:60]!r}"))
        return cls(broker=broker, feed="live", exchange=source, currency=currency, practice=practice)


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
        """Length of a candle of the higher timeframe, or None."""
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
