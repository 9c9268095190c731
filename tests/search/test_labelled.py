"""Order by shared words (the default) beats the order of the sources, on questions that chose no constant too."""

import math
from statistics import fmean

import pytest

from engine.search.rerank import BM25Reranker
from engine.search.tokens import is_cjk
from tests.search.labelled import ndcg, questions

ALL = list(questions())


def test_the_labelled_questions_are_what_they_are_said_to_be() -> None:
    assert len(ALL) >= 40
    assert sum(is_cjk(each.text) for each in ALL) * 2 == len(ALL)
    assert sum(each.kind == "across" for each in ALL) >= 8
    assert {len(each.documents) for each in ALL} == {8}
    assert {grade for each in ALL for grade in each.grades} == {0, 1, 2, 3}
    assert all(max(each.grades) == 3 for each in ALL)


def test_ndcg_by_hand() -> None:
    assert ndcg([0, 3], [2.0, 1.0]) == pytest.approx(7 / math.log2(3) / 7)
    assert ndcg([3, 1, 0], [0.9, 0.5, 0.1]) == 1
    assert ndcg([1, 3], [0.5, 0.5]) == pytest.approx((1 + 7 / math.log2(3)) / (7 + 1 / math.log2(3)))


async def test_shared_words_beat_the_order_of_the_sources() -> None:
    """On the questions that were held back; `python -m tests.benchmarks rerank` measures all of them."""
    asked = [each for each in ALL if each.part == "held_back"]
    shared = [ndcg(each.grades, await BM25Reranker().scores(each.text, each.documents)) for each in asked]
    given = [ndcg(each.grades, [-float(at) for at in range(len(each.grades))]) for each in asked]
    assert fmean(shared) > fmean(given) + 0.03
