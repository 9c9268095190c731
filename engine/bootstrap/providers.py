"""Feeds and models: made when a request names them, kept while they hold connections.

Other settings may take effect while a process runs (`adopt`). Heavy libraries come in only when they are needed: numpy, ccxt, pyarrow and
the OpenAI client with a request for them, or in `warm_up`.
"""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final

from engine.agents.access import Emit, ModelAccess
from engine.bootstrap.models import SCRIPTED, ModelFactory
from engine.domain.account_ref import PriceSource
from engine.domain.clock import utc_now
from engine.domain.errors import BadInput
from engine.domain.market.instrument import FeedName
from engine.domain.run import RunRequest
from engine.domain.text.reason import Reason
from engine.equity.protocol import EquitySource
from engine.flows.protocol import Flow
from engine.llm.learnt_options import LearntOptions
from engine.llm.protocol import Model
from engine.market.protocol import Feed
from engine.replay.lens import Lens
from engine.runs.run_budget import DailySpend, Spent
from engine.settings import Settings

_SEEDS_KEPT: Final = 8


class ProviderFactory:
    """Makes the feeds and models that requests name, keeps those that hold connections, and the simulated ones of the last few seeds."""

    def __init__(
        self,
        settings: Settings,
        flows: Mapping[str, Flow],
        before: Callable[[date], Spent],
        clock: Callable[[], datetime] = utc_now,
        lens: Lens | None = None,
    ) -> None:
        """flows: by name. before: what the journal knows to have been spent on a day. lens: through which sources are seen."""
        self._settings, self._flows = settings, flows
        self._clock, self._lens = clock, lens or Lens()
        self._feeds: dict[tuple[object, ...], Feed] = {}
        self._equities: dict[tuple[object, ...], EquitySource] = {}
        self._simulated_feed = lru_cache(_SEEDS_KEPT)(self._make_simulated_feed)
        self._simulated_equities = lru_cache(_SEEDS_KEPT)(self._make_simulated_equities)
        self.learnt: Final = LearntOptions(settings.home)
        self._day = DailySpend(clock, before)
        self._models = ModelFactory(settings, flows, self.learnt, self._day)
        self._earlier: list[ModelFactory] = []

    @property
    def clock(self) -> Callable[[], datetime]:
        """Aware UTC now."""
        return self._clock

    def feed(self, source: PriceSource) -> Feed:
        """Return the feed behind a source of prices. Raises BadInput when it cannot be made."""
        if source.feed == "simulated":
            return self._simulated_feed(source.seed)
        key = (source.feed, source.data_dir, source.exchange or self._settings.exchange)
        if key not in self._feeds:
            self._feeds[key] = self._make_feed(source)
        return self._feeds[key]

    def _make_simulated_feed(self, seed: int) -> Feed:
        from engine.market.simulated import SimulatedFeed  # noqa: PLC0415 - see above

        return self._lens.feed(SimulatedFeed(seed, self._clock))

    def _make_feed(self, source: PriceSource) -> Feed:
        if source.feed == "recorded":
            from engine.market.recorded import RecordedFeed  # noqa: PLC0415 - see above

            return self._lens.feed(RecordedFeed(self._data_dir(source.data_dir), self._lens.files()))
        from engine.market.exchange import ExchangeFeed  # noqa: PLC0415 - see above

        return self._lens.feed(ExchangeFeed(source.exchange or self._settings.exchange, self._settings.exchange_url, self._clock))

    def equities(self, feed: FeedName, data_dir: str | None = None, seed: int = 0) -> EquitySource:
        """Return the source of listed companies behind a feed's name. Raises BadInput when it cannot be made."""
        if feed == "simulated":
            return self._simulated_equities(seed)
        key = (feed, data_dir)
        if key not in self._equities:
            self._equities[key] = self._make_equities(feed, data_dir)
        return self._equities[key]

    def _make_simulated_equities(self, seed: int) -> EquitySource:
        from engine.equity.simulated import SimulatedEquities  # noqa: PLC0415 - see above

        return self._lens.equities(SimulatedEquities(seed, self._clock))

    def _make_equities(self, feed: FeedName, data_dir: str | None) -> EquitySource:
        if feed == "recorded":
            from engine.equity.recorded import RecordedEquities  # noqa: PLC0415 - see above

            return self._lens.equities(RecordedEquities(self._data_dir(data_dir), self._lens.files()))
        from engine.equity.live import LiveEquities  # noqa: PLC0415 - see above

        return self._lens.equities(LiveEquities(self._clock))

    def _data_dir(self, data_dir: str | None) -> Path:
        folder = data_dir or self._settings.data_dir
        if folder is None:
            raise BadInput(Reason("recorded_market_needs_its_folder"))
        return Path(folder)

    @property
    def orders_wait(self) -> bool:
        """Whether orders for shares wait for the next session (`Lens`)."""
        return self._lens.orders_wait

    def named(self, name: str, request: RunRequest) -> Model:
        """Return the model of a name; the script speaks the roles of the request's flow. Raises BadInput."""
        return self._models.named(name, request)

    def warm_up(self) -> None:
        """Import what the model of the settings needs, so that the first run does not wait for it. Blocking, up to a second."""
        if self._settings.default_model != SCRIPTED:
            import engine.llm.openai  # noqa: F401, PLC0415 - see above

    async def ready(self, request: RunRequest) -> None:
        """Require that the request's models can answer (`ModelFactory.ready`)."""
        await self._models.ready(request)

    def access(self, request: RunRequest, context: str, emit: Emit, *, is_watched: bool = True) -> ModelAccess:
        """Return the models of one run, as the settings are now; it keeps them. is_watched: its words are read while they come."""
        return self._models.access(request, context, emit, is_watched=is_watched)

    def adopt(self, settings: Settings) -> None:
        """Make models and feeds by other settings from now on. Runs that go on keep theirs."""
        self._settings = settings
        self._earlier.append(self._models)
        self._models = ModelFactory(settings, self._flows, self.learnt, self._day)

    async def close(self) -> None:
        """Release every connection."""
        for feed in self._feeds.values():
            await feed.close()
        for source in self._equities.values():
            await source.close()
        for models in (*self._earlier, self._models):
            await models.close()
        self._feeds.clear()
        self._equities.clear()
        self._simulated_feed.cache_clear()
        self._simulated_equities.cache_clear()
        self._earlier.clear()


def providers_of(settings: Settings) -> ProviderFactory:
    """Return feeds and companies without a journal and without runs."""
    return ProviderFactory(settings, {}, lambda day: Spent())
