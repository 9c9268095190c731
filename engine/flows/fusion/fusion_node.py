"""The fusion node: what the Memory Controllers, the account and the market give, put together; after the barrier, and once."""

from typing import Any

from langgraph.runtime import Runtime

from engine.agents.watch import watch
from engine.domain.events import NodeFinished
from engine.flows.fusion.context import FusionContext
from engine.flows.fusion.memory.controller import summary_of
from engine.flows.fusion.reasons import reason
from engine.flows.fusion.state import FusionState, Json

NODE = "fusion"
MINIMUM_REPORTS = 2


async def fusion_node(state: FusionState, runtime: Runtime[FusionContext]) -> Json:
    """Fill the shared state. With fewer than two reports the run ends in its safe outcome."""
    context = runtime.context
    with watch(context.access.emit, NODE, NODE) as watched:
        records = {analyst.key: state["analysts"][analyst.key] for analyst in context.preset.analysts}
        spoke = [key for key, record in records.items() if record["report"] is not None]
        watched.data = NodeFinished(result={"reports": [*spoke], "statuses": {key: record["status"] for key, record in records.items()}})
    update: dict[str, Any] = {}
    if context.preset.debates:
        update = {f"{key}_analyst_summary": summary_of(record) for key, record in records.items()}
        update["strikes"] = [each for record in records.values() for each in record.get("strikes", ())]
    if len(spoke) < MINIMUM_REPORTS:
        update["halted"] = reason("too_few", context.language, spoke=len(spoke), all=len(records), needed=MINIMUM_REPORTS)
    return update
