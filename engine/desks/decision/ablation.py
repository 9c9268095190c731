"""Did it matter? The executor asked once more, with the debate as it was said, before anything was corrected; and, where that is asked for,
with corrections that change nothing. And what the debate bought: one voice on the same facts.

Given the final state of a decision and its context (whose events lead nowhere: the run is over); gives what the executor would have
decided. One extra call each, on request only, never part of the decision, which does not change.
"""

from collections.abc import Mapping
from typing import Any, cast

from engine.desks.decision.context import DecisionContext
from engine.desks.decision.executor.brief import Hearing, make_brief, make_lone_brief
from engine.desks.decision.executor.node import decide_on
from engine.desks.decision.executor.prompt import ExecutorBrief
from engine.desks.decision.state import Json, TradingDecisionState
from engine.domain.errors import BadInput, TribunalError
from engine.domain.stability import LoneAnswer
from engine.domain.text.reason import Reason

_SHOWN = ("final_confidence", "final_leverage", "stop_loss_price", "take_profit_price", "risk_reward_ratio", "adjustment_pct")


async def compared(final: Mapping[str, Any], context: DecisionContext, *, placebo: bool = False) -> Json:
    """Return `{"corrected": decision, "uncorrected": decision, "same": bool, "usage"}`; same: equal action. What was asked before is not
    asked again. placebo: with `placebo` and `placebo_usage`.

    Raises BadInput for a decision that never came to its executor: there is nothing to compare; and where no placebo can be made.
    """
    if final.get("executor_text") is None:
        raise BadInput(Reason("this_decision_ended_before_its_executor_spoke"))
    found: Json = dict(final.get("did_it_matter") or {})
    if not found:
        other, usage = await _asked(final, context, "as_said")
        own = _decision(final)
        found = {"corrected": own, "uncorrected": other, "same": own["action"] == other["action"], "usage": usage}
    if placebo and "placebo" not in found:
        found["placebo"], found["placebo_usage"] = await _asked(final, context, "placebo")
    return found


async def alone(final: Mapping[str, Any], context: DecisionContext) -> LoneAnswer:
    """Return what one voice decides on the same facts, without analysts and debate. Raises BadInput for a decision that never came to its
    executor, another TribunalError where the voice gives no answer."""
    if final.get("executor_text") is None:
        raise BadInput(Reason("this_decision_ended_before_its_executor_spoke"))
    decided, usage = await _decided(make_lone_brief(context), final, context)
    if usage is None:
        raise TribunalError(Reason.listed(decided["errors"]))
    return LoneAnswer(action=decided["action"], usage=usage)


async def _asked(final: Mapping[str, Any], context: DecisionContext, hearing: Hearing) -> tuple[Json, Any]:
    """Return what the executor decides that hears the debate so, and what it cost."""
    return await _decided(make_brief(context.path, cast(TradingDecisionState, final), context, hearing), final, context)


async def _decided(brief: ExecutorBrief, final: Mapping[str, Any], context: DecisionContext) -> tuple[Json, Any]:
    update = await decide_on(brief, cast(TradingDecisionState, final), context)
    decided = _decision({**dict.fromkeys(_SHOWN), "is_valid": False, "final_action": context.path.safe.signal.value, **update})
    return decided, update.get("executor_usage")


def _decision(state: Mapping[str, Any]) -> Json:
    reasons = list(state.get("errors") or ())
    row = {"action": state["final_action"], "is_valid": bool(state["is_valid"]), "reasoning": state.get("executor_reasoning")}
    return row | {name.removeprefix("final_").removesuffix("_price"): state.get(name) for name in _SHOWN} | {"errors": reasons}
