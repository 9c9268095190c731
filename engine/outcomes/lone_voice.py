"""What debates bought: decisions beside those of one voice on the same facts, and what all of them together say. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.domain.interval import counted_share
from engine.domain.stability import LoneAnswer, decided_action

Json = dict[str, Any]


def value_of(run_id: str, final: Mapping[str, Any], alone: LoneAnswer) -> Json:
    """Return what a debate bought: both actions with their calls, tokens and seconds. final: the state of the run."""
    metrics, usage = final["metrics"], alone.usage
    debate = {
        "action": decided_action(final),
        "calls": metrics["llm_calls_count"],
        "tokens": metrics["total_tokens"],
        "seconds": round(metrics["total_duration_ms"] / 1000, 3),
    }
    single = {
        "action": alone.action,
        "calls": usage.requests,
        "tokens": usage.prompt_tokens + usage.completion_tokens,
        "seconds": round(usage.duration_ms / 1000, 3),
    }
    return {"run_id": run_id, "debate": debate, "single": single, "same_action": debate["action"] == single["action"]}


def all_values(found: Sequence[Mapping[str, Any]]) -> Json:
    """Return over all decisions what debates cost and one voice would have, and how often both came to the same action, with n."""
    sums = {
        side: {name: round(sum(each[side][name] for each in found), 3) for name in ("calls", "tokens", "seconds")}
        for side in ("debate", "single")
    }
    return {"runs": len(found), **sums, "same_action": counted_share(sum(each["same_action"] for each in found), len(found))}
