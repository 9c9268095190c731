"""What a factor asks of others: a decision about a failed task, a new plan. Both may be anybody's implementation of the public names.

What they give is held to what is allowed: a retry beyond the attempts of a task, a second replan or a word that is none of the three gives
way to the rule, so no factor can go round for ever.
"""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from engine.domain.errors import StoreError, TribunalError
from engine.domain.plan.plan import DecompositionPlan
from engine.flows.plan.planning.agent import DecomposeAgent
from engine.flows.plan.planning.protocol import MadePlan, Planner, Replanning
from engine.flows.plan.reasoning.steps import FailedTask, ReasonedStep, decide_by_rule
from engine.flows.plan.reasoning.tool import ReasoningTool
from engine.flows.plan.validation import checked_shape

_LONGEST = 200


async def decide_step(reasoning: ReasoningTool, case: FailedTask, node: str, turn: int) -> ReasonedStep:
    """Return what is to be done about a failed task, which is always one of the steps that are allowed. Raises StoreError."""
    try:
        step = await reasoning.decide(case, node, turn)
        if step.decision in case.allowed and 0 <= step.confidence <= 1:
            return step
        why = f"{step.decision!r} with confidence {step.confidence:g} is not possible"[:_LONGEST]
    except StoreError:  # the run itself cannot go on
        raise
    except Exception as problem:  # whoever overrides `decide` may raise anything: the rule decides
        why = f"the reasoning failed: {in_words(problem)}"[:_LONGEST]
    rule = decide_by_rule(case)
    return ReasonedStep(rule.decision, f"{rule.reason} ({why})", rule.confidence, "heuristic")


async def made_anew(planner: Planner | Any, question: str, asked: Replanning) -> MadePlan:
    """Return a new plan of a planner: by its own `plan` where it has one, on a thread where that blocks, else by `decompose`.

    Raises whatever it raises, and PlanFault where that is no plan.
    """
    own = getattr(planner, "plan", None)
    if not callable(own) or (isinstance(planner, DecomposeAgent) and type(planner).plan is DecomposeAgent.plan):
        made: MadePlan = await planner.decompose(question, asked)
        return made
    given = (question, asked) if _takes_two(own) else (question,)
    answer = own(*given) if inspect.iscoroutinefunction(own) else await asyncio.to_thread(own, *given)
    found = await answer if inspect.isawaitable(answer) else answer
    if isinstance(found, MadePlan):
        return found
    return MadePlan(found if isinstance(found, DecompositionPlan) else checked_shape(found), "heuristic")


def in_words(problem: Exception) -> str:
    """Return an exception on one line: its words where it is one of ours, or of a kind whose words say enough; else with its kind."""
    if isinstance(problem, ValidationError):  # a result that is none
        first = problem.errors(include_input=False, include_url=False)[0]
        return f"{'.'.join(map(str, first['loc'][:4]))}: {first['msg'][0].lower()}{first['msg'][1:]}"
    words = " ".join(str(problem).split())
    if isinstance(problem, TribunalError | ValueError | TimeoutError | ArithmeticError | OSError) and words:
        return words
    return f"{type(problem).__name__}: {words}" if words else type(problem).__name__


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function).bind("", None)
    except (TypeError, ValueError):
        return False
    return True
