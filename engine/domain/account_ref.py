"""Where a decision would be ordered: which broker, and which market's prices it goes by."""

from pathlib import Path

from engine.domain.errors import BadInput
from engine.domain.frozen_model import FrozenModel
from engine.domain.market.instrument import FeedName
from engine.domain.orders import BrokerName


class AccountRef(FrozenModel):
    """broker: paper or exchange. feed, data_dir, exchange, seed: as a request names them; what a feed does not need is left out of the
    account's name."""

    broker: BrokerName = "paper"
    feed: FeedName
    data_dir: str | None = None
    exchange: str | None = None
    seed: int = 0

    @property
    def account(self) -> str:
        """The account's name: paper money is kept apart for every source of prices, since their prices have nothing to do with each
        other."""
        if self.broker == "exchange":
            return f"exchange:{self.exchange}"
        source = {"simulated": str(self.seed), "recorded": str(Path(self.data_dir or ".").resolve()), "live": str(self.exchange)}
        return f"paper:{self.feed}:{source[self.feed]}"

    @classmethod
    def of_account(cls, account: str) -> "AccountRef":
        """Return the account behind an account's name. Raises BadInput for a name that is none."""
        broker, _, rest = account.partition(":")
        if broker == "exchange":  # whether it is the sandbox is the setting's business, not the place's
            return cls(broker="exchange", feed="live", exchange=rest.removesuffix(":sandbox"))
        feed, _, source = rest.partition(":")
        if broker != "paper" or feed not in {"simulated", "recorded", "live"}:
            raise BadInput(f"account {account[:60]!r} is not known")
        if feed == "simulated":
            return cls(feed="simulated", seed=int(source) if source.lstrip("-").isdigit() else 0)
        return cls(feed="recorded", data_dir=source) if feed == "recorded" else cls(feed="live", exchange=source)
