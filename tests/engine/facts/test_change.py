"""Which facts moved, by how much in their own measure, and nothing that has no measure."""

import pytest

from engine.domain.facts import Fact, FactSheet
from engine.facts.change import moved_facts


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
