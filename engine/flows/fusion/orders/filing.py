"""Files the order of a run as a proposal for somebody to sign."""

from dataclasses import replace

from engine.domain.ended import Ended
from engine.flows.fusion.context import FusionContext
from engine.flows.fusion.reasons import reason
from engine.flows.fusion.request import FusionRequest
from engine.flows.protocol import RunDeps


async def file_order(ended: Ended, context: FusionContext, request: FusionRequest, deps: RunDeps) -> Ended:
    """Return the end with its proposal named. Where no broker for shares is there the order is said and not carried out."""
    warnings = [*ended.state["warnings"], reason("no_shares_broker", request.language)]
    return replace(ended, state={**ended.state, "warnings": warnings}, shown={**ended.shown, "warnings": warnings})
