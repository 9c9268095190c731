"""Sources of a plan that is worked through on its own, without a run: as the settings of the process say.

So the specification's example, `ToolRegistry(enable_reasoning_llm=False)` and nothing else, reads real data.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from engine.desks.plan.tools.protocol import Json, NoData
from engine.domain.account_ref import AccountRef
from engine.equity.protocol import EquitySource
from engine.market.protocol import Feed

if TYPE_CHECKING:
    from engine.bootstrap.providers import ProviderFactory


class OwnSources:
    """Implements `PlanSources`, without a journal."""

    def __init__(self, providers: "ProviderFactory", ref: AccountRef) -> None:
        self._providers, self._ref = providers, ref

    def feed(self) -> Feed:
        """Return the market that the settings name."""
        return self._providers.feed(self._ref)

    def equities(self) -> EquitySource:
        """Return the companies that the settings name."""
        return self._providers.equities(self._ref.feed, self._ref.data_dir, self._ref.seed)

    async def decisions(self, subject: str, until: datetime, limit: int) -> Sequence[Json]:
        """Raise NoData: there is no journal."""
        raise NoData("past decisions need a run: a plan on its own reads no journal")

    async def research(self, question: str, n: int) -> Mapping[str, Any]:
        """Raise NoData: there is no run to ask for another."""
        raise NoData("research needs a run: a plan on its own cannot ask for one")

    async def close(self) -> None:
        """Release the connections."""
        await self._providers.close()


def sources_of_settings() -> OwnSources:
    """Return the sources that the environment and `.env` name. Raises BadInput for settings that cannot be used."""
    from engine.bootstrap.providers import providers_of  # noqa: PLC0415 - only here
    from engine.settings import load_settings  # noqa: PLC0415 - only here

    settings = load_settings()
    feed = settings.default_feed
    folder = str(settings.data_dir) if settings.data_dir is not None and feed == "recorded" else None
    return OwnSources(providers_of(settings), AccountRef(feed=feed, data_dir=folder))
