"""Order by BAAI/bge-reranker-large, which reads question and abstract together: the most exact, and the dearest.

It stands on sentence-transformers (with PyTorch) and on 2 GB of weights, neither of which is installed with the project: both come when
this one is configured. `HF_HUB_OFFLINE=1` keeps it to weights that are there already.
"""

import asyncio
import math
import threading
from collections.abc import Sequence
from typing import Any, Final

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.search.rerank.cleaning import cleaned

MODEL: Final = "BAAI/bge-reranker-large"
_LONGEST: Final = 4_000  # characters of an abstract; the model itself reads 512 tokens
_INSTALL: Final = "pip install sentence-transformers, or set TRIBUNAL_RERANKER=embedded"


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
        """Return a score for each document, in their order, 0 to 1. Raises SearchError when the model is not there or not in time."""
        pairs = [(question, f"{each.title}. {cleaned(each.abstract)[:_LONGEST]}") for each in documents]
        try:
            async with asyncio.timeout(self._deadline_s):
                return await asyncio.to_thread(self._scores, pairs)
        except TimeoutError:
            raise SearchError(f"{MODEL} gave nothing within {self._deadline_s:g} s (its weights may still be loading)") from None

    def _scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        if not pairs:
            return []
        with self._turn:
            try:
                if self._model is None:
                    self._model = self._load()
                found = [float(score) for score in self._model.predict(list(pairs), show_progress_bar=False)]
            except ImportError as problem:
                raise SearchError(f"sentence-transformers is not installed ({problem}): {_INSTALL}") from None
            except (OSError, RuntimeError, ValueError) as problem:  # no weights, no network, no memory
                raise SearchError(f"{MODEL} cannot be used: {problem}") from None
        return found if all(0 <= score <= 1 for score in found) else [_sigmoid(score) for score in found]

    def _load(self) -> Any:
        from sentence_transformers import CrossEncoder  # noqa: PLC0415 - seconds and gigabytes, where it is configured only

        return CrossEncoder(MODEL, max_length=512)


def _sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-max(-500.0, min(500.0, logit))))
