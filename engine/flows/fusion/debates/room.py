"""A closed room: speakers in turn, a judge, messages that never leave it. The research debate and the risk debate are two of it.

Every speech is checked by code when it is made; the next speaker reads it with its false statements corrected. A speaker without a usable
answer ends the debate: half a debate is no ground for an order.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from engine.agents.ask import NoAnswer, Question, ask
from engine.agents.debate import Node, Schemas, Speaker, build_debate
from engine.agents.watch import watch
from engine.domain.events import NodeFinished
from engine.flows.fusion.answers import claim_spans, read_words
from engine.flows.fusion.checking import check_judge, check_words, corrected, heard_beside, strikes
from engine.flows.fusion.context import FusionContext
from engine.flows.fusion.emitting import speaking
from engine.flows.fusion.prompts import room_task, said, shared_system
from engine.flows.fusion.reasons import reason
from engine.flows.fusion.state import Json
from engine.prompts.paragraphs import turn_task
from engine.prompts.render import Text

_SAID: Text = {"en": "=== What was said ===", "zh": "=== 已有发言 ==="}


@dataclass(frozen=True)
class Room:
    """name: its node and stage. speakers: nodes, in speaking order. briefing: (state, context) -> what everybody in it reads. read: takes
    the judge's ruling from an answer. outcome: (ruling, text, state, context) -> the fields that leave the room. views: (state, context) ->
    what was voted before the debate, which stands behind it."""

    name: str
    schemas: Schemas
    speakers: tuple[str, ...]
    judge: str
    briefing: Callable[[Mapping[str, Any], FusionContext], str]
    read: Callable[[str], Any]
    outcome: Callable[[Any, str, Mapping[str, Any], FusionContext], Json]
    views: Callable[[Mapping[str, Any], FusionContext], str] = lambda _state, _context: ""


def build_room(room: Room, rounds: int, *, together: bool = False) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return a debate, ready to be a node of the desk. rounds: how often every speaker speaks. together: all open at once."""
    speakers = [Speaker(node, _speaker(room, node)) for node in room.speakers]
    return build_debate(room.schemas, speakers, Speaker(room.judge, _judge(room)), rounds, together=together)


def _speaker(room: Room, node: str) -> Node:
    async def speak(state: Mapping[str, Any], runtime: Runtime[FusionContext]) -> Json:
        context = runtime.context
        own = [each for each in state.get("messages", ()) if each["speaker"] == node]
        turn = _turn(room, node, state)
        access = speaking(context.access, turn)
        question = Question(
            role=node,
            node=node,
            turn=len(own) + 1,
            system=shared_system(context.language),
            user=f"{_read_by_all(room, state, context)}\n\n{_task(node, len(own) + 1, state, context)}",
            said=own[-1]["all"] if own else "",
            attempt=own[-1]["attempt"] if own else 1,
            states_facts=True,
        )
        with watch(access.emit, node, room.name) as watched:
            try:
                spoken = await ask(access, question, read_words)
            except NoAnswer as lost:
                watched.data = NodeFinished(usage=lost.usage)
                watched.failed(str(lost), "safe_action")
                return {"turn": state.get("turn", 0) + 1, "halted": reason("no_answer", context.language, role=node, reason=lost)}
            words = str(spoken.read)
            claims = check_words(context, node, words, [(0, len(words))])
            watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage, result={"round": len(own) + 1}, claims=claims)
        message = {"speaker": node, "turn": turn, "text": words, "corrected": corrected(context, words, claims)}
        kept = {"all": spoken.text, "attempt": spoken.attempt, "strikes": strikes(context, words, claims)}
        return {
            "messages": [{**message, **kept}],
            "turn": state.get("turn", 0) + 1,
            "count": state.get("turn", 0) // len(room.speakers) + 1,
            "latest_speaker": node,
        }

    return speak


def _task(node: str, round_number: int, state: Mapping[str, Any], context: FusionContext) -> str:
    turn = turn_task(round_number, context.language, opens=not state.get("messages"))
    return room_task(node, context.language, turn)


def _turn(room: Room, node: str, state: Mapping[str, Any]) -> int:
    """Return which speech of the debate comes now, from 1, also where two are made at once."""
    before = state.get("turn", 0)
    return int(before - before % len(room.speakers) + room.speakers.index(node) + 1)


def _judge(room: Room) -> Node:
    async def rule(state: Mapping[str, Any], runtime: Runtime[FusionContext]) -> Json:
        context = runtime.context
        node = room.judge
        access = speaking(context.access, state.get("turn", 0) + 1)
        user = f"{_read_by_all(room, state, context)}\n\n{room_task(node, context.language)}"
        question = Question(node, shared_system(context.language), user, node=node, states_facts=True)
        with watch(access.emit, node, room.name) as watched:
            heard = [*state.get("strikes", ()), *(each for message in state.get("messages", ()) for each in message.get("strikes", ()))]
            try:
                spoken, read = await heard_beside(context, node, heard, ask(access, question, room.read))
            except NoAnswer as lost:
                watched.data = NodeFinished(usage=lost.usage)
                watched.failed(str(lost), "safe_action")
                return {"halted": reason("no_answer", context.language, role=node, reason=lost)}
            ruling = spoken.read
            claims = await check_judge(context, node, spoken.text, claim_spans(spoken.text), heard, read)
            result = ruling.model_dump(mode="json")
            watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage, result=result, claims=claims)
        text = corrected(context, spoken.text, claims).strip()
        return {"latest_speaker": node, **room.outcome(ruling, text, state, context)}

    return rule


def _read_by_all(room: Room, state: Mapping[str, Any], context: FusionContext) -> str:
    talk = said(list(state.get("messages", ())), context.language)
    debate = f"{_SAID[context.language]}\n{talk}" if talk else ""
    return "\n\n".join(filter(None, [room.briefing(state, context), debate, room.views(state, context)]))
