"""A person's range: in a whole decision no sentence is said twice, by anybody, in any round; and two decisions are
not told in one order."""

import re
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from engine.domain.text.language import Language
from engine.flows.decision.reading.spans import claim_spans

if TYPE_CHECKING:
    from engine.api import Engine

_END = re.compile(r"(?<=[.。])\s*(?=[A-Z\u4e00-\u9fff+])|\n")
_SEEDS = range(6)


def sentences(engine: "Engine", seed: int, language: Language) -> list[tuple[str, str]]:
    """(node, sentence) of everything that was said in a decision of three rounds, closing blocks and forms left out."""
    request = engine.decisions.request("BTC/USDT:USDT", seed=seed, language=language, depth=3, at="2026-05-16T12:00:00Z")
    run_id = engine.start(request)
    engine.wait(run_id, 60)
    said: dict[str, str] = {}
    rounds: list[tuple[str, str]] = []
    for event in engine.events(run_id):
        if event.kind == "node.started":
            said[event.node] = ""
        elif event.kind == "node.tokens":
            said[event.node] += event.data.text
        elif event.kind == "node.finished" and said.get(event.node):
            rounds.append((event.node, said[event.node]))
    prose = [(node, text[start:end]) for node, text in rounds for start, end in claim_spans(text, node)]
    return [(node, sentence.strip()) for node, text in prose for sentence in _END.split(text) if len(sentence.strip()) > 4]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_sentence_is_said_twice_in_a_run(make_engine: "Callable[..., Engine]", language: Language) -> None:
    engine, heard = make_engine(), 0
    for seed in _SEEDS:
        said = sentences(engine, seed, language)
        counts = Counter(sentence for _, sentence in said)
        assert {sentence: n for sentence, n in counts.items() if n > 1} == {}, seed
        assert sum(node == "bull" for node, _ in said) >= 3 * 3, "three rounds, each with its own words"
        heard += len(said)
    assert heard > 60 * len(_SEEDS)


def test_openings_and_orders_differ_from_market_to_market(make_engine: "Callable[..., Engine]") -> None:
    engine = make_engine()
    told = [sentences(engine, seed, "en") for seed in _SEEDS]
    for node in ("indicator", "trend", "sentiment"):
        assert len({next(sentence for who, sentence in said if who == node) for said in told}) >= 3, node
    leads = [re.match(r"(Also|Then|Next|In addition|Besides|To add to that), ", sentence) for said in told for _, sentence in said]
    assert len({lead[1] for lead in leads if lead}) >= 4
