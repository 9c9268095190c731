"""One decision, played from its first state to its last. The one place of the flow where any exception becomes the safe action."""

import asyncio
import logging

from langchain_core.runnables import RunnableConfig
from langgraph.types import StateSnapshot

from engine.domain.errors import StoreError
from engine.flows.decision.context import DecisionContext
from engine.flows.decision.graph import RECURSION_LIMIT, DecisionGraph
from engine.flows.decision.outcome import conclude
from engine.flows.decision.reasons import reason
from engine.flows.decision.state import Json

_log = logging.getLogger(__name__)


async def play(graph: DecisionGraph, first: Json, context: DecisionContext, deadline_s: float | None = None) -> Json:
    """The final state. Cancelling it cuts the model calls in flight. deadline_s: after which it ends in its safe action.

    A run with a checkpoint goes on from there, and `first` is not looked at. Raises StoreError when a checkpoint cannot be written.
    """
    config: RunnableConfig = {"configurable": {"thread_id": context.run_id}, "recursion_limit": RECURSION_LIMIT}
    kept = dict((await graph.aget_state(config)).values)
    last = kept or first
    try:
        async with asyncio.timeout(deadline_s):
            async for values in graph.astream(None if kept else first, config, context=context, stream_mode="values", durability="sync"):
                last = values
    except TimeoutError:
        last = {**await _inside(graph, config), **{key: value for key, value in last.items() if value is not None}}
        return conclude(last, context, failure=reason("deadline", context.language, seconds=f"{deadline_s:g}"))
    except StoreError:  # what cannot be kept must not look as if it were
        raise
    except Exception as problem:  # whatever broke, a run ends in its safe action and says why
        _log.exception("decision %s broke", context.run_id)
        return conclude(last, context, failure=reason("broke", context.language, reason=f"{type(problem).__name__}: {problem}"[:300]))
    return conclude(last, context)


async def _inside(graph: DecisionGraph, config: RunnableConfig) -> Json:
    """What the part that was cut off had already given: speeches of a debate, reports of an analysis."""
    found: Json = {}
    for task in (await graph.aget_state(config, subgraphs=True)).tasks:
        if isinstance(task.state, StateSnapshot):
            found |= task.state.values
    return found
