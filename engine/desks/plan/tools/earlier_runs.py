"""What runs give beside this one: `past_decisions` reads the journal, `research_question` asks the research agent in a run of its own."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from engine.desks.plan.tools.protocol import Json, NoData, ToolResult, ToolScope, plan_tool
from engine.desks.plan.tools.quality import coverage, freshness, judged
from engine.desks.plan.words import say
from engine.domain.errors import BadInput
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.domain.text.visible import shortened

_USUAL_S = 7 * 86_400.0
_NO_ACTION = ("", "None")
_MOST_SOURCES, _ENOUGH, _MOST_ANSWER, _MOST_SAID = 10, 3, 4000, 300


def _decisions_sentence(output: Mapping[str, Any], language: Language) -> str:
    counted = ", ".join(f"{action} {count}" for action, count in output["actions"].items())
    return say("past_decisions", language, counted=counted, **output)


@plan_tool("Earlier decisions of the journal about a market or company.", _decisions_sentence)
async def past_decisions(
    scope: ToolScope,
    symbol: Annotated[str, Field(min_length=1, max_length=40, description="market or ticker")],
    limit: Annotated[int, Field(ge=1, le=50, description="how many at most, newest first")] = 10,
) -> ToolResult:
    """limit: how many at most."""
    found = list(await scope.sources.decisions(symbol, scope.at, limit))
    if not found:
        raise NoData(Reason("journal_holds_no_decision_about", symbol=symbol, at=f"{scope.at:%Y-%m-%d %H:%M}"))
    actions = Counter(str(each["action"]) for each in found)
    output: Json = {"symbol": symbol, "count": len(found), "actions": dict(actions), "decisions": list(found)}
    newest = datetime.fromisoformat(str(found[0]["at"]))
    named = sum(str(each.get("action")) not in _NO_ACTION for each in found)
    sound = sum(bool(each.get("is_valid")) for each in found)
    checks = (
        freshness(newest, scope.at, _USUAL_S),
        coverage(named, len(found), "decisions say what was done"),
        judged("shape", sound / len(found), Reason("sound_decisions", sound=sound, found=len(found))),
    )
    return ToolResult(output, checks, newest, "journal")


def _held(found: Mapping[str, Any]) -> tuple[str, int]:
    """Return the sentences of a research answer that its documents bear out, and how many they do not: those would count as measured."""
    stated = [each for each in found.get("statements") or () if isinstance(each, Mapping)]
    held = [str(each.get("text") or "") for each in stated if each.get("status") in ("supported", "no_number")]
    return " ".join(held).strip(), len(stated) - len(held)


def _stated(found: Mapping[str, Any]) -> float:
    """Return the confidence of a research run, 0 to 1. Raises BadInput for one that states none."""
    stated = found.get("confidence")
    if not isinstance(stated, int | float) or isinstance(stated, bool):
        raise BadInput(Reason("research_run_states_no_confidence"))
    return float(stated) / 100 if stated > 1 else float(stated)


def _research_sentence(output: Mapping[str, Any], language: Language) -> str:
    first = shortened(" ".join(str(output["answer"]).split()), _MOST_SAID)
    return say("research_question", language, first=first, **output)


@plan_tool("Asks the research agent a sub-question; answers with sources.", _research_sentence)
async def research_question(
    scope: ToolScope, question: Annotated[str, Field(min_length=3, max_length=1000, description="one question that documents can answer")]
) -> ToolResult:
    """question: one that documents can answer."""
    found = await scope.sources.research(question, scope.n)
    (answer, unsupported), papers = _held(found), found.get("top_papers")
    kept = [paper for paper in papers if isinstance(paper, Mapping)] if isinstance(papers, list) else []
    if not answer or not kept:
        raise NoData(Reason("no_source_answered", question=f"{shortened(question, 120)!r}"))
    failed = found.get("failed_sources")
    lost: Json = {str(name)[:60]: shortened(str(why), 200) for name, why in failed.items()} if isinstance(failed, Mapping) else {}
    dated = sum(paper.get("published_date") is not None for paper in kept)
    output: Json = {
        "question": question,
        "answer": shortened(answer, _MOST_ANSWER),
        "papers": [
            {
                name: str(paper[name]) if name == "url" else shortened(str(paper[name]), 300)
                for name in ("title", "url", "source", "published_date")
                if paper.get(name) is not None
            }
            for paper in kept[:_MOST_SOURCES]
        ],
        "failed_sources": lost,
        "unsupported": unsupported,
        "run_id": str(found.get("run_id") or ""),
    }
    checks = (
        coverage(min(len(kept), _ENOUGH), _ENOUGH, "documents at least"),
        judged("agreement", _stated(found), Reason("confidence_research_states")),
        judged("shape", dated / len(kept), Reason("documents_dated", dated=dated, kept=len(kept), lost=len(lost))),
    )
    return ToolResult(output, checks, scope.at, "research")
