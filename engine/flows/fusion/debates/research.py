"""The research debate: bull and bear over as many rounds as were asked for, then the manager. It sees the four memories, what was
measured of the company and the dated evidence of the run; it is sealed from the account."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from engine.agents.attached import evidence_block
from engine.agents.debate import Schemas
from engine.flows.fusion.answers import PlanBlock, read_plan
from engine.flows.fusion.checking import heard_report
from engine.flows.fusion.context import FusionContext
from engine.flows.fusion.debates.room import Room, build_room
from engine.flows.fusion.memory.controller import empty_summary
from engine.flows.fusion.prompts import memory_text, views_text
from engine.flows.fusion.sheet import company_lines
from engine.flows.fusion.state import AnalystMemorySummary, InvestDebateInput, InvestDebateOutput, InvestDebateState, Json
from engine.prompts.paragraphs import FACTS
from engine.prompts.render import Text, render

_ABOUT: Text = {"en": "=== {symbol}, {date} {session} ===", "zh": "=== {symbol}，{date} {session} ==="}
_REPORTS: Text = {"en": "=== Reports and memories ===", "zh": "=== 报告与记忆 ==="}


def build_research(rounds: int, *, together: bool) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the research debate."""
    return build_room(RESEARCH, rounds, together=together)


def heading(context: FusionContext) -> str:
    """Return whom and when a room speaks about."""
    moment = context.snapshot.moment
    words = {"symbol": context.snapshot.listing.symbol, "date": str(moment.trade_date), "session": moment.trading_session}
    return render(_ABOUT[context.language], **words)


def _briefing(state: Mapping[str, Any], context: FusionContext) -> str:
    language = context.language
    memories = [
        memory_text(key, memory, language, partial(heard_report, context, key)) for key, memory in _memories(state, context).items()
    ]
    facts = f"{FACTS[language]}\n{company_lines(context.sheet, context.snapshot, language)}"
    evidence = evidence_block(context.inputs.evidence, language)
    return "\n\n".join(filter(None, [heading(context), facts, evidence, _REPORTS[language], *memories]))


def _views(state: Mapping[str, Any], context: FusionContext) -> str:
    return views_text(_memories(state, context), context.language)


def _memories(state: Mapping[str, Any], context: FusionContext) -> dict[str, AnalystMemorySummary]:
    keys = [analyst.key for analyst in context.preset.analysts]
    return {key: state.get(f"{key}_analyst_summary") or empty_summary() for key in keys}


def _outcome(plan: PlanBlock, text: str, state: Mapping[str, Any], context: FusionContext) -> Json:
    rounds = state.get("turn", 0) // 2
    return {
        "investment_plan": text,
        "research_summary": {"action": plan.action.value, "confidence": plan.confidence, "rounds": rounds},
    }


RESEARCH = Room(
    name="research",
    schemas=Schemas(InvestDebateState, InvestDebateInput, InvestDebateOutput, FusionContext),
    speakers=("bull_researcher", "bear_researcher"),
    judge="research_manager",
    briefing=_briefing,
    read=read_plan,
    outcome=_outcome,
    views=_views,
)
