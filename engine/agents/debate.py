"""A debate: N speakers in turn, as many rounds as asked for, then a judge.

      START -> speaker 1 -> ... -> speaker N -> (again, while rounds are left) -> judge -> END

The next speaker is `turn % N`, never a parsed name. A node that sets `halted` ends the debate at once. The state is the caller's own,
private to this graph; only what its output schema names leaves it, and no list with a reducer is among that.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

Node = Callable[..., Awaitable[Mapping[str, Any]]]


class Turns(TypedDict, total=False):
    """What every debate's state holds for the order of speakers. turn: speeches so far. halted: why the debate ended early."""

    turn: int
    halted: str | None


@dataclass(frozen=True)
class Speaker:
    """A role and its node: an async function (state, runtime) -> update. The builder counts the turns."""

    role: str
    node: Node


@dataclass(frozen=True)
class Schemas:
    """The types of a debate's state: all of it, what comes in, what leaves, and the run's context."""

    state: type
    takes: type
    gives: type
    context: type


def build_debate(schemas: Schemas, speakers: Sequence[Speaker], judge: Speaker, rounds: int = 1) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the debate as a graph, ready to be a node of another."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(
        schemas.state, context_schema=schemas.context, input_schema=schemas.takes, output_schema=schemas.gives
    )
    names = [speaker.role for speaker in speakers]
    for speaker in (*speakers, judge):
        graph.add_node(speaker.role, speaker.node)
    graph.add_edge(START, names[0])

    def next_speaker(state: Turns) -> str:
        if state.get("halted"):
            return END
        turn = state.get("turn", 0)
        return names[turn % len(names)] if turn < rounds * len(names) else judge.role

    for name in names:
        graph.add_conditional_edges(name, next_speaker, [*names, judge.role, END])
    graph.add_edge(judge.role, END)
    return graph.compile()
