"""Order by BAAI/bge-reranker-large, which reads question and abstract together: the most exact, and the dearest.

It needs sentence-transformers (with PyTorch) and 2 GB of weights, neither of which is installed with the project: both come when
this one is configured. `HF_HUB_OFFLINE=1` keeps it to weights that are there already. Of the library only what all its versions since 2
share is used: `CrossEncoder(name)`, and `predict(pairs, show_progress_bar=False)`, an array of one number a pair. The model's own limit of
512 tokens holds without being asked for.
"""

import math
import threading
from collections.abc import Sequence
from typing import Any, Final

from engine.domain.calls.foreign_call import foreign_call
from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.domain.text.reason import Reason
from engine.search.rerank import cleaned

MODEL: Final = "BAAI/bge-reranker-large"
_LONGEST: Final = 4_000  # characters of an abstract; the model itself reads 512 tokens
_INSTALL: Final = "pip install sentence-transformers, or set TRIBUNAL_RERANKER=bm25"


class CrossEncoderReranker:
    """Implements `Reranker` with a cross-encoder. deadline_s: for one question, loading included; loading goes on beyond it in the
    background, so that a later question finds the model there."""

    name: Final = MODEL
    threshold: Final = 0.5

    def __init__(self, deadline_s: float = 120.0) -> None:
        self._deadline_s = deadline_s
        self._turn = threading.Lock()
        self._model: Any = None

    async def scores(self, question: str, documents: Sequence[Document]) -> Sequence[float]:
        """Return a score for each document, in their order, 0 to 1. Raises SearchError when the model is not there or not in time, fails in
        whatever way, or gives anything but one number a document."""
        pairs = [(question, f"{each.title}. {cleaned(each.abstract)[:_LONGEST]}") for each in documents]
        return await foreign_call(MODEL, lambda: self._scores(pairs), self._deadline_s, SearchError) if pairs else []

    def _scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        with self._turn:
            try:
                self._model = self._model or self._load()
            except ImportError as problem:
                raise SearchError(Reason("sentence_transformers_is_not_installed", problem=problem, install=_INSTALL)) from None
            given = self._model.predict(list(pairs), show_progress_bar=False)
        found = [float(score) for score in given]
        if len(found) != len(pairs):
            raise SearchError(Reason("scores_for_documents", found=len(found), pairs=len(pairs)))
        if not all(map(math.isfinite, found)):
            raise SearchError(Reason("score_that_is_no_number"))
        return found if all(0 <= score <= 1 for score in found) else [_sigmoid(score) for score in found]

    def _load(self) -> Any:
        from sentence_transformers import CrossEncoder  # noqa: PLC0415 - seconds and gigabytes, where it is configured only

        return CrossEncoder(MODEL)


def _sigmoid(logit: float) -> float:
    """Return the share that a raw score stands for: versions that give those leave this step to the caller."""
    return 1 / (1 + math.exp(-max(-500.0, min(500.0, logit))))
