"""Plans: a question decomposed into factors, each worked through with real tools and repaired where a task fails.

The names of the specification are here; they are imported when they are asked for, because what they need takes long to import.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.flows.plan.public import (
        DecomposeAgent,
        DecompositionPlan,
        FactorExecutionResult,
        FactorPlan,
        FactorState,
        LangGraphPlanExecutor,
        ReasoningTool,
        TaskExecutionResult,
        TaskItem,
        ToolRegistry,
        load_plan_from_json,
    )

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


def __getattr__(name: str) -> Any:
    """Return a public name. Raises AttributeError."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from engine.flows.plan import public  # noqa: PLC0415 - takes long to import, and pages ask for seats only

    return getattr(public, name)
