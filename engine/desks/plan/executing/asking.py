"""What a factor asks of others: a decision about a failed task, a new plan. Both may be anybody's implementation of the public names.

What they give is held to what is allowed: a retry beyond the attempts of a task, a second replan or a word that is none of the three gives
way to the rule, so no factor can go round for ever.
"""

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TypeVar

from pydantic import ValidationError

from engine.desks.plan.planning.agent import DecomposeAgent, MadePlan, Planner, Replanning
from engine.desks.plan.reasoning import FailedTask, ReasonedStep, ReasoningTool, decide_by_rule
from engine.desks.plan.tools.protocol import NoData
from engine.domain.errors import BadInput, ClockOutOfRange, MarketRefused, NoSuchTimeframe, StoreError, TribunalError, UnknownSymbol
from engine.domain.text.reason import Reason, bounded

_LONGEST = 200
_PERMANENT = (BadInput, UnknownSymbol, NoSuchTimeframe, ClockOutOfRange, MarketRefused, NoData)
"""What the same call at the same instant meets again."""

T = TypeVar("T")


@dataclass(frozen=True)
class Problem:
    """Why something gave nothing, on one line. permanent: another attempt would fail in the same way."""

    words: str
    permanent: bool = False


async def attempted(work: Awaitable[T]) -> T | Problem:
    """Return what code of others gives, or why it gives nothing, whatever it raises. Raises StoreError: the run itself cannot go on."""
    try:
        return await work
    except StoreError:
        raise
    except Exception as problem:  # tools, planners and reasoning are anybody's: a fault of theirs costs their task and no other
        return Problem(_in_words(problem), isinstance(problem, _PERMANENT))


async def decide_step(reasoning: ReasoningTool, case: FailedTask, node: str, turn: int) -> ReasonedStep:
    """Return what is to be done about a failed task, which is always one of the steps that are allowed. Raises StoreError."""

    async def step() -> ReasonedStep:
        found = await reasoning.decide(case, node, turn)
        if found.decision in case.allowed and 0 <= found.confidence <= 1:
            return found
        raise ValueError(f"{found.decision!r} with confidence {found.confidence:g} is not possible")

    found = await attempted(step())
    if isinstance(found, ReasonedStep):
        return found
    why, rule = bounded(Reason("reasoning_failed", words=found.words), _LONGEST), decide_by_rule(case)
    return ReasonedStep(rule.decision, Reason("decided_instead", reason=rule.reason, why=why), rule.confidence, "heuristic")


async def made_anew(planner: Planner, question: str, asked: Replanning) -> MadePlan:
    """Return a new plan: of an agent that overrides `plan`, what that gives. Raises whatever the planner raises."""
    if isinstance(planner, DecomposeAgent) and type(planner).plan is not DecomposeAgent.plan:
        return MadePlan(await planner.plan(question, asked), "heuristic")
    return await planner.decompose(question, asked)


def _in_words(problem: Exception) -> str:
    """Return an exception on one line: its words where it is one of ours, or of a kind whose words say enough; else with its kind."""
    if isinstance(problem, ValidationError):  # a result that is none
        first = problem.errors(include_input=False, include_url=False)[0]
        return f"{'.'.join(map(str, first['loc'][:4]))}: {first['msg'][0].lower()}{first['msg'][1:]}"
    if isinstance(words := str(problem), Reason):
        return words
    words = " ".join(words.split())
    if isinstance(problem, TribunalError | ValueError | TimeoutError | ArithmeticError | OSError) and words:
        return words
    return f"{type(problem).__name__}: {words}" if words else type(problem).__name__
