"""The default order beats BM25 and the order of the sources, in each language and across them, on questions that chose no constant too."""

import math
from statistics import fmean

import pytest

from engine.search.protocol import Reranker
from engine.search.rerank.bm25 import BM25Reranker
from engine.search.rerank.embedded import EmbeddedReranker
from engine.search.tokens import is_cjk
from tests.search.labelled import LabelledQuestion, ndcg, questions

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


async def _mean(asked: list[LabelledQuestion], reranker: Reranker) -> float:
    return fmean([ndcg(each.grades, await reranker.scores(each.text, each.documents)) for each in asked])


async def test_the_default_beats_shared_words_and_the_order_of_the_sources() -> None:
    embedded, shared = EmbeddedReranker(), BM25Reranker()
    for chosen in (
        lambda each: each.part == "held_back",
        *(lambda each, kind=kind: each.kind == kind for kind in ("english", "chinese", "across")),
    ):
        asked = [each for each in ALL if chosen(each)]
        default = await _mean(asked, embedded)
        given = fmean([ndcg(each.grades, [-float(at) for at in range(len(each.grades))]) for each in asked])
        assert default > await _mean(asked, shared) + 0.03
        assert default > given + 0.1
