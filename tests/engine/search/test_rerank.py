"""What is kept and in which order, and the models that order."""

import math
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import pytest

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.search.cross_encoder import CrossEncoderReranker
from engine.search.rerank import bm25, reranked


class Fixed:
    """A reranker whose scores are given."""

    name = "fixed"
    threshold = 0.5

    def __init__(self, scores: Sequence[float] | SearchError) -> None:
        self._scores = scores

    async def scores(self, question: str, documents: Sequence[Document]) -> Sequence[float]:
        if isinstance(self._scores, SearchError):
            raise self._scores
        return self._scores


def document(title: str, source: str = "openalex", abstract: str = "") -> Document:
    return Document(source=source, title=title, abstract=abstract)


async def test_the_nearest_first_the_far_dropped_and_others_behind() -> None:
    wiki = document("w", "wikipedia", "<b>as it is</b>")
    given_order = [wiki, document("far"), document("near", abstract="<p>Abstract: Gold&nbsp;rose.</p>"), document("nearer", "tavily")]
    kept, dropped, note = await reranked("q", given_order, Fixed([0.49, 0.5, 0.9]))
    assert [each.title for each in kept] == ["nearer", "near", "w"]
    assert [(each.title, each.rerank_score) for each in dropped] == [("far", 0.49)]
    assert (kept[1].abstract, kept[2]) == ("Gold rose.", wiki)
    assert note == ""


@pytest.mark.parametrize("broken", [SearchError("no model"), [0.9], [0.9, math.nan], [math.inf, 0.1]], ids=str)
async def test_a_failure_keeps_the_order_of_the_sources(broken: Sequence[float] | SearchError) -> None:
    documents = [document("a", abstract="<i>x</i>"), document("w", "wikipedia"), document("b")]
    kept, dropped, note = await reranked("q", documents, Fixed(broken))
    assert (kept, dropped) == (documents, [])
    assert "fixed gave no scores" in note


def test_bm25_by_hand() -> None:
    """Two texts of two and one token, one has the word: idf = ln(1 + 1.5 / 1.5) = ln 2; tf part = 2.2 / (1 + 1.2 * 1.25)."""
    assert bm25(["gold"], [["gold", "rose"], ["silver"]]) == [pytest.approx(math.log(2) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 1.5))), 0.0]
    assert bm25([], []) == []


def stand_in(monkeypatch: pytest.MonkeyPatch, answer: Any, fails_to_load: Exception | None = None) -> list[tuple[str, str]]:
    """Put the library's documented face (`CrossEncoder(name)`, `predict(pairs, show_progress_bar=)`) in its place: the real one and its
    weights cannot be had in a test. answer: what `predict` gives or raises. Returns the pairs that were asked."""
    asked: list[tuple[str, str]] = []

    class CrossEncoder:
        def __init__(self, model: str) -> None:
            assert model == "BAAI/bge-reranker-large"
            if fails_to_load is not None:
                raise fails_to_load

        def predict(self, pairs: list[tuple[str, str]], show_progress_bar: bool) -> Any:
            asked.extend(pairs)
            if isinstance(answer, Exception):
                raise answer
            return answer

    module = ModuleType("sentence_transformers")
    module.CrossEncoder = CrossEncoder  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    return asked


@pytest.mark.parametrize(
    ("answer", "fails_to_load", "said"),
    [
        ([0.9], None, "1 scores for 2 documents"),
        ([0.9, math.nan], None, "not a number"),
        (RuntimeError("CUDA out of memory"), None, "CUDA out of memory"),
        (None, ImportError("libtorch.so: cannot open"), "not installed"),
    ],
)
async def test_a_cross_encoder_that_fails_leaves_the_order_and_says_why(
    monkeypatch: pytest.MonkeyPatch, answer: Any, fails_to_load: Exception | None, said: str
) -> None:
    stand_in(monkeypatch, answer, fails_to_load)
    kept, dropped, note = await reranked("q", [document("a"), document("b")], CrossEncoderReranker())
    assert ([each.title for each in kept], dropped) == (["a", "b"], [])
    assert all(each.rerank_score is None for each in kept)
    assert said in note
    assert "gave no scores" in note
