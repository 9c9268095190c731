"""search: every required source at once, the journal and the measured facts beside them, and what the optional calls found.

Documents that are dated after the clock are left out and counted; those of several sources are merged. A source that fails is named with
its reason and stops no one.
"""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from engine.agents.observe import observe
from engine.agents.watch import watch
from engine.desks.research.context import ResearchContext
from engine.desks.research.deciding import required_tools
from engine.desks.research.merging import merge_documents
from engine.desks.research.past_runs import JOURNAL, past_documents
from engine.desks.research.state import ExecutorState, Json
from engine.domain.errors import TribunalError
from engine.domain.events import NodeFinished
from engine.domain.research.document import Document
from engine.domain.research.events import SourceSearched
from engine.domain.research.publication import is_dated_after, published_between
from engine.domain.text.reason import Reason
from engine.search.results import read_results

NODE, STAGE, MARKET = "search", "searching", "market"


async def search_node(state: ExecutorState, runtime: Runtime[ResearchContext]) -> Json:
    """Return all documents of all sources, merged."""
    context = runtime.context
    with watch(context.access.emit, NODE, STAGE) as watched:
        tools = required_tools(state.get("tools") or (), context)
        asked = [_ask(n, tool, context) for n, tool in enumerate(tools, 1)]
        if context.takes(JOURNAL):
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
    if context.inputs.facts is not None and context.takes(MARKET):
        found.append(context.inputs.facts)
        searches[MARKET] = {"ms": 0.0, "found": 1}
    merged = merge_documents(each for each in found if not _is_later(each, context))
    later = sum(_is_later(each, context) for each in found)
    undated = sum(published_between(each.published_date) is None for each in merged)
    at = f"{context.inputs.at:%Y-%m-%d %H:%M} UTC"
    notes = [Reason("documents_dated_later", count=later, at=at).said_in(context.language)] if later else []
    if undated and not context.inputs.is_present:
        notes.append(Reason("documents_undated", count=undated, at=at).said_in(context.language))
    return {
        "search_results": [each.model_dump(mode="json", exclude_defaults=True) for each in merged],
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

    async def read() -> SourceSearched:
        began = time.monotonic()
        about = SourceSearched(source=source, tool=name, query=query)
        try:
            answer = await context.room.tools.call(name, with_bound(tool["parameters"], {_query_name(tool): query}, context))
            found, skipped = documents_of(source, answer)
        except (TribunalError, TimeoutError) as problem:
            return about.plus(error=str(problem) or Reason("no_answer_in_time"), ms=_ms(began))
        rows = [each.model_dump(mode="json", exclude_defaults=True) for each in found]
        return about.plus(found=len(found), documents=rows, skipped=skipped, ms=_ms(began))

    return await observe(context.access, NODE, SourceSearched, n, read)


async def _read_journal(n: int, context: ResearchContext) -> SourceSearched:
    """Return what the desk itself decided before, recorded."""

    async def read() -> SourceSearched:
        began = time.monotonic()
        found = await past_documents(context)
        rows = [each.model_dump(mode="json", exclude_defaults=True) for each in found]
        return SourceSearched(source=JOURNAL, tool="", query=context.request.question, found=len(found), documents=rows, ms=_ms(began))

    return await observe(context.access, NODE, SourceSearched, n, read)


def documents_of(source: str, answer: Any) -> tuple[list[Document], list[str]]:
    """Return the documents in an answer of any shape, and why the rest of it is none."""
    read = read_results(source, answer)
    return read.documents, read.skipped


def with_bound(parameters: Mapping[str, Any], arguments: Mapping[str, Any], context: ResearchContext) -> dict[str, Any]:
    """Return the arguments of a search; in a run about the past, with the last day that is wanted, where the tool takes one."""
    takes_bound = "until" in (parameters.get("properties") or {})
    bound = {"until": f"{context.inputs.at:%Y-%m-%d}"} if takes_bound and not context.inputs.is_present else {}
    return {**arguments, **bound}


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
