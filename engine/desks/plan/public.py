"""Everything that the specification names, for `from engine.desks.plan import ...`."""

from engine.desks.plan.decompose_agent import DecomposeAgent
from engine.desks.plan.executor import LangGraphPlanExecutor
from engine.desks.plan.factor_graph import FactorState
from engine.desks.plan.reasoning import ReasoningTool
from engine.desks.plan.registry import ToolRegistry
from engine.desks.plan.validation import load_plan_from_json
from engine.domain.plan.plan import DecompositionPlan, FactorPlan, TaskItem
from engine.domain.plan.results import FactorExecutionResult, TaskExecutionResult

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
