"""What real models write truthfully is not struck, and a changed value in it is found."""

import pytest

from tests.grounding.real_texts import ANSWERS, FOLDER, passages, read_passages

MOST_STRUCK = 0.05
LEAST_FOUND = {"en": 0.9, "zh": 0.85}


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the passages of real models are no part of the project")
@pytest.mark.parametrize("language", sorted(LEAST_FOUND))
def test_true_passages_are_not_struck_and_changed_values_are_found(language: str) -> None:
    read = read_passages(passages(FOLDER / f"{language}.jsonl"))
    assert read.struck <= MOST_STRUCK * read.passages
    assert read.found >= LEAST_FOUND[language] * read.mirrors
    assert read.judged > read.passages, "what is not read is not struck either"


@pytest.mark.full
@pytest.mark.parametrize(("part", "most_struck"), [("seen", 0.02), ("held_back", 0.15)])
def test_honest_answers_to_our_prompts_are_not_struck(part: str, most_struck: float) -> None:
    read = read_passages([row for language in ("en", "zh") for row in passages(ANSWERS / f"{part}_{language}.jsonl")])
    assert read.struck <= most_struck * read.passages
    assert read.found >= 0.75 * read.mirrors
    assert read.judged > 7 * read.passages, "what is not read is not struck either"
