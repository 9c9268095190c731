"""What a finished decision came to, as it is set beside that of another. HTML, without streamlit."""

from collections.abc import Mapping
from typing import Any

from engine.desks.decision.api import field_of_path
from engine.domain.text.reason import Reason, keyed
from pages.desks.decision.verdict import action_word
from pages.frame import numbers
from pages.frame.show import Show

_SPOKEN = ("bull_argument", "bear_argument", "judge_verdict")


def decision_figures(result: Mapping[str, Any], show: Show) -> dict[str, str]:
    """Return what everything is called that is compared, and how much it is. result: the final state of a run."""
    say = show.say
    reports, tokens = result.get("reports") or {}, result.get("total_token_usage") or {}
    errors = show.translated(Reason.listed(keyed(result, error) for error in result.get("errors") or ()))
    return {
        say("matter_action"): action_word(result["final_action"], {}, show, valid=result["is_valid"]),
        say("confidence"): numbers.number(result.get("final_confidence")),
        say("leverage"): numbers.number(result.get("final_leverage")),
        say("stop"): numbers.price(result.get("stop_loss_price"), show.step),
        say("target"): numbers.price(result.get("take_profit_price"), show.step),
        say("min_risk_reward_ratio"): numbers.number(result.get("risk_reward_ratio"), 2),
        **{show.name(role): _vote(reports.get(role), show) for role in show.titles},
        **{
            show.name(field.partition("_")[0]): numbers.number((field_of_path(result, field) or {}).get("confidence"))
            for field in _SPOKEN  # on either path
        },
        say("col_false"): numbers.number(result.get("false_claims")),
        say("col_tokens"): numbers.number(tokens.get("total")),
        say("col_took"): numbers.seconds((result.get("total_duration_ms") or 0) / 1000),
        say("col_errors"): errors or numbers.DASH,
    }


def _vote(report: Any, show: Show) -> str:
    if not report:
        return numbers.DASH
    if report.get("abstained"):
        return show.say("abstained")
    return f"{show.say(report['direction'])} {numbers.number(report['confidence'])}"
