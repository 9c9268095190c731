"""Stop and target of a held position among the marks of a run's chart, and which way its decision points."""

import pytest

from engine.domain.decision import Signal
from pages.desks.decision.verdict import action_glyph
from pages.trading.levels import with_held_levels

ENTRY = {"type": "entry", "price": 100.0, "direction": "long"}


def test_the_levels_of_a_held_position_are_drawn_where_the_decision_has_none() -> None:
    marks = with_held_levels([ENTRY], 98.0, None)
    assert [(mark["type"], mark["price"]) for mark in marks] == [("entry", 100.0), ("stop", 98.0)]
    own = [ENTRY, {"type": "stop", "price": 99.0}]
    assert with_held_levels(own, 98.0, 106.0)[1]["price"] == 99.0
    assert with_held_levels([], 98.0, 106.0) == [], "without an entry there is no position"


@pytest.mark.parametrize(
    ("pct", "side", "glyph"),
    [(30.0, "long", "▲"), (30.0, "short", "▼"), (-50.0, "long", "▼"), (-50.0, "short", "▲"), (30.0, None, "◆")],
)
def test_a_change_of_a_position_points_where_its_order_goes(pct: float, side: str | None, glyph: str) -> None:
    assert action_glyph(Signal.ADJUST, {"adjustment_pct": pct}, side=side) == glyph
