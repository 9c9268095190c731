"""How a run of research ends: every field of the result, strict JSON. Pure.

Whatever did not end in an answer of the model ends with `is_valid: false` and a reason in `errors`; what was found stays in the result.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from engine.agents.recording import planted_values
from engine.desks.research.answer.confidence import ConfidenceParts
from engine.desks.research.context import ResearchContext
from engine.desks.research.state import Json
from engine.domain.ended import Ended
from engine.domain.events import Event, ToolAnswered
from engine.domain.research.events import DocumentDownloaded, SourceSearched
from engine.flows.ending import finished, unfinished
from engine.flows.protocol import Failure

_PAPER = ("title", "source", "rerank_score", "url", "saved_path", "abstract", "authors", "published_date", "doi", "also_in", "not_saved")
_EMPTY: Json = {
    "source": "", "title": "", "rerank_score": None, "url": "", "saved_path": None, "abstract": "", "authors": [], "published_date": None,
    "doi": None, "also_in": [], "not_saved": None,
}  # fmt: skip
_OF_SOME = ("saved_from", "not_saved_by")  # of a document whose file is another source's
_SHOWN = ("is_valid", "errors", "warnings", "metrics", "confidence")
_HEADLINE = {"en": "{n} documents, confidence {c} %", "zh": "{n} 份资料，置信度 {c}%"}


def ended(state: Mapping[str, Any], context: ResearchContext, events: Sequence[Event], failure: Failure | None) -> Ended:
    """Return how a run ended. state: what the graph left. events: of the run."""
    result: Mapping[str, Any] = state.get("executor_result") or {}
    rows = _papers(state)
    papers = [{key: row.get(key, _EMPTY[key]) for key in _PAPER} | {key: row[key] for key in _OF_SOME if key in row} for row in rows]
    errors = unfinished(context, failure, is_whole=bool(result)) or ([result["error"]] if result.get("error") else [])
    counts = Counter(str(each["source"]) for each in papers)
    statements = list(result.get("statements") or ())
    fields: Json = {
        "query": context.request.question,
        "language": context.language,
        "at": context.inputs.at.isoformat(),
        "total_papers": len(papers),
        "papers_by_source": dict(sorted(counts.items())),
        "top_papers": papers,
        "statistics": _statistics(state, papers),
        "answer": result.get("answer", ""),
        "confidence": result.get("confidence", 0.0),
        "confidence_parts": result.get("confidence_parts") or ConfidenceParts(0.0, 0.0, 0.0).to_json(),
        "statements": statements,
        "headline": result.get("headline"),
        "against": result.get("against"),
        "failed_sources": dict(state.get("failed_sources") or context.inputs.missing),
        "observations": list(state.get("observations") or ()),
        "searches": dict(state.get("searches") or {}),
        "errors": errors,
        "warnings": list(state.get("notes") or ()),
        "planted": _planted(events, statements),
    }
    headline = _HEADLINE[context.language].format(n=len(papers), c=round(100 * fields["confidence"]))
    return finished(context, str(state["created_at"]), events, fields, headline, shown=_SHOWN, counted=_calls(events, state))


def _papers(state: Mapping[str, Any]) -> Sequence[Json]:
    """Return what was kept, as far as the run came."""
    for channel in ("downloaded_papers", "reranked_results", "search_results", "optional_search_results"):
        if state.get(channel) is not None:
            rows: Sequence[Json] = state[channel]
            return rows
    return ()


def _statistics(state: Mapping[str, Any], papers: Sequence[Json]) -> Json:
    counts = state.get("counts") or {}
    return {
        "searched": counts.get("searched", len(papers)),
        "after_rerank": counts.get("after_rerank", len(papers)),
        "downloaded": counts.get("downloaded", 0),
        "merged": counts.get("merged", len(papers)),
        "dated_later": counts.get("dated_later", 0),
    }


def _planted(events: Sequence[Event], statements: Sequence[Json]) -> list[Json]:
    """Return `{"role","key","stated","true","caught"}` for every value that was false on purpose. caught: a sentence that states it is not
    supported."""
    unsupported = {round(float(number["value"]), 9) for each in statements if each["status"] == "unsupported" for number in each["numbers"]}
    lies = planted_values(events)
    return [{**lie.to_json(), "caught": isinstance(lie.stated, float) and round(lie.stated, 9) in unsupported} for lie in lies]


def _calls(events: Sequence[Event], state: Mapping[str, Any]) -> dict[str, int]:
    asked = sum(isinstance(event.data, SourceSearched) and bool(event.data.tool) for event in events)
    fetched = sum(isinstance(event.data, DocumentDownloaded) for event in events)
    repeats = sum(isinstance(event.data, ToolAnswered) and event.data.repeat for event in events)
    optional = state.get("optional_calls", 0)
    return {"tool_calls_count": optional + asked + fetched, "optional_calls": optional, "repeated_calls": repeats}
