"""What a role is given to speak with: a model, its limits, and a place to say what happens."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from pydantic import JsonValue

from engine.domain.events import EventData, EventKind, Observation
from engine.domain.opinion import Usage
from engine.domain.roles import Role
from engine.domain.text.language import Language
from engine.llm.calls import CallPolicy
from engine.llm.protocol import Model, Planted, ToolCall

ALL_ROLES: Final = "*"
"""Key of the value for every role without its own."""


class Emit(Protocol):
    """Appends one event to the run's log. Never blocks and never raises."""

    def __call__(self, node: str | None, data: EventData) -> None:
        """node: where it happened, None for the run itself. data: what; its class is the kind of the event."""
        ...


def unheard(node: str | None, data: EventData) -> None:
    """Take an event that no one follows; an `Emit`."""


@dataclass(frozen=True)
class Recorded:
    """What a role answered in one turn, from the log of a run.

    text: what it said then, closing block included. tool_calls: what it asked for instead of, or beside, words; carried: what its endpoint
    wants back with them. lost: why it gave no usable answer, None when it did. cause: of that. already_logged: this run's own log holds it,
    so it is not written once more.
    """

    text: str
    usage: Usage
    attempt: int = 1
    lost: str | None = None
    cause: str = ""
    planted: tuple[Planted, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    carried: Mapping[str, JsonValue] = field(default_factory=dict)
    already_logged: bool = False


@dataclass(frozen=True)
class Observed:
    """What a node read from outside its state and its inputs, from the log of a run. already_logged: this run's own log holds it."""

    data: Observation
    already_logged: bool = False


class Recall(Protocol):
    """What a run already knows and does not ask or read again."""

    def answer(self, node: str, turn: int) -> Recorded | None:
        """Return the recorded answer of a node's turn (from 1); None if it has to be asked."""
        ...

    def observation(self, node: str, kind: EventKind, n: int) -> Observed | None:
        """Return the recorded `n`th reading (from 1) of a kind in a node; None if it has to be read."""
        ...


class NothingKnown:
    """The recall of a new run: it knows nothing."""

    def answer(self, node: str, turn: int) -> Recorded | None:
        return None

    def observation(self, node: str, kind: EventKind, n: int) -> Observed | None:
        return None


class Budget(Protocol):
    """What a run may spend."""

    def refusal(self) -> str | None:
        """Return why no more questions may be asked; None while the budget lasts."""
        ...

    def note(self, usage: Usage) -> None:
        """Count the cost of a role's calls, including those without an answer."""
        ...

    def carry(self, usage: Usage) -> None:
        """Count the cost of an answer from before the run was interrupted."""
        ...

    def cost(self, usage: Usage) -> float | None:
        """Return the cost of calls in the currency of TRIBUNAL_PRICES; None if the model has no price."""
        ...


class Unlimited:
    """A budget without a bound, in which nothing has a price."""

    def refusal(self) -> str | None:
        return None

    def note(self, usage: Usage) -> None:
        pass

    def carry(self, usage: Usage) -> None:
        pass

    def cost(self, usage: Usage) -> float | None:
        return None


@dataclass(frozen=True)
class ModelAccess:
    """The models of one run.

    model_of: (role, node) -> the model that speaks there. temperatures: by node or by role; `temperature` for the others, None = not
    sent. efforts: how much a role thinks, by node or by role, `*` for the others. context: the hash of the run's
    inputs. recall: what is known already. attempts: node -> the number its next attempt gets at least, in a run that was interrupted.
    budget: what the run may spend. again: which repetition of the decision it is (`ModelCall`). instructions: node -> what it is asked
    instead of its own instructions.
    """

    model_of: Callable[[Role, str], Model]
    policy: CallPolicy
    language: Language
    context: str
    emit: Emit
    temperature: float | None = None
    temperatures: Mapping[Role, float] | None = None
    efforts: Mapping[str, str] = field(default_factory=dict)
    recall: Recall = field(default_factory=NothingKnown)
    attempts: Mapping[str, int] = field(default_factory=dict)
    budget: Budget = field(default_factory=Unlimited)
    again: str = ""
    instructions: Mapping[str, str] = field(default_factory=dict)

    def temperature_of(self, role: Role, node: str) -> float | None:
        """Return the temperature with which a role speaks in a node, None = the endpoint's own."""
        own = self.temperatures or {}
        return own.get(node, own.get(role, self.temperature))

    def effort_of(self, role: Role, node: str) -> str | None:
        """Return how much a role is asked to think in a node, None = the endpoint's own."""
        return self.efforts.get(node) or self.efforts.get(role) or self.efforts.get(ALL_ROLES)
