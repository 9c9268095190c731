"""Feeds and models: made when a request names them, kept while they hold connections.

Heavy libraries come in only when they are needed: numpy, ccxt, pyarrow and the OpenAI client with a request for them, or in `warm_up`.
"""

from collections.abc import Callable
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final

from engine.agents.access import Emit, ModelAccess
from engine.agents.reader_nodes import is_reader
from engine.bootstrap.flows import FLOWS
from engine.domain.account_ref import PriceSource
from engine.domain.clock import utc_now
from engine.domain.errors import BadInput
from engine.domain.market.instrument import FeedName
from engine.domain.roles import Role
from engine.domain.run import RunRequest
from engine.equity.protocol import EquitySource
from engine.llm.calls import CallPolicy
from engine.llm.chaos import ChaosModel
from engine.llm.learnt_options import LearntOptions
from engine.llm.protocol import Model
from engine.llm.scripted import ScriptedModel
from engine.llm.slots import EndpointSlots
from engine.market.protocol import Feed
from engine.runs.run_budget import DailySpend, Limits, RunBudget, Spent
from engine.settings import Settings

SCRIPTED = "scripted"
_SEEDS_KEPT: Final = 8


class ProviderFactory:
    """Makes the feeds and models that requests name, keeps those that hold connections, and the simulated ones of the last few seeds."""

    def __init__(self, settings: Settings, before: Callable[[date], Spent], clock: Callable[[], datetime] = utc_now) -> None:
        """before: what the journal knows to have been spent on a day."""
        self._settings = settings
        self._clock = clock
        self._feeds: dict[tuple[object, ...], Feed] = {}
        self._equities: dict[tuple[object, ...], EquitySource] = {}
        self._simulated_feed = lru_cache(_SEEDS_KEPT)(self._make_simulated_feed)
        self._simulated_equities = lru_cache(_SEEDS_KEPT)(self._make_simulated_equities)
        self._models: dict[str, Model] = {}
        self._slots = EndpointSlots(settings.model_concurrency)
        self.learnt: Final = LearntOptions(settings.home)
        self._limits = Limits(settings.run_tokens, settings.run_cost, settings.day_tokens, settings.day_cost)
        self._day = DailySpend(clock, before)

    @property
    def clock(self) -> Callable[[], datetime]:
        """Aware UTC now."""
        return self._clock

    def feed(self, source: PriceSource) -> Feed:
        """Return the feed behind a source of prices. Raises BadInput when it cannot be made."""
        if source.feed == "simulated":
            return self._simulated_feed(source.seed)
        key = (source.feed, source.data_dir, source.exchange)
        if key not in self._feeds:
            self._feeds[key] = self._make_feed(source)
        return self._feeds[key]

    def _make_simulated_feed(self, seed: int) -> Feed:
        from engine.market.simulated import SimulatedFeed  # noqa: PLC0415 - see above

        return SimulatedFeed(seed, self._clock)

    def _make_feed(self, source: PriceSource) -> Feed:
        if source.feed == "recorded":
            from engine.market.recorded import RecordedFeed  # noqa: PLC0415 - see above

            return RecordedFeed(self._data_dir(source.data_dir))
        from engine.market.exchange import ExchangeFeed  # noqa: PLC0415 - see above

        return ExchangeFeed(source.exchange or self._settings.exchange, self._settings.exchange_url, self._clock)

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

        return SimulatedEquities(seed, self._clock)

    def _make_equities(self, feed: FeedName, data_dir: str | None) -> EquitySource:
        if feed == "recorded":
            from engine.equity.recorded import RecordedEquities  # noqa: PLC0415 - see above

            return RecordedEquities(self._data_dir(data_dir))
        from engine.equity.live import LiveEquities  # noqa: PLC0415 - see above

        return LiveEquities(self._clock)

    def _data_dir(self, data_dir: str | None) -> Path:
        folder = data_dir or self._settings.data_dir
        if folder is None:
            raise BadInput("a recorded market needs its folder: --data FOLDER or TRIBUNAL_DATA_DIR")
        return Path(folder)

    def model(self, request: RunRequest, role: Role, node: str = "") -> Model:
        """Return the model that speaks a role in a request. node: where, "" = in the node of its name."""
        model, chaos = self._honest(request, role, node or role), request.chaos
        if chaos is None or role != chaos.role:
            return model
        return ChaosModel(model, chaos.kind, FLOWS[request.flow].lie)

    def _honest(self, request: RunRequest, role: Role, node: str) -> Model:
        own = self._settings.role_models
        return self.named(own.get(node, own.get(role, request.model)), request)

    def named(self, name: str, request: RunRequest) -> Model:
        """Return the model of a name; the script speaks the roles of the request's flow. Raises BadInput."""
        if name == SCRIPTED:
            return ScriptedModel(FLOWS[request.flow].voices(request), seed=request.seed, pace=self._settings.pace)
        if name not in self._models:
            self._models[name] = self._make_model(name)
        return self._models[name]

    def _make_model(self, name: str) -> Model:
        if not name or name.startswith("recorded:"):
            raise BadInput(f"model {name!r} is not known: name a model of your endpoint, or {SCRIPTED!r}")
        from engine.llm.openai import OpenAIModel  # noqa: PLC0415 - see above

        return OpenAIModel(
            name,
            api_key=self._settings.openai_api_key.get_secret_value(),
            base_url=self._settings.openai_base_url,
            slots=self._slots,
            learnt=self.learnt,
            extra=self._settings.extra_body,
            takes_images=self._settings.vision,
        )

    def warm_up(self) -> None:
        """Import what the model of the settings needs, so that the first run does not wait for it. Blocking, up to a second."""
        if self._settings.default_model != SCRIPTED:
            import engine.llm.openai  # noqa: F401, PLC0415 - see above

    async def ready(self, request: RunRequest) -> None:
        """Require that the request's models can answer, but for the reader of claims: without one the rules are left. Raises
        ModelUnavailable when one could answer nothing, BadInput when money is limited and one has no price."""
        limited = self._limits.run_cost is not None or self._limits.day_cost is not None
        for name in {request.model, *self._settings.role_models.values()} if limited else ():
            if name != SCRIPTED and name not in self._settings.prices:
                raise BadInput(f"TRIBUNAL_PRICES has no price for {name}: without one its cost cannot be limited")
        models = [self.model(request, seat.role, seat.node) for seat in FLOWS[request.flow].seats() if not is_reader(seat.node)]
        for model in {model.name: model for model in models}.values():
            await model.ready()

    def access(self, request: RunRequest, context: str, emit: Emit) -> ModelAccess:
        """Return the models of one run."""
        return ModelAccess(
            model_of=lambda role, node: self.model(request, role, node),
            policy=CallPolicy(deadline_s=self._settings.call_deadline_s, max_tokens=self._settings.max_tokens),
            language=request.language,
            context=context,
            emit=emit,
            temperature=self._settings.temperature,
            temperatures=self._settings.role_temperatures,
            efforts=self._settings.reasoning_effort,
            asks_tags=self._settings.tags,
            budget=RunBudget(self._limits, self._settings.prices, self._day),
        )

    async def close(self) -> None:
        """Release every connection."""
        for feed in self._feeds.values():
            await feed.close()
        for source in self._equities.values():
            await source.close()
        for model in self._models.values():
            await model.close()
        self._feeds.clear()
        self._equities.clear()
        self._simulated_feed.cache_clear()
        self._simulated_equities.cache_clear()
        self._models.clear()


def providers_of(settings: Settings) -> ProviderFactory:
    """Return the providers of what is done without a journal: nothing is known of what a day has cost."""
    return ProviderFactory(settings, lambda day: Spent())
