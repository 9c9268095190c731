"""A closed room: every speech is checked by code when it is made, and the next speaker reads it with its false statements corrected. The
research debate and the risk debate are two of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.agents.access import ModelAccess
from engine.agents.ask import Question, Spoken, ask
from engine.agents.claim_reader import Confirmation
from engine.agents.debate import Node, Room, Schemas
from engine.agents.watch import Watched
from engine.desks.equities.answers import claim_spans, read_words
from engine.desks.equities.checking import check_judge, check_words, cleared_by, corrected, count, heard_beside, strikes
from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.prompts import room_task, said, sent_parts, shared_system
from engine.desks.equities.state import Json
from engine.domain.events import EventData, NodeFailed, NodeFinished, NodeStarted, NodeTokens
from engine.prompts.paragraphs import turn_task


@dataclass(frozen=True)
class ClosedRoom(Room[EquitiesContext]):
    """briefing: (state, context) -> what everybody in it reads. read: takes the judge's ruling from an answer. outcome: (ruling, text,
    state, context) -> the fields that leave the room. views: (state, context) -> what was voted before the debate, which is behind it.
    talk: (messages, context) -> the debate as its judge reads it. end: what closes it in place of a judge."""

    name: str
    schemas: Schemas
    speakers: tuple[str, ...]
    judge: str
    briefing: Callable[[Mapping[str, Any], EquitiesContext], str]
    read: Callable[[str], Any]
    outcome: Callable[[Any, str, Mapping[str, Any], EquitiesContext], Json]
    views: Callable[[Mapping[str, Any], EquitiesContext], str] = lambda _state, _context: ""
    talk: Callable[[Sequence[Mapping[str, Any]], EquitiesContext], str] = lambda messages, context: said(messages, context.language)
    end: Node | None = None

    def node(self, node: str) -> Node:
        """Return a speaker, the judge, or what closes the room."""
        return self.end if node == self.judge and self.end is not None else super().node(node)

    def question(self, node: str, state: Mapping[str, Any], context: EquitiesContext) -> Question:
        """Return the briefing, what was said, and the task."""
        messages, language = state.get("messages", ()), context.language
        own = [each for each in messages if each["speaker"] == node]
        if node == self.judge:
            talk, task = self.talk(messages, context), room_task(node, language)
        else:
            turn = turn_task(len(own) + 1, language, opens=not messages)
            talk, task = said(messages, language), room_task(node, language, turn, index=not context.preset.debates)
        read = filter(None, [self.briefing(state, context), talk, self.views(state, context)])
        return Question(
            role=node,
            node=node,
            turn=len(own) + 1,
            system=shared_system(language),
            user="\n\n".join([*read, task]),
            said=own[-1]["all"] if own else "",
            attempt=own[-1]["attempt"] if own else 1,
        )

    def reader(self, node: str) -> Callable[[str], Any]:
        return self.read if node == self.judge else read_words

    def sent(self, question: Question, context: EquitiesContext) -> Json:
        return {"sent": sent_parts(question.user, context.language)}

    def access(self, node: str, state: Mapping[str, Any], context: EquitiesContext) -> ModelAccess:
        """Return the models, with the debate's turn in what the node emits."""
        return speaking(context.access, self._turn(node, state))

    async def ask(
        self, node: str, access: ModelAccess, question: Question, state: Mapping[str, Any], context: EquitiesContext
    ) -> tuple[Spoken[Any], Confirmation | None]:
        """Ask the second reader meanwhile, where the judge is asked."""
        asking = ask(access, question, self.reader(node))
        return await heard_beside(context, node, _struck(state), asking) if node == self.judge else (await asking, None)

    async def heard(
        self, node: str, answers: tuple[Spoken[Any], Any], state: Mapping[str, Any], context: EquitiesContext, watched: Watched
    ) -> Json:
        """Return a speech with its claims, or what the ruling leaves."""
        spoken, read = answers
        if node == self.judge:
            struck = _struck(state)
            claims = await check_judge(context, node, spoken.text, claim_spans(spoken.text), struck, read)
            result = spoken.read.model_dump(mode="json")
            watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage, result=result, claims=claims)
            text = corrected(context, spoken.text, claims).strip()
            checked = {node: count(claims), **cleared_by(node, struck, read, context)}
            return {"latest_speaker": node, "checked": checked, **self.outcome(spoken.read, text, state, context)}
        words, turn = str(spoken.read), self._turn(node, state)
        round_number = 1 + sum(each["speaker"] == node for each in state.get("messages", ()))
        claims = check_words(context, node, words, [(0, len(words))])
        watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage, result={"round": round_number}, claims=claims)
        message = {"speaker": node, "turn": turn, "text": words, "corrected": corrected(context, words, claims)}
        kept = {"all": spoken.text, "attempt": spoken.attempt, "strikes": strikes(context, words, claims)}
        return {
            "messages": [{**message, **kept}],
            "count": state.get("turn", 0) // len(self.speakers) + 1,
            "latest_speaker": node,
            "checked": {f"{node} {turn}": count(claims)},
        }

    def _turn(self, node: str, state: Mapping[str, Any]) -> int:
        """Return which speech of the debate comes now, from 1, also where several are made at once."""
        before: int = state.get("turn", 0)
        return before + 1 if node == self.judge else before - before % len(self.speakers) + self.speakers.index(node) + 1


def _struck(state: Mapping[str, Any]) -> list[Json]:
    """Return what a second reader is asked about beside the judge: of what was given to the room and of every speech."""
    return [*state.get("strikes", ()), *(each for message in state.get("messages", ()) for each in message.get("strikes", ()))]


def speaking(access: ModelAccess, turn: int) -> ModelAccess:
    """Return the models of a debater: what its node emits carries the debate's turn, from 1."""
    emit = access.emit

    def emit_turn(node: str | None, data: EventData) -> None:
        of_a_turn = isinstance(data, NodeStarted | NodeTokens | NodeFinished | NodeFailed)
        emit(node, data.plus(turn=turn) if of_a_turn else data)

    return replace(access, emit=emit_turn)
