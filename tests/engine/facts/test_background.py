"""How the market came to where it is: measured like the sheet, never later than it."""

import re
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.desks.decision.background import background_text, plan_background, positioning_text
from engine.domain.facts import number_text, read_fact_lines
from engine.domain.holding import Holding, Side
from engine.domain.market.terms import MarketTerms
from engine.domain.text.language import Language
from engine.facts.background import BARS_AGO, PAST_KEYS, background_of
from engine.facts.sheet import build_sheet
from tests.engine.facts.markets import first_bars, random_candles, snapshot, times

TERMS = MarketTerms(
    price_step=Decimal("0.1"), amount_step=Decimal("0.001"), min_amount=Decimal("0.001"), min_cost=Decimal(5),
    taker_fee=Decimal("0.0005"), maker_fee=Decimal("0.0002"),
)  # fmt: skip


@pytest.mark.full
@settings(max_examples=25)
@given(st.integers(0, 500))
def test_the_past_of_an_indicator_is_what_the_sheet_said_then(seed: int) -> None:
    candles = random_candles(seed, 400)
    found = background_of(now := snapshot(candles), build_sheet(now))
    assert found is not None
    for column, back in enumerate(BARS_AGO):
        then = build_sheet(snapshot(first_bars(candles, 400 - back)))
        for key in PAST_KEYS:
            if key in found.past and then.number(key) is not None:
                assert found.past[key][column] == pytest.approx(then.number(key), rel=1e-3, abs=1e-6)


def test_its_words_are_no_facts_and_say_levels_and_the_position() -> None:
    candles = random_candles(3, 400, price=80_000.0)
    opened = snapshot(candles).at - timedelta(hours=5, minutes=15)
    held = Holding(side="short", entry_price=float(candles.close[-1]) * 1.01, size=0.1, leverage=3.0, opened_at=opened)
    now = replace(snapshot(candles, holding=held), terms=TERMS)
    sheet = build_sheet(now)
    for language in ("en", "zh"):
        text = background_text(now, sheet, language) + "\n" + plan_background(now, sheet, language, 10)
        assert read_fact_lines(text) == {}
        assert "5.2" in text
    assert "10x 9.55 %" in plan_background(now, sheet, "en", 10)  # (1 - 1/10) / (1 - 0.005) of the entry


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("bars", [400, 8], ids=["measured", "too few candles"])
@pytest.mark.parametrize(
    ("side", "levels", "result"),
    [
        ("long", {"stop": 98.0, "target": 106.0, "first_stop": 98.0}, "+0.50"),  # 1 of 2
        ("short", {"stop": 103.0, "target": 95.0, "first_stop": 104.0}, "-0.25"),
        ("long", {"stop": 98.0, "target": 106.0}, None),  # it came from elsewhere
    ],
)
def test_levels_are_told_as_they_are_and_the_result_in_first_stops(
    side: Side, levels: dict[str, float], result: str | None, bars: int, language: Language
) -> None:
    candles = random_candles(3, bars)
    candles = times(candles, 101.0 / float(candles.close[-1]))
    held = Holding(side=side, entry_price=100.0, size=1.0, opened_at=snapshot(candles).at - timedelta(minutes=15), **levels)
    now = snapshot(candles, holding=held)
    sheet = build_sheet(now)
    words = {"stop": {"en": "Its stop is at ", "zh": "止损位于 "}, "target": {"en": "Its target is at ", "zh": "止盈位于 "}}
    for text in (background_text(now, sheet, language), plan_background(now, sheet, language, 10), positioning_text(now, language)):
        for name, said in words.items():
            if name in levels:
                assert f"{said[language]}{number_text(levels[name], 'price')}" in text
            else:
                assert said[language] not in text
        assert re.findall(r"([+-]\d+\.\d\d) R", text) == ([result] if result else [])
    assert read_fact_lines(background_text(now, sheet, language)) == {}
