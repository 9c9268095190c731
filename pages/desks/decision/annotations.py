"""What a decision has on the chart, from two sides: what a finished run carries in its state, and what its events already tell."""

from engine.api import role_of
from engine.domain.decision import Signal
from pages.chart.annotations import false_mark, level_marks, of_type, who_said
from pages.desks.decision.decision_view import DecisionView, executor_result
from pages.frame import json_fields


def live_annotations(view: DecisionView) -> list[json_fields.Fields]:
    """Return what is known so far: levels once there is a consensus, false statements once grounding has spoken, the plan once it is
    decided."""
    at = view.opening.at.isoformat() if view.opening and view.opening.at else None
    found: list[json_fields.Fields] = []
    if view.consensus:
        found += level_marks(at, support=view.consensus.support, resistance=view.consensus.resistance)
    found += _false_marks(view, at)
    held, result = view.holding, executor_result(view)
    found += level_marks(at, json_fields.words(held, "side"), entry=json_fields.number(held, "entry_price"))
    if json_fields.words(result, "action") in (Signal.ENTRY_LONG, Signal.ENTRY_SHORT) and view.opening:
        stop, target = json_fields.number(result, "stop_loss_price"), json_fields.number(result, "take_profit_price")
        found += level_marks(at, json_fields.words(result, "direction"), entry=view.opening.price, stop=stop, target=target)
    return found


def run_annotations(view: DecisionView, state: json_fields.Fields | None) -> list[json_fields.Fields]:
    """Return the state's `chart_annotations` once the run has one, else what is known so far; and every false value that the events
    tell, of any role: the state keeps a few of the debate's only, and what was drawn while the run went on stays when it has ended."""
    live = live_annotations(view)
    kept = json_fields.rows(state or {}, "chart_annotations")
    if not kept:
        return live
    drawn = {who_said(mark) for mark in of_type(kept, "false_level")}
    return [*kept, *(mark for mark in of_type(live, "false_level") if who_said(mark) not in drawn)]


def _false_marks(view: DecisionView, at: str | None) -> list[json_fields.Fields]:
    """Return a mark for every false value, once. A bound (`more than 80,000`) is not a value and gets no mark."""
    said = (*(view.checked.claims if view.checked else ()), *view.role("executor").claims)
    bounds = {(role_of(claim.source), claim.start, claim.end) for claim in said if claim.relation != "="}
    found: dict[tuple[str, str, float], json_fields.Fields] = {}
    for fix in view.corrections:
        who = role_of(fix.source)
        if isinstance(fix.claimed, float) and (who, fix.start, fix.end) not in bounds:
            found.setdefault((who, fix.key, fix.claimed), false_mark(fix.key, who, fix.claimed, fix.actual, at))
    return list(found.values())
