"""clean_and_rerank: the documents in the order of their nearness to the question, cleaned as specified; recorded once.

A reranker that fails leaves the order of the sources. Documents of sources that take no part are behind.
"""

import time

from langgraph.runtime import Runtime

from engine.agents.observe import observe
from engine.agents.watch import watch
from engine.desks.research.context import ResearchContext
from engine.desks.research.searching import STAGE
from engine.desks.research.state import ExecutorState, Json
from engine.domain.errors import TribunalError
from engine.domain.events import NodeFinished
from engine.domain.research.document import Document
from engine.domain.research.events import DocumentsReranked
from engine.domain.text.reason import Reason
from engine.search.rerank import reranked

NODE = "clean_and_rerank"


async def clean_and_rerank_node(state: ExecutorState, runtime: Runtime[ResearchContext]) -> Json:
    """Return what is kept, the nearest first."""
    context, found = runtime.context, [Document.model_validate(row) for row in state["search_results"]]

    async def read() -> DocumentsReranked:
        began = time.monotonic()
        try:
            room = context.room
            kept, dropped, note = await reranked(context.request.question, found, room.reranker, room.threshold, room.top_n)
        except TribunalError as problem:
            return DocumentsReranked(kept=tuple(state["search_results"]), dropped=0, note=str(problem))
        rows = tuple(each.model_dump(mode="json", exclude_defaults=True) for each in kept)
        ms = round((time.monotonic() - began) * 1000, 1)
        scores = tuple(each.rerank_score for each in dropped if each.rerank_score is not None)
        return DocumentsReranked(
            kept=rows,
            dropped=len(dropped),
            dropped_scores=scores,
            threshold=room.least_score,
            note=note,
            model=room.reranker.name,
            ms=ms,
        )

    with watch(context.access.emit, NODE, STAGE) as watched:
        seen = await observe(context.access, NODE, DocumentsReranked, 1, read)
        watched.data = NodeFinished(result={"kept": len(seen.kept), "dropped": seen.dropped, "model": seen.model})
    counts = {**state["counts"], "after_rerank": len(seen.kept)}
    notes = [Reason("documents_not_reranked", reason=seen.note).said_in(context.language)] if seen.note else []
    return {"reranked_results": [dict(each) for each in seen.kept], "counts": counts, "notes": notes}
