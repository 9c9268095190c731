"""Which of two limits is the stricter one, for every field of the risk configuration."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.risk import NO_MARKET, Bound, RiskConfig, bound_of, looser, stricter

BTC, ETH = "BTC/USDT:USDT", "ETH/USDT:USDT"


@pytest.mark.parametrize("name", RiskConfig.model_fields)
def test_every_field_says_what_is_stricter(name: str) -> None:
    declared = [each for each in RiskConfig.model_fields[name].metadata if isinstance(each, Bound)]
    assert len(declared) == 1
    assert (bound_of(name) is Bound.NONE) == (name == "equity")
    if name.startswith(("max_", "min_")):
        assert bound_of(name) is (Bound.MAX if name.startswith("max_") else Bound.MIN)


@pytest.mark.parametrize(
    ("asked", "ceiling", "bound"),
    [
        ({"max_leverage": 20.0}, {"max_leverage": 5.0}, {"max_leverage": 5.0}),
        ({"min_confidence": 40.0}, {"min_confidence": 60.0}, {"min_confidence": 60.0}),
        ({"cooldown_minutes": 0.0}, {"cooldown_minutes": 30.0}, {"cooldown_minutes": 30.0}),
        ({}, {"max_notional": 500.0}, {"max_notional": 500.0}),
        ({"equity": 90_000.0}, {"equity": 100.0}, {"equity": 90_000.0}),
        ({"allowed_symbols": [ETH, BTC]}, {"allowed_symbols": [BTC]}, {"allowed_symbols": [BTC]}),
        ({"allowed_symbols": [ETH]}, {"allowed_symbols": [BTC]}, {"allowed_symbols": [NO_MARKET]}),
    ],
)
def test_the_stricter_value_binds(asked: dict[str, Any], ceiling: dict[str, Any], bound: dict[str, Any]) -> None:
    found = stricter(RiskConfig(**asked), RiskConfig(**ceiling))
    assert {name: getattr(found, name) for name in bound} == bound
    untouched = RiskConfig.model_fields.keys() - bound.keys()
    assert {name: getattr(found, name) for name in untouched} == {name: getattr(RiskConfig(**asked), name) for name in untouched}


def test_what_is_looser_is_said_by_name_with_both_values() -> None:
    asked = RiskConfig(max_leverage=20, min_confidence=10, allowed_symbols=[])
    ceiling = RiskConfig(max_leverage=5, min_confidence=60, max_notional=500, allowed_symbols=[BTC])
    assert looser(asked, ceiling) == [
        "max_leverage 20 is looser than 5",
        "min_confidence 10 is looser than 60",
        "max_notional none is looser than 500",
        f"allowed_symbols all is looser than {BTC}",
    ]
    assert looser(asked, RiskConfig()) == []


LIMITS = st.fixed_dictionaries(
    {},
    optional={
        "max_leverage": st.floats(1, 100),
        "min_confidence": st.floats(0, 100),
        "max_notional": st.none() | st.floats(1, 1e6),
        "cooldown_minutes": st.floats(0, 600),
        "allowed_symbols": st.lists(st.sampled_from([BTC, ETH, "SOL/USDT"]), unique=True),
    },
)


@pytest.mark.full
@given(asked=LIMITS, ceiling=LIMITS)
def test_what_binds_is_never_looser_than_either(asked: dict[str, Any], ceiling: dict[str, Any]) -> None:
    risk, most = RiskConfig(**asked), RiskConfig(**ceiling)
    bound = stricter(risk, most)
    assert looser(bound, most) == []
    assert looser(bound, RiskConfig(**risk.model_dump())) == []
    assert stricter(bound, most) == bound
    assert (looser(risk, most) == []) == (bound == risk)
