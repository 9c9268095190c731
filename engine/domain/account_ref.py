"""Where a decision would be ordered: which broker, and which market's prices it goes by; and what a request has to say for a market to be
read, an account to be asked and a proposal to be filed. Flows whose runs do that have a request with these fields, whatever else it has."""

import re
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

from pydantic import Field

from engine.domain.errors import BadInput
from engine.domain.frozen_model import FrozenModel
from engine.domain.holding import Holding
from engine.domain.market.instrument import FeedName
from engine.domain.orders import BrokerName
from engine.domain.risk import RiskConfig
from engine.domain.text.language import Language

_DOLLARS: Final = "USD"
_PAPER: Final = re.compile(r"paper(?:\.(?P<currency>[A-Z]{3}))?")


class AccountRef(FrozenModel):
    """broker: paper or exchange. feed, data_dir, exchange, seed: as a request names them; what a feed does not need is left out of the
    account's name. currency: ISO code of the one currency that its shares are paid in; None = US dollars and what contracts are quoted in.
    """

    broker: BrokerName = "paper"
    feed: FeedName
    data_dir: str | None = None
    exchange: str | None = None
    seed: int = 0
    currency: str | None = Field(default=None, pattern="^[A-Z]{3}$")

    def in_currency(self, currency: str) -> "AccountRef":
        """Return the account that shares of a currency are paid from. Currencies are never converted: each has paper money of its own."""
        own = None if currency == _DOLLARS or self.broker == "exchange" else currency
        return self.model_copy(update={"currency": own})

    @property
    def account(self) -> str:
        """The account's name: paper money is kept apart for every source of prices, since their prices have nothing to do with each
        other, and for every currency of shares."""
        if self.broker == "exchange":
            return f"exchange:{self.exchange}"
        source = {"simulated": str(self.seed), "recorded": str(Path(self.data_dir or ".").resolve()), "live": str(self.exchange)}
        return f"paper{f'.{self.currency}' if self.currency else ''}:{self.feed}:{source[self.feed]}"

    @classmethod
    def of_account(cls, account: str) -> "AccountRef":
        """Return the account behind an account's name. Raises BadInput for a name that is none."""
        broker, _, rest = account.partition(":")
        if broker == "exchange":  # whether it is the sandbox is the setting's business, not the place's
            return cls(broker="exchange", feed="live", exchange=rest.removesuffix(":sandbox"))
        feed, _, source = rest.partition(":")
        paper = _PAPER.fullmatch(broker)
        if paper is None or feed not in {"simulated", "recorded", "live"}:
            raise BadInput(f"account {account[:60]!r} is not known")
        own = paper["currency"]
        if feed == "simulated":
            return cls(feed="simulated", seed=int(source) if source.lstrip("-").isdigit() else 0, currency=own)
        if feed == "recorded":
            return cls(feed="recorded", data_dir=source, currency=own)
        return cls(feed="live", exchange=source, currency=own)


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
