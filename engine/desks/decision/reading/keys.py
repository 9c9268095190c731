"""The keys of the closing blocks of a decision, and of the form of its executor."""

from collections.abc import Collection, Mapping

from engine.domain.roles import Role

VOTE_KEYS = ("direction", "confidence", "support", "resistance", "verdict", "adjustment_pct")
EXECUTOR_KEYS = (
    "action",
    "confidence",
    "leverage",
    "direction",
    "stop_loss_price",
    "take_profit_price",
    "risk_reward_ratio",
    "adjustment_pct",
    "adjustment_type",
)
_ANALYST = ("direction", "confidence", "support", "resistance")
_KEYS_OF: Mapping[Role, tuple[str, ...]] = {
    "bull": ("confidence",),
    "bear": ("confidence",),
    "judge": ("verdict", "direction", "confidence", "adjustment_pct"),
    "executor": EXECUTOR_KEYS,
}


def keys_of(role: Role) -> Collection[str]:
    """Return the keys of a role's closing block; any other role is an analyst."""
    return _KEYS_OF.get(role, _ANALYST)
