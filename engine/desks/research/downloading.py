"""download: the kept documents as files, each by its source's own tool, a few at once; every one is recorded.

Download tools are listed at the first document that needs one. A document of several sources is asked for at each in turn, until one
gives its file. One that cannot be had says why and stays: its abstract is there.
"""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from engine.agents.observe import observe
from engine.agents.watch import watch
from engine.desks.research.context import ResearchContext
from engine.desks.research.state import ExecutorState, Json, as_rows
from engine.desks.research.tools import OWN_SOURCES
from engine.domain.errors import SearchError, TribunalError
from engine.domain.events import NodeFinished
from engine.domain.research.document import Document
from engine.domain.research.events import DocumentDownloaded
from engine.domain.text.reason import Reason
from engine.domain.text.visible import shortened
from engine.search.results import read_results

DOWNLOAD, _STAGE = "download", "reading"
_AT_ONCE, _LONGEST_TEXT = 4, 20_000
_OURS = {"rerank_score", "also_in", "copies"}
"""Fields of a document that are none of a source's."""


async def download_node(state: ExecutorState, runtime: Runtime[ResearchContext]) -> Json:
    """Return the documents with the outcome of their files."""
    context, kept = runtime.context, [Document.model_validate(row) for row in state["reranked_results"]]
    with watch(context.access.emit, DOWNLOAD, _STAGE) as watched:
        if context.request.download:
            downloads = _Downloads(context)
            kept = list(await asyncio.gather(*(downloads.one(n, each) for n, each in enumerate(kept, 1))))
        count = sum(each.saved_path is not None for each in kept)
        watched.data = NodeFinished(result={"downloaded": count, "documents": len(kept)})
    rows = as_rows(kept)
    moved = [str(n) for n, each in enumerate(kept, 1) if each.saved_from is not None]
    notes = [Reason("documents_fetched_elsewhere", numbers=", ".join(moved)).said_in(context.language)] if moved else []
    return {"downloaded_papers": rows, "counts": {**state["counts"], "downloaded": count}, "notes": notes}


class _Downloads:
    """The downloads of one run."""

    def __init__(self, context: ResearchContext) -> None:
        self._context = context
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._listing = asyncio.Lock()
        self._tools: Mapping[str, str] | None = None

    async def one(self, n: int, document: Document) -> Document:
        """Return a document after its download."""
        if document.source in OWN_SOURCES:
            return document

        async def read() -> DocumentDownloaded:
            async with self._slots:
                began = time.monotonic()
                got = await self._of_any(document)
                ms = round((time.monotonic() - began) * 1000, 1)
                row = got.model_dump(mode="json", exclude_defaults=True)
                return DocumentDownloaded(source=document.source, title=shortened(document.title, 200), document=row, ms=ms)

        seen = await observe(self._context.access, DOWNLOAD, DocumentDownloaded, n, read)
        return Document.model_validate(seen.document)

    async def _of_any(self, document: Document) -> Document:
        """Return a document with the file of the first of its sources that gives one, or with why none does."""
        lost: dict[str, str] = {}
        for asked in _askable(document):
            try:
                got = await self._fetch(asked)
            except (TribunalError, TimeoutError) as problem:
                lost[asked.source] = str(problem) or Reason("no_answer_in_time")
                continue
            other = asked.source if lost else None
            found = {"saved_path": got.saved_path, "text": shortened(got.text, _LONGEST_TEXT), "not_saved": None}
            return document.model_copy(update={**found, "saved_from": other, "not_saved_by": lost})
        why = Reason.listed(Reason("about", who=source, what=each) if len(lost) > 1 else each for source, each in lost.items())
        return document.model_copy(update={"not_saved": why})

    async def _fetch(self, document: Document) -> Document:
        """Return what the download tool of a document's source gives. Raises SearchError where that is no file."""
        async with self._listing:
            if self._tools is None:
                listed = await self._context.room.tools.tools("download")
                self._tools = {each.source: each.name for each in listed}
        tool = self._tools.get(document.source)
        if tool is None:
            raise SearchError(Reason("source_has_no_download_tool", source=document.source).said_in(self._context.language))
        asked: dict[str, Any] = document.model_dump(mode="json", exclude_defaults=True, exclude=_OURS)
        answered = read_results(document.source, await self._context.room.tools.call(tool, {"document": asked})).documents
        if not answered:
            raise SearchError(Reason("answer_holds_no_documents").said_in(self._context.language))
        if answered[0].saved_path is None:
            raise SearchError(answered[0].not_saved or Reason("download_gave_no_file").said_in(self._context.language))
        return answered[0]


def _askable(document: Document) -> list[Document]:
    """Return a document as each of its sources gave it, its own source first."""
    if not document.copies:
        return [document]
    given = [document.model_copy(update=copy.model_dump()) for copy in document.copies]
    return sorted(given, key=lambda each: each.source != document.source)
