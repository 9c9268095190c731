"""What a role is given to speak with: a model, its limits, and a place to say what happens."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from engine.domain.events import EventKind
from engine.domain.language import Language
from engine.domain.roles import Role, side_of
from engine.llm.calls import CallPolicy
from engine.llm.protocol import Model


class Emit(Protocol):
    """Appends one event to the run's log. Never blocks and never raises."""

    def __call__(self, kind: EventKind, node: str | None, data: Mapping[str, JsonValue]) -> None:
        """kind: what happened. node: where, None for the run itself."""
        ...


@dataclass(frozen=True)
class ModelAccess:
    """The models of one run.

    model_of: the model of a role. temperatures: per role or per side (`bull` also serves `position_bull`); `temperature` for the others,
    None = not sent. context: the snapshot's hash.
    """

    model_of: Callable[[Role], Model]
    policy: CallPolicy
    language: Language
    context: str
    emit: Emit
    temperature: float | None = None
    temperatures: Mapping[Role, float] | None = None

    def temperature_of(self, role: Role) -> float | None:
        """The temperature of a role."""
        own = self.temperatures or {}
        return own.get(role, own.get(side_of(role), self.temperature))
