"""Order by relevance: which documents take part, what is cleaned out of their abstracts first, and what is kept.

Scores are BM25's, over words and pairs of CJK characters, or those of the model in `cross_encoder.py`. `openalex`, `tavily` and the local
`library` always take part, `semantic_scholar` where it has an abstract; documents of all other sources are added behind, as they are. A
reranker that fails changes nothing: the order stays as the sources gave it, and the note says why.
"""

import html
import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.domain.text.reason import Reason
from engine.search.protocol import TOP_N, Reranker
from engine.search.tokens import tokens

_K1: Final = 1.2
_B: Final = 0.75
_ALWAYS: Final = frozenset({"openalex", "tavily", "library"})
_WITH_ABSTRACT: Final = frozenset({"semantic_scholar"})

_SILENT: Final = tuple(
    (re.compile(rf"<{kind}\b[^<>]{{0,500}}>", re.I), re.compile(rf"</{kind}\s{{0,20}}>", re.I)) for kind in ("script", "style")
)
_TAG: Final = re.compile(r"</?[A-Za-z!?][^<>]{0,500}>")
_LINK: Final = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,500}\)")
_MARKS: Final = re.compile(r"^[ \t]*(?:#{1,6}|>|[*+-])[ \t]+|\*\*|__|`{1,3}", re.M)
_LABEL: Final = re.compile(r"^\s*(?i:abstract|summary|摘\s*要|内容提要)\s*(?:[:：.。—-]\s*|(?=[A-Z一-鿿]))")
_BOILERPLATE: Final = re.compile(
    r"(?:©|\(c\)|copyright\b)[^.\n]{0,120}+(?:\.|$)|\ball rights reserved\.?|版权所有[^。\n]{0,60}(?:。|$)"
    r"|[^.\n]{0,80}\b(?:we use|uses) cookies\b[^.\n]{0,120}+(?:\.|$)"
    r"|\b(?:skip to (?:main )?content|sign up for our newsletter|accept all cookies)\b\.?"
    r"|本网站使用\s*cookies?[^。\n]{0,60}(?:。|$)|^(?:责任编辑|来源)[:：][^\n。]{0,40}$",
    re.I | re.M,
)


class Reranked(NamedTuple):
    """What is kept, the nearest first, then what did not take part; what was dropped; and why nothing was ordered, "" when it was."""

    kept: list[Document]
    dropped: list[Document]
    note: str


def takes_part(document: Document) -> bool:
    """Return whether a document is cleaned and ordered."""
    return document.source in _ALWAYS or (document.source in _WITH_ABSTRACT and bool(document.abstract.strip()))


def cleaned(abstract: str) -> str:
    """Return an abstract as plain words: no markup, entities, `Abstract:` label, copyright and cookie lines or needless blanks."""
    text = html.unescape(_TAG.sub(" ", _without_scripts(abstract)))
    text = _MARKS.sub("", _LINK.sub(r"\1", _TAG.sub(" ", text)))
    text = _BOILERPLATE.sub(" ", text.strip())
    return " ".join(_LABEL.sub("", text, count=1).split())


def _without_scripts(text: str) -> str:
    """Return a text without scripts and styles that are closed. Every search begins where the last one ended."""
    for opening, closing in _SILENT:
        kept, at = [], 0
        while (opened := opening.search(text, at)) and (closed := closing.search(text, opened.end())):
            kept += [text[at : opened.start()], " "]
            at = closed.end()
        text = "".join((*kept, text[at:]))
    return text


async def reranked(
    question: str, documents: Sequence[Document], reranker: Reranker, threshold: float | None = None, top_n: int = TOP_N
) -> Reranked:
    """Return the documents in the order of their nearness to a question.

    Those below the threshold, None = the reranker's own, and beyond the first `top_n`, are dropped; equal ones keep their order. Every
    document that took part has its `rerank_score` and its cleaned abstract.
    """
    least = reranker.threshold if threshold is None else threshold
    taking = [each.model_copy(update={"abstract": cleaned(each.abstract)}) for each in documents if takes_part(each)]
    others = [each for each in documents if not takes_part(each)]
    if not taking:
        return Reranked(others, [], "")
    try:
        scores = [float(score) for score in await reranker.scores(question, taking)]
        if len(scores) != len(taking) or not all(map(math.isfinite, scores)):
            raise SearchError(Reason("its_scores_cannot_be_used"))
    except SearchError as problem:
        return Reranked(list(documents), [], Reason("reranker_gave_no_scores", reranker=reranker.name, reason=problem))
    scored = [each.model_copy(update={"rerank_score": round(score, 4)}) for each, score in zip(taking, scores, strict=True)]
    ranks = sorted(range(len(scored)), key=lambda at: -scores[at])
    kept = [at for at in ranks if scores[at] >= least][:top_n]
    dropped = [at for at in ranks if at not in set(kept)]
    return Reranked([scored[at] for at in kept] + others, [scored[at] for at in dropped], "")


class BM25Reranker:
    """Implements `Reranker`. No model, no dependency, a few milliseconds; blind to paraphrase and across languages. Scores are shares of
    the best document's score, 0 to 1; 0 for all when no document has any of the words."""

    name: Final = "bm25"
    threshold: Final = 0.3

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
