"""The scripted analyst as a model: deterministic, in pieces, honest about its size."""

import re
from random import Random

import pytest

from engine.llm.protocol import Chunk, Model, ModelCall
from engine.script.model import approximate_tokens
from tests.engine.desks.decision.scripted_market import ANALYSTS, call, make_market, play, scripted

FACTS = make_market(Random(7), position=False).lines()
ROLES = (*ANALYSTS, "bull", "bear", "judge", "executor")


async def _chunks(model: Model, asked: ModelCall) -> list[Chunk]:
    return [chunk async for chunk in model.stream(asked)]


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_the_same_question_gives_the_same_answer_and_a_repair_changes_nothing(language: str) -> None:
    for role in ROLES:
        asked = call(role, FACTS, language)  # type: ignore[arg-type]
        again = ModelCall(role, asked.language, asked.system, asked.user, context=asked.context, attempt=2, repair=True)
        first = await _chunks(scripted(lies=0.4, seed=3, pace=0), asked)
        assert first == await _chunks(scripted(lies=0.4, seed=3, pace=0), again)


@pytest.mark.parametrize("position", [False, True])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_roles_seeds_snapshots_and_languages_all_speak_differently(language: str, position: bool) -> None:
    market = make_market(Random(11), position=position)
    said = play(scripted(seed=1), market, language, "one", position=position)  # type: ignore[arg-type]
    assert len({script.text for script in said.values()}) == len(said)
    other_seed = play(scripted(seed=2), market, language, "one", position=position)  # type: ignore[arg-type]
    other_snapshot = play(scripted(seed=1), market, language, "two", position=position)  # type: ignore[arg-type]
    for role, script in said.items():
        assert script.text != other_seed[role].text
        assert script.text != other_snapshot[role].text
        assert any("\u4e00" <= letter <= "\u9fff" for letter in script.text) == (language == "zh")


async def test_pieces_are_small_and_the_last_one_carries_finish_and_counts() -> None:
    model, asked = scripted(pace=1000), call("trend", FACTS)
    chunks = await _chunks(model, asked)
    *pieces, last = chunks
    assert all(0 < len(piece.text) <= 40 and piece.finish is None for piece in pieces)
    assert len(pieces) > 40
    assert last.finish == "stop"
    assert last.prompt_tokens == approximate_tokens(FACTS)
    assert last.completion_tokens == approximate_tokens("".join(piece.text for piece in pieces))


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_plant_comes_on_the_piece_that_holds_its_number(language: str) -> None:
    asked = call("indicator", FACTS, language)  # type: ignore[arg-type]
    model = scripted(lies=1, pace=10_000)
    seen = 0
    for chunk in await _chunks(model, asked):
        for plant in chunk.planted:
            seen += 1
            assert plant.role == "indicator"
            if isinstance(plant.stated, float):
                assert plant.stated in [float(number) for number in re.findall(r"[+-]?\d+(?:\.\d+)?", chunk.text)]
    assert seen == len(model.write(asked).plants) > 4
