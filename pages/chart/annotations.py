"""What is drawn on a chart besides candles, as every flow hands it over.

An annotation is `{"type", "price", "timestamp"}` with, where it has them, `label`, `direction`, `source`, `claimed`, `actual`.
`type`: entry, stop, target, support, resistance, break_even, liquidation, pattern, false_level, again.
For a false_level, `label` is the fact's key. `again` is a level of a plan that the decision came to when it was asked again: the plan is
number `n`, from 0, of `of`.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from pydantic import JsonValue

from engine.api import role_of
from engine.domain.stability import RepeatedAnswer
from pages.chart.lines import OVER_CANDLES
from pages.frame import json_fields
from pages.frame.show import Show

TYPES = ("entry", "stop", "target", "support", "resistance", "break_even", "liquidation", "pattern", "false_level", "again")


def level_marks(at: str | None, direction: str | None = None, /, **prices: float | Decimal | None) -> list[json_fields.Fields]:
    """Return an annotation for every price that is known, by its type."""
    side: dict[str, JsonValue] = {"direction": direction} if direction else {}
    return [{"type": kind, "price": float(price), "timestamp": at, **side} for kind, price in prices.items() if price is not None]


def false_mark(key: str, source: str, claimed: float | str | None, actual: float | str | None, at: str | None) -> json_fields.Fields:
    """Return the annotation of a false value."""
    return {"type": "false_level", "price": claimed, "timestamp": at, "label": key, "source": source, "claimed": claimed, "actual": actual}


def again_marks(plans: Sequence[RepeatedAnswer]) -> list[json_fields.Fields]:
    """Return a mark for every level of the plans that a decision came to when it was asked again."""
    levels = ((n, price) for n, plan in enumerate(plans) for price in (plan.entry, plan.stop, plan.target))
    return [{"type": "again", "price": price, "timestamp": None, "n": n, "of": len(plans)} for n, price in levels if price is not None]


def readable(annotations: Iterable[json_fields.Fields], show: Show) -> list[json_fields.Fields]:
    """Return those of a known type with a finite, positive price (or a claimed value), without false statements that someone disputes.
    Others are left out: a chart must not fail on one mark."""
    known = [mark for mark in annotations if json_fields.words(mark, "type") in TYPES and _value(mark) is not None]
    disputed = {(role_of(each.claim.source), each.claim.key, each.claim.claimed) for each in show.disputes.values()}
    return [mark for mark in known if mark.get("type") != "false_level" or who_said(mark) not in disputed]


def who_said(mark: json_fields.Fields) -> tuple[str, str, float | None]:
    """Return who said which value of what, on either path."""
    source, key = json_fields.words(mark, "source") or "", json_fields.words(mark, "label") or ""
    return role_of(source), key, json_fields.number(mark, "claimed")


def is_price(key: str) -> bool:
    """Return whether a fact is drawn over the candles: a price, an average, or a level without a name."""
    return not key or key.startswith(OVER_CANDLES) or key in ("support", "resistance", "close", "entry_price", "liquidation_price")


def of_type(annotations: Sequence[json_fields.Fields], kind: str) -> list[json_fields.Fields]:
    """Return the annotations of one type, in order."""
    return [mark for mark in annotations if mark.get("type") == kind]


def _value(mark: json_fields.Fields) -> float | None:
    price = json_fields.number(mark, "price")
    return price if price is not None and price > 0 else json_fields.number(mark, "claimed")
