"""Everything that the specification names, for `from engine.flows.plan import ...`."""

from engine.domain.plan.plan import DecompositionPlan, FactorPlan, TaskItem
from engine.domain.plan.results import FactorExecutionResult, TaskExecutionResult
from engine.flows.plan.executing.executor import LangGraphPlanExecutor
from engine.flows.plan.executing.state import FactorState
from engine.flows.plan.planning.agent import DecomposeAgent
from engine.flows.plan.reasoning.tool import ReasoningTool
from engine.flows.plan.registry import ToolRegistry
from engine.flows.plan.validation import load_plan_from_json

__all__ = [
    "DecomposeAgent",
    "DecompositionPlan",
    "FactorExecutionResult",
    "FactorPlan",
    "FactorState",
    "LangGraphPlanExecutor",
    "ReasoningTool",
    "TaskExecutionResult",
    "TaskItem",
    "ToolRegistry",
    "load_plan_from_json",
]
