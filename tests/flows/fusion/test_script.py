"""The prose of the scripted roles over whole runs: no sentence twice, and no mark of a machine in it."""

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.flows.fusion.played import play, told

if TYPE_CHECKING:
    from engine.api import Engine

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|(?<=[。！？])|\n+")
_BLOCK = re.compile(r"\[[^\]]+\]|[a-z_]+: .*")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("symbol", "seed", "depth"), [("AAPL", 0, 1), ("MSFT", 7, 5), ("600519.SH", 3, 2), ("^GSPC", 1, 2)])
def test_no_sentence_is_said_twice_in_a_run(engine: "Engine", language: str, symbol: str, seed: int, depth: int) -> None:
    _, events = play(engine, symbol, language=language, seed=seed, depth=depth, lies=0.3)
    said: dict[str, str] = {}
    for piece in told(events, "node.tokens"):
        said[piece["node"]] = said.get(piece["node"], "") + piece["text"]
    sentences = [each.strip() for text in said.values() for each in _SENTENCE.split(text)]
    counts = Counter(each for each in sentences if each and not _BLOCK.fullmatch(each))
    assert len(counts) > 25
    assert {each: count for each, count in counts.items() if count > 1} == {}
    assert not [each for each in counts if each.startswith(("(", "（"))]
