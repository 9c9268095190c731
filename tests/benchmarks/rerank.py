"""How well documents are ordered: nDCG@10 on the labelled questions, and what the threshold keeps."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

from engine.search.rerank import BM25Reranker
from tests.benchmarks.measured import Measured
from tests.search.labelled import POOL, LabelledQuestion, ndcg, questions

_PARTS = ("all", "seen", "held_back", "english", "chinese", "across")


def measure(folder: Path) -> Iterator[Measured]:
    """Give the rows; the folder is not used."""
    asked = list(questions())
    pooled = [each.pooled(asked) for each in asked]
    for size, those in ((8, asked), (POOL, pooled)):
        scores = [asyncio.run(BM25Reranker().scores(each.text, each.documents)) for each in those]
        for part in _PARTS:
            at = [number for number, each in enumerate(those) if part in {"all", each.part, each.kind}]
            found = fmean(ndcg(those[number].grades, scores[number]) for number in at)
            given = fmean(ndcg(those[number].grades, [-float(place) for place in range(size)]) for number in at)
            name = f"nDCG@10 of {len(at)} questions ({part}), {size} candidates"
            yield Measured(name, "", [found], note=f"in the order given {given:.3f}")
        yield from _kept(those, scores, size)


def _kept(those: Sequence[LabelledQuestion], scores: Sequence[Sequence[float]], size: int) -> Iterator[Measured]:
    bound = BM25Reranker.threshold
    for part in ("seen", "held_back"):
        pairs = [
            pair for each, found in zip(those, scores, strict=True) if each.part == part for pair in zip(found, each.grades, strict=True)
        ]
        good = fmean(score >= bound for score, grade in pairs if grade >= 2)
        note = f"of those that are not about it {fmean(score >= bound for score, grade in pairs if grade == 0):.2f}"
        yield Measured(f"share of answers kept at {bound:g}, {part}, {size} candidates", "", [good], note=note)
