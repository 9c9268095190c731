"""The hard limits of an order as roles are told them: `key = value` lines, with what is measured already. Pure."""

from collections.abc import Iterable, Mapping

from engine.domain.change_of_mind import SincePrevious
from engine.domain.risk import RiskConfig
from engine.prompts.render import Text

OF_ACCOUNT: Text = {
    "en": (
        "max_exposure_pct: price times size of all positions, percent of equity. cooldown_minutes: after a loss; now = minutes left. "
        "max_orders_per_hour: with this one."
    ),
    "zh": "max_exposure_pct：全部名义价值占权益的百分比。cooldown_minutes：亏损后的冷静期，now 为剩余分钟。max_orders_per_hour：含本次。",
}
"""What the limits of an account are measured in."""
OF_ORDER = (
    "min_confidence",
    "min_risk_reward_ratio",
    "min_risk_reward_after_costs",
    "max_stop_distance_pct",
    "risk_per_trade_pct",
    "max_position_pct",
)
"""The limits that every order that adds risk is checked by, on both desks."""


def limit_lines(
    risk: RiskConfig, names: Iterable[str], now: Mapping[str, float | None], called: Mapping[str, str] | None = None
) -> list[str]:
    """Return a line for each limit that is set. now: name -> what is measured already, None = not known; of others nothing is said. called:
    name -> what it is called, where a fact has that name."""
    bounds = {name: value for name in names if (value := getattr(risk, name)) is not None}
    shown = called or {}
    return [f"{shown.get(name, name)} = {value:g}{_now(now[name]) if name in now else ''}" for name, value in bounds.items()]


def standing_lines(risk: RiskConfig, since: SincePrevious | None, *, halted: bool) -> list[str]:
    """Return the limits that are no bounds of the order itself: allowed symbols, reversals, the kill switch."""
    allowed = [f"allowed_symbols = {' '.join(risk.allowed_symbols)}"] if risk.allowed_symbols else []
    return [*allowed, *reversal_lines(risk, since), f"kill_switch = {'on' if halted else 'off'}"]


def reversal_lines(risk: RiskConfig, since: SincePrevious | None) -> list[str]:
    """Return the limit of reversals, with the direction of the decision before and how many facts have moved since."""
    if risk.min_facts_for_reversal is None or since is None or not since.stance:
        return []
    return [f"min_facts_for_reversal = {risk.min_facts_for_reversal} (now {since.moved} since {'LONG' if since.stance > 0 else 'SHORT'})"]


def _now(measured: float | None) -> str:
    """Return what is measured already; "" where that is nothing."""
    if measured is None:
        return " (now unknown)"
    return f" (now {measured:.3g})" if measured else ""
