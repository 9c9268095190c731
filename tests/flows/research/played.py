"""Plays the research flow without a journal: a request, a room of search in memory, and what the model says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from engine.agents.access import ModelAccess
from engine.desks.research.context import ResearchContext
from engine.desks.research.flow import ResearchFlow
from engine.desks.research.prepare import first_state
from engine.desks.research.request import ResearchInputs, ResearchRequest
from engine.desks.research.script import research_voice
from engine.desks.research.seats import ROLE
from engine.domain.clock import utc_now
from engine.domain.ended import Memory
from engine.domain.events import Event, EventData
from engine.flows.play import play
from engine.llm.calls import CallPolicy
from engine.llm.protocol import ModelCall, Script, Voice
from engine.script.model import ScriptedModel
from engine.search.protocol import SearchRoom
from tests.toy.room import ToyTools, toy_room

AT = datetime(2026, 5, 16, 12, tzinfo=UTC)
QUESTION = "What moves the funding rate of BTC?"


@dataclass
class Played:
    """state: the result. events: of the run. calls: what the model was asked. tools: what was asked of the sources."""

    state: Mapping[str, Any]
    events: Sequence[Event]
    calls: Sequence[ModelCall]
    tools: ToyTools

    def of(self, kind: str) -> list[Event]:
        return [event for event in self.events if event.kind == kind]


@dataclass
class Listening:
    """A voice that keeps what it was asked."""

    voice: Voice
    calls: list[ModelCall] = field(default_factory=list)

    def __call__(self, call: ModelCall) -> Script:
        self.calls.append(call)
        return self.voice(call)


async def research(
    question: str = QUESTION,
    *,
    answers: Mapping[str, Any] | None = None,
    room: SearchRoom | None = None,
    voice: Voice | None = None,
    at: datetime | None = AT,
    language: str = "en",
    memories: Sequence[Memory] = (),
    **asked: Any,
) -> Played:
    """Ask once. at: None = the present. memories: what the journal holds."""
    request = ResearchRequest(question=question, language=language, at=at, **asked)
    room, events = room or toy_room(answers), list[Event]()
    listening = Listening(voice or research_voice(lies=request.lies, seed=request.seed))
    model = ScriptedModel({ROLE: listening}, pace=0)

    def emit(node: str | None, data: EventData) -> None:
        now = utc_now()
        events.append(Event(seq=len(events) + 1, run_id="r", at=now, kind=data.kind, node=node, data=data))

    def kept(flow: str, subject: str, name: str, *, until: str, limit: int) -> list[Memory]:
        return [each for each in memories if (each.flow, each.subject, each.name) == (flow, subject, name) and each.dated <= until][:limit]

    now = utc_now()
    context = ResearchContext(
        run_id="r",
        request=request,
        inputs=ResearchInputs(question=question, at=at or now, is_present=at is None),
        access=ModelAccess(lambda role, node: model, CallPolicy(deadline_s=10.0), request.language, "hash", emit),
        clock=utc_now,
        open_room=lambda library: room,
        read_memories=kept,
    )
    flow = ResearchFlow()
    ended = await play(flow, flow.work().build(request, InMemorySaver()), context, first_state(context, request), "r", lambda: events)
    assert isinstance(room.tools, ToyTools)
    return Played(ended.state, events, listening.calls, room.tools)


def says(answer: str, *calls: Any) -> Voice:
    """A voice that makes the given calls, a tuple of them a turn, and then answers from its documents with `answer`."""

    def speak(call: ModelCall) -> Script:
        if call.where == "summarize":
            return Script(answer)
        done = sum(message["role"] == "assistant" for message in call.messages)
        return Script(f"Thought {done + 1}.", tool_calls=tuple(calls[done]) if done < len(calls) else ())

    return speak
