"""A closed room: speakers in turn, a judge, messages that never leave it. The research debate and the risk debate are two of it.

Every speech is checked by code when it is made; the next speaker reads it with its false statements corrected. A speaker without a usable
answer ends the debate: half a debate is no ground for an order.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from engine.agents.access import ModelAccess
from engine.agents.ask import NoAnswer, Question, ask
from engine.agents.debate import Node, Schemas, Speaker, build_debate
from engine.agents.watch import watch
from engine.desks.equities.answers import claim_spans, read_words
from engine.desks.equities.checked import count
from engine.desks.equities.checking import check_judge, check_words, cleared_by, corrected, heard_beside, strikes
from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.prompts import room_task, said, sent_parts, shared_system
from engine.desks.equities.state import Json
from engine.domain.events import EventData, NodeFailed, NodeFinished, NodeStarted, NodeTokens
from engine.domain.text.reason import Reason
from engine.prompts.paragraphs import turn_task


@dataclass(frozen=True)
class Room:
    """name: its node and stage. speakers: nodes, in speaking order. briefing: (state, context) -> what everybody in it reads. read: takes
    the judge's ruling from an answer. outcome: (ruling, text, state, context) -> the fields that leave the room. views: (state, context) ->
    what was voted before the debate, which is behind it. heard: (messages, context) -> the debate as its judge reads it."""

    name: str
    schemas: Schemas
    speakers: tuple[str, ...]
    judge: str
    briefing: Callable[[Mapping[str, Any], EquitiesContext], str]
    read: Callable[[str], Any]
    outcome: Callable[[Any, str, Mapping[str, Any], EquitiesContext], Json]
    views: Callable[[Mapping[str, Any], EquitiesContext], str] = lambda _state, _context: ""
    heard: Callable[[Sequence[Mapping[str, Any]], EquitiesContext], str] = lambda messages, context: said(messages, context.language)


def build_room(room: Room, rounds: int, *, together: bool = False, end: Node | None = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return a debate, ready to be a node of the desk. rounds: how often every speaker speaks. together: all open at once. end: what closes
    it; None = its judge."""
    speakers = [Speaker(node, _speaker(room, node)) for node in room.speakers]
    return build_debate(room.schemas, speakers, Speaker(room.judge, end or _judge(room)), rounds, together=together)


def _speaker(room: Room, node: str) -> Node:
    async def speak(state: Mapping[str, Any], runtime: Runtime[EquitiesContext]) -> Json:
        context = runtime.context
        own = [each for each in state.get("messages", ()) if each["speaker"] == node]
        turn = _turn(room, node, state)
        access, talk = speaking(context.access, turn), said(state.get("messages", ()), context.language)
        question = Question(
            role=node,
            node=node,
            turn=len(own) + 1,
            system=shared_system(context.language),
            user=f"{_read(room, state, context, talk)}\n\n{_task(node, len(own) + 1, state, context)}",
            said=own[-1]["all"] if own else "",
            attempt=own[-1]["attempt"] if own else 1,
        )
        with watch(access.emit, node, room.name, sent=sent_parts(question.user, context.language)) as watched:
            try:
                spoken = await ask(access, question, read_words)
            except NoAnswer as lost:
                watched.data = NodeFinished(usage=lost.usage)
                watched.failed(str(lost), "safe_action")
                return {
                    "turn": state.get("turn", 0) + 1,
                    "halted": Reason("no_usable_answer", role=node, reason=lost).said_in(context.language),
                }
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
            "checked": {f"{node} {turn}": count(claims)},
        }

    return speak


def _task(node: str, round_number: int, state: Mapping[str, Any], context: EquitiesContext) -> str:
    turn = turn_task(round_number, context.language, opens=not state.get("messages"))
    return room_task(node, context.language, turn, index=not context.preset.debates)


def _turn(room: Room, node: str, state: Mapping[str, Any]) -> int:
    """Return which speech of the debate comes now, from 1, also where two are made at once."""
    before = state.get("turn", 0)
    return int(before - before % len(room.speakers) + room.speakers.index(node) + 1)


def _judge(room: Room) -> Node:
    async def rule(state: Mapping[str, Any], runtime: Runtime[EquitiesContext]) -> Json:
        context = runtime.context
        node = room.judge
        access = speaking(context.access, state.get("turn", 0) + 1)
        talk = room.heard(state.get("messages", ()), context)
        user = f"{_read(room, state, context, talk)}\n\n{room_task(node, context.language)}"
        question = Question(node, shared_system(context.language), user, node=node)
        with watch(access.emit, node, room.name, sent=sent_parts(user, context.language)) as watched:
            heard = [*state.get("strikes", ()), *(each for message in state.get("messages", ()) for each in message.get("strikes", ()))]
            try:
                spoken, read = await heard_beside(context, node, heard, ask(access, question, room.read))
            except NoAnswer as lost:
                watched.data = NodeFinished(usage=lost.usage)
                watched.failed(str(lost), "safe_action")
                return {"halted": Reason("no_usable_answer", role=node, reason=lost).said_in(context.language)}
            ruling = spoken.read
            claims = await check_judge(context, node, spoken.text, claim_spans(spoken.text), heard, read)
            result = ruling.model_dump(mode="json")
            watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage, result=result, claims=claims)
        text = corrected(context, spoken.text, claims).strip()
        checked = {node: count(claims), **cleared_by(node, heard, read, context)}
        return {"latest_speaker": node, "checked": checked, **room.outcome(ruling, text, state, context)}

    return rule


def _read(room: Room, state: Mapping[str, Any], context: EquitiesContext, talk: str) -> str:
    return "\n\n".join(filter(None, [room.briefing(state, context), talk, room.views(state, context)]))


def speaking(access: ModelAccess, turn: int) -> ModelAccess:
    """Return the models of a debater: what its node emits carries the debate's turn, from 1."""
    emit = access.emit

    def emit_turn(node: str | None, data: EventData) -> None:
        of_a_turn = isinstance(data, NodeStarted | NodeTokens | NodeFinished | NodeFailed)
        emit(node, data.plus(turn=turn) if of_a_turn else data)

    return replace(access, emit=emit_turn)
