"""What a role is given to speak with: a model, its limits, and a place to say what happens."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import JsonValue

from engine.domain.events import EventKind
from engine.domain.language import Language
from engine.domain.opinion import Usage
from engine.domain.roles import Role, side_of
from engine.llm.calls import CallPolicy
from engine.llm.protocol import Model, Planted


class Emit(Protocol):
    """Appends one event to the run's log. Never blocks and never raises."""

    def __call__(self, kind: EventKind, node: str | None, data: Mapping[str, JsonValue]) -> None:
        """kind: what happened. node: where, None for the run itself."""
        ...


@dataclass(frozen=True)
class Recorded:
    """What a role answered, from the log of a run.

    said: what it had said in earlier rounds. text: what it said then, closing block included. lost: why it gave no usable answer, None when
    it did. told: it stands in this run's own log, and need not be told again.
    """

    said: str
    text: str
    usage: Usage
    attempt: int = 1
    lost: str | None = None
    planted: tuple[Planted, ...] = ()
    told: bool = False


class Budget(Protocol):
    """What a run may spend."""

    def refusal(self) -> str | None:
        """Why nobody may be asked any more, None while there is something left."""
        ...

    def note(self, usage: Usage) -> None:
        """A role has spoken, or tried to, and this is what it cost."""
        ...

    def carry(self, usage: Usage) -> None:
        """What the run had cost before it was interrupted."""
        ...

    def cost(self, usage: Usage) -> float | None:
        """What calls cost in money, None where their model has no price."""
        ...


class Unlimited:
    """A budget that is never spent."""

    def refusal(self) -> str | None:
        """Never."""
        return None

    def note(self, usage: Usage) -> None:
        """Nothing to do."""

    def carry(self, usage: Usage) -> None:
        """Nothing to do."""

    def cost(self, usage: Usage) -> float | None:
        """Not known."""
        return None


def _nothing_known(role: Role, said: str) -> Recorded | None:
    return None


@dataclass(frozen=True)
class ModelAccess:
    """The models of one run.

    model_of: the model of a role. temperatures: per role or per side (`bull` also serves `position_bull`); `temperature` for the others,
    None = not sent. context: the snapshot's hash. recall: (role, what it said before) -> its answer, where that is known already and
    need not be asked for. attempts: role -> the number its next attempt gets at least, in a run that was interrupted.
    budget: what the run may spend.
    """

    model_of: Callable[[Role], Model]
    policy: CallPolicy
    language: Language
    context: str
    emit: Emit
    temperature: float | None = None
    temperatures: Mapping[Role, float] | None = None
    recall: Callable[[Role, str], Recorded | None] = _nothing_known
    attempts: Mapping[Role, int] = field(default_factory=dict)
    budget: Budget = field(default_factory=Unlimited)

    def temperature_of(self, role: Role) -> float | None:
        """The temperature of a role."""
        own = self.temperatures or {}
        return own.get(role, own.get(side_of(role), self.temperature))
