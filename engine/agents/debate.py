"""A debate: N speakers in turn, as many rounds as asked for, then a judge.

      START -> speaker 1 -> ... -> speaker N -> (again, while rounds are left) -> judge -> END

      together: START -> (all speakers at once) -> speaker 1 of the second round, or the judge

The next speaker is `turn % N`, never a parsed name. Opened together, no speaker hears another in the first round.
A node that sets `halted` ends the debate at once. The state is the caller's own, private to this graph;
only what its output schema names leaves it, and no list with a reducer is among that.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

Node = Callable[..., Awaitable[Mapping[str, Any]]]
Merge = Callable[[Any, Sequence[Mapping[str, Any]]], Mapping[str, Any]]
OPENINGS: Final = "openings"
"""The node in which all speakers open at once."""


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


def build_debate(
    schemas: Schemas,
    speakers: Sequence[Speaker],
    judge: Speaker,
    rounds: int = 1,
    *,
    together: bool = False,
    merge: Merge | None = None,
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the debate as a graph, ready to be a node of another. together: in the first round all speak at once. merge: (state, the
    updates of their openings in speaking order) -> one update; None = `joined`."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(
        schemas.state, context_schema=schemas.context, input_schema=schemas.takes, output_schema=schemas.gives
    )
    names = [speaker.role for speaker in speakers]
    for speaker in (*speakers, judge):
        graph.add_node(speaker.role, speaker.node)
    graph.add_edge(START, OPENINGS if together else names[0])

    def next_speaker(state: Turns) -> str:
        if state.get("halted"):
            return END
        turn = state.get("turn", 0)
        return names[turn % len(names)] if turn < rounds * len(names) else judge.role

    if together:
        graph.add_node(OPENINGS, _openings(speakers, merge))
    for name in [*names, *([OPENINGS] if together else [])]:
        graph.add_conditional_edges(name, next_speaker, [*names, judge.role, END])
    graph.add_edge(judge.role, END)
    return graph.compile()


def joined(_: Any, updates: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return several updates as one: lists are joined in speaking order; of other fields the last one that is not None counts."""
    merged: dict[str, Any] = {}
    for update in updates:
        for key, value in update.items():
            both = isinstance(value, list) and isinstance(merged.get(key), list)
            merged[key] = [*merged[key], *value] if both else value if value is not None else merged.get(key)
    return merged


def _openings(speakers: Sequence[Speaker], merge: Merge | None) -> Node:
    async def openings(state: Any, runtime: Any) -> Mapping[str, Any]:
        """Let every speaker open on the same state."""
        updates = await asyncio.gather(*(speaker.node(state, runtime) for speaker in speakers))
        return {**(merge or joined)(state, updates), "turn": state.get("turn", 0) + len(speakers)}

    return openings
