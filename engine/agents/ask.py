"""One role's answer: asked once, read, and at most once asked to repair what could not be read.

Given a question and a reader; gives the text and what was read from it. Raises NoAnswer when the call failed for good or the answer
stayed unreadable: the caller abstains or takes its safe action. Never guesses a value.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from engine.agents.access import ModelAccess, Recorded
from engine.agents.token_log import ROUND_BREAK, TokenLog
from engine.domain.errors import ModelError
from engine.domain.opinion import Usage
from engine.domain.roles import Role
from engine.llm.calls import Answer, CallLost, CallRefused, complete
from engine.llm.parsing import Unreadable
from engine.llm.protocol import ModelCall
from engine.prompts.paragraphs import REPAIR, SHORTER
from engine.prompts.render import render
from engine.prompts.tokens import count_tokens

Read = TypeVar("Read")


@dataclass(frozen=True)
class Question:
    """What one role is asked.

    images: PNG bytes, already known to be wanted. said, attempt: what the role said in earlier rounds of a debate, and the attempt that
    wrote it.
    """

    role: Role
    system: str
    user: str
    images: tuple[bytes, ...] = ()
    said: str = ""
    attempt: int = 1


@dataclass(frozen=True)
class Spoken(Generic[Read]):
    """An answer that could be read. text: all the role said, earlier rounds and closing block included. attempt: the one that counted."""

    text: str
    read: Read
    usage: Usage
    attempt: int


class NoAnswer(ModelError):
    """A role gave no usable answer. usage: what its calls cost all the same."""

    def __init__(self, message: str, usage: Usage) -> None:
        super().__init__(message)
        self.usage = usage


async def ask(access: ModelAccess, question: Question, read: Callable[[str], Read]) -> Spoken[Read]:
    """Ask one role, unless its answer is known already. `read` raises Unreadable for an answer it cannot read."""
    before = question.said + ROUND_BREAK if question.said else ""
    log = TokenLog(access.emit, question.role, before, question.attempt)
    known = access.recall(question.role, question.said)
    if known is not None:
        return _again(known, before, log, read)
    model = access.model_of(question.role)
    if spent_already := access.budget.refusal():
        raise NoAnswer(spent_already, Usage(model=model.name, cost=0.0))
    call = ModelCall(
        role=question.role,
        language=access.language,
        system=question.system,
        user=question.user,
        images=question.images if model.takes_images else (),
        temperature=access.temperature_of(question.role),
        context=access.context,
        attempt=max(question.attempt, access.attempts.get(question.role, 1)),
    )
    spent = Usage(model=model.name)
    while True:
        try:
            answer = await complete(model, call, access.policy, log)
        except (CallLost, CallRefused) as lost:
            access.budget.note(_weighed(lost.usage, call, ""))
            raise NoAnswer(str(lost), _priced(spent + lost.usage, access)) from lost
        finally:
            log.flush()
        access.budget.note(_weighed(answer.usage, call, answer.text))
        spent = spent + answer.usage
        try:
            return Spoken(before + answer.text, _read_whole(answer, read), _priced(spent, access), answer.attempt)
        except Unreadable as problem:
            spent = spent.model_copy(update={"failed": spent.failed + 1})
            if call.repair:
                raise NoAnswer(f"the answer stayed unreadable: {problem}", _priced(spent, access)) from problem
            spent = spent.model_copy(update={"repairs": 1})
            call = _repair(call, question, access, problem, answer)
            log.again(call.attempt, str(problem), repair=True)


def _again(known: Recorded, before: str, log: TokenLog, read: Callable[[str], Read]) -> Spoken[Read]:
    """An answer that was given before, told as if it came now."""
    if known.lost is not None:
        raise NoAnswer(known.lost, known.usage)
    if not known.told:
        for planted in known.planted:
            log.planted(planted)
        log.text(known.text, known.attempt)
        log.flush()
    try:
        return Spoken(before + known.text, read(known.text), known.usage, known.attempt)
    except Unreadable as problem:  # a text that a person has put in its place
        raise NoAnswer(f"the answer cannot be read: {problem}", known.usage) from problem


def _priced(usage: Usage, access: ModelAccess) -> Usage:
    """What a role's calls cost, with the price of today."""
    return usage.model_copy(update={"cost": access.budget.cost(usage)})


def _weighed(usage: Usage, call: ModelCall, text: str) -> Usage:
    """What an endpoint that reports no tokens has probably taken."""
    if usage.prompt_tokens or usage.completion_tokens or not usage.requests:
        return usage
    sent, received = usage.requests * (count_tokens(call.system) + count_tokens(call.user)), count_tokens(text)
    return usage.model_copy(update={"prompt_tokens": sent, "completion_tokens": received})


class _CutOff(Unreadable):
    """The answer ended by length."""


def _read_whole(answer: Answer, read: Callable[[str], Read]) -> Read:
    """An answer that ended by length is unreadable, even if something in it parses."""
    if answer.finish == "length":
        raise _CutOff("the answer was cut off by its length limit")
    return read(answer.text)


def _repair(call: ModelCall, question: Question, access: ModelAccess, problem: Unreadable, answer: Answer) -> ModelCall:
    """The question with what was wrong with the answer, under the bound that the answer had."""
    shorter = isinstance(problem, _CutOff)
    note = SHORTER[access.language] if shorter else render(REPAIR[access.language], reason=str(problem))
    return replace(call, user=question.user + note, attempt=answer.attempt + 1, repair=True, max_tokens=answer.max_tokens)
