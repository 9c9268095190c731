"""One role's answer: asked once, read, and at most once asked to repair what could not be read.

Given a question and a reader; gives the text and what was read from it. Raises NoAnswer when the call failed for good or the answer
stayed unreadable: the caller abstains or takes its safe action. Never guesses a value.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from pydantic import JsonValue

from engine.agents.access import ModelAccess, Recorded
from engine.agents.token_log import ROUND_BREAK, TokenLog
from engine.domain.errors import ModelError
from engine.domain.events import AskedCall, ModelAnswered
from engine.domain.model_faults import FORMAT, KEY
from engine.domain.opinion import Usage
from engine.domain.roles import Role
from engine.llm.calls import Answer, CallLost, CallRefused, complete
from engine.llm.protocol import AnswerSchema, ModelCall, Tool, ToolCall
from engine.llm.values import Unreadable
from engine.prompts.paragraphs import REPAIR, SHORTER
from engine.prompts.render import render
from engine.prompts.tokens import count_tokens

Read = TypeVar("Read")


@dataclass(frozen=True)
class Question:
    """What one role is asked.

    node: where it is asked, "" = a node of the role's own name. turn: which of the node's questions it is, from 1; under (node, turn) its
    answer is recorded. messages: what was said after `user` (`ModelCall`). tools: what the role may ask for. answer_schema: the form of its
    answer (`AnswerSchema`). images: PNG bytes, already known to be wanted. said, attempt: what the role said in earlier turns, and the
    attempt that wrote it.
    """

    role: Role
    system: str
    user: str
    node: str = ""
    turn: int = 1
    messages: tuple[Mapping[str, JsonValue], ...] = ()
    tools: tuple[Tool, ...] = ()
    answer_schema: AnswerSchema | None = None
    images: tuple[bytes, ...] = ()
    said: str = ""
    attempt: int = 1

    @property
    def where(self) -> str:
        """The node that asks."""
        return self.node or self.role


@dataclass(frozen=True)
class Spoken(Generic[Read]):
    """An answer that could be read. text: all the role said, earlier turns and closing block included. attempt: the one that counted.
    tool_calls: what it asks for, in order."""

    text: str
    read: Read
    usage: Usage
    attempt: int
    tool_calls: tuple[ToolCall, ...] = ()


class NoAnswer(ModelError):
    """A role gave no usable answer. usage: what its calls cost all the same. cause: where it is the whole model's (`model_faults.py`)."""

    def __init__(self, message: str, usage: Usage, cause: str = "") -> None:
        super().__init__(message)
        self.usage, self.cause = usage, cause


async def ask(access: ModelAccess, question: Question, read: Callable[[str], Read]) -> Spoken[Read]:
    """Ask one role, unless its answer is known already, and record the answer under (node, turn).

    read: raises Unreadable for an answer it cannot read; it is not asked about an answer that only calls tools, whose `read` is that of "".
    Raises NoAnswer when there is no usable answer; that is recorded too.
    """
    before = question.said + ROUND_BREAK if question.said else ""
    log = TokenLog(access.emit, question.where, before, question.attempt)
    known = access.recall.answer(question.where, question.turn)
    try:
        if known is not None:
            spoken = _again(known, question, log, read)
        else:
            spoken = await _ask_model(access, question, read, log)
    except NoAnswer as lost:
        if known is None or not known.already_logged:
            _record(access, question, lost=str(lost), usage=lost.usage, **({"cause": lost.cause} if lost.cause else {}))
        raise
    if known is None or not known.already_logged:
        calls = [AskedCall(id=call.id, name=call.name, arguments=call.arguments) for call in spoken.tool_calls]
        _record(access, question, attempt=spoken.attempt, usage=spoken.usage, **({"tool_calls": calls} if calls else {}))
    return spoken


def _record(access: ModelAccess, question: Question, **answer: Any) -> None:
    """Write down how a turn was answered (fields of `ModelAnswered`). The text itself is in the log already, as tokens."""
    access.emit(question.where, ModelAnswered(role=question.role, turn=question.turn, **answer))


async def _ask_model(access: ModelAccess, question: Question, read: Callable[[str], Read], log: TokenLog) -> Spoken[Read]:
    model = access.model_of(question.role, question.where)
    if spent_already := access.budget.refusal():
        raise NoAnswer(spent_already, Usage(model=model.name, cost=0.0))
    call = ModelCall(
        role=question.role,
        node=question.where,
        language=access.language,
        system=question.system,
        user=question.user,
        messages=question.messages,
        tools=question.tools,
        answer_schema=question.answer_schema,
        images=question.images if model.takes_images else (),
        temperature=access.temperature_of(question.role, question.where),
        context=access.context,
        attempt=max(question.attempt, access.attempts.get(question.where, 1)),
    )
    spent = Usage(model=model.name)
    while True:
        try:
            answer = await complete(model, call, access.policy, log)
        except (CallLost, CallRefused) as lost:
            access.budget.note(_weighed(lost.usage, call, ""))
            cause = KEY if isinstance(lost, CallRefused) and lost.of_key else ""
            raise NoAnswer(str(lost), _priced(spent + lost.usage, access), cause) from lost
        finally:
            log.flush()
        access.budget.note(_weighed(answer.usage, call, answer.text))
        spent = spent + answer.usage
        try:
            found = _read_whole(answer, read)
            return Spoken(_whole(question, answer.text), found, _priced(spent, access), answer.attempt, answer.tool_calls)
        except Unreadable as problem:
            spent = spent.model_copy(update={"failed": spent.failed + 1})
            cause = "" if isinstance(problem, _CutOff) else FORMAT
            if call.repair:
                raise NoAnswer(f"the answer stayed unreadable: {problem}", _priced(spent, access), cause) from problem
            spent = spent.model_copy(update={"repairs": 1})
            call = _repair(call, question, access, problem, answer)
            log.again(call.attempt, str(problem), repair=True, cause=cause)


def _again(known: Recorded, question: Question, log: TokenLog, read: Callable[[str], Read]) -> Spoken[Read]:
    """Return an answer that was given before; one of another run is written into this run's log as if it came now. Raises NoAnswer."""
    if known.lost is not None:
        raise NoAnswer(known.lost, known.usage, known.cause)
    if not known.already_logged:
        for planted in known.planted:
            log.planted(planted)
        if known.text:
            log.text(known.text, known.attempt)
            log.flush()
    try:
        found = read("" if known.tool_calls else known.text)
    except Unreadable as problem:  # a text that a person has put in its place
        raise NoAnswer(f"the answer cannot be read: {problem}", known.usage) from problem
    return Spoken(_whole(question, known.text), found, known.usage, known.attempt, known.tool_calls)


def _whole(question: Question, text: str) -> str:
    """Return all that the role has said in this node, its last words included."""
    return f"{question.said}{ROUND_BREAK}{text}" if question.said and text else question.said + text


def _priced(usage: Usage, access: ModelAccess) -> Usage:
    """Return what a role's calls cost, with the price of today."""
    return usage.model_copy(update={"cost": access.budget.cost(usage)})


def _weighed(usage: Usage, call: ModelCall, text: str) -> Usage:
    """Return what an endpoint that reports no tokens has probably taken."""
    if usage.prompt_tokens or usage.completion_tokens or not usage.requests:
        return usage
    sent, received = usage.requests * (count_tokens(call.system) + count_tokens(call.user)), count_tokens(text)
    return usage.model_copy(update={"prompt_tokens": sent, "completion_tokens": received})


class _CutOff(Unreadable):
    """The answer ended by length."""


def _read_whole(answer: Answer, read: Callable[[str], Read]) -> Read:
    """Return what was read. Raises Unreadable for an answer that ended by length too, even if something in it parses."""
    if answer.finish == "length":
        raise _CutOff("the answer was cut off by its length limit")
    return read("" if answer.tool_calls else answer.text)


def _repair(call: ModelCall, question: Question, access: ModelAccess, problem: Unreadable, answer: Answer) -> ModelCall:
    """Return the question with what was wrong with the answer, under the bound that the answer had."""
    shorter = isinstance(problem, _CutOff)
    note = SHORTER[access.language] if shorter else render(REPAIR[access.language], reason=str(problem))
    if call.messages:  # the question is the last thing that was said
        again: tuple[Mapping[str, JsonValue], ...] = (*question.messages, {"role": "user", "content": note.strip()})
        return replace(call, messages=again, attempt=answer.attempt + 1, repair=True, max_tokens=answer.max_tokens)
    return replace(call, user=question.user + note, attempt=answer.attempt + 1, repair=True, max_tokens=answer.max_tokens)
