"""The research debate: bull and bear over as many rounds as were asked for, then the manager. It sees the four memories, what was
measured of the company and the dated evidence of the run; it is sealed from the account. About an index the same two debate the five
reports, a round less and without a manager: the advisor reads what they said."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from engine.agents.attached import evidence_block
from engine.agents.debate import Schemas
from engine.desks.equities.answers import PlanBlock, read_plan
from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.debates.room import ClosedRoom
from engine.desks.equities.memory import empty_summary, summary_of
from engine.desks.equities.prompts import RESEARCHERS, memory_text, said_by_lot, views_text
from engine.desks.equities.sheet import company_lines
from engine.desks.equities.state import (
    AnalystMemorySummary,
    AnalystOutput,
    IndexDebateOutput,
    IndexDebateState,
    InvestDebateOutput,
    InvestDebateState,
    Json,
    SummaryFields,
)
from engine.outcomes.similar import precedent_block
from engine.prompts.paragraphs import FACTS
from engine.prompts.render import Text, render

_ABOUT: Text = {"en": "=== {symbol}, {date} {session} ===", "zh": "=== {symbol}，{date} {session} ==="}
_REPORTS: Text = {"en": "=== Reports and memories ===", "zh": "=== 报告与记忆 ==="}


async def _close(state: Mapping[str, Any], runtime: Runtime[EquitiesContext]) -> Json:
    """Hand on what was said, corrected, and what a second reader is to be asked about."""
    messages = list(state.get("messages", ()))
    strikes = [each for message in messages for each in message.get("strikes", ())]
    context = runtime.context
    return {"index_debate": {"text": said_by_lot(messages, context.reads_first, context.language), "strikes": strikes}}


def heading(context: EquitiesContext) -> str:
    """Return whom and when a room speaks about."""
    moment = context.snapshot.moment
    session = f"{moment.known_at:%H:%M} UTC" if moment.within else moment.trading_session
    words = {"symbol": context.snapshot.listing.symbol, "date": str(moment.trade_date), "session": session}
    return render(_ABOUT[context.language], **words)


def _briefing(state: Mapping[str, Any], context: EquitiesContext) -> str:
    language = context.language
    memories = [memory_text(key, memory, language) for key, memory in _memories(state, context).items()]
    facts = f"{FACTS[language]}\n{company_lines(context.sheet, context.snapshot, language)}"
    evidence = evidence_block(context.inputs.evidence, language)
    precedents = precedent_block(context.precedents, language)
    return "\n\n".join(filter(None, [heading(context), facts, evidence, precedents, _REPORTS[language], *memories]))


def _memories(state: Mapping[str, Any], context: EquitiesContext) -> dict[str, AnalystMemorySummary]:
    keys = [analyst.key for analyst in context.preset.analysts]
    if not context.preset.debates:
        return {key: summary_of(state["analysts"][key]) for key in keys}
    return {key: state.get(f"{key}_analyst_summary") or empty_summary() for key in keys}


def _outcome(plan: PlanBlock, text: str, state: Mapping[str, Any], context: EquitiesContext) -> Json:
    summary = {"action": plan.action.value, "confidence": plan.confidence, "rounds": state.get("turn", 0) // 2}
    return {"investment_plan": text, "research_summary": {**summary, "manager_reads_first": context.reads_first}}


RESEARCH = ClosedRoom(
    name="research",
    schemas=Schemas(InvestDebateState, SummaryFields, InvestDebateOutput, EquitiesContext),
    speakers=RESEARCHERS,
    judge="research_manager",
    briefing=_briefing,
    read=read_plan,
    outcome=_outcome,
    views=lambda state, context: views_text(_memories(state, context), context.language),
    talk=lambda messages, context: said_by_lot(messages, context.reads_first, context.language),
)
INDEX = replace(RESEARCH, schemas=Schemas(IndexDebateState, AnalystOutput, IndexDebateOutput, EquitiesContext), judge="close", end=_close)
