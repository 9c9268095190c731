"""One analyst as a graph of its own: private messages, a counter, a report; nothing leaves it but its record.

    START -> recall ──(a report of this date and session is there)───────────────┐
                └──> work ──(lost for the first time)──> work again ──> clear ───┴─> remember -> END

`work` is the ReAct loop with its breaker (`agents/tool_loop.py`); `clear` ("Msg Clear") empties the private messages and closes the branch,
whatever ended it; `remember` hands the report to the Memory Controller and says whether a summary is due, which is made beside the debate
(`memory/node.py`). A failed analysis is tried once more by itself, then it degrades.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from engine.agents.ask import Question
from engine.agents.attached import with_evidence
from engine.agents.tool_loop import Runnable, ToolWork, WorkLost, work_with_tools
from engine.agents.watch import watch
from engine.domain.events import NodeFinished
from engine.flows.fusion.answers import ViewBlock, claim_spans, prose, read_view
from engine.flows.fusion.checking import check_judge, heard_beside, heard_report, strikes
from engine.flows.fusion.context import FusionContext
from engine.flows.fusion.emitting import read_recorded_memory
from engine.flows.fusion.memory.controller import DatedReport, HeldMemory, MemoryController, read_held, report_name, summary_of
from engine.flows.fusion.presets.spec import EquityAnalyst
from engine.flows.fusion.prompts import NO_MEMORY, analyst_system, memory_text, views_text
from engine.flows.fusion.sheet import market_lines
from engine.flows.fusion.state import AdvisorInput, AnalystInput, AnalystOutput, AnalystState, Json
from engine.flows.fusion.tools.protocol import Known
from engine.llm.protocol import Tool
from engine.prompts.paragraphs import FACTS
from engine.prompts.render import Text, quoted, render

MOST_ATTEMPTS = 2
STAGE = "analysis"
_ASKED: Text = {
    "en": (
        "Company: {symbol}, which its source calls {name}. Trade date: {date}, {session}. Nothing after {known_at} UTC is known.\n\n"
        "What you remember of it:\n{memory}"
    ),
    "zh": "公司：{symbol}，来源称其为 {name}。交易日：{date}，{session}。{known_at} UTC 之后的内容均未知。\n\n你对它的记忆：\n{memory}",
}


def node_of(analyst: EquityAnalyst, attempt: int) -> str:
    """Return where an attempt speaks: the second one has a node, and so a recording, of its own."""
    return analyst.key if attempt == 1 else f"{analyst.key}_again"


def build_analyst(analyst: EquityAnalyst) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return one analyst, ready to be a node of the desk."""
    takes = AdvisorInput if analyst.advises else AnalystInput
    graph = StateGraph(AnalystState, context_schema=FusionContext, input_schema=takes, output_schema=AnalystOutput)
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
    async def recall(state: AnalystState, runtime: Runtime[FusionContext]) -> Json:
        """Read what is held of this analyst; a report of this date and session is not paid for twice."""
        context = runtime.context
        held = await held_memory(analyst, context)
        today = held.today
        if today is None or analyst.key in context.asked_anew or today.on_purpose != on_purpose(context):
            return {"held": held.model_dump(mode="json"), "attempts": 0, "tool_call_count": 0}
        with watch(context.access.emit, analyst.key, STAGE) as watched:
            view = {"direction": today.direction, "confidence": today.confidence}
            watched.data = NodeFinished(result={"status": "reused", **view})
        return {"held": held.model_dump(mode="json"), "attempts": 0, "tool_call_count": 0, "report": today.text, "view": view}

    return recall


async def held_memory(analyst: EquityAnalyst, context: FusionContext) -> HeldMemory:
    """Return what the journal held of an analyst when this run read it first."""

    async def read() -> Mapping[str, Any]:
        moment, memories = context.snapshot.moment, context.read_memories
        assert memories is not None, "a run that is verified reads nothing"
        symbol, source = context.snapshot.listing.symbol, source_of(context)
        held = await asyncio.to_thread(
            read_held, memories, analyst.key, symbol, moment.trade_date, moment.trading_session, context.dated, source
        )
        return held.model_dump(mode="json")

    return HeldMemory.model_validate(await read_recorded_memory(context.access, analyst.key, report_name(analyst.key), read))


def source_of(context: FusionContext) -> str:
    """Return which data reports are made from: those of another history are not this company's memory."""
    return f"simulated {context.request.seed}" if context.snapshot.feed == "simulated" else str(context.snapshot.feed)


def on_purpose(context: FusionContext) -> str:
    """Return what is false on purpose in this run's reports, and the evidence that they were given, "" for neither: such a report is only
    reused by its like."""
    request = context.request
    chaos = f" {request.chaos.role}:{request.chaos.kind}" if request.chaos is not None else ""
    given = f" evidence {context.inputs.hash[:12]}" if context.inputs.evidence else ""
    return f"{f'lies {request.lies:g}' if request.lies else ''}{chaos}{given}".strip()


def _work(analyst: EquityAnalyst) -> Any:
    async def work(state: AnalystState, runtime: Runtime[FusionContext]) -> Json:
        """Ask, with tools, until there is a report or the breaker ends it."""
        context, attempt = runtime.context, state.get("attempts", 0) + 1
        node = node_of(analyst, attempt)
        with watch(context.access.emit, node, STAGE) as watched:
            question = _question(analyst, node, HeldMemory.model_validate(state["held"]), context)
            if analyst.advises:
                question = replace(question, user=f"{question.user}\n\n{_reports(state['analysts'], context)}")
            heard = [each for record in state.get("analysts", {}).values() for each in record.get("strikes", ())] if analyst.advises else []
            ahead = context.request.lookups == "planned"
            working = work_with_tools(
                context.access, question, _offered(analyst, context), _read_report, context.tool_limit, analyst.plan, ahead=ahead
            )
            try:
                done, read = await heard_beside(context, node, heard, working)
                report = _report(done)
            except WorkLost as lost:
                watched.data = NodeFinished(usage=lost.usage)
                watched.failed(str(lost), "abstains")
                spent = state.get("tool_call_count", 0) + lost.calls
                return {"attempts": attempt, "lost": str(lost), "tool_call_count": spent, "breaker": lost.breaker}
            result = {"status": "done", "tool_calls": done.calls, "breaker": done.breaker, **report.view.model_dump(mode="json")}
            claims = await check_judge(context, node, report.text, claim_spans(report.text), heard, read if analyst.advises else None)
            watched.data = NodeFinished(attempt=done.spoken.attempt, usage=done.usage, result=result, claims=claims)
        return {
            "attempts": attempt,
            "lost": None,
            "messages": list(done.messages),
            "tool_call_count": state.get("tool_call_count", 0) + done.calls,
            "breaker": done.breaker,
            "view": report.view.model_dump(mode="json"),
            "report": report.text,
            "strikes": strikes(context, report.text, claims),
        }

    return work


@dataclass(frozen=True)
class _Report:
    """The words of the last answer, and its view."""

    text: str
    view: ViewBlock


def _read_report(text: str) -> _Report:
    return _Report(text.strip(), read_view(text))


def _report(done: ToolWork[_Report | None]) -> _Report:
    if done.spoken.read is None:
        raise WorkLost("it gave neither a report nor a call", done.usage, done.calls, breaker=done.breaker)
    return done.spoken.read


async def _clear(state: AnalystState) -> Json:
    """ "Msg Clear": the branch is over, and so are its messages."""
    return {"messages": []}


def _remember(analyst: EquityAnalyst) -> Any:
    async def remember(state: AnalystState, runtime: Runtime[FusionContext]) -> Json:
        """Hand the report to the Memory Controller, and give the analyst's record."""
        context, moment = runtime.context, runtime.context.snapshot.moment
        held = HeldMemory.model_validate(state["held"])
        controller = MemoryController(analyst.key, analyst.cadence, context.snapshot.listing.symbol, held)
        report, reused = state.get("report"), not state.get("attempts")
        if report is not None and not reused:
            view, heard = state.get("view") or {}, heard_report(context, analyst.key, report)
            today = DatedReport(
                trade_date=moment.trade_date,
                trading_session=moment.trading_session,
                dated=context.dated,
                source=source_of(context),
                text=report,
                direction=view.get("direction"),
                confidence=view.get("confidence"),
                on_purpose=on_purpose(context),
                heard=heard if heard != report else "",
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
            "memory": memory if report is not None else {**memory, "today_report": ""},
            "memories": [each.model_dump(mode="json") for each in controller.memories()],
            "due": controller.to_json() if controller.is_due(moment.trade_date, moment.trading_session) else None,
        }
        return {"analysts": {analyst.key: record}}

    return remember


def _question(analyst: EquityAnalyst, node: str, held: HeldMemory, context: FusionContext) -> Question:
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
    system = analyst_system(analyst.role, analyst.task[language], context.tool_limit, language, with_tools=bool(analyst.tools))
    return Question(
        role=analyst.key, node=node, system=system, user=with_evidence(user, context.inputs.evidence, language), states_facts=True
    )


def _offered(analyst: EquityAnalyst, context: FusionContext) -> list[Runnable]:
    known = Known(context.snapshot, context.sheet, lambda limit: past_decisions(context, limit), context.language)

    def runnable(tool: Any) -> Runnable:
        async def run(arguments: Mapping[str, Any]) -> str:
            return str(await tool.call(known, arguments))

        return Runnable(Tool(tool.name, tool.description, tool.parameters()), run)

    return [runnable(tool) for tool in analyst.tools]


async def past_decisions(context: FusionContext, limit: int) -> list[Mapping[str, Any]]:
    """Return what this desk decided about the symbol before, newest first. Read by a tool, whose answer is recorded."""
    memories = context.read_memories
    assert memories is not None, "a run that is verified reads nothing"
    symbol = context.snapshot.listing.symbol
    found = await asyncio.to_thread(memories, "fusion", symbol, "decision", until=context.dated, limit=limit)
    return [memory.body for memory in found if memory.dated != context.dated]


def _reports(analysts: Mapping[str, Json], context: FusionContext) -> str:
    """Return what an advisor reads: the market's facts, and every analyst's memory in the order of the preset."""
    language = context.language
    memories = {analyst.key: summary_of(analysts[analyst.key]) for analyst in context.preset.analysts}
    read = [memory_text(key, memory, language, partial(heard_report, context, key)) for key, memory in memories.items()]
    facts = f"{FACTS[language]}\n{market_lines(context.sheet, context.snapshot)}"
    return "\n\n".join(filter(None, [facts, *read, views_text(memories, language)]))
