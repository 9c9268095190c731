"""One analyst as a graph of its own: private messages, a counter, a report; nothing leaves it but its record.

    START -> recall ──(a report of this date and session is there)───────────────┐
                └──> work ──(lost for the first time)──> work again ──> clear ───┴─> remember -> END

`work` is the ReAct loop with its breaker (`agents/tool_loop.py`); `clear` ("Msg Clear") empties the private messages and closes the branch,
whatever ended it; `remember` hands the report to the Memory Controller and says whether a summary is due, which is made beside the debate
(`memory/node.py`). A failed analysis is tried once more by itself, with what it has looked up already, then it degrades. A report whose
closing block cannot be got is kept and counts as NEUTRAL.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from engine.agents.ask import Question
from engine.agents.attached import with_evidence
from engine.agents.observe import read_memory
from engine.agents.tool_loop import Lookup, Runnable, WorkLost, work_with_tools
from engine.agents.watch import watch
from engine.desks.equities.answers import NO_VIEW, ViewBlock, claim_spans, prose, read_view
from engine.desks.equities.checking import check_judge, claims_in, cleared_by, corrected, count, heard_beside, strikes
from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.memory import DatedReport, HeldMemory, MemoryController, read_held, report_name, summary_of
from engine.desks.equities.presets import EquityAnalyst
from engine.desks.equities.prompts import NO_MEMORY, analyst_system, memory_text, sent_parts, views_text
from engine.desks.equities.sheet import market_lines, session_lines
from engine.desks.equities.state import AdvisorInput, AnalystInput, AnalystOutput, AnalystState, Json
from engine.desks.equities.tools import TOOLS
from engine.desks.equities.tools.tool import Known
from engine.domain.broker_capabilities import capabilities_of
from engine.domain.events import NodeFinished
from engine.domain.text.reason import Reason
from engine.llm.protocol import Tool
from engine.llm.values import NoBlock, Unreadable
from engine.prompts.paragraphs import FACTS
from engine.prompts.render import Text, quoted, render

MOST_ATTEMPTS = 2
STAGE = "analysis"
_LOOKED_AT = 4
"""Memories that are read for each that is wanted: those of other data are left out."""
_ASKED: Text = {
    "en": (
        "Company: {symbol}, which its source calls {name}. Trade date: {date}, {session}. Nothing after {known_at} UTC is known.\n\n"
        "What you remember of it:\n{memory}"
    ),
    "zh": "公司：{symbol}，来源称其为 {name}。交易日：{date}，{session}。{known_at} UTC 之后的内容均未知。\n\n你对它的记忆：\n{memory}",
}


def node_of(analyst: str, attempt: int) -> str:
    """Return where an attempt speaks: the second one has a node, and so a recording, of its own."""
    return analyst if attempt == 1 else f"{analyst}_again"


def build_analyst(analyst: EquityAnalyst) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return one analyst, ready to be a node of the desk."""
    takes = AdvisorInput if analyst.advises else AnalystInput
    graph = StateGraph(AnalystState, context_schema=EquitiesContext, input_schema=takes, output_schema=AnalystOutput)
    graph.add_node("recall", _recall(analyst))
    graph.add_node("work", _work(analyst))
    graph.add_node("clear", _clear)
    graph.add_node("remember", _remember(analyst))
    graph.add_edge(START, "recall")
    graph.add_conditional_edges("recall", _unless_known, ["work", "remember"])
    graph.add_conditional_edges("work", should_continue, ["work", "clear"])
    graph.add_edge("clear", "remember")
    graph.add_edge("remember", END)
    return graph.compile()


def _unless_known(state: AnalystState) -> str:
    return "remember" if state.get("report") is not None else "work"


def should_continue(state: AnalystState) -> str:
    """Return `work` for an analysis that gave nothing and may be tried once more, else `clear`."""
    return "work" if state.get("lost") is not None and state.get("attempts", 0) < MOST_ATTEMPTS else "clear"


def _recall(analyst: EquityAnalyst) -> Any:
    async def recall(state: AnalystState, runtime: Runtime[EquitiesContext]) -> Json:
        """Read what is held of this analyst; a report of this date and session is not paid for twice."""
        context = runtime.context
        held = await held_memory(analyst, context)
        today = held.today
        found = {"held": held.model_dump(mode="json"), "attempts": 0, "tool_call_count": 0}
        stale = today is not None and context.snapshot.moment.within and analyst.cadence == "report" and today.dated != context.dated
        if (
            today is None
            or stale
            or (context.request.reader == "confirmed" and today.unread)
            or analyst.key in context.asked_anew
            or state.get("index_debate")
            or today.on_purpose != on_purpose(context)
        ):
            return found
        with watch(context.access.emit, analyst.key, STAGE) as watched:
            view = {"direction": today.direction, "confidence": today.confidence}
            watched.data = NodeFinished(result={"status": "reused", **view})
        return {**found, "report": today.text, "view": view, "checked": {"false": today.false_claims, "total": today.checked_claims}}

    return recall


async def held_memory(analyst: EquityAnalyst, context: EquitiesContext) -> HeldMemory:
    """Return what the journal held of an analyst when this run read it first."""

    async def read() -> Mapping[str, Any]:
        moment, memories = context.snapshot.moment, context.read_memories
        assert memories is not None, "a run that is verified reads nothing"
        symbol, source = context.snapshot.listing.symbol, source_of(context)
        held = await asyncio.to_thread(
            read_held, memories, analyst.key, symbol, moment.trade_date, moment.trading_session, context.dated, source
        )
        return held.model_dump(mode="json")

    return HeldMemory.model_validate(await read_memory(context.access, analyst.key, report_name(analyst.key), read))


def source_of(context: EquitiesContext) -> str:
    """Return which data reports are made from: those of another history are not this company's memory. A demo remembers no other."""
    request, feed = context.request, context.snapshot.feed
    source = f"simulated {request.seed}" if feed == "simulated" else str(feed)
    return f"{source} {context.run_id}" if capabilities_of(request.broker).starts_over else source


def on_purpose(context: EquitiesContext) -> str:
    """Return what is false on purpose in this run's reports, and the evidence that they were given, "" for neither: such a report is only
    reused by its like."""
    request = context.request
    chaos = f" {request.chaos.role}:{request.chaos.kind}" if request.chaos is not None else ""
    given = f" evidence {context.inputs.unlearnt_hash[:12]}" if context.inputs.evidence else ""
    return f"{f'lies {request.lies:g}' if request.lies else ''}{chaos}{given}".strip()


def _work(analyst: EquityAnalyst) -> Any:
    async def work(state: AnalystState, runtime: Runtime[EquitiesContext]) -> Json:
        """Ask, with tools, until there is a report or the breaker ends it."""
        context, attempt = runtime.context, state.get("attempts", 0) + 1
        node = node_of(analyst.key, attempt)
        made = [Lookup(**each) for each in state.get("lookups", ())]
        question = _question(analyst, node, HeldMemory.model_validate(state["held"]), context, len(made))
        if analyst.advises:
            question = replace(question, user=f"{question.user}\n\n{_reports(state, context)}")
        with watch(context.access.emit, node, STAGE, sent=sent_parts(question.user, context.language)) as watched:
            heard = [each for record in state.get("analysts", {}).values() for each in record.get("strikes", ())] if analyst.advises else []
            heard += (state.get("index_debate") or {}).get("strikes", ())
            ahead, offered = context.request.lookups == "planned", _offered(analyst, context)
            working = work_with_tools(
                context.access, question, offered, _read_report, context.tool_limit, analyst.plan, ahead=ahead, made=made
            )
            try:
                done, read = await heard_beside(context, node, heard, working)
                report = done.spoken.read
                if report is None:
                    raise WorkLost(Reason("it_gave_neither_report_nor_call"), done.usage, done.lookups, breaker=done.breaker)
            except WorkLost as lost:
                watched.data = NodeFinished(usage=lost.usage)
                watched.failed(str(lost), "abstains")
                lookups = [asdict(each) for each in lost.lookups]
                ended = {"tool_call_count": len(lookups), "breaker": lost.breaker, "lookups": lookups}
                return {"attempts": attempt, "lost": str(lost), **ended}
            result = {"status": "done", "tool_calls": done.calls, "breaker": done.breaker, **report.view.model_dump(mode="json")}
            claims = await check_judge(context, node, report.text, claim_spans(report.text), heard, read if analyst.advises else None)
            watched.data = NodeFinished(attempt=done.spoken.attempt, usage=done.usage, result=result, claims=claims)
        return {
            "attempts": attempt,
            "lost": None,
            "messages": list(done.messages),
            "tool_call_count": done.calls,
            "breaker": done.breaker,
            "view": report.view.model_dump(mode="json"),
            "report": report.text,
            "strikes": strikes(context, report.text, claims),
            "checked": count(claims),
            "cleared": cleared_by(node, heard, read, context) if analyst.advises else {},
        }

    return work


@dataclass(frozen=True)
class _Report:
    """The words of the last answer, and its view."""

    text: str
    view: ViewBlock


def _read_report(text: str) -> _Report:
    """Return a report. Raises NoBlock for one without a readable closing block, Unreadable for an answer without words."""
    try:
        return _Report(text.strip(), read_view(text))
    except Unreadable as problem:
        if not prose(text):
            raise
        raise NoBlock(str(problem), _Report(text.strip(), NO_VIEW)) from problem


async def _clear(state: AnalystState) -> Json:
    """ "Msg Clear": the branch is over, and so are its messages."""
    return {"messages": [], "lookups": []}


def _remember(analyst: EquityAnalyst) -> Any:
    async def remember(state: AnalystState, runtime: Runtime[EquitiesContext]) -> Json:
        """Hand the report to the Memory Controller, and give the analyst's record."""
        context, moment = runtime.context, runtime.context.snapshot.moment
        held = HeldMemory.model_validate(state["held"])
        controller = MemoryController(analyst.key, analyst.cadence, context.snapshot.listing.symbol, held)
        report, reused = state.get("report"), not state.get("attempts")
        if report is not None and not reused:
            view = state.get("view") or {}
            claims = claims_in(context, node_of(analyst.key, state["attempts"]), report, claim_spans(report))
            today = DatedReport(
                trade_date=moment.trade_date,
                trading_session=moment.trading_session,
                dated=context.dated,
                source=source_of(context),
                text=corrected(context, report, claims),
                direction=view.get("direction"),
                confidence=view.get("confidence"),
                on_purpose=on_purpose(context),
            )
            controller.save_today_report(today)
        memory = controller.get_memory_summary(context.snapshot.listing.symbol, moment.trade_date, moment.trading_session)
        record = {
            "status": "reused" if reused else "done" if report is not None else "degraded",
            "tool_calls": state.get("tool_call_count", 0),
            "breaker": bool(state.get("breaker")),
            "attempts": state.get("attempts", 0),
            "report": report,
            "view": state.get("view"),
            "reason": state.get("lost") if report is None else None,
            "strikes": state.get("strikes", []),
            "checked": state.get("checked"),
            "cleared": state.get("cleared", {}),
            "advises": analyst.advises,
            "memory": memory if report is not None else {**memory, "today_report": ""},
            "memories": [each.model_dump(mode="json") for each in controller.memories()],
            "due": controller.to_json() if controller.is_due(moment.trading_session, moment.last_session) else None,
        }
        return {"analysts": {analyst.key: record}}

    return remember


def _question(analyst: EquityAnalyst, node: str, held: HeldMemory, context: EquitiesContext, made: int) -> Question:
    """Return what an analyst is asked. made: calls that an earlier try of it executed."""
    snapshot, language = context.snapshot, context.language
    memory = held.newest.text if held.newest is not None else ""
    user = render(
        _ASKED[language],
        name=quoted("listing", snapshot.listing.name).replace("\n", ""),
        symbol=snapshot.listing.symbol,
        date=str(snapshot.moment.trade_date),
        session=snapshot.moment.trading_session,
        known_at=f"{snapshot.moment.known_at:%Y-%m-%d %H:%M}",
        memory=quoted("memory", prose(memory)) if memory else NO_MEMORY[language],
    )
    if snapshot.intraday is not None and analyst.cadence == "report":
        user = f"{user}\n\n{session_lines(snapshot.intraday, snapshot.listing.currency, language)}"
    if context.request.lookups == "planned":
        made = max(made, len(analyst.plan))  # calls that are made before it is asked
    limit = max(0, context.tool_limit - made)
    system = analyst_system(analyst.role, analyst.task[language], limit, language, with_tools=bool(analyst.tools) and limit > 0)
    return Question(role=analyst.key, node=node, system=system, user=with_evidence(user, context.inputs.evidence, language))


def _offered(analyst: EquityAnalyst, context: EquitiesContext) -> list[Runnable]:
    known = Known(context.snapshot, context.sheet, lambda limit: past_decisions(context, limit), context.language)
    tools = [TOOLS[name] for name in analyst.tools]
    return [Runnable(Tool(each.name, each.description, each.parameters()), partial(each.call, known)) for each in tools]


async def past_decisions(context: EquitiesContext, limit: int) -> list[Mapping[str, Any]]:
    """Return what this desk decided about the symbol before, on the same data, newest first. Read by a tool, whose answer is recorded."""
    memories = context.read_memories
    assert memories is not None, "a run that is verified reads nothing"
    symbol = context.snapshot.listing.symbol
    found = await asyncio.to_thread(memories, "fusion", symbol, "decision", until=context.dated, limit=_LOOKED_AT * limit)
    source = source_of(context)
    own = (memory.body for memory in found if memory.dated != context.dated and memory.body.get("source") == source)
    return [*islice(own, limit)]


def _reports(state: AnalystState, context: EquitiesContext) -> str:
    """Return what an advisor reads: the market's facts, every analyst's memory in the order of the preset, and their debate."""
    language, debate = context.language, (state.get("index_debate") or {}).get("text", "")
    memories = {analyst.key: summary_of(state["analysts"][analyst.key]) for analyst in context.preset.analysts}
    read = [memory_text(key, memory, language) for key, memory in memories.items()]
    facts = f"{FACTS[language]}\n{market_lines(context.sheet, context.snapshot)}"
    return "\n\n".join(filter(None, [facts, *read, debate, views_text(memories, language)]))
