"""The models of one set of settings: made when a request names them, kept while they hold connections.

A run keeps those of the settings it was begun with; `ProviderFactory.adopt` makes others for the runs that begin later.
"""

from collections.abc import Mapping
from typing import Final

from engine.agents.access import Emit, ModelAccess
from engine.agents.reader_nodes import is_reader
from engine.domain.errors import BadInput
from engine.domain.roles import Role
from engine.domain.run import RunRequest
from engine.domain.text.reason import Reason
from engine.flows.protocol import Flow
from engine.llm.calls import CallPolicy
from engine.llm.learnt_options import LearntOptions
from engine.llm.protocol import Model
from engine.llm.slots import EndpointSlots
from engine.runs.run_budget import DailySpend, Limits, RunBudget
from engine.script.model import ChaosModel, ScriptedModel
from engine.settings import Settings

SCRIPTED: Final = "scripted"


def require_prices(settings: Settings, request: RunRequest) -> None:
    """Require that every model a request may ask has a price. Raises BadInput for the first one without."""
    for name in sorted({request.model, *settings.role_models.values()} - {SCRIPTED, *settings.prices}):
        raise BadInput(Reason("tribunal_prices_has_no_price_for", name=name))


class ModelFactory:
    """The models of a process while its settings are as they are."""

    def __init__(self, settings: Settings, flows: Mapping[str, Flow], learnt: LearntOptions, day: DailySpend) -> None:
        """flows: by name. learnt, day: shared by all settings of the process."""
        self._settings, self._flows, self._learnt, self._day = settings, flows, learnt, day
        self._models: dict[str, Model] = {}
        self._slots = EndpointSlots(settings.model_concurrency)
        self._limits = Limits(settings.run_tokens, settings.run_cost, settings.day_tokens, settings.day_cost)

    def model(self, request: RunRequest, role: Role, node: str = "", *, is_watched: bool = True) -> Model:
        """Return the model that speaks a role in a request. node: where, "" = in the node of its name. is_watched: see `access`."""
        model, chaos = self._honest(request, role, node or role, is_watched), request.chaos
        if chaos is None or role != chaos.role:
            return model
        return ChaosModel(model, chaos.kind, self._flows[request.flow].lie)

    def _honest(self, request: RunRequest, role: Role, node: str, is_watched: bool) -> Model:
        own = self._settings.role_models
        return self.named(own.get(node, own.get(role, request.model)), request, is_watched=is_watched)

    def named(self, name: str, request: RunRequest, *, is_watched: bool = True) -> Model:
        """Return the model of a name; the script speaks the roles of the request's flow. Raises BadInput."""
        if name == SCRIPTED:
            return ScriptedModel(
                self._flows[request.flow].voices(request), seed=request.seed, pace=self._settings.pace if is_watched else 0
            )
        if name not in self._models:
            self._models[name] = self._make_model(name)
        return self._models[name]

    def _make_model(self, name: str) -> Model:
        if not name or name.startswith("recorded:"):
            raise BadInput(Reason("model_is_not_known", name=f"{name!r}", scripted=f"{SCRIPTED!r}"))
        from engine.llm.openai import OpenAIModel  # noqa: PLC0415 - see above

        return OpenAIModel(
            name,
            api_key=self._settings.openai_api_key.get_secret_value(),
            base_url=self._settings.openai_base_url,
            slots=self._slots,
            learnt=self._learnt,
            extra=self._settings.extra_body,
            takes_images=self._settings.vision,
        )

    async def ready(self, request: RunRequest) -> None:
        """Require that the request's models can answer, but for the reader of claims: without one the rules are left. Raises
        ModelUnavailable when one could answer nothing, BadInput when money is limited and one has no price."""
        if self._limits.run_cost is not None or self._limits.day_cost is not None:
            require_prices(self._settings, request)
        models = [self.model(request, seat.role, seat.node) for seat in self._flows[request.flow].seats() if not is_reader(seat.node)]
        for model in {model.name: model for model in models}.values():
            await model.ready()

    def access(self, request: RunRequest, context: str, emit: Emit, *, is_watched: bool = True) -> ModelAccess:
        """Return the models of one run. is_watched: its words are read while they come; otherwise the script makes no pauses."""
        return ModelAccess(
            model_of=lambda role, node: self.model(request, role, node, is_watched=is_watched),
            policy=CallPolicy(deadline_s=self._settings.call_deadline_s, max_tokens=self._settings.max_tokens),
            language=request.language,
            context=context,
            emit=emit,
            temperature=self._settings.temperature,
            temperatures=self._settings.role_temperatures,
            efforts=self._settings.reasoning_effort,
            instructions=request.instructions,
            budget=RunBudget(self._limits, self._settings.prices, self._day),
        )

    async def close(self) -> None:
        """Release every connection."""
        for model in self._models.values():
            await model.close()
        self._models.clear()
