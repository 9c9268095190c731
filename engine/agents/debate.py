"""A debate: N speakers in turn, as many rounds as asked for, then a judge.

      START -> speaker 1 -> ... -> speaker N -> (again, while rounds are left) -> judge -> END

      together: START -> (all speakers at once) -> speaker 1 of the second round, or the judge

The next speaker is `turn % N`, never a parsed name. Opened together, no speaker hears another in the first round. A speaker without a
usable answer ends the debate at once: half a debate is no ground for an order. The state is private to the debate; only what its output
schema names leaves it, and no list with a reducer is among that.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypedDict, TypeVar

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from engine.agents.access import ModelAccess
from engine.agents.ask import NoAnswer, Question, Spoken, ask
from engine.agents.watch import Watched, watch
from engine.domain.events import NodeFinished
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason

Json = dict[str, Any]
Node = Callable[..., Awaitable[Json]]
OPENINGS: Final = "openings"
"""The node in which all speakers open at once."""


class Turns(TypedDict, total=False):
    """What every debate's state holds for the order of speakers. turn: speeches so far. halted: why the debate ended early."""

    turn: int
    halted: str | None


class DebateContext(Protocol):
    """What a debate needs of a run's context."""

    @property
    def access(self) -> ModelAccess:
        """The models."""
        ...

    @property
    def language(self) -> Language:
        """The run's language."""
        ...


Context = TypeVar("Context", bound=DebateContext)


@dataclass(frozen=True)
class Schemas:
    """The types of a debate's state: all of it, what comes in, what leaves, and the run's context."""

    state: type
    takes: type
    gives: type
    context: type


class Room(ABC, Generic[Context]):
    """One debate.

    Attributes:
        name: The stage of its events.
        speakers: Nodes, in speaking order.
        judge: The node that closes it.
    """

    name: str
    schemas: Schemas
    speakers: Sequence[str]
    judge: str

    @abstractmethod
    def question(self, node: str, state: Mapping[str, Any], context: Context) -> Question:
        """Return what a node is asked."""

    @abstractmethod
    def reader(self, node: str) -> Callable[[str], Any]:
        """Return what takes a node's result from its answer."""

    async def ask(
        self, node: str, access: ModelAccess, question: Question, state: Mapping[str, Any], context: Context
    ) -> tuple[Spoken[Any], Any]:
        """Return a node's answer, and that of another who was asked meanwhile. Raises NoAnswer."""
        return await ask(access, question, self.reader(node)), None

    @abstractmethod
    async def heard(
        self, node: str, answers: tuple[Spoken[Any], Any], state: Mapping[str, Any], context: Context, watched: Watched
    ) -> Json:
        """Return what the answers (of `ask`) leave in the state, and fill the data of the node's end."""

    def lost(self, node: str, lost: NoAnswer, halted: str, state: Mapping[str, Any], context: Context) -> Json:
        """Return what a node without a usable answer leaves in the state, besides the halt and its reason."""
        return {}

    def access(self, node: str, state: Mapping[str, Any], context: Context) -> ModelAccess:
        """Return the models that a node asks."""
        return context.access

    def sent(self, question: Question, context: Context) -> Json:
        """Return further data of a node's start."""
        return {}

    def node(self, node: str) -> Node:
        """Return a node: it is asked, and its turn is counted."""

        async def speak(state: Mapping[str, Any], runtime: Runtime[Any]) -> Json:
            context: Context = runtime.context
            access, question = self.access(node, state, context), self.question(node, state, context)
            turn = {"turn": state.get("turn", 0) + 1}
            with watch(access.emit, node, self.name, **self.sent(question, context)) as watched:
                try:
                    answers = await self.ask(node, access, question, state, context)
                except NoAnswer as lost:
                    watched.data = NodeFinished(usage=lost.usage)
                    watched.failed(str(lost), "safe_action")
                    halted = Reason("no_usable_answer", role=node, reason=lost).said_in(context.language)
                    return {**turn, "halted": halted, **self.lost(node, lost, halted, state, context)}
                return {**turn, **await self.heard(node, answers, state, context, watched)}

        return speak

    def merged(self, state: Mapping[str, Any], updates: Sequence[Json]) -> Json:
        """Return the updates of speakers who opened at once as one: lists are joined in speaking order; of other fields the last one that
        is not None counts."""
        merged: Json = {}
        for update in updates:
            for key, value in update.items():
                both = isinstance(value, list) and isinstance(merged.get(key), list)
                merged[key] = [*merged[key], *value] if both else value if value is not None else merged.get(key)
        return merged

    def build(self, rounds: int = 1, *, together: bool = False) -> CompiledStateGraph[Any, Any, Any, Any]:
        """Return the debate as a graph, ready to be a node of another. together: in the first round all speak at once."""
        schemas, names = self.schemas, list(self.speakers)
        graph: StateGraph[Any, Any, Any, Any] = StateGraph(
            schemas.state, context_schema=schemas.context, input_schema=schemas.takes, output_schema=schemas.gives
        )
        for name in (*names, self.judge):
            graph.add_node(name, self.node(name))
        graph.add_edge(START, OPENINGS if together else names[0])

        def next_speaker(state: Turns) -> str:
            if state.get("halted"):
                return END
            turn = state.get("turn", 0)
            return names[turn % len(names)] if turn < rounds * len(names) else self.judge

        if together:
            graph.add_node(OPENINGS, self._openings())
        for name in [*names, *([OPENINGS] if together else [])]:
            graph.add_conditional_edges(name, next_speaker, [*names, self.judge, END])
        graph.add_edge(self.judge, END)
        return graph.compile()

    def _openings(self) -> Node:
        speakers = [self.node(name) for name in self.speakers]

        async def openings(state: Any, runtime: Any) -> Json:
            """Let every speaker open on the same state."""
            updates = await asyncio.gather(*(speak(state, runtime) for speak in speakers))
            return {**self.merged(state, updates), "turn": state.get("turn", 0) + len(speakers)}

        return openings
