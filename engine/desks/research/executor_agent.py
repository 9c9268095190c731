"""The research agent without a journal: one question in, the result out. The same graph, nodes and result as a run of the flow.

    executor = ExecutorAgent(room, access)
    result = await executor.invoke(query="...", thread_id="thread_123")

Nothing is written down: a run that shall be watched, continued, forked or verified is started with `Engine.start`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from engine.agents.access import ModelAccess
from engine.desks.research.context import ResearchContext
from engine.desks.research.flow import ResearchFlow
from engine.desks.research.graph import build_graph
from engine.desks.research.prepare import first_state
from engine.desks.research.request import ResearchInputs, ResearchRequest
from engine.domain.clock import utc_now
from engine.domain.events import Event, EventData
from engine.flows.play import play
from engine.flows.protocol import Json
from engine.search.protocol import SearchRoom, SearchTool, ToolKind


class ExecutorAgent:
    """Answers sub-questions of a plan, or of anybody. Not to be shared between event loops: its room and models are not."""

    def __init__(self, room: SearchRoom, access: ModelAccess, *, download: bool = True, clock: Callable[[], datetime] = utc_now) -> None:
        """room: what searches. access: the models; what is emitted to it is emitted here too. download: fetch what is kept."""
        self._room = room
        self._access = access
        self._download = download
        self._clock = clock

    async def invoke(self, query: str, thread_id: str) -> Json:
        """Return the result (`executor_result` of the specification and more). thread_id: the result's `run_id`. Never raises for a source
        or a model that fails: the result says so."""
        at, events = self._clock(), list[Event]()

        def emit(node: str | None, data: EventData) -> None:
            self._access.emit(node, data)
            events.append(Event(seq=len(events) + 1, run_id=thread_id, at=self._clock(), kind=data.kind, node=node, data=data))

        request = ResearchRequest(question=query, language=self._access.language, download=self._download)
        context = ResearchContext(
            run_id=thread_id,
            request=request,
            inputs=ResearchInputs(question=query, at=at, is_present=True),
            access=replace(self._access, emit=emit),
            clock=self._clock,
            open_room=lambda library: self._room,
            read_memories=lambda *_, **__: (),
        )
        graph: Any = build_graph(InMemorySaver())
        return (await play(ResearchFlow(), graph, context, first_state(context, context.request), thread_id, lambda: events)).state

    async def get_tools(self, tool_type: ToolKind = "search") -> Sequence[SearchTool]:
        """Return the tools of a kind, of every server; those of downloads are not listed before they are asked for."""
        return await self._room.tools.tools(tool_type)

    async def _clean(self) -> None:
        """Release nothing: room and models belong to their maker."""
