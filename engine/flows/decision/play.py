"""One decision, played from its first state to its last. The one place of the flow where any exception becomes the safe action."""

import logging

from engine.flows.decision.context import DecisionContext
from engine.flows.decision.graph import RECURSION_LIMIT, DecisionGraph
from engine.flows.decision.outcome import conclude
from engine.flows.decision.reasons import reason
from engine.flows.decision.state import Json

_log = logging.getLogger(__name__)


async def play(graph: DecisionGraph, first: Json, context: DecisionContext) -> Json:
    """The final state. Cancelling it cuts the model calls in flight."""
    last = first
    try:
        async for values in graph.astream(first, {"recursion_limit": RECURSION_LIMIT}, context=context, stream_mode="values"):
            last = values
    except Exception as problem:  # whatever broke, a run ends in its safe action and says why
        _log.exception("decision %s broke", context.run_id)
        return conclude(last, context, failure=reason("broke", context.language, reason=f"{type(problem).__name__}: {problem}"[:300]))
    return conclude(last, context)
