"""`research_question`: a sub-question for the research agent, in a run of its own; its answer comes back with its sources."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from engine.domain.errors import BadInput
from engine.domain.frozen_model import FrozenModel
from engine.domain.text.language import Language
from engine.flows.plan.tools.protocol import Json, NoData, PlanTool, ToolResult, ToolScope
from engine.flows.plan.tools.quality import coverage, judged

_MOST_SOURCES, _ENOUGH, _MOST_ANSWER = 10, 3, 4000


class QuestionArguments(FrozenModel):
    """question: one that documents can answer."""

    question: str = Field(min_length=3, max_length=1000, description="one question that documents can answer")


async def _run(scope: ToolScope, asked: QuestionArguments) -> ToolResult:
    found = await scope.sources.research(asked.question, scope.n)
    answer, papers = str(found.get("answer") or "").strip(), found.get("top_papers")
    kept = [paper for paper in papers if isinstance(paper, Mapping)] if isinstance(papers, list) else []
    if not answer or not kept:
        raise NoData(f"no source answered {asked.question[:120]!r}")
    failed = found.get("failed_sources")
    lost: Json = {str(name)[:60]: str(why)[:200] for name, why in failed.items()} if isinstance(failed, Mapping) else {}
    dated = sum(paper.get("published_date") is not None for paper in kept)
    output: Json = {
        "question": asked.question,
        "answer": answer[:_MOST_ANSWER],
        "papers": [
            {name: str(paper[name])[:300] for name in ("title", "url", "source", "published_date") if paper.get(name) is not None}
            for paper in kept[:_MOST_SOURCES]
        ],
        "failed_sources": lost,
        "run_id": str(found.get("run_id") or ""),
    }
    checks = (
        coverage(min(len(kept), _ENOUGH), _ENOUGH, "documents at least"),
        judged("agreement", _stated(found), "confidence that the research run states"),
        judged("shape", dated / len(kept), f"{dated} of {len(kept)} documents are dated; {len(lost)} sources gave nothing"),
    )
    return ToolResult(output, checks, scope.at, "research")


def _stated(found: Mapping[str, Any]) -> float:
    """Return the confidence of a research run, 0 to 1. Raises BadInput for one that states none."""
    stated = found.get("confidence")
    if not isinstance(stated, int | float) or isinstance(stated, bool):
        raise BadInput("the research run states no confidence")
    return float(stated) / 100 if stated > 1 else float(stated)


def _sentence(output: Mapping[str, Any], language: Language) -> str:
    first = " ".join(str(output["answer"]).split())[:300]
    return f"资料研究“{output['question']}”：{first}" if language == "zh" else f"Research on “{output['question']}”: {first}"


TOOL = PlanTool("research_question", "Asks the research agent a sub-question; answers with sources.", QuestionArguments, _run, _sentence)
