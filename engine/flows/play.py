"""One run of any flow, played from its first state to its end. The one place of the flows where any exception becomes the safe outcome."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import StateSnapshot

from engine.domain.ended import Ended
from engine.domain.errors import StoreError
from engine.domain.events import Event
from engine.flows.ending import conclude_answer
from engine.flows.protocol import Failure, Flow, Json

_log = logging.getLogger(__name__)
_LONGEST = 300


async def play(
    flow: Flow,
    graph: Any,
    context: Any,
    first: Json,
    run_id: str,
    events: Callable[[], Sequence[Event]],
    deadline_s: float | None = None,
) -> Ended:
    """Return how the run ended. Cancelling it cuts the model calls in flight. deadline_s: after which it ends in its safe outcome.

    A run with a checkpoint goes on from there, and `first` is not looked at. Raises StoreError when a checkpoint cannot be written.
    """
    config: RunnableConfig = {"configurable": {"thread_id": run_id}, "recursion_limit": flow.recursion_limit}
    kept = dict((await graph.aget_state(config)).values)
    last, failure = kept or first, None
    try:
        async with asyncio.timeout(deadline_s):
            async for values in graph.astream(None if kept else first, config, context=context, stream_mode="values", durability="sync"):
                last = values
    except TimeoutError:
        failure = Failure("deadline", f"{deadline_s:g}", await _inside(graph, config))
    except StoreError:  # what cannot be kept must not look as if it were
        raise
    except Exception as problem:  # whatever broke, a run ends in its safe outcome and says why
        _log.exception("run %s broke", run_id)
        failure = Failure("broke", f"{type(problem).__name__}: {problem}"[:_LONGEST])
    return (flow.work().conclude or conclude_answer)(last, context, events(), failure)


async def _inside(graph: Any, config: RunnableConfig) -> dict[str, Json]:
    """Node -> what the part that was cut off there had already given: speeches of a debate, reports of an analysis."""
    tasks = (await graph.aget_state(config, subgraphs=True)).tasks
    return {task.name: dict(task.state.values) for task in tasks if isinstance(task.state, StateSnapshot)}
