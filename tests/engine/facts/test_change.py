"""Which facts moved: exactly those that were moved, by how much in their own measure, and nothing that has no measure."""

from datetime import timedelta
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.facts import Fact, FactSheet
from engine.domain.market.instrument import Surroundings
from engine.facts.change import MOVED, History, market_history, moved_facts, numbers_of
from engine.facts.sheet import build_sheet
from tests.engine.facts.markets import H1, START_MS, random_candles, snapshot

DAY_MS = int(timedelta(days=1).total_seconds() * 1000)


@cache
def market() -> tuple[FactSheet, History]:
    candles = random_candles(5, 400)
    last = candles.closed_at
    past = tuple((last - (30 - n) * 8 * 3_600_000, 0.0001 + 0.00002 * (n % 5)) for n in range(30))
    interest = tuple((last - (72 - n) * 3_600_000, 1000.0 + 7 * (n % 9)) for n in range(72))
    around = Surroundings(
        funding_rate=past[-1][1],
        open_interest=interest[-1][1],
        open_interest_24h_ago=interest[-25][1],
        fear_greed=50.0,
        funding_past=past,
        open_interest_past=interest,
    )
    higher = random_candles(6, 300, H1, start=START_MS - 200 * H1.ms)
    shot = snapshot(candles, higher, around=around)
    return build_sheet(shot), market_history(shot)


@cache
def measures() -> dict[str, tuple[str, float]]:
    """Key -> its measure and one unit of it, as two sheets a little apart tell them: what is divided by it is `moved`."""
    sheet, history = market()
    far = {key: value + 1e9 for key, value in numbers_of(sheet).items()}
    return {move.key: (move.unit, 1e9 / abs(move.moved or 1.0)) for move in moved_facts(far, sheet, history)}


@pytest.mark.full
@given(st.data())
@settings(max_examples=60)
def test_exactly_what_was_moved_is_listed(data: st.DataObject) -> None:
    sheet, history = market()
    keys = sorted(measures())
    moved = data.draw(st.sets(st.sampled_from(keys)))
    before = numbers_of(sheet)
    for key in keys:
        unit, size = measures()[key]
        factor = data.draw(st.floats(1.02, 6.0)) if key in moved else data.draw(st.floats(0.0, 0.98))
        before[key] -= data.draw(st.sampled_from([-1, 1])) * factor * MOVED[unit] * size
    found = moved_facts(before, sheet, history)
    assert {each.key for each in found} == moved
    assert [abs(each.moved or 0.0) for each in found] == sorted((abs(each.moved or 0.0) for each in found), reverse=True)
    for each in found:
        assert (each.now, each.before) == (sheet.number(each.key), before[each.key])
        assert each.moved == pytest.approx((each.now - each.before) / measures()[each.key][1], rel=1e-2)


def test_worked_by_hand() -> None:
    """ATR 4; RSI 44 56 44 56 has a mean of 50 and deviations of 6: the square root of 144 / 3 is 6.9282."""
    facts = [
        Fact(key="close", value=110.0, unit="price", timeframe="15m"),
        Fact(key="atr_14", value=4.0, unit="price", timeframe="15m"),
        Fact(key="rsi_14", value=56.0, unit="index", timeframe="15m"),
        Fact(key="entry_price", value=90.0, unit="price"),
        Fact(key="pe_ratio", value=20.0, unit="amount"),
        Fact(key="eps", value=3.0, unit="amount"),
        Fact(key="obv_trend", value="rising", unit="word", timeframe="15m"),
    ]
    sheet = FactSheet("BTC/USDT:USDT", "15m", None, {fact.key: fact for fact in facts})
    history = {"rsi_14": [None, 44.0, 56.0, 44.0, 56.0], "pe_ratio": [18.0, 20.0], "eps": [2.0, 3.0]}
    before = {"close": 100.0, "rsi_14": 44.0, "entry_price": 60.0, "pe_ratio": 20.0, "eps": 2.0}
    found = [(each.key, each.moved, each.unit) for each in moved_facts(before, sheet, history)]
    assert found == [("close", 2.5, "atr"), ("rsi_14", pytest.approx(1.7321, abs=1e-4), "sd"), ("eps", None, "sd")]
