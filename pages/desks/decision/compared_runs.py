"""Two finished decisions side by side. HTML, without streamlit."""

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from engine.desks.decision.api import field_of_path
from engine.domain.run import RunRecord
from engine.domain.text.reason import Reason, keyed
from pages.desks.decision.verdict import action_word
from pages.frame import numbers
from pages.frame.cards import card, head, heading, table
from pages.frame.show import Show
from pages.run.run_list import pair_row

_SPOKEN = ("bull_argument", "bear_argument", "judge_verdict")


def compared_runs(first: RunRecord, second: RunRecord, show: Show) -> Markup:
    """Return two finished runs, what differs marked. Nothing for a run without a decision."""
    if first.result is None or second.result is None:
        return Markup()
    say = show.say
    rows = [pair_row(name, read(first), read(second)) for name, read in _compared(show)]
    heads = ((say("figure"), False), (first.run_id, False), (second.run_id, False))
    return card(head(heading(say("compare"))), table(heads, rows), label=say("compare"))


def _compared(show: Show) -> list[tuple[str, Callable[[RunRecord], str]]]:
    """Name and reader of everything that is compared."""
    say = show.say

    def result(record: RunRecord) -> dict[str, Any]:
        return record.result or {}

    def action(record: RunRecord) -> str:
        return action_word(result(record)["final_action"], {}, show, valid=result(record)["is_valid"])

    def of(key: str, decimals: int = 0) -> Callable[[RunRecord], str]:
        return lambda record: numbers.number(result(record).get(key), decimals)

    def price(key: str) -> Callable[[RunRecord], str]:
        return lambda record: numbers.price(result(record).get(key), show.step)

    def vote(role: str) -> Callable[[RunRecord], str]:
        return lambda record: _vote((result(record).get("reports") or {}).get(role), show)

    analysts = list(show.titles)
    return [
        (say("matter_action"), action),
        (say("confidence"), of("final_confidence")),
        (say("leverage"), of("final_leverage")),
        (say("stop"), price("stop_loss_price")),
        (say("target"), price("take_profit_price")),
        (say("min_risk_reward_ratio"), of("risk_reward_ratio", 2)),
        *((show.name(role), vote(role)) for role in analysts),
        *((show.name(field.partition("_")[0]), _spoke(field)) for field in _SPOKEN),
        (say("col_false"), of("false_claims")),
        (say("col_tokens"), lambda record: numbers.number((result(record).get("total_token_usage") or {}).get("total"))),
        (say("col_took"), lambda record: numbers.seconds((result(record).get("total_duration_ms") or 0) / 1000)),
        (say("col_errors"), lambda record: _errors(record.result or {}, show) or numbers.DASH),
    ]


def _errors(result: Mapping[str, Any], show: Show) -> str:
    return show.translated(Reason.listed(keyed(result, error) for error in result.get("errors") or ()))


def _vote(report: Any, show: Show) -> str:
    if not report:
        return numbers.DASH
    if report.get("abstained"):
        return show.say("abstained")
    return f"{show.say(report['direction'])} {numbers.number(report['confidence'])}"


def _spoke(field: str) -> Callable[[RunRecord], str]:
    """Return the confidence of a debater on either path."""

    def read(record: RunRecord) -> str:
        result = record.result or {}
        spoken = field_of_path(result, field) or {}
        return numbers.number(spoken.get("confidence"))

    return read
