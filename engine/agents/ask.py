"""One role's answer: asked once, read, and at most once asked to repair what could not be read.

Given a question and a reader; gives the text and what was read from it. An answer that declines is asked for once more, too. Raises
NoAnswer when the call failed for good, or the answer stayed unreadable or declined: the caller abstains or takes its safe action. Never
guesses a value. Words that the reader calls of use without their block (`NoBlock`) are kept when the block cannot be got.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeVar

from pydantic import JsonValue

from engine.agents.access import ModelAccess, Recorded
from engine.agents.repair import ClosingBlock, block_of
from engine.agents.token_log import ROUND_BREAK, TokenLog
from engine.domain.errors import ModelError
from engine.domain.events import AskedCall, ModelAnswered
from engine.domain.model_faults import FORMAT, KEY, REFUSAL, TOOLS
from engine.domain.opinion import Usage
from engine.domain.roles import Role
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.domain.text.visible import shortened
from engine.llm.calls import Answer, CallLost, CallRefused, complete
from engine.llm.protocol import AnswerSchema, Model, ModelCall, Planted, Tool, ToolCall
from engine.llm.refusal import declines
from engine.llm.values import NoBlock, Unreadable
from engine.prompts.instructions import instructed
from engine.prompts.paragraphs import DECLINED, NO_MORE_LOOKUPS, REPAIR, SHORTER
from engine.prompts.render import render
from engine.prompts.tokens import count_tokens

Read = TypeVar("Read")
_LONGEST_PART = 400  # characters of an answer that was cut off: what it goes back for is its beginning


@dataclass(frozen=True)
class Question:
    """What one role is asked.

    node: where it is asked, "" = a node of the role's own name. turn: which of the node's questions it is, from 1; under (node, turn) its
    answer is recorded. messages: what was said after `user` (`ModelCall`). tools, tool_choice: what the role may ask for. answer_schema:
    the form of its answer (`AnswerSchema`). images: PNG bytes, already known to be wanted. said, attempt: what the role said in earlier
    turns, and the attempt that wrote it.
    """

    role: Role
    system: str
    user: str
    node: str = ""
    turn: int = 1
    messages: tuple[Mapping[str, JsonValue], ...] = ()
    tools: tuple[Tool, ...] = ()
    tool_choice: Literal["auto", "none"] = "auto"
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
    tool_calls: what it asks for, in order; carried: what its endpoint wants back with them."""

    text: str
    read: Read
    usage: Usage
    attempt: int
    tool_calls: tuple[ToolCall, ...] = ()
    carried: Mapping[str, JsonValue] = field(default_factory=dict)


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
        calls = [
            AskedCall(id=call.id, name=call.name, arguments=call.arguments, **({"extra": dict(call.extra)} if call.extra else {}))
            for call in spoken.tool_calls
        ]
        carried = {"carried": dict(spoken.carried)} if spoken.carried else {}
        _record(access, question, attempt=spoken.attempt, usage=spoken.usage, **({"tool_calls": calls} if calls else {}), **carried)
    return spoken


def _record(access: ModelAccess, question: Question, **answer: Any) -> None:
    """Write down how a turn was answered (fields of `ModelAnswered`). The text itself is in the log already, as tokens."""
    access.emit(question.where, ModelAnswered(role=question.role, turn=question.turn, **answer))


async def _ask_model(access: ModelAccess, question: Question, read: Callable[[str], Read], log: TokenLog) -> Spoken[Read]:
    model = access.model_of(question.role, question.where)
    if spent_already := access.budget.refusal():
        raise NoAnswer(spent_already, Usage(model=model.name, cost=0.0))
    call = _call_of(access, question, model)
    spent = Usage(model=model.name)
    kept: _Kept | None = None
    while True:
        unheard = _Unheard(log, call.attempt)
        try:
            answer = await complete(model, call, access.policy, log if kept is None else unheard)
        except (CallLost, CallRefused) as lost:
            access.budget.note(_weighed(lost.usage, call, ""))
            spent = spent + lost.usage
            if kept is not None and kept.alone is not None:
                return kept.spoken(question, _priced(spent, access), log, unheard.attempt)
            raise NoAnswer(str(lost), _priced(spent, access), _cause(lost)) from lost
        finally:
            log.flush()
        access.budget.note(_weighed(answer.usage, call, answer.text))
        spent = spent + answer.usage
        try:
            text, found = (answer.text, _read_whole(answer, read)) if kept is None else kept.mended(answer, read)
        except Unreadable as problem:
            if kept is not None and kept.alone is not None:
                return kept.spoken(question, _priced(spent, access), log, answer.attempt)
            if call.repair and isinstance(problem, NoBlock):
                return Spoken(_whole(question, answer.text), problem.instead, _priced(spent, access), answer.attempt)
            spent = spent.model_copy(update={"failed": spent.failed + 1})
            cause = _cause_of(problem)
            if call.repair:
                stayed = str(problem) if cause == REFUSAL else Reason("answer_stayed_unreadable", problem=problem)
                raise NoAnswer(stayed, _priced(spent, access), cause) from problem
            spent = spent.model_copy(update={"repairs": 1})
            call, kept = _repair(call, access.language, problem, answer)
            log.again(call.attempt, str(problem), repair=True, cause=cause)
            continue
        if kept is not None:
            log.text(text, answer.attempt)
            log.flush()
        calls = answer.tool_calls if kept is None else ()
        return Spoken(_whole(question, text), found, _priced(spent, access), answer.attempt, calls, answer.carried if calls else {})


def _call_of(access: ModelAccess, question: Question, model: Model) -> ModelCall:
    """Return what a model is asked, with the run's own instructions where it has some for this node."""
    own = access.instructions.get(question.where)
    system, user = instructed(question.system, question.user, own) if own is not None else (question.system, question.user)
    return ModelCall(
        role=question.role,
        node=question.where,
        language=access.language,
        system=system,
        user=user,
        messages=question.messages,
        tools=question.tools,
        tool_choice=question.tool_choice,
        answer_schema=question.answer_schema,
        images=question.images if model.takes_images else (),
        temperature=access.temperature_of(question.role, question.where),
        effort=access.effort_of(question.role, question.where),
        context=access.context,
        again=access.again,
        attempt=max(question.attempt, access.attempts.get(question.where, 1)),
    )


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
    except NoBlock as problem:
        found = problem.instead
    except Unreadable as problem:  # a text that a person has put in its place
        raise NoAnswer(Reason("answer_cannot_be_read", problem=problem), known.usage) from problem
    return Spoken(_whole(question, known.text), found, known.usage, known.attempt, known.tool_calls, known.carried)


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
    said = [call.system, call.user, *(str(message.get("content") or "") for message in call.messages)]
    sent, received = usage.requests * sum(map(count_tokens, said)), count_tokens(text)
    return usage.model_copy(update={"prompt_tokens": sent, "completion_tokens": received})


class _CutOff(Unreadable):
    """The answer ended by length."""


class _Declined(Unreadable):
    """The answer refuses to do what it was asked."""


class _Unheard:
    """Listens to an answer that is told only when it has been put together with an earlier one. attempt: the running one."""

    def __init__(self, log: TokenLog, attempt: int) -> None:
        self._log, self.attempt = log, attempt

    def text(self, piece: str, attempt: int) -> None:
        """Keep it to itself."""

    def planted(self, planted: Planted) -> None:
        """Pass it on."""
        self._log.planted(planted)

    def retrying(self, attempt: int, reason: str, wait_s: float) -> None:
        """Pass it on."""
        self.attempt = attempt
        self._log.retrying(attempt, reason, wait_s)


@dataclass(frozen=True)
class _Kept:
    """The words of an answer whose block is asked for anew. alone: where they are of use without it."""

    prose: str
    block: ClosingBlock
    alone: NoBlock | None = None

    def mended(self, answer: Answer, read: Callable[[str], Read]) -> tuple[str, Read]:
        """Return the text with its new block, and what is read of it. Raises Unreadable where the new block cannot be read either, by
        itself or below the words of the first answer. Words that contradict it all the same are dropped: the answer is the second one
        then."""
        handed_in = [call.arguments for call in answer.tool_calls]
        said = handed_in[0] if handed_in else answer.text
        second = replace(answer, text=said, tool_calls=())
        try:
            found = _read_whole(second, read)
        except Unreadable:
            if not self.block.is_all_of(said):
                raise
            found = _read_whole(replace(second, text=f"{self.block.without(self.prose)}\n\n{said}"), read)
        try:
            text = self.block.put_behind(self.prose, said)
            return text, read(text)
        except Unreadable:
            return said, found

    def spoken(self, question: Question, usage: Usage, log: TokenLog, attempt: int) -> Spoken[Any]:
        """Return the words without their block, written as the attempt that counted."""
        assert self.alone is not None
        log.text(self.prose, attempt)
        log.flush()
        return Spoken(_whole(question, self.prose), self.alone.instead, usage, attempt)


def _read_whole(answer: Answer, read: Callable[[str], Read]) -> Read:
    """Return what was read. Raises Unreadable for an answer that ended by length too, even if something in it parses, and for one that
    declines."""
    if answer.finish == "length":
        raise _CutOff(Reason("answer_was_cut_off_by_its_length"))
    if answer.refusal or (not answer.tool_calls and declines(answer.text)):
        said = shortened(" ".join((answer.refusal or answer.text).split()), 120)
        raise _Declined(Reason("model_declined_to_answer", refusal=f"{said!r}"))
    return read("" if answer.tool_calls else answer.text)


def _cause(lost: CallLost | CallRefused) -> str:
    if not isinstance(lost, CallRefused):
        return ""
    return KEY if lost.of_key else TOOLS if lost.of_tools else ""


def _cause_of(problem: Unreadable) -> str:
    if isinstance(problem, _Declined):
        return REFUSAL
    return "" if isinstance(problem, _CutOff) else FORMAT


def _repair(call: ModelCall, language: Language, problem: Unreadable, answer: Answer) -> tuple[ModelCall, _Kept | None]:
    """Return what is asked after an answer that cannot be used, under the bound that it had, and what of it is kept."""
    said = answer.text or answer.refusal
    block = block_of(f"{call.system}\n\n{call.user}")
    kept: _Kept | None = None
    alone = problem if isinstance(problem, NoBlock) else None
    if isinstance(problem, _CutOff):
        note, said = SHORTER[language], said[:_LONGEST_PART]
    elif isinstance(problem, _Declined):
        note = DECLINED[language]
    elif answer.tool_calls and call.tool_choice == "none":  # one that calls what is named is not told their names any more
        note, call = NO_MORE_LOOKUPS[language], replace(call, tools=(), tool_choice="auto")
    elif block is not None and answer.text and not answer.tool_calls:
        note, kept = block.request(str(problem), language), _Kept(answer.text, block, alone)
    else:
        note = render(REPAIR[language], reason=str(problem))
    by_schema = kept is not None and not call.tools  # some endpoints take no schema where tools are named
    schema = kept.block.schema() if kept is not None and by_schema else call.answer_schema
    again = asked_again(call.messages, said, note) if said or call.messages else ()
    user = call.user if again else f"{call.user}\n\n{note}"
    asked = replace(call, user=user, messages=again, answer_schema=schema, attempt=answer.attempt + 1, repair=True)
    return replace(asked, max_tokens=answer.max_tokens), kept


def asked_again(messages: tuple[Mapping[str, JsonValue], ...], said: str, note: str) -> tuple[Mapping[str, JsonValue], ...]:
    """Return a history with an answer and what is asked after it. Without words of an answer the note is below what a tool gave last:
    some endpoints take no user behind a tool."""
    if said:
        return (*messages, {"role": "assistant", "content": said}, {"role": "user", "content": note})
    last = messages[-1]
    return (*messages[:-1], {**last, "content": f"{last.get('content') or ''}\n\n{note}"})
