"""Did it matter? The executor asked once more, with the debate as it was said, before anything was corrected.

Given the final state of a decision and its context (whose events lead nowhere: the run is over); gives what the executor would have
decided. One extra call, on request only, never part of the decision, which stands as it is.
"""

from collections.abc import Mapping
from typing import Any, cast

from engine.domain.errors import BadInput
from engine.flows.decision.context import DecisionContext
from engine.flows.decision.executor.brief import make_brief
from engine.flows.decision.executor.node import decide_on
from engine.flows.decision.state import Json, TradingDecisionState

_SHOWN = ("final_confidence", "final_leverage", "stop_loss_price", "take_profit_price", "risk_reward_ratio", "adjustment_pct")


async def without_corrections(final: Mapping[str, Any], context: DecisionContext) -> Json:
    """Return `{"corrected": decision, "uncorrected": decision, "same": bool, "usage"}`; same: equal action.

    Raises BadInput for a decision that never came to its executor: there is nothing to compare.
    """
    if final.get("executor_text") is None:
        raise BadInput("this decision ended before its executor spoke: there is nothing to compare it with")
    state = cast(TradingDecisionState, final)
    update = await decide_on(make_brief(context.path, state, context, corrected=False), state, context)
    other = _decision({**dict.fromkeys(_SHOWN), "is_valid": False, "final_action": context.path.safe.signal.value, **update})
    own = _decision(final)
    return {"corrected": own, "uncorrected": other, "same": own["action"] == other["action"], "usage": update.get("executor_usage")}


def _decision(state: Mapping[str, Any]) -> Json:
    reasons = list(state.get("errors") or ())
    row = {"action": state["final_action"], "is_valid": bool(state["is_valid"]), "reasoning": state.get("executor_reasoning")}
    return row | {name.removeprefix("final_").removesuffix("_price"): state.get(name) for name in _SHOWN} | {"errors": reasons}
