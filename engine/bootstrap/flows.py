"""The flows of this installation. A new one is a folder in `engine/flows`, a line here, and a page."""

from typing import Final

from engine.flows.decision.flow import DecisionFlow
from engine.flows.fusion.flow import FusionFlow
from engine.flows.plan.flow import PlanFlow
from engine.flows.protocol import Flow
from engine.flows.research.flow import ResearchFlow

FLOWS: Final[dict[str, Flow]] = {flow.name: flow for flow in (DecisionFlow(), FusionFlow(), PlanFlow(), ResearchFlow())}
"""By name."""
