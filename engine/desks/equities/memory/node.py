"""Writes the memory summaries that are due, in parallel with the research debate, which does not read them."""

import asyncio
from typing import Any, Final

from langgraph.runtime import Runtime

from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.memory.controller import MemoryController, summary_of
from engine.desks.equities.memory.summary import summarise
from engine.desks.equities.state import FusionState, Json

NODE: Final = "memory"


def are_due(state: FusionState) -> bool:
    """Return whether an analyst's summary is to be made anew."""
    return any(record.get("due") for record in state["analysts"].values())


async def memory_node(state: FusionState, runtime: Runtime[EquitiesContext]) -> Json:
    """Make every summary that is due, and put it into its analyst's record and memory."""
    context, moment = runtime.context, runtime.context.snapshot.moment
    symbol, cadences = context.snapshot.listing.symbol, {analyst.key: analyst.cadence for analyst in context.preset.everybody}
    controllers = {
        key: MemoryController.from_json(record["due"], key, cadences[key], symbol)
        for key, record in state["analysts"].items()
        if record.get("due")
    }
    await asyncio.gather(*(summarise(controller, context) for controller in controllers.values()))
    update: dict[str, Any] = {"analysts": {}}
    for key, controller in controllers.items():
        memory = controller.get_memory_summary(symbol, moment.trade_date, moment.trading_session)
        memories = [each.model_dump(mode="json") for each in controller.memories()]
        record = {**state["analysts"][key], "memory": memory, "memories": memories, "due": None}
        update["analysts"][key] = record
        if context.preset.debates:
            update[f"{key}_analyst_summary"] = summary_of(record)
    return update
