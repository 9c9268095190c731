"""search: every required source at once, the journal and the measured facts beside them, and what the optional calls found. Then
clean_and_rerank: the documents in the order of their nearness to the question.

Documents that are dated after the clock are left out and counted; those of several sources are merged. A source that fails is named with
its reason and stops no one. A reranker that fails leaves the order of the sources; documents of sources that take no part are behind.

The journal gives what the desks measured and decided before: the price and the name of the action. Texts of earlier answers and reasons are
left out, since an answer that cites itself is no surer the second time; so are the levels that a role chose for its order, which nothing
measured. A run about a company leaves its decision as a memory; decisions about a market are read out of their finished runs, dated by
their clock.
"""

import asyncio
import time
from collections.abc import Mapping
from typing import Any, Final

from langgraph.runtime import Runtime

from engine.agents.observe import observe
from engine.agents.watch import watch
from engine.desks.research.context import ResearchContext
from engine.desks.research.merging import merge_documents
from engine.desks.research.state import ExecutorState, Json, as_rows
from engine.desks.research.tools import required_tools, with_bound
from engine.domain.ended import Memory
from engine.domain.errors import TribunalError
from engine.domain.events import NodeFinished
from engine.domain.research.document import Document
from engine.domain.research.events import DocumentsReranked, SourceSearched
from engine.domain.research.publication import is_dated_after, published_between
from engine.domain.run import RunRecord
from engine.domain.text.reason import Reason
from engine.domain.text.visible import shortened
from engine.search.rerank import reranked
from engine.search.results import read_results

SEARCH: Final = "search"
RERANK: Final = "clean_and_rerank"
_STAGE: Final = "searching"
_MARKET: Final = "market"
_JOURNAL: Final = "journal"
_DECISION: Final = "decision"
_COMPANIES: Final = "fusion"
_MOST: Final = 5
_LOOKED_AT: Final = 20
"""Memories among which the newest ones of the same prices are looked for."""
_OF_COMPANY: Final = ("trade_date", "trading_session", "action", "price")


async def search_node(state: ExecutorState, runtime: Runtime[ResearchContext]) -> Json:
    """Return all documents of all sources, merged."""
    context = runtime.context
    with watch(context.access.emit, SEARCH, _STAGE) as watched:
        tools = required_tools(state.get("tools") or (), context)
        asked = [_ask(n, tool, context) for n, tool in enumerate(tools, 1)]
        if context.request.takes(_JOURNAL):
            asked.append(_read_journal(len(tools) + 1, context))
        answers = await asyncio.gather(*asked)
        gathered = _gather(state, answers, context)
        watched.data = NodeFinished(result={"found": gathered["counts"]["searched"], "merged": len(gathered["search_results"])})
    return gathered


def _gather(state: ExecutorState, answers: list[SourceSearched], context: ResearchContext) -> Json:
    searches, failed = dict(state.get("searches") or {}), dict(state.get("failed_sources") or {})
    for answer in answers:
        searches[answer.source] = {"ms": answer.ms or 0.0, "found": answer.found}
        if answer.error is not None:
            failed[answer.source] = answer.error
    rows = [row for answer in answers for row in answer.documents]
    found = [Document.model_validate(row) for row in (*rows, *(state.get("optional_search_results") or ()))]
    if context.inputs.facts is not None and context.request.takes(_MARKET):
        found.append(context.inputs.facts)
        searches[_MARKET] = {"ms": 0.0, "found": 1}
    merged = merge_documents(each for each in found if not _is_later(each, context))
    later = sum(_is_later(each, context) for each in found)
    undated = sum(published_between(each.published_date) is None for each in merged)
    at = f"{context.inputs.at:%Y-%m-%d %H:%M} UTC"
    notes = [Reason("documents_dated_later", count=later, at=at).said_in(context.language)] if later else []
    if undated and not context.inputs.is_present:
        notes.append(Reason("documents_undated", count=undated, at=at).said_in(context.language))
    return {
        "search_results": as_rows(merged),
        "searches": searches,
        "failed_sources": failed,
        "counts": {"searched": len(found), "dated_later": later, "merged": len(merged)},
        "notes": notes,
    }


def _is_later(document: Document, context: ResearchContext) -> bool:
    return is_dated_after(document.published_date, context.fetched_at(context.clock()), context.inputs.at)


async def _ask(n: int, tool: Mapping[str, Any], context: ResearchContext) -> SourceSearched:
    """Return what a required source found, recorded."""
    source, name, query = str(tool["source"]), str(tool["name"]), context.request.question

    async def search() -> SourceSearched:
        began = time.monotonic()
        about = SourceSearched(source=source, tool=name, query=query)
        try:
            answer = await context.room.tools.call(name, with_bound(tool["parameters"], {_query_name(tool): query}, context))
            read = read_results(source, answer)
        except (TribunalError, TimeoutError) as problem:
            return about.plus(error=str(problem) or Reason("no_answer_in_time"), ms=_ms(began))
        return about.plus(found=len(read.documents), documents=as_rows(read.documents), skipped=read.skipped, ms=_ms(began))

    return await observe(context.access, SEARCH, SourceSearched, n, search)


async def _read_journal(n: int, context: ResearchContext) -> SourceSearched:
    """Return what the desk itself decided before, recorded."""

    async def search() -> SourceSearched:
        began = time.monotonic()
        found = await _past_documents(context)
        return SourceSearched(
            source=_JOURNAL, tool="", query=context.request.question, found=len(found), documents=as_rows(found), ms=_ms(began)
        )

    return await observe(context.access, SEARCH, SourceSearched, n, search)


def _query_name(tool: Mapping[str, Any]) -> str:
    """Return the argument that takes the question: `query`, else the first that must be a text."""
    parameters = tool["parameters"]
    properties = parameters.get("properties") or {}
    if "query" in properties or not properties:
        return "query"
    required = [name for name in parameters.get("required") or properties if properties.get(name, {}).get("type") == "string"]
    return str(required[0]) if required else "query"


def _ms(began: float) -> float:
    return round((time.monotonic() - began) * 1000, 1)


async def _past_documents(context: ResearchContext) -> list[Document]:
    """Return what later runs may know of earlier ones about the same symbol by the clock, on prices of the same kind, newest first."""
    symbol, feed, at = context.request.symbol, context.request.feed, context.inputs.at
    if not symbol:
        return []
    memories = context.read_memories
    assert memories is not None, "a run that is verified reads nothing"
    until = at.isoformat()
    kept = await asyncio.to_thread(memories, _COMPANIES, symbol, _DECISION, until=until, limit=_LOOKED_AT)
    found = [_of_memory(each) for each in kept if each.dated != until and each.feed == feed][:_MOST]
    if context.read_runs is not None:
        runs = await asyncio.to_thread(context.read_runs, _DECISION, symbol, feed, at, _MOST)
        found += [_of_run(each) for each in runs if each.known_at != at]
    return found


def _of_run(record: RunRecord) -> Document:
    result = record.result or {}
    decided = {"action": result.get("final_action"), "price": result.get("current_price"), "valid": result.get("is_valid")}
    return Document(
        source=_JOURNAL,
        title=shortened(f"decision: {record.request.subject}", 200),
        abstract=_lines(decided),
        published_date=record.known_at.isoformat(),
        url=f"journal:decision:{record.run_id}",
    )


def _of_memory(memory: Memory) -> Document:
    return Document(
        source=_JOURNAL,
        title=shortened(f"{memory.flow} {memory.name}: {memory.subject}", 200),
        abstract=_lines({name: memory.body.get(name) for name in _OF_COMPANY}),
        published_date=memory.dated or None,
        url=f"journal:{memory.flow}:{memory.dated}",
    )


def _lines(decided: Mapping[str, Any]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in decided.items() if value is not None)


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
        scores = tuple(each.rerank_score for each in dropped if each.rerank_score is not None)
        return DocumentsReranked(
            kept=tuple(as_rows(kept)),
            dropped=len(dropped),
            dropped_scores=scores,
            threshold=room.least_score,
            note=note,
            model=room.reranker.name,
            ms=_ms(began),
        )

    with watch(context.access.emit, RERANK, _STAGE) as watched:
        seen = await observe(context.access, RERANK, DocumentsReranked, 1, read)
        watched.data = NodeFinished(result={"kept": len(seen.kept), "dropped": seen.dropped, "model": seen.model})
    counts = {**state["counts"], "after_rerank": len(seen.kept)}
    notes = [Reason("documents_not_reranked", reason=seen.note).said_in(context.language)] if seen.note else []
    return {"reranked_results": [dict(each) for each in seen.kept], "counts": counts, "notes": notes}
