"""The runs of this journal: the list, and two of them side by side. HTML, without streamlit."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from engine.api import field_of_path
from engine.domain.run import RunRecord, RunSummary
from pages.frame import numbers
from pages.frame.cards import card, cell, head, heading, label, table
from pages.frame.escape import plain
from pages.frame.show import Show
from pages.run.verdict import action_glyph, action_word

_STATES = {
    "starting": ("○", "state_starting"),
    "running": ("●", "state_running"),
    "interrupted": ("↻", "state_interrupted"),
    "stopped": ("■", "state_stopped"),
    "finished": ("✓", "state_finished"),
    "failed": ("✕", "state_failed"),
}
_SPOKEN = ("bull_argument", "bear_argument", "judge_verdict")


def runs_panel(runs: Sequence[RunSummary], show: Show, now: datetime, title: str = "") -> str:
    """Return the runs, newest first, each a link to its page. now: aware UTC, for ages. title: of the panel, in place of the usual one."""
    say = show.say
    title = title or say("runs")
    if not runs:
        return card(f"<p>{plain(say('runs_none'))}</p>", label=title)
    names = ("col_state", "col_market", "col_action", "col_age", "col_took", "col_tokens", "col_money", "col_model")
    heads = tuple((say(name), name in {"col_age", "col_took", "col_tokens", "col_money"}) for name in names)
    rows = [_row(run, show, now) for run in runs]
    return card(head(heading(title), label(say("runs_count", n=numbers.number(len(runs))))), table(heads, rows), label=title)


def _row(run: RunSummary, show: Show, now: datetime) -> list[str]:
    say, (glyph, word) = show.say, _STATES[run.status]
    state = f'<span aria-hidden="true">{glyph}</span> {plain(say(word))}'
    link = f'<a href="./?run={plain(run.run_id)}&amp;lang={show.language}" target="_self">{plain(run.subject)}</a>'
    made = f' <span class="tb-muted">{plain(say("made_from", run=run.parent))}</span>' if run.parent else ""
    took = run.duration_ms / 1000 if run.duration_ms is not None else None
    return [
        cell(state),
        cell(link + made),
        cell(_outcome(run, show)),
        cell(numbers.age((now - run.created_at).total_seconds()), "r"),
        cell(numbers.seconds(took), "r"),
        cell(numbers.number(run.tokens), "r"),
        cell(numbers.number(run.cost, 4) if run.cost else numbers.DASH, "r"),
        cell(plain(run.model or numbers.DASH)),
    ]


def _outcome(run: RunSummary, show: Show) -> str:
    if run.headline is None:
        return plain((run.error or numbers.DASH)[:80])
    if run.flow != "decision":
        return plain(run.headline[:80])
    valid = run.is_valid is not False
    return f"{action_glyph(run.headline, {}, valid=valid)} {plain(action_word(run.headline, {}, show, valid=valid))}"


def compared_runs(first: RunRecord, second: RunRecord, show: Show) -> str:
    """Return two finished runs, what differs marked. Nothing for a run without a decision."""
    if first.result is None or second.result is None:
        return ""
    say = show.say
    rows = [_pair(name, read(first), read(second)) for name, read in _compared(show)]
    heads = (("", False), (first.run_id, False), (second.run_id, False))
    return card(head(heading(say("compare"))), table(heads, rows), label=say("compare"))


def _pair(name: str, one: str, other: str) -> list[str]:
    """Return a row in which what differs is bold and carries a sign, so that colour is not needed."""
    differs = one != other
    shown = [f"<b>{text}</b>" if differs else text for text in (plain(one), plain(other))]
    return [cell(("≠ " if differs else "") + plain(name)), cell(shown[0]), cell(shown[1])]


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

    analysts = sorted(show.titles)
    return [
        (say("col_model"), lambda record: record.request.model),
        (say("col_language"), lambda record: record.request.language),
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
        (say("col_errors"), lambda record: "; ".join(result(record).get("errors") or ()) or numbers.DASH),
    ]


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
