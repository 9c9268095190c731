"""The scripted analyst and the claim checker, face to face: what is true passes, what was planted is convicted, once."""

from random import Random

import pytest

from engine.desks.decision.reading.spans import claim_spans
from engine.domain.claims import Claim
from engine.domain.facts import Fact, FactSheet
from engine.domain.text.language import Language
from engine.grounding.reading import read_claims
from engine.grounding.tables.markets import CRYPTO
from engine.llm.protocol import Script
from tests.engine.desks.decision.scripted_market import Market, make_market, play, scripted

_SEEDS = range(60)


def _sheet(market: Market) -> FactSheet:
    facts = {
        key: Fact(key=key, value=value, unit=unit, timeframe="1h" if key.startswith("1h.") else "15m")
        for key, (value, unit) in market.values.items()
    }
    return FactSheet(symbol="BTC/USDT:USDT", timeframe="15m", timeframe_htf="1h", facts=facts, price_step=market.step)


def _decisions(language: Language, lies: float) -> list[tuple[str, Script, tuple[Claim, ...]]]:
    """(role, what it said, what was read from it) over many markets."""
    read = []
    for seed in _SEEDS:
        position = seed % 2 == 1
        market = make_market(Random(seed), position=position, drop=0.0 if position else (seed % 4) / 10)
        sheet = _sheet(market)
        for role, script in play(scripted(seed=seed, lies=lies), market, language, str(seed), position=position).items():
            read.append((role, script, read_claims(script.text, sheet, role, claim_spans(script.text, role), table=CRYPTO)))
    return read


@pytest.mark.full
@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_that_is_true_is_convicted_or_left_open(language: Language) -> None:
    read = _decisions(language, 0.0)
    wrong = [(role, claim.text, claim.verdict, claim.reason) for role, _, claims in read for claim in claims if claim.verdict != "true"]
    assert wrong == []
    assert {claim.attributed_to for _, _, claims in read for claim in claims} == {None}, "every speaker speaks for itself"
    assert sum(len(claims) for _, _, claims in read) > 2000


@pytest.mark.full
@pytest.mark.parametrize("lies", [0.5, 1.0])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_planted_value_is_convicted_once_and_nothing_else(language: Language, lies: float) -> None:
    planted = convicted = 0
    for role, script, claims in _decisions(language, lies):
        false = [claim for claim in claims if claim.verdict == "false"]
        for at, plant in script.plants:
            planted += 1
            convicted += len([claim for claim in false if claim.key == plant.key and claim.start <= at < claim.end]) == 1
        keys = {plant.key for _, plant in script.plants}
        assert [claim.text for claim in false if claim.key not in keys] == [], (role, script.text)
    assert planted > 500
    assert convicted == planted
