"""The chart's annotations, from two sides: those a finished run carries in its state, and those its events already tell.

An annotation is `{"type", "price", "timestamp"}` with, where it has them, `label`, `direction`, `source`, `claimed`, `actual`.
`type`: entry, stop, target, support, resistance, pattern, false_level. For a false_level, `label` is the fact's key.
"""

from collections.abc import Iterable, Sequence

from pydantic import JsonValue

from engine.api import role_of
from engine.domain.decision import Signal
from pages.chart.lines import OVER_CANDLES
from pages.frame import json_fields
from pages.run.view import RunView, executor_result

Annotation = dict[str, JsonValue]
TYPES = ("entry", "stop", "target", "support", "resistance", "pattern", "false_level")


def live_annotations(view: RunView) -> list[Annotation]:
    """Return what is known so far: levels once there is a consensus, false statements once grounding has spoken, the plan once it is
    decided."""
    at = view.facts.at.isoformat() if view.facts and view.facts.at else None
    found: list[Annotation] = []
    if view.consensus:
        found += _levels(at, support=view.consensus.support, resistance=view.consensus.resistance)
    found += _false_marks(view, at)
    entry = json_fields.number(view.facts.holding, "entry_price") if view.facts else None
    if entry is not None and view.facts:
        found += [{**mark, "direction": json_fields.words(view.facts.holding, "side")} for mark in _levels(at, entry=entry)]
    result = executor_result(view)
    if json_fields.words(result, "action") in (Signal.ENTRY_LONG, Signal.ENTRY_SHORT) and view.facts:
        stop, target = json_fields.number(result, "stop_loss_price"), json_fields.number(result, "take_profit_price")
        plan = _levels(at, entry=view.facts.price, stop=stop, target=target)
        found += [{**mark, "direction": json_fields.words(result, "direction")} for mark in plan]
    return found


def run_annotations(view: RunView, state: json_fields.Fields | None) -> list[json_fields.Fields]:
    """Return the state's `chart_annotations` once the run has one, else what is known so far; and every false value that the events
    tell, whoever said it: the state keeps a few of the debate's only, and what was drawn while the run went on stays when it has ended."""
    live = live_annotations(view)
    kept = json_fields.rows(state or {}, "chart_annotations")
    if not kept:
        return [*live]
    drawn = {_who_said(mark) for mark in of_type(kept, "false_level")}
    return [*kept, *(mark for mark in of_type(live, "false_level") if _who_said(mark) not in drawn)]


def readable(annotations: Iterable[json_fields.Fields]) -> list[json_fields.Fields]:
    """Return those of a known type with a finite, positive price (or a claimed value). Others are left out: a chart must not fail on one
    mark."""
    return [mark for mark in annotations if json_fields.words(mark, "type") in TYPES and _value(mark) is not None]


def is_price(key: str) -> bool:
    """Return whether a fact is drawn over the candles: a price, an average, or a level without a name."""
    return not key or key.startswith(OVER_CANDLES) or key in ("support", "resistance", "close", "entry_price", "liquidation_price")


def of_type(annotations: Sequence[json_fields.Fields], kind: str) -> list[json_fields.Fields]:
    """Return the annotations of one type, in order."""
    return [mark for mark in annotations if mark.get("type") == kind]


def _who_said(mark: json_fields.Fields) -> tuple[str, str, float | None]:
    """Return who said which value of what, on either path."""
    source, key = json_fields.words(mark, "source") or "", json_fields.words(mark, "label") or ""
    return role_of(source), key, json_fields.number(mark, "claimed")


def _false_marks(view: RunView, at: str | None) -> list[Annotation]:
    """Return a mark for every false value, once. A bound (`more than 80,000`) is no value: nobody said that it stands there."""
    said = (*(view.checked.claims if view.checked else ()), *view.role("executor").claims)
    bounds = {(role_of(claim.source), claim.start, claim.end) for claim in said if claim.relation != "="}
    found: dict[tuple[str, str, float], Annotation] = {}
    for fix in view.corrections:
        who = role_of(fix.source)
        if isinstance(fix.claimed, float) and (who, fix.start, fix.end) not in bounds:
            found.setdefault((who, fix.key, fix.claimed), _false(fix.key, who, fix.claimed, fix.actual, at))
    return list(found.values())


def _value(mark: json_fields.Fields) -> float | None:
    price = json_fields.number(mark, "price")
    return price if price is not None and price > 0 else json_fields.number(mark, "claimed")


def _levels(at: str | None, **prices: float | None) -> list[Annotation]:
    return [{"type": name, "price": price, "timestamp": at} for name, price in prices.items() if price is not None]


def _false(key: str, source: str, claimed: float | str | None, actual: float | str | None, at: str | None) -> Annotation:
    return {"type": "false_level", "price": claimed, "timestamp": at, "label": key, "source": source, "claimed": claimed, "actual": actual}
