"""Order by shared words: BM25 over words and pairs of CJK characters. No model, no dependency, a few milliseconds; blind to paraphrase and
across languages."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from engine.domain.research.document import Document
from engine.search.rerank.cleaning import cleaned
from engine.search.tokens import tokens

_K1: Final = 1.2
_B: Final = 0.75


class BM25Reranker:
    """Implements `Reranker`. Scores are shares of the best document's score, 0 to 1; 0 for all when no document has any of the words.

    why: the reason for using this one instead of the configured one; it is in the name.
    """

    threshold: Final = 0.3

    def __init__(self, why: str = "") -> None:
        self._why = why

    @property
    def name(self) -> str:
        """The method's name, and why it is used where another one was configured."""
        return f"bm25 ({self._why})" if self._why else "bm25"

    async def scores(self, question: str, documents: Sequence[Document]) -> Sequence[float]:
        """Return a score for each document, in their order."""
        found = bm25(tokens(question), [tokens(f"{each.title} {cleaned(each.abstract)}") for each in documents])
        best = max(found, default=0.0)
        return [score / best if best > 0 else 0.0 for score in found]


def bm25(wanted: Sequence[str], texts: Sequence[Sequence[str]]) -> list[float]:
    """Return the BM25 score of each text for the wanted tokens, in the form whose idf is never negative."""
    mean = sum(map(len, texts)) / len(texts) if texts else 0.0
    counts = [Counter(text) for text in texts]
    idf = {}
    for token in set(wanted):
        having = sum(token in count for count in counts)
        idf[token] = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
    return [
        sum(
            idf[token] * count[token] * (_K1 + 1) / (count[token] + _K1 * (1 - _B + _B * len(text) / mean)) for token in idf if count[token]
        )
        for count, text in zip(counts, texts, strict=True)
    ]
